"""Power of the comparison of each pair of models by number of runs."""

from __future__ import annotations

import textwrap

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reseed.core.schemas import COMPARISON_COLUMNS
from reseed.plugins.options import Experiments as Options
from reseed.rendering import style
from reseed.rendering.colours import DASHES, LINES
from reseed.rendering.data import ExhibitData, NothingToShow
from reseed.rendering.figures import FigureInfo
from reseed.rendering.numbers import counted, from_to, part_of
from reseed.rendering.panels import entitle, panel_grid, undrawn
from reseed.rendering.settings import (
    LONG_LABEL,
    RUNS,
    in_unit,
    note,
    pair_title,
    settings,
)

PAIR = ["model_a", "model_b"]
# Number of lines that colours and dashes distinguish.
_MOST = len(LINES) * len(DASHES)
# Letters of a line of the legend, and of the text on a pair.
_WIDEST, _MOST_SAID = 84, 25


DRAWS = ("seeds_needed",)


@style.styled
def figure(data: ExhibitData, options: Options) -> tuple[Figure, FigureInfo]:
    """A panel for each setting, a line for each pair with the runs it needs."""
    rows = data.rows(options.experiments)
    if not rows.empty:
        rows = rows[rows["power"].notna()]
    panels = settings(data, rows)
    if not panels:
        reason = "No pair of models has two runs whose differences vary, which a plan starts from."
        raise NothingToShow(data.no_pairs(reason))
    longest = max(
        len(pair_title(data, row)) for row in rows.drop_duplicates(PAIR).to_dict("records")
    )
    columns = 1 if longest > LONG_LABEL else 2
    pairs = [len(part.drop_duplicates(PAIR)) for _, part in panels]
    lines = 1 if longest < _WIDEST - _MOST_SAID else 2
    heights = [max(2.0, 0.16 * lines * min(count, _MOST) + 0.9) for count in pairs]
    canvas, axes = panel_grid(heights, columns, legend=0.0)
    for axis, (title, part) in zip(axes, panels, strict=False):
        _panel(axis, data, part)
        entitle(axis, title)
    first, given = rows.iloc[0], _given(rows)
    target = given or "the observed difference, itself uncertain"
    rest = f"At most {_MOST} pairs a panel, those that need fewest." if max(pairs) > _MOST else ""
    found = _findings(rows)
    return canvas, FigureInfo(
        rows,
        note(data, rows, rest, undrawn([title for title, _ in panels], axes)),
        findings=found,
        headline=_headline(rows),
        definitions=[
            f"Power to show {target} at {_describe_test(rows)}, with the spread of the available"
            f" runs. The number is the runs needed for {100 * first['target_power']:.0f} %. Dotted:"
            " the available runs."
        ],
        alt="Curves of power over the number of runs, one a pair of models.",
    )


def _given(rows: pd.DataFrame) -> str:
    """The configured difference in the unit of each metric; empty for the observed difference.

    For example, 0.005 are 0.5 points of AUC.
    """
    asked = rows[rows["target_is"] == "given"].drop_duplicates(["metric", "factor", "unit"])
    sizes = [f"{row['target_difference'] * row['factor']:g} {in_unit(row)}"
             for _, row in asked.iterrows()]  # fmt: skip
    return f"a difference of {' or '.join(sizes)}" if sizes else ""


def _describe_test(rows: pd.DataFrame) -> str:
    """The test that the runs are planned for."""
    alpha, pairs = rows["alpha"].iloc[0], rows["pairs"]
    if pairs.max() == 1:
        return f"α = {alpha:g} in a test of one pair"
    return f"Holm's strictest step over {from_to(pairs)} pairs (α = {alpha:g} by their number)"


def _needs(rows: pd.DataFrame) -> pd.DataFrame:
    return rows.drop_duplicates([*COMPARISON_COLUMNS, *PAIR])


def _headline(rows: pd.DataFrame) -> str:
    each = _needs(rows)
    enough = int((each["runs_for_power"] <= each["n"]).sum())
    return f"The available runs suffice for {enough} of {counted(len(each), 'pair')}"


def _findings(rows: pd.DataFrame) -> list[str]:
    each = _needs(rows)
    enough = int((each["runs_for_power"] <= each["n"]).sum())
    median = each["runs_for_power"].fillna(np.inf).median()
    what = _given(rows) or "the observed difference"
    if len(each) == 1:
        needed = f"{median:,.0f} runs" if np.isfinite(median) else "more runs than were tried"
        return [f"To show {what} takes {needed}; {from_to(each['n'])} are available."]
    half = f"half of the pairs need {median:,.0f} runs or fewer"
    if not np.isfinite(median):
        half = "half of the pairs or more need more runs than were tried"
    return [
        f"{from_to(each['n'])} runs suffice to show {what} in"
        f" {part_of(enough, len(each), 'pair')} of models; {half}."
    ]


def _panel(axis: Axes, data: ExhibitData, part: pd.DataFrame) -> None:
    most = part["runs"].max()
    curves = [curve for _, curve in part.groupby(PAIR, sort=False)]
    curves.sort(key=lambda curve: np.nan_to_num(curve["runs_for_power"].iloc[0], nan=np.inf))
    for i, curve in enumerate(curves[:_MOST]):
        row = curve.iloc[0]
        needed = row["runs_for_power"]
        text = f"{needed:,.0f}" if np.isfinite(needed) else f"over {most:,.0f}"
        if row["power_limit"] < row["target_power"]:
            text = "never with this test set"
        look = {"color": LINES[i % len(LINES)], "ls": DASHES[i // len(LINES) % len(DASHES)]}
        label = textwrap.fill(f"{pair_title(data, row)}: {text}", _WIDEST)
        axis.plot(curve["runs"], 100 * curve["power"], lw=1.2, label=label, **look)
    axis.axhline(100 * part["target_power"].iloc[0], color=style.GREY, lw=0.8)
    axis.axvline(part["n"].max(), color=style.GREY, lw=0.8, ls=":")
    axis.set_xscale("log")
    ticks = [t for t in (2, 10, 100, 1000, 10_000) if t <= most]
    axis.set_xticks(ticks, [f"{t:,}" for t in ticks])
    axis.minorticks_off()
    axis.set_ylim(0, 103)
    axis.set_ylabel("Power (%)")
    designs = dict.fromkeys(RUNS[name] for name in part["design"].unique())
    axis.set_xlabel(f"Runs ({', '.join(designs)})")
    axis.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), title="Runs needed", fontsize=7)
