"""Every score, by model and varied seed: the distribution behind medians and ranges."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from reseed.comparison.claims import phrases
from reseed.comparison.claims.claim import Claim
from reseed.comparison.claims.estimates import Sample
from reseed.core.schemas import SEED_COLUMNS
from reseed.plugins.options import TheseExperiments as Options
from reseed.report.analyses.shared.arms import with_arms
from reseed.report.analyses.shared.data import greater_is_better, number_data_seeds
from reseed.report.rendering import style
from reseed.report.rendering.arms import PANEL_KEY, arm_titles, titled_groups
from reseed.report.rendering.data import ExhibitData, footnote, metric_title, require_rows
from reseed.report.rendering.figures import FigureInfo
from reseed.report.rendering.panels import (
    name_by_test_ratio,
    name_omitted,
    panel_grid,
    set_title,
)
from reseed.report.rendering.series import Styles, series

# Widths of an arm: between experiments side by side, at most in all, and of one's dots.
_STEP, _ALL, _SPREAD = 0.4, 0.8, 0.375
_KEY = ["experiment", "varied", "dataset", "scheme", "arm", "model",
        "hyperparameters_source"]  # fmt: skip
_GOLDEN = (math.sqrt(5) - 1) / 2


@style.styled
def figure(data: ExhibitData, options: Options) -> tuple[Figure, FigureInfo]:
    """A dot for each trial of `experiments`, a bar at the median, a panel for each setting."""
    metrics = data.metrics[data.metrics["experiment"].isin(options.experiments)]
    metrics = with_arms(metrics).assign(data_seed=number_data_seeds(metrics))
    metrics = metrics[metrics["status"] == "ok"]
    names = metrics["dataset"].map(data.metric)
    score = [row[name] for name, (_, row) in zip(names, metrics.iterrows(), strict=True)]
    frame = metrics[[*_KEY, "test_ratio", *SEED_COLUMNS]].assign(metric=names, score=score)
    frame = require_rows(
        frame[frame["score"].notna()], "None of this figure's experiments was run at this scale."
    )
    order = {name: i for i, name in enumerate(options.experiments)}
    frame = frame.sort_values("experiment", key=lambda s: s.map(order), kind="stable")
    place = name_by_test_ratio(frame, PANEL_KEY)
    panels = titled_groups(data, frame, place)
    series_column, shown = series(data, frame, [*place, "arm"])
    handles = _handles(shown)
    named = (arm_titles(data, part.drop_duplicates("arm")) for _, part in panels)
    columns, more = style.panels_of_columns(max(named, key=len))
    canvas, axes = panel_grid([2.15 + more] * len(panels), columns, legend=0.3)
    for axis, (title, part) in zip(axes, panels, strict=False):
        metric = part["metric"].iloc[0]
        better = "higher" if greater_is_better(data.info, metric) else "lower"
        _panel(axis, data, part.assign(series=part[series_column]), shown)
        set_title(axis, title)
        axis.set_ylabel(f"{metric_title(metric)} ({better} is better)")
    style.legend_below(canvas, handles)
    seeds = frame.drop_duplicates([*_KEY, *SEED_COLUMNS])
    counts = seeds.groupby(_KEY, sort=False).size().rename("n").reset_index()
    rest = name_omitted([t for t, _ in panels], axes)
    note = footnote(data, counts, "One dot a trial.", rest)
    return canvas, FigureInfo(
        frame,
        note,
        alt="Strips of dots, one a trial, for each algorithm and seed varied.",
        claims=[_claim(frame, counts)],
        drawn=frozenset({"median"}),
    )


def _handles(shown: Styles) -> list[Line2D]:
    handles = [
        Line2D([], [], ls="", marker="o", ms=4, color=colour, label=label)
        for colour, label in shown.values()
    ]
    return [*handles, Line2D([], [], color=style.BLACK, lw=1.6, label="Median")]


def _claim(frame: pd.DataFrame, counts: pd.DataFrame) -> Claim:
    rows = frame.merge(counts, on=_KEY, how="left")
    return Claim(
        name="scores",
        finding="{scores} of {models} on {datasets}",
        headline=True,
        rows=rows,
        phrases={
            "scores": phrases.count(rows, "score"),
            "models": phrases.distinct(rows, "model", "algorithm"),
            "datasets": phrases.distinct(rows, "dataset", "dataset"),
        },
        sample=Sample.of(rows, "n", "seed", each="a strip"),
    )


def _panel(axis: Axes, data: ExhibitData, rows: pd.DataFrame, shown: Styles) -> None:
    rows = rows.assign(title=arm_titles(data, rows))
    arms, experiments = (list(dict.fromkeys(rows[name])) for name in ("title", "experiment"))
    step = min(_STEP, _ALL / len(experiments))
    for (arm, experiment, name), part in rows.groupby(["title", "experiment", "series"]):
        offset = experiments.index(experiment) - (len(experiments) - 1) / 2
        centre, half = arms.index(arm) + offset * step, _SPREAD * step
        # A low-discrepancy sequence in place of random jitter: even, and the same every time.
        shift = (np.arange(len(part)) * _GOLDEN % 1 - 0.5) * 2 * half
        colour, _ = shown[name]
        axis.plot(centre + shift, part["score"], "o", ms=2.6, mew=0, color=colour, alpha=0.6)
        median = part["score"].median()
        axis.plot([centre - half, centre + half], [median] * 2, color=style.BLACK, lw=1.6)
    style.name_columns(axis, arms)
