"""Learning curves over runs: mean, band of one SD, band of extremes [Picard, Figure 1]."""

from __future__ import annotations

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reseed.plugins.options import Arms, Count
from reseed.report.rendering import style
from reseed.report.rendering.arms import cells, select_rows
from reseed.report.rendering.data import ExhibitData, footnote, metric_title, require_rows
from reseed.report.rendering.figures import FigureInfo
from reseed.report.rendering.least import Least, with_least
from reseed.report.rendering.numbers import from_to
from reseed.report.rendering.panels import line, name_omitted, panel_grid, set_title

NOTHING = "No training curves were collected at this scale."
# Fewest epochs of a curve that is drawn.
_DRAWN = Least(3, len, "epoch")
# The axis leaves out early values if all values span this many times the late ones.
_FLATTENED = 2.5
_ENDED = {
    "drop": "Each epoch averages over the runs still training then.",
    "carry": "A run that has ended counts with its last value.",
    "cut": "Drawn up to the epoch at which the first run ended.",
}


def measure_title(measure: str) -> str:
    """`validation auc` → `Validation AUC`."""
    text = measure_in_text(measure)
    return text[0].upper() + text[1:]


def measure_in_text(measure: str) -> str:
    """`validation auc` → `validation AUC`."""
    return " ".join(metric_title(word) for word in measure.split(" "))


DRAWS = ("curves",)


class Options(Arms):
    """from_epoch: epochs before it are left out."""

    from_epoch: Count = 1


@style.styled
def figure(data: ExhibitData, options: Options) -> tuple[Figure, FigureInfo]:
    """A panel an arm."""
    rows = select_rows(data, options)
    rows = require_rows(rows[rows["epoch"] >= options.from_epoch] if len(rows) else rows, NOTHING)
    panels, few = with_least(cells(data, rows), _DRAWN)
    rows = pd.concat([part for _, part in panels]).sort_index()
    canvas, axes = panel_grid([2.1] * len(panels), legend=0.6)
    curves = [list(part.itertuples()) for _, part in panels]
    cut = False
    for axis, (title, _), curve in zip(axes, panels, curves, strict=False):
        cut = _panel(axis, curve) or cut
        set_title(axis, f"{title} ({curve[0].runs:,} runs)")
        axis.set_ylabel(measure_title(curve[0].measure))
    handles = [
        line(style.RED, "Mean"),
        line(style.RED, "± SD, within the extremes", width=6),
        line(style.RED, "Minimum to maximum", width=6),
        line(style.GREY, "Runs still training", ":", 1.0),
    ]
    handles[1].set_alpha(0.45)
    handles[2].set_alpha(0.18)
    unequal = any(map(_has_ended_runs, curves))
    canvas.legend(handles=handles[: 4 if unequal else 3], loc="outside lower center", ncols=4)
    left_out = rows.drop_duplicates(_keys(rows))["left_out"].sum()
    first = next(rows.itertuples())
    text = f"{left_out} runs without a usable curve left out." if left_out else ""
    note = footnote(
        data,
        rows.drop(columns="n"),  # counts runs that still train, one for each fold
        f"Runs per arm: {from_to(rows['runs'], to='–')}.",
        _ENDED[first.ended] if unequal else "",
        "The vertical axis spans the second half of the epochs; earlier values may lie outside."
        if cut
        else "",
        text,
        few,
        name_omitted([title for title, _ in panels], axes),
    )
    return canvas, FigureInfo(
        rows,
        note,
        alt=(f"{measure_title(first.measure)} against epochs: the mean over"
                      " runs, a band of one SD within a lighter one from least to most."),
    )  # fmt: skip


def _keys(rows: pd.DataFrame) -> list[str]:
    return [name for name in ("experiment", "dataset", "scheme", "arm") if name in rows]


def _panel(axis: Axes, rows: list[Any]) -> bool:
    """Draw the curves of an arm. Returns whether the vertical axis leaves out early values."""
    x = [row.epoch for row in rows]
    extremes = [row.min for row in rows], [row.max for row in rows]
    axis.fill_between(x, *extremes, color=style.RED, alpha=0.18, lw=0)
    low, high = ([min(max(row.mean + sign * row.sd, row.min), row.max) for row in rows]
                 for sign in (-1, 1))  # fmt: skip
    axis.fill_between(x, low, high, color=style.RED, alpha=0.35, lw=0)
    axis.plot(x, [row.mean for row in rows], color=style.RED, lw=1.4)
    axis.set_xlabel("Epoch")
    axis.locator_params(axis="x", integer=True)
    limits = _late_limits(rows)
    if limits:
        axis.set_ylim(*limits)
    if _has_ended_runs(rows):
        bottom, top = axis.get_ylim()
        still = [bottom + (top - bottom) * row.n / row.runs for row in rows]
        axis.plot(x, still, color=style.GREY, lw=1, ls=":")
        axis.set_ylim(bottom, top)
    return limits is not None


def _has_ended_runs(rows: list[Any]) -> bool:
    return len({row.n for row in rows}) > 1


def _late_limits(rows: list[Any]) -> tuple[float, float] | None:
    """Vertical limits that show the spread of the second half of the epochs.

    The claims compare its spread. The first epochs span many times as much and would flatten it.
    None if they do not.
    """
    late = sorted(rows, key=lambda row: row.epoch)[len(rows) // 2 :]
    low, high = min(row.min for row in late), max(row.max for row in late)
    whole = max(row.max for row in rows) - min(row.min for row in rows)
    if not 0 < _FLATTENED * (high - low) < whole:
        return None
    margin = 0.15 * (high - low)
    return low - margin, high + margin
