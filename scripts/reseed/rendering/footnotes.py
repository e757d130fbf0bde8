"""Footnotes on a page that holds all exhibits: what all of them say is told once.

A table's or figure's own files carry the whole footnote, as they travel alone.
"""

from __future__ import annotations

import re

from reseed.config import SCALES

# (mark, word in the footnote, its sentence); a sentence ends with a full stop and a blank.
_MARKS = [
    ("*", "stand-in", re.compile(r"\* [^*†‡]*? stands in for .*?\.(?=\s|$)")),
    ("†", "changed recipe", re.compile(r"† .*?\.(?=\s|$)")),
    ("‡", "not converged", re.compile(r"‡ .*?\.(?=\s|$)")),
]
_UNITS = re.compile(r"[^.:]+: (?:MSE|MAE) in the (?:squared )?unit of .*?\.(?=\s|$)")
UNITS = "Units"


def scale_sentence(scale: str) -> str:
    """`Scale: demo.`; of results that were brought: `Results as given.`"""
    return f"Scale: {scale}." if scale in SCALES else f"Results {scale}."


def shorten(footnote: str, scale: str) -> str:
    """The footnote without the scale, and without units and marks, which `sentence_of` gathers."""
    text = footnote.replace(scale_sentence(scale), "", 1)
    for pattern in (*(pattern for _, _, pattern in _MARKS), _UNITS):
        text = pattern.sub("", text)
    return " ".join(text.split())


def sentence_of(footnotes: list[str]) -> list[tuple[str, list[str]]]:
    """(mark, its sentences) over all footnotes, each sentence once; units last.

    Of the recipes and the models that did not converge, exhibits name those that they show: the
    parts of their lists are put together.
    """
    found = []
    for mark, _, pattern in _MARKS:
        every = [s.strip() for text in footnotes for s in pattern.findall(text)]
        if mark == "*":
            sentences = list(dict.fromkeys(s.removeprefix("* ") for s in every))
        else:
            sentences = _together(every, mark)
        found.append((mark, sentences))
    units = [s.strip() for text in footnotes for s in _UNITS.findall(_bare(text))]
    found.append((UNITS, list(dict.fromkeys(units))))
    return [(mark, sentences) for mark, sentences in found if sentences]


def marks_in(text: str) -> list[tuple[str, str, str]]:
    """(mark, word, link) of each mark that a footnote within `text` explains."""
    return [(mark, word, "#data") for mark, word, pattern in _MARKS if pattern.search(text)]


def _bare(text: str) -> str:
    """The footnote without marks, before whose sentences a unit's would be taken for theirs."""
    for _, _, pattern in _MARKS:
        text = pattern.sub("", text)
    return text


def _together(sentences: list[str], mark: str) -> list[str]:
    heads: dict[str, dict[str, None]] = {}
    for sentence in sentences:
        body = sentence.removeprefix(f"{mark} ").removesuffix(".")
        head = "" if mark == "†" else "Not converged, stopped at the limit of training: "
        parts = body.removeprefix(head).split("; ")
        heads.setdefault(head, {}).update(dict.fromkeys(parts))
    return [f"{head}{'; '.join(parts)}." for head, parts in heads.items()]
