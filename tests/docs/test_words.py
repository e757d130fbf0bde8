"""The glossary has one sentence for each term."""

import re
from pathlib import Path

TEXT = (Path(__file__).parents[2] / "docs" / "words.md").read_text(encoding="utf-8")
WORDS = dict(re.findall(r"^- \*\*(.+?)\*\*: (.+)$", TEXT, re.MULTILINE))


def test_each_term_has_one_sentence():
    assert len(WORDS) == TEXT.count("\n- **")
    for word, sentence in WORDS.items():
        assert sentence.endswith("."), word
        assert len(re.findall(r"[.!?] [A-Z]", sentence)) == 0, word
