"""Churn of every pair of runs against their α̂ [Banerjee et al., Figure 10]."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from reseed.plugins.options import Arms as Options
from reseed.rendering import style
from reseed.rendering.data import ExhibitData, require_rows
from reseed.rendering.figures import FigureInfo
from reseed.rendering.headlines import LEAST
from reseed.rendering.numbers import counted, from_to, percent
from reseed.rendering.panels import dot, entitle, panel_grid, undrawn

from papers.banerjee.trimming_text import NOTHING, cells, measured, note

_COLOURS = {0: style.BLUE, 1: style.ORANGE, 2: style.BLACK}
_LABELS = {0: "α̂ of both at or below", 1: "of one above", 2: "of both above"}


DRAWS = ("papers.banerjee.trimming_pairs:analyse",)


@style.styled
def figure(data: ExhibitData, options: Options) -> tuple[Figure, FigureInfo]:
    """A panel for each arm, a dot for each pair: churn against the greater α̂."""
    rows = require_rows(measured(data, options), NOTHING)
    threshold = rows["threshold"].iloc[0]
    above = (rows["alpha_high"] > threshold).astype(int) + (rows["alpha_low"] > threshold)
    rows = rows.assign(above=above)
    arms = cells(data, rows)
    canvas, axes = panel_grid([2.2] * len(arms), min(3, len(arms)), legend=0.6)
    for axis, (title, part) in zip(axes, arms, strict=False):
        for number, colour in _COLOURS.items():
            chosen = part[part["above"] == number]
            axis.plot(chosen["alpha_high"], chosen["churn"], "o", ms=2.4, mew=0, alpha=0.45,
                      color=colour, rasterized=True)  # fmt: skip
        axis.axvline(threshold, color=style.GREY, lw=0.9, ls="--")
        axis.set_xlim(left=0)
        axis.set_ylim(0, 1.06 * rows["churn"].max() or 0.01)
        entitle(axis, title)
        axis.set_xlabel("Greater α̂ of the pair")
        axis.set_ylabel("Pairwise churn")
        axis.xaxis.set_major_locator(MaxNLocator(4))
    handles = [dot(colour, _LABELS[number]) for number, colour in _COLOURS.items()]
    canvas.legend(handles=handles, loc="outside lower center", ncols=3)
    text = f"The dashed line is the threshold, {threshold:g}. Pairs share runs."
    found = _findings(arms)
    return canvas, FigureInfo(
        rows,
        note(data, rows, text, undrawn([title for title, _ in arms], axes)),
        findings=found,
        headline=_headline(arms),
        alt=("A dot a pair of runs: its churn against the greater α̂ of the two, coloured"
                      " by how many of them are above the dashed threshold."),
    )  # fmt: skip


def _low(part: pd.DataFrame) -> pd.DataFrame:
    """Pairs in which both runs have a low α̂."""
    return part[part["both_admitted"].astype(bool)]


def _churn(values: pd.Series) -> str:
    return from_to(values, lambda value: percent(value, 1))


def _headline(arms: list) -> str:
    known = [part for _, part in arms if len(_low(part)) >= LEAST]
    if not known:
        return ""
    every, low = (max(take(part)["churn"].max() for part in known) for take in (pd.DataFrame, _low))
    return f"Churn of a pair: at most {percent(every, 1)}, where both α̂ are low {percent(low, 1)}"


def _findings(arms: list) -> list[str]:
    found = []
    for title, part in arms:
        low = _low(part)
        if len(low):
            found.append(
                f"{title}: a pair of runs disagrees on {_churn(part['churn'])} of the test items"
                f" ({counted(len(part), 'pair')}), one with a low α̂ of both on"
                f" {_churn(low['churn'])} ({counted(len(low), 'pair')})."
            )
    return found
