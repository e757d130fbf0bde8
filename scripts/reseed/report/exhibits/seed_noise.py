"""Spread over model seeds: observed, on an infinite test set, and the noise of the test set."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from reseed.analyses.shared.arms import with_arms
from reseed.plugins.options import NoOptions
from reseed.report.rendering import coverage, numbers, style
from reseed.report.rendering.arms import TEST_SET_KEY, cell_titles
from reseed.report.rendering.data import (
    ExhibitData,
    NothingToShow,
    footnote,
    metric_title,
)
from reseed.report.rendering.figures import FigureInfo
from reseed.report.rendering.majority import is_majority, why_majority
from reseed.report.rendering.panels import name_omitted, panel_grid, set_title
from reseed.verdicts.formatting import format_level

_PANEL = ["dataset", "metric"]
_MARKS = {
    "test_set_sd": ("s", style.GREY, "Test set: SD of one model over resampled test rows"),
    "observed_sd": ("o", style.RED, "Model seed: SD observed on this test set"),
    "infinite_sd": ("D", style.BLUE, "Model seed: SD left on an infinite test set, {} interval"),
}


DRAWS = ("noise_split",)


@style.styled
def figure(data: ExhibitData, options: NoOptions) -> tuple[Figure, FigureInfo]:
    """One panel for each dataset and metric, one line for each model; SDs from zero."""
    rows = data.rows()
    if not rows.empty:
        rows = with_arms(rows[rows["observed_sd"].notna()])
    if rows.empty:
        raise NothingToShow("No per-item scores of several model seeds at this scale.")
    flat = [dataset for (dataset, metric), part in rows.groupby(_PANEL, sort=False)
            if metric == "accuracy" and is_majority(data, dataset, part["mean"])]  # fmt: skip
    is_flat = (rows["metric"] == "accuracy") & rows["dataset"].isin(flat)
    drawn, not_drawn = _split_by_measurable(rows[~is_flat])
    if drawn.empty:
        raise NothingToShow(why_majority(data, flat))
    panels = list(drawn.groupby(_PANEL, sort=False))
    level = drawn["level"].max()
    percent = format_level(level)
    handles = [
        Line2D([], [], ls="", marker=mark, ms=5, color=colour, label=label.format(percent))
        for mark, colour, label in _MARKS.values()
    ]
    labels = [str(handle.get_label()) for handle in handles]
    canvas, axes = panel_grid(
        [0.2 * len(part) + 0.8 for _, part in panels], legend=style.legend_room(labels)
    )
    for axis, ((dataset, metric), part) in zip(axes, panels, strict=False):
        _panel(axis, data, part)
        set_title(axis, data.dataset(dataset))
        axis.set_xlabel(f"SD of {metric_title(metric)}")
    style.legend_below(canvas, handles)
    titles = [f"{data.dataset(d)}, {metric_title(m)}" for (d, m), _ in panels]
    return canvas, FigureInfo(
        rows,
        footnote(
            data,
            drawn,
            why_majority(data, flat),
            _no_mean(not_drawn, "in the CSV only"),
            _describe_bare(drawn),
            name_omitted(titles, axes),
        ),
        definitions=[
            "Seed’s SD on an infinite test set: what would be left of the spread over model seeds"
            " if test rows were without end; the rest is seeds that are right on different rows"
            f" (Jordan 2023). {_no_mean(_select_without(drawn), 'it has none')}".rstrip(),
            coverage.at(level, coverage.SEED_NOISE),
        ],
        alt="Marks at three standard deviations for each algorithm.",
    )


def _panel(axis: Axes, data: ExhibitData, rows: pd.DataFrame) -> None:
    for y, row in enumerate(rows.itertuples()):
        axis.plot([row.infinite_sd_low, row.infinite_sd_high], [y, y], color=style.BLUE, lw=1.2)
        for name, (mark, colour, _) in _MARKS.items():
            size = 6.5 if name == "observed_sd" else 5
            axis.plot(getattr(row, name), y, mark, color=colour, ms=size, mew=0, clip_on=False)
    axis.set_yticks(range(len(rows)), cell_titles(data, rows, TEST_SET_KEY))
    axis.set_ylim(len(rows) - 0.5, -0.5)
    axis.tick_params(axis="y", length=0, pad=7)
    axis.set_xlim(left=0)
    axis.grid(True, axis="x")


def _select_without(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows of datasets and metrics without an SD on an infinite test set."""
    return rows[~rows.groupby(_PANEL)["infinite_sd"].transform("count").astype(bool)]


def _split_by_measurable(rows: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """(rows drawn, rows left out); left out are metrics without that SD if another has it."""
    other = rows.groupby("dataset")["infinite_sd"].transform("count").astype(bool)
    left = other & rows.index.isin(_select_without(rows).index)
    return rows[~left], rows[left]


def _no_mean(rows: pd.DataFrame, so: str) -> str:
    """Sentence on metrics that are not means over test rows; empty without rows."""
    if rows.empty:
        return ""
    return f"No mean over test rows, so {so}: {_list_metrics(rows)}."


def _list_metrics(rows: pd.DataFrame) -> str:
    return numbers.several(map(metric_title, rows["metric"].unique()))


def _describe_bare(rows: pd.DataFrame) -> str:
    """Number of SDs without an interval and the reason; empty if there are none."""
    bare = rows["infinite_sd"].notna() & rows["infinite_sd_low"].isna()
    reasons = rows.loc[bare, "interval_reason"].tolist()
    if not reasons:
        return ""
    return f"{len(reasons)} without an interval: {'; '.join(sorted(set(reasons)))}."
