"""Footnotes of a page: sentences that all exhibits share appear once.

The files of a table or figure hold the whole footnote.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from reseed.core.identifiers import SCALES
from reseed.core.titles import split_number

# (mark, word in the footnote); the explanation of a mark begins with the mark.
_MARKS = [("*", "stand-in"), ("†", "changed recipe"), ("‡", "not converged")]
_UNIT = re.compile(": (?:MSE|MAE) in the (?:squared )?unit of ")
_NO_FAILURE = re.compile(r"Failed \w+ \(left out\): 0 of [\d,]+\.")
UNITS = "Units"
#: Fewest words of a sentence that is said once on a page.
_LONG = 10


def sentence(text: str) -> str:
    """One sentence that ends with a full stop.

    A full stop inside, as in `St. Louis`, is followed by a non-breaking blank, so that pages do not
    read it as the end of the sentence.
    """
    return re.sub(r"\.\s+", ".\u00a0", text.strip()).rstrip(".") + "."


def scale_sentence(scale: str) -> str:
    """`Scale: demo.`; for imported results `Results as given.`"""
    return f"Scale: {scale}." if scale in SCALES else f"Results {scale}."


def shorten(footnote: str, scale: str) -> str:
    """The footnote without what a page says once: scale, no failed trials, units and marks."""
    text = _NO_FAILURE.sub("", footnote.replace(scale_sentence(scale), "", 1))
    return " ".join(part for part in _sentences(text) if not _kind(part))


def say_once(notes: Sequence[tuple[str, Sequence[str]]]) -> list[list[str]]:
    """Paragraphs of exhibits in the order of a page: what one says above is referred to.

    notes: (title of the exhibit, paragraphs). Short sentences, such as numbers of seeds, stay.
    """
    first: dict[str, str] = {}
    shown = []
    for title, paragraphs in notes:
        referred = {title}
        shown.append([_leave_out(paragraph, title, first, referred) for paragraph in paragraphs])
    return shown


def _leave_out(paragraph: str, title: str, first: dict[str, str], referred: set[str]) -> str:
    """The paragraph without long sentences of `first`, and with the exhibits that hold these."""
    parts, again = [], dict[str, None]()
    for part in _sentences(paragraph):
        if not _is_long(part) or part not in first:
            parts.append(part)
            first.setdefault(part, title)
        elif first[part] not in referred:
            again[first[part]] = None
    referred.update(again)
    return " ".join(
        [*parts, *(f"Terms as in {split_number(one)[0] or f'“{one}”'}." for one in again)]
    )


def _is_long(part: str) -> bool:
    return len(part.split()) >= _LONG


def explain_marks(footnotes: list[str]) -> list[tuple[str, list[str]]]:
    """(mark, its sentences) over all footnotes, each sentence once; units last.

    Each exhibit lists only the changed and unconverged models that it shows; the lists are merged.
    """
    explained: dict[str, list[str]] = {mark: [] for mark in (*dict(_MARKS), UNITS)}
    for part in (part for text in footnotes for part in _sentences(text)):
        if kind := _kind(part):
            explained[kind].append(part.removeprefix("* "))
    for mark in ("†", "‡"):
        explained[mark] = _merge_lists(explained[mark], mark)
    return [(kind, list(dict.fromkeys(parts))) for kind, parts in explained.items() if parts]


def marks_in(text: str) -> list[tuple[str, str, str]]:
    """(mark, word, link) of each mark that a footnote in `text` explains."""
    kinds = {_kind(part) for part in _sentences(text)}
    return [(mark, word, "#data") for mark, word in _MARKS if mark in kinds]


def _sentences(text: str) -> list[str]:
    return re.split(r"(?<=\.) ", text.strip())


def _kind(part: str) -> str:
    """The mark that a sentence explains, or the kind `unit`; empty for any other."""
    mark_of_part = next((mark for mark, _ in _MARKS if part.startswith(f"{mark} ")), "")
    return mark_of_part or (UNITS if _UNIT.search(part) else "")


def _merge_lists(sentences: list[str], mark: str) -> list[str]:
    heads: dict[str, dict[str, None]] = {}
    for text in sentences:
        body = text.removeprefix(f"{mark} ").removesuffix(".")
        head = "" if mark == "†" else "Not converged, stopped at the limit of training: "
        parts = body.removeprefix(head).split("; ")
        heads.setdefault(head, {}).update(dict.fromkeys(parts))
    return [f"{head}{'; '.join(parts)}." for head, parts in heads.items()]
