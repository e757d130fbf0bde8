"""What headlines share: how long one may be, and how several arms are told in one."""

from __future__ import annotations

from collections.abc import Iterable

#: Characters that a heading holds on one line of the page.
LONGEST = 76
#: Fewer runs than this carry no headline.
LEAST = 5


def listed(lead: str, cells: Iterable[tuple[str, str]], otherwise: str) -> str:
    """`lead: arm value, arm value`; `lead: otherwise` where that is too long for a heading.

    One arm is what the exhibit is of, and not named.
    """
    cells = list(cells)
    named = [f"{title} {value}" if len(cells) > 1 else value for title, value in cells]
    text = f"{lead}: {', '.join(named)}"
    return text if len(text) <= LONGEST else f"{lead}: {otherwise}"
