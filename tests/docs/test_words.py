"""The glossary has one sentence for each term, as in the reports."""

import re
from pathlib import Path

from reseed.report.pages import words

TEXT = (Path(__file__).parents[2] / "docs" / "words.md").read_text(encoding="utf-8")
WORDS = dict(re.findall(r"^- \*\*(.+?)\*\*: (.+)$", TEXT, re.MULTILINE))


def test_each_term_has_one_sentence():
    assert len(WORDS) == TEXT.count("\n- **")
    for word, sentence in WORDS.items():
        assert sentence.endswith("."), word
        assert len(re.findall(r"[.!?] [A-Z]", sentence)) == 0, word


def test_reports_use_the_same_sentences():
    for word, sentence in words.WORDS.items():
        assert WORDS[word] == sentence
