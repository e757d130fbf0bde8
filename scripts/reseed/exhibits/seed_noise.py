"""Spread over model seeds: as observed, on an infinite test set, and the test set's own noise."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from reseed.analyses.arms import with_arms
from reseed.exhibits import coverage, numbers, style
from reseed.exhibits.arms import TEST_SET, cell_title
from reseed.exhibits.data import ExhibitData, footnote, metric_title
from reseed.exhibits.figures import Drawn, empty_figure
from reseed.exhibits.majority import is_majority, why_majority
from reseed.exhibits.panels import entitle, panel_grid, undrawn
from reseed.options import Strict

_PANEL = ["dataset", "metric"]
_MARKS = {
    "test_set_sd": ("s", style.GREY, "Test set: SD of one model over resampled test rows"),
    "observed_sd": ("o", style.RED, "Model seed: SD observed on this test set"),
    "infinite_sd": ("D", style.BLUE, "Model seed: SD left on an infinite test set, {} interval"),
}


DRAWS = ("noise_split",)


class Options(Strict):
    """It takes none."""


@style.styled
def figure(data: ExhibitData, options: dict) -> tuple[Figure, Drawn]:
    """One panel a dataset and metric, one line a model; standard deviations from zero."""
    rows = data.rows()
    if not rows.empty:
        rows = with_arms(rows[rows["observed_sd"].notna()])
    if rows.empty:
        return empty_figure(data, "No per-item scores of several model seeds at this scale.")
    flat = [dataset for (dataset, metric), part in rows.groupby(_PANEL, sort=False)
            if metric == "accuracy" and is_majority(data, dataset, part["mean"])]  # fmt: skip
    majority = (rows["metric"] == "accuracy") & rows["dataset"].isin(flat)
    drawn = rows[~majority]
    if drawn.empty:
        return empty_figure(data, why_majority(data, flat))
    panels = list(drawn.groupby(_PANEL, sort=False))
    level = drawn["level"].max()
    percent = f"{100 * level:g} %"
    handles = [
        Line2D([], [], ls="", marker=mark, ms=5, color=colour, label=label.format(percent))
        for mark, colour, label in _MARKS.values()
    ]
    labels = [handle.get_label() for handle in handles]
    canvas, axes = panel_grid(
        [0.2 * len(part) + 0.8 for _, part in panels], legend=style.legend_room(labels)
    )
    for axis, ((dataset, metric), part) in zip(axes, panels, strict=False):
        _panel(axis, data, part)
        entitle(axis, data.dataset(dataset))
        axis.set_xlabel(f"Standard deviation of {metric_title(metric)}")
    style.legend_below(canvas, handles)
    titles = [f"{data.dataset(d)}, {metric_title(m)}" for (d, m), _ in panels]
    found = _findings(drawn)
    return canvas, Drawn(
        rows,
        footnote(data, drawn, why_majority(data, flat), _bare(drawn), undrawn(titles, axes)),
        findings=found,
        headline=_headline(drawn),
        definitions=[
            "Seed’s SD on an infinite test set: what would be left of the spread over model seeds"
            " if test rows were without end; the rest is seeds that are right on different rows"
            " (Jordan 2023). AUC is no mean over test rows, so it has none here.",
            coverage.at(level, coverage.SEED_NOISE),
        ],
        alt=" ".join(["Marks at three standard deviations for each algorithm.", *found]),
    )


def _panel(axis: Axes, data: ExhibitData, rows: pd.DataFrame) -> None:
    rows = rows.reset_index(drop=True)
    for y, row in rows.iterrows():
        low, high = row["infinite_sd_low"], row["infinite_sd_high"]
        axis.plot([low, high], [y, y], color=style.BLUE, lw=1.2)
        for name, (mark, colour, _) in _MARKS.items():
            size = 6.5 if name == "observed_sd" else 5
            axis.plot(row[name], y, mark, color=colour, ms=size, mew=0, clip_on=False)
    labels = [cell_title(data, rows, row, TEST_SET) for _, row in rows.iterrows()]
    axis.set_yticks(range(len(rows)), labels)
    axis.set_ylim(len(rows) - 0.5, -0.5)
    axis.tick_params(axis="y", length=0, pad=7)
    axis.set_xlim(left=0)
    axis.grid(True, axis="x")
    axis.xaxis.set_major_locator(MaxNLocator(6))


def _bare(rows: pd.DataFrame) -> str:
    """How many SDs are drawn without their interval, and why; empty if none is."""
    bare = rows[rows["infinite_sd"].notna() & rows["infinite_sd_low"].isna()]
    if bare.empty:
        return ""
    return f"{len(bare)} without an interval: {'; '.join(sorted(set(bare['interval_reason'])))}."


def _judged(rows: pd.DataFrame) -> pd.DataFrame:
    """Cells in which both noises were measured, of the primary metric.

    One without a per-item form, as F1, leaves accuracy as the only answer.
    """
    both, primary = rows["test_set_sd"].notna(), rows["primary"].astype(bool)
    return rows[both & primary] if (both & primary).any() else rows[both]


def _headline(rows: pd.DataFrame) -> str:
    both = _judged(rows)
    larger = int((both["test_set_sd"] > both["observed_sd"]).sum())
    less = int((both["test_set_sd"] < both["observed_sd"]).sum())
    if both.empty:
        return ""
    cells = numbers.counted(len(both), "cell")
    if 2 * larger < len(both):
        return f"The seed outweighs the luck of the test rows in {less} of {cells}"
    return f"The luck of the test rows outweighs the seed’s in {larger} of {cells}"


def _findings(rows: pd.DataFrame) -> list[str]:
    both, found = _judged(rows), []
    if len(both):
        larger = int((both["test_set_sd"] > both["observed_sd"]).sum())
        over = numbers.spread_over(both["observed_sd"] / both["test_set_sd"], "cell")
        found.append(
            f"The luck of the test rows moves the score more than the model seed does in"
            f" {numbers.part_of(larger, len(both), 'cell')} ({numbers.from_to(both['n'])} seeds"
            f" each): the seed’s SD is {over} times the test set’s."
        )
    share = rows["seed_share"].dropna()
    if len(share):
        over = numbers.spread_over(share, "cell", numbers.percent)
        found.append(
            f"Had the test set no end, {over} of the variance over model seeds would be left; the"
            " rest is seeds that are right on different test rows."
        )
    return found
