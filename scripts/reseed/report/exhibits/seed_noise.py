"""Spread over model seeds: observed, on an infinite test set, and the noise of the test set."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from reseed.comparison.claims import phrases
from reseed.comparison.claims.claim import Claim
from reseed.comparison.claims.estimates import NO_NULL, Estimate, Sample
from reseed.comparison.claims.formatting import format_level
from reseed.metrics.names import is_share
from reseed.plugins.options import NoOptions
from reseed.report.analyses.noise_split import MOST_SD, NoiseRow
from reseed.report.analyses.shared.arms import with_arms
from reseed.report.exhibits.shared.ratio_intervals import describe_intervals
from reseed.report.rendering import coverage, numbers, style
from reseed.report.rendering.arms import TEST_SET_KEY, arm_title, cell_titles
from reseed.report.rendering.data import (
    ExhibitData,
    NothingToShow,
    footnote,
    metric_title,
    select_primary,
)
from reseed.report.rendering.figures import NO_CENTRE, FigureInfo
from reseed.report.rendering.majority import is_majority, why_majority
from reseed.report.rendering.panels import name_omitted, panel_grid, set_title
from reseed.report.rendering.settings import cell_noun
from reseed.stats.spread import ratio_limits

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
        rows = with_arms(NoiseRow.select(rows, lambda row: math.isfinite(row.observed_sd)))
    if rows.empty:
        raise NothingToShow("No per-item scores of several model seeds at this scale.")
    flat = [dataset for (dataset, metric), part in rows.groupby(_PANEL, sort=False)
            if metric == "accuracy" and is_majority(data, dataset, part["mean"])]  # fmt: skip
    is_flat = NoiseRow.where(rows, lambda row: row.metric == "accuracy" and row.dataset in flat)
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
            _describe_constant(drawn),
            name_omitted(titles, axes),
        ),
        claims=_claims(data, drawn),
        definitions=[
            "Seed’s SD on an infinite test set: what would be left of the spread over model seeds"
            " if test rows were without end; the rest is seeds that are right on different rows"
            f" (Jordan 2023). {_no_mean(_select_without(drawn), 'it has none')}".rstrip(),
            coverage.at(level, coverage.SEED_NOISE),
        ],
        drawn=NO_CENTRE,
        alt="Marks at three standard deviations for each algorithm.",
    )


def _panel(axis: Axes, data: ExhibitData, rows: pd.DataFrame) -> None:
    for y, row in enumerate(NoiseRow.read(rows)):
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
    return numbers.several(dict.fromkeys(metric_title(row.metric) for row in NoiseRow.read(rows)))


def _describe_bare(rows: pd.DataFrame) -> str:
    """Number of SDs without an interval and the reason; empty if there are none."""
    reasons = [
        row.interval_reason
        for row in NoiseRow.read(rows)
        if math.isfinite(row.infinite_sd) and math.isnan(row.infinite_sd_low)
    ]
    if not reasons:
        return ""
    return f"{len(reasons)} without an interval: {'; '.join(sorted(set(reasons)))}."


def _select_varied(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows whose seeds give different scores. `infinite_sd` may be 0 all the same."""
    return rows[~phrases.is_degenerate(rows.drop(columns="infinite_sd"))]


def _describe_constant(rows: pd.DataFrame) -> str:
    """Sentence on the rows whose seeds all give one score, which no ratio includes."""
    left = len(rows) - len(_select_varied(rows))
    return f"{left} without variation over seeds: not in the ratios of SDs." if left else ""


def _claims(data: ExhibitData, rows: pd.DataFrame) -> list[Claim]:
    """SD over model seeds against the test set's, and its part on an infinite test set."""
    varied = _select_varied(rows)
    both = select_primary(NoiseRow.select(varied, lambda row: math.isfinite(row.test_set_sd)))
    split = NoiseRow.select(varied, lambda row: math.isfinite(row.seed_share))
    return [
        *([_seed_over_test_set(data, both)] if len(both) else []),
        *([_infinite_test_set(data, split)] if len(split) else []),
    ]


