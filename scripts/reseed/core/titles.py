"""Titles of exhibits that start with a number in the paper."""

from __future__ import annotations

# First words of such a title; the number ends at the first full stop.
_NUMBERED = ("Table", "Tables", "Figure", "Figures", "Section", "Sections")


def split_number(title: str) -> tuple[str, str]:
    """`Table 3. Scores` → (`Table 3`, `Scores`); a title without a number: (``, title)."""
    number, stop, rest = title.partition(". ")
    if stop and number.split(" ")[0] in _NUMBERED:
        return number, rest
    return "", title
