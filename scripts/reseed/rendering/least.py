"""Figures of too few runs: parts below the least number are named in a sentence, not drawn."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd
from reseed.rendering.data import NothingToShow
from reseed.rendering.numbers import several

Panels = list[tuple[str, pd.DataFrame]]


def with_least(
    panels: Panels, least: int, count: Callable[[pd.DataFrame], float], noun: str = "run"
) -> tuple[Panels, str]:
    """(panels with at least `least` runs, sentence on the others, empty without any).

    panels: (title, rows). count: number of runs of the rows.

    Raises:
        NothingToShow: if no panel has that many, with the sentence.
    """
    few = [f"{title} ({count(part):,.0f})" for title, part in panels if count(part) < least]
    enough = [(title, part) for title, part in panels if count(part) >= least]
    left_out = f"Not drawn, fewer than {least} {noun}s: {several(few)}." if few else ""
    if not enough:
        raise NothingToShow(left_out)
    return enough, left_out