def _seed_over_test_set(data: ExhibitData, both: pd.DataFrame) -> Claim:
    nouns, rows = cell_noun(both), NoiseRow.read(both)
    low, high = zip(*map(_ratio_limits, rows), strict=True)
    ratio = [row.observed_sd / row.test_set_sd for row in rows]
    both = both.drop(columns="infinite_sd").assign(ratio=ratio, ratio_low=low, ratio_high=high)
    larger = NoiseRow.where(both, lambda row: row.observed_sd < row.test_set_sd)
    less = NoiseRow.where(both, lambda row: row.observed_sd > row.test_set_sd)
    names = {
        "larger": phrases.share(both, larger, *nouns),
        "larger_cells": phrases.share(both, larger, "setting"),
        "less_cells": phrases.share(both, less, "setting"),
        "metrics": phrases.name(_list_metrics(both)),
        "ratio": phrases.pooled(
            both, "ratio", numbers.ratio, noun=nouns[0].partition(" ")[0], title=metric_title
        ),
    }
    intervals, counts = describe_intervals(both, both["level"].max())
    headline, estimated, shown, differs = (
        ("The seed changes the score more than the test rows", "{less_cells}", "{above}",
         both["ratio_low"] > 1)
        if 2 * larger.sum() < len(both)
        else ("Test rows change the score more than the seed", "{larger_cells}", "{below}",
              both["ratio_high"] < 1)
    )  # fmt: skip
    headline += f": shown for {shown}" if counts else f" in {estimated}"
    if counts and not differs.any():
        headline = "Not shown: whether test rows or the seed change the score more"
    if not all(row.primary for row in rows):  # names the metric if it is not the primary one
        headline += " ({metrics})"
    return Claim(
        "seed_over_test_set",
        "the choice of test rows changes the score ({metrics}) more than the model seed does in"
        " {larger}: the SD over seeds divided by that over test rows is {ratio}",
        both,
        names | counts,
        Sample.of(both, "n", "seed"),
        headline=headline,
        note=intervals,
        statistic="SD over model seeds / SD over resampled test rows",
        null="ratio 1",
        estimates=Estimate.of_rows(both, _list_subjects(data, both), "ratio", (0.0, np.inf)),
    )


def _ratio_limits(row: NoiseRow) -> tuple[float, float]:
    """Interval of the ratio of the SDs; the test set's, from many resamples, is taken as known."""
    seed = (row.observed_sd, row.observed_sd_low, row.observed_sd_high)
    return ratio_limits(seed, (row.test_set_sd,) * 3)


def _list_subjects(data: ExhibitData, rows: pd.DataFrame) -> list[str]:
    return [
        f"{data.dataset(row.dataset)}, {arm_title(data, row.arm, row.experiment)},"
        f" {metric_title(row.metric)}"
        for row in NoiseRow.read(rows)
    ]


def _infinite_test_set(data: ExhibitData, split: pd.DataFrame) -> Claim:
    bounded = split.drop(columns="infinite_sd")
    share = phrases.pooled(
        bounded, "seed_share", numbers.rounded_percent, "median", *cell_noun(split), metric_title
    )
    subjects = zip(_list_subjects(data, split), NoiseRow.read(split), strict=True)
    return Claim(
        "infinite_test_set",
        "the share of the variance of the score ({metrics}) over model seeds that an infinite test"
        " set would leave is {share}",
        split,
        {"share": share, "metrics": phrases.name(_list_metrics(split))},
        Sample.of(split, "n", "seed"),
        note="The rest is seeds that are right on different test rows.",
        statistic="SD over model seeds on an infinite test set",
        null=NO_NULL,
        estimates=[
            Estimate.truncated(
                subject,
                row.infinite_sd,
                (row.infinite_sd_low, row.infinite_sd_high),
                row.level,
                (0.0, MOST_SD if is_share(row.metric) else np.inf),
            )
            for subject, row in subjects
        ],
    )
