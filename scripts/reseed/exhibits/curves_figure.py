"""Learning curves over runs: mean, band of one SD, band of extremes [Picard, Figure 1]."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reseed.plugins.options import Arms, Count
from reseed.rendering import style
from reseed.rendering.arms import cells, select_rows
from reseed.rendering.data import ExhibitData, footnote, metric_title, require_rows
from reseed.rendering.figures import FigureInfo
from reseed.rendering.headlines import LEAST, listed
from reseed.rendering.numbers import from_to
from reseed.rendering.panels import entitle, line, panel_grid, undrawn

NOTHING = "No training curves were collected at this scale."
# Fewest epochs of a curve for comparing its spread halfway and at the end.
_EPOCHS = 4
_ENDED = {
    "drop": "Each epoch averages over the runs still training then.",
    "carry": "A run that has ended counts with its last value.",
    "cut": "FigureInfo up to the epoch at which the first run ended.",
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
    rows = require_rows(rows if rows.empty else rows[rows["epoch"] >= options.from_epoch], NOTHING)
    panels = cells(data, rows)
    canvas, axes = panel_grid([2.1] * len(panels), legend=0.6)
    for axis, (title, part) in zip(axes, panels, strict=False):
        _panel(axis, part)
        entitle(axis, f"{title} ({part['runs'].iloc[0]:,} runs)")
        axis.set_ylabel(measure_title(part["measure"].iloc[0]))
    handles = [
        line(style.RED, "Mean"),
        line(style.RED, "± SD", width=6),
        line(style.RED, "Minimum to maximum", width=6),
        line(style.GREY, "Runs still training", ":", 1.0),
    ]
    handles[1].set_alpha(0.45)
    handles[2].set_alpha(0.18)
    unequal = any(part["n"].nunique() > 1 for _, part in panels)
    canvas.legend(handles=handles[: 4 if unequal else 3], loc="outside lower center", ncols=4)
    left_out = int(rows.drop_duplicates([*_keys(rows)])["left_out"].sum())
    text = f"{left_out} runs without a usable curve left out." if left_out else ""
    note = footnote(
        data,
        rows.drop(columns="n"),  # counts runs that still train, one for each fold
        f"Runs per arm: {from_to(rows['runs'], to='–')}.",
        _ENDED[rows["ended"].iloc[0]] if unequal else "",
        text,
        undrawn([title for title, _ in panels], axes),
    )
    found = _findings(panels)
    return canvas, FigureInfo(
        rows,
        note,
        findings=found,
        headline=_headline(panels),
        alt=(f"{measure_title(rows['measure'].iloc[0])} against epochs: the mean over"
                      " runs, a band of one SD and a lighter one from least to most."),
    )  # fmt: skip


def _keys(rows: pd.DataFrame) -> list[str]:
    return [name for name in ("experiment", "dataset", "scheme", "arm") if name in rows]


def _panel(axis: Axes, part: pd.DataFrame) -> None:
    x = part["epoch"]
    axis.fill_between(x, part["min"], part["max"], color=style.RED, alpha=0.18, lw=0)
    axis.fill_between(x, part["mean"] - part["sd"], part["mean"] + part["sd"], color=style.RED,
                      alpha=0.35, lw=0)  # fmt: skip
    axis.plot(x, part["mean"], color=style.RED, lw=1.4)
    axis.set_xlabel("Epoch")
    axis.locator_params(axis="x", integer=True, nbins=7)
    if part["n"].nunique() > 1:
        low, high = axis.get_ylim()
        axis.plot(x, low + (high - low) * part["n"] / part["runs"], color=style.GREY, lw=1, ls=":")
        axis.set_ylim(low, high)


def _end(part: pd.DataFrame) -> tuple[pd.Series | None, pd.Series | None]:
    """Rows halfway and at the end of the epochs with half of the runs; None if too few."""
    whole = part[part["n"] >= max(LEAST, 0.5 * part["runs"].iloc[0])]
    if whole.empty:
        return None, None
    return whole.iloc[len(whole) // 2] if len(whole) >= _EPOCHS else None, whole.iloc[-1]


def _headline(panels: list) -> str:
    """Whether the spread narrows: its size for one arm, a count for several."""
    ends = [(title, *_end(part)) for title, part in panels]
    ends = [(title, half, end) for title, half, end in ends if end is not None]
    if len(panels) == 1 and ends:
        _, half, end = ends[0]
        if half is None:
            return (
                f"{measure_title(end['measure'])} {end['mean']:.3g} ± {end['sd']:.2g} after"
                f" {end['epoch']:,} epochs ({end['n']:,} runs)"
            )
        return (
            f"SD over {end['n']:,} runs: {half['sd']:.2g} at epoch {half['epoch']:,},"
            f" {end['sd']:.2g} at epoch {end['epoch']:,}"
        )
    halves = [(half, end) for _, half, end in ends if half is not None]
    less = sum(end["sd"] < half["sd"] for half, end in halves)
    if not halves:
        sds = [(title, f"{end['sd']:.2g}") for title, _, end in ends]
        over = from_to((end["sd"] for _, _, end in ends), "{:.2g}".format)
        return listed("SD over runs at the end", sds, f"{over} in {len(ends)} arms") if ends else ""
    return f"The SD over runs is less at the end than halfway in {less} of {len(halves)} arms"


def _findings(panels: list) -> list[str]:
    """End of the curve, and its SD at the end and halfway."""
    found = []
    for title, part in panels:
        half, end = _end(part)
        if end is None:
            continue
        before = f"{half['sd']:.2g} at epoch {half['epoch']:,} and " if half is not None else ""
        found.append(
            f"{title}: {measure_in_text(end['measure'])} averages {end['mean']:.3g} at epoch"
            f" {end['epoch']:,}; its SD over {end['n']:,} runs is {before}{end['sd']:.2g} at"
            f" epoch {end['epoch']:,}."
        )
    return found
