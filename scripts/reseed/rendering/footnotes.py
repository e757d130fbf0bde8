"""Footnotes on a page that holds all exhibits: what all of them say is told once.

A table's or figure's own files carry the whole footnote, as they travel alone.
"""

from __future__ import annotations

import re

from reseed.config import SCALES

# (mark, word in the footnote); a mark begins the sentence that says what it means.
_MARKS = [("*", "stand-in"), ("†", "changed recipe"), ("‡", "not converged")]
_UNIT = re.compile(": (?:MSE|MAE) in the (?:squared )?unit of ")
UNITS = "Units"


def sentence(text: str) -> str:
    """One sentence, which ends where a full stop and a blank first follow each other.

    Titles and texts of a user may hold an `St. Louis` or `U.S. loans`: the blank in them is one
    that never breaks, so that no page takes it for the end.
    """
    return re.sub(r"\.\s+", ".\u00a0", text.strip()).rstrip(".") + "."


def scale_sentence(scale: str) -> str:
    """`Scale: demo.`; of results that were brought: `Results as given.`"""
    return f"Scale: {scale}." if scale in SCALES else f"Results {scale}."


def shorten(footnote: str, scale: str) -> str:
    """The footnote without the scale, and without units and marks, which `sentence_of` gathers."""
    text = footnote.replace(scale_sentence(scale), "", 1)
    return " ".join(part for part in _sentences(text) if not _kind(part))


def sentence_of(footnotes: list[str]) -> list[tuple[str, list[str]]]:
    """(mark, its sentences) over all footnotes, each sentence once; units last.

    Of the recipes and the models that did not converge, exhibits name those that they show: the
    parts of their lists are put together.
    """
    phrase: dict[str, list[str]] = {mark: [] for mark in (*(mark for mark, _ in _MARKS), UNITS)}
    for part in (part for text in footnotes for part in _sentences(text)):
        if kind := _kind(part):
            phrase[kind].append(part.removeprefix("* "))
    for mark in ("†", "‡"):
        phrase[mark] = _together(phrase[mark], mark)
    return [(kind, list(dict.fromkeys(parts))) for kind, parts in phrase.items() if parts]


def marks_in(text: str) -> list[tuple[str, str, str]]:
    """(mark, word, link) of each mark that a footnote within `text` explains."""
    kinds = {_kind(part) for part in _sentences(text)}
    return [(mark, word, "#data") for mark, word in _MARKS if mark in kinds]


def _sentences(text: str) -> list[str]:
    return re.split(r"(?<=\.) ", text.strip())


def _kind(part: str) -> str:
    """Which mark a sentence explains, or that it is a unit's; empty for any other."""
    found = next((mark for mark, _ in _MARKS if part.startswith(f"{mark} ")), "")
    return found or (UNITS if _UNIT.search(part) else "")


def _together(sentences: list[str], mark: str) -> list[str]:
    heads: dict[str, dict[str, None]] = {}
    for text in sentences:
        body = text.removeprefix(f"{mark} ").removesuffix(".")
        head = "" if mark == "†" else "Not converged, stopped at the limit of training: "
        parts = body.removeprefix(head).split("; ")
        heads.setdefault(head, {}).update(dict.fromkeys(parts))
    return [f"{head}{'; '.join(parts)}." for head, parts in heads.items()]
