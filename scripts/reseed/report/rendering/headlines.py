"""Limits and lists shared by headlines."""

from __future__ import annotations

from collections.abc import Iterable

#: Most characters of a heading on one line of the page.
LONGEST = 76
#: Fewer runs than this carry no headline.
LEAST = 5


def list_arms(lead: str, cells: Iterable[tuple[str, str]], otherwise: str) -> str:
    """`lead: arm value, arm value`; `lead: otherwise` where that is too long for a heading.

    A single arm is not named.
    """
    cells = list(cells)
    named = [f"{title} {value}" if len(cells) > 1 else value for title, value in cells]
    text = f"{lead}: {', '.join(named)}"
    return text if len(text) <= LONGEST else f"{lead}: {otherwise}"
