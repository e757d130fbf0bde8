"""Figures of too few runs: parts below the least number are named in a sentence, not drawn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd
from reseed.report.rendering.data import NothingToShow
from reseed.report.rendering.numbers import counted, several

#: Fewer runs than this carry no headline.
LEAST = 5
Panels = list[tuple[str, pd.DataFrame]]


@dataclass(frozen=True)
class Least:
    """The least number of runs, epochs, … of a panel that is drawn.

    count: number of `noun` (singular) in the rows of a panel.
    plural: where it is not `noun` + s.
    """

    number: int
    count: Callable[[pd.DataFrame], float]
    noun: str = "run"
    plural: str = ""

    @property
    def text(self) -> str:
        """`5 runs`."""
        return counted(self.number, self.noun, self.plural)


def with_least(
    panels: Panels,
    *least: Least,
    describe: Callable[[pd.DataFrame], str] | None = None,
    also: str = "",
) -> tuple[Panels, str]:
    """(panels that have each least number, sentence on the others, empty without any).

    panels: (title, rows). describe: text in brackets after a title; by default the numbers.
    also: sentence that follows where no panel is left.

    Raises:
        NothingToShow: if no panel is left, with the sentence.
    """

    def numbers_of(part: pd.DataFrame) -> str:
        counts = [int(one.count(part)) for one in least]
        if len(least) == 1:
            return f"{counts[0]:,}"
        return ", ".join(
            counted(n, one.noun, one.plural) for n, one in zip(counts, least, strict=True)
        )

    enough, few = [], []
    for title, part in panels:
        if all(one.count(part) >= one.number for one in least):
            enough.append((title, part))
        else:
            few.append(f"{title} ({(describe or numbers_of)(part)})")
    bounds = " or ".join(one.text for one in least)
    left_out = f"Not drawn, fewer than {bounds}: {several(few)}." if few else ""
    if not enough:
        raise NothingToShow(" ".join(filter(None, [left_out, also])))
    return enough, left_out
