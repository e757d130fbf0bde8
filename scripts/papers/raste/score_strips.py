"""Every score, by model and varied seed: the distribution behind medians and ranges."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from reseed.analyses.shared.arms import with_arms
from reseed.analyses.shared.data import (
    greater_is_better,
    number_data_seeds,
    score_trials,
)
from reseed.core.schemas import SEED_COLUMNS
from reseed.plugins.options import TheseExperiments as Options
from reseed.report.rendering import style
from reseed.report.rendering.data import ExhibitData, footnote, metric_title, require_rows
from reseed.report.rendering.figures import FigureInfo
from reseed.report.rendering.panels import line, offsets
from reseed.report.rendering.series import Styles, arm_panels, group_by_series

# Widths of an arm: between experiments side by side, at most in all, and of one's dots.
_STEP, _ALL, _SPREAD = 0.4, 0.8, 0.375
_KEY = ["experiment", "varied", "dataset", "scheme", "arm", "model",
        "hyperparameters_source"]  # fmt: skip


@style.styled
def figure(data: ExhibitData, options: Options) -> tuple[Figure, FigureInfo]:
    """A dot for each trial of `experiments`, a bar at the median, a panel for each setting."""
    metrics = data.metrics[data.metrics["experiment"].isin(options.experiments)]
    metrics = with_arms(metrics).assign(data_seed=number_data_seeds(metrics))
    metrics = metrics[metrics["status"] == "ok"]
    metric, score = score_trials(data.info, metrics)
    frame = metrics[[*_KEY, "test_ratio", *SEED_COLUMNS]].assign(metric=metric, score=score)
    frame = require_rows(
        frame[frame["score"].notna()], "None of this figure's experiments was run at this scale."
    )
    order = {name: i for i, name in enumerate(options.experiments)}
    frame = frame.sort_values("experiment", key=lambda s: s.map(order), kind="stable")
    groups, styles = group_by_series(data, frame)
    canvas, panels, omitted = arm_panels(groups, 2.15, 0.3)
    for axis, part in panels:
        metric = part["metric"].iloc[0]
        better = "higher" if greater_is_better(data.info, metric) else "lower"
        _panel(axis, part, styles)
        axis.set_ylabel(f"{metric_title(metric)} ({better} is better)")
    style.legend_below(canvas, _handles(styles))
    seeds = frame.drop_duplicates([*_KEY, *SEED_COLUMNS])
    counts = seeds.groupby(_KEY, sort=False).size().rename("n").reset_index()
    return canvas, FigureInfo(
        frame,
        footnote(data, counts, "One dot a trial.", omitted),
        alt="Strips of dots, one a trial, for each algorithm and seed varied.",
    )


def _handles(styles: Styles) -> list[Line2D]:
    dots = [
        Line2D([], [], ls="", marker="o", ms=4, color=colour, label=label)
        for colour, label in styles.values()
    ]
    return [*dots, line(style.BLACK, "Median", width=1.6)]


def _panel(axis: Axes, rows: pd.DataFrame, styles: Styles) -> None:
    arms, experiments = (list(dict.fromkeys(rows[name])) for name in ("title", "experiment"))
    step = min(_STEP, _ALL / len(experiments))
    for (arm, experiment, name), part in rows.groupby(["title", "experiment", "series"]):
        offset = experiments.index(experiment) - (len(experiments) - 1) / 2
        centre, half = arms.index(arm) + offset * step, _SPREAD * step
        colour, _ = styles[name]
        axis.plot(centre + offsets(len(part), half), part["score"], "o", ms=2.6, mew=0,
                  color=colour, alpha=0.6)  # fmt: skip
        median = part["score"].median()
        axis.plot([centre - half, centre + half], [median] * 2, color=style.BLACK, lw=1.6)
    style.name_columns(axis, arms)
