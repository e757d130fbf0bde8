"""Spread over model seeds: as observed, on an infinite test set, and the test set's own noise."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from reseed.exhibits import style
from reseed.exhibits.data import METRICS, ExhibitData, footnote
from reseed.exhibits.figures import Drawn, empty_figure
from reseed.exhibits.numbers import percent

_MARKS = {
    "test_set_sd": ("s", style.GREY, "Test set: SD of one model over resampled test rows"),
    "observed_sd": ("o", style.RED, "Model seed: SD observed on this test set"),
    "infinite_sd": ("D", style.BLUE, "Model seed: SD left on an infinite test set, 95 % interval"),
}


@style.styled
def figure(data: ExhibitData, options: dict) -> tuple[Figure, Drawn]:
    """One panel a dataset and metric, one line a model; standard deviations from zero."""
    rows = data.rows()
    if not rows.empty:
        rows = rows[rows["observed_sd"].notna()]
    if rows.empty:
        return empty_figure(data, "No per-item scores of several model seeds at this scale.")
    panels = list(rows.groupby(["dataset", "metric"], sort=False))
    columns = min(2, len(panels))
    lines = math.ceil(len(panels) / columns)
    most = int(rows.groupby(["dataset", "metric"]).size().max())
    canvas = style.new_figure((0.26 * most + 0.75) * lines + 0.7)
    axes = canvas.subplots(lines, columns, squeeze=False)
    for axis in axes.flat[len(panels) :]:
        axis.set_visible(False)
    for axis, ((dataset, metric), part) in zip(axes.flat, panels, strict=False):
        _panel(axis, data, part)
        axis.set_title(data.dataset(dataset))
        axis.set_xlabel(f"Standard deviation of {METRICS[metric]}")
    handles = [
        Line2D([], [], ls="", marker=mark, ms=5, color=colour, label=label)
        for mark, colour, label in _MARKS.values()
    ]
    canvas.legend(handles=handles, loc="outside lower center", ncols=1)
    note = (
        "AUC is no mean over test rows, so it has no infinite-test-set SD here. Intervals allow for"
        " seeds and test rows."
    )
    bare = int((rows["infinite_sd"].notna() & rows["infinite_sd_low"].isna()).sum())
    if bare:
        note += f" {bare} without an interval: fewer than five seeds, or all seeds score the same."
    return canvas, Drawn(rows, footnote(data, rows, note), findings=_findings(data, rows))


def _panel(axis: Axes, data: ExhibitData, rows: pd.DataFrame) -> None:
    rows = rows.reset_index(drop=True)
    for y, row in rows.iterrows():
        low, high = row["infinite_sd_low"], row["infinite_sd_high"]
        axis.plot([low, high], [y, y], color=style.BLUE, lw=1.2)
        for name, (mark, colour, _) in _MARKS.items():
            size = 6.5 if name == "observed_sd" else 5
            axis.plot(row[name], y, mark, color=colour, ms=size, mew=0, clip_on=False)
    labels = [data.model(model) for model in rows["model"]]
    if rows["data_seed"].nunique() > 1:
        labels = [f"{a}, data seed {b}" for a, b in zip(labels, rows["data_seed"], strict=True)]
    axis.set_yticks(range(len(rows)), labels)
    axis.set_ylim(len(rows) - 0.5, -0.5)
    axis.tick_params(axis="y", length=0, pad=7)
    axis.set_xlim(left=0)
    axis.grid(True, axis="x")
    axis.xaxis.set_major_locator(MaxNLocator(6))


def _findings(data: ExhibitData, rows: pd.DataFrame) -> list[str]:
    both = rows[rows["test_set_sd"].notna() & rows["primary"].astype(bool)]
    larger = int((both["test_set_sd"] > both["observed_sd"]).sum())
    found = []
    if len(both):
        ratio = np.median(both["observed_sd"] / both["test_set_sd"])
        found.append(
            f"The luck of the test rows moves the primary metric more than the model seed does in"
            f" {larger} of {len(both)} cells (the seed's SD is {ratio:.2f} times the test set's, in"
            " the median)."
        )
    share = rows["seed_share"].dropna()
    if len(share):
        found.append(
            f"Of the variance over model seeds seen on the test set, {percent(share.median())}"
            f" (median of {len(share)} cells, from {percent(share.min())} to"
            f" {percent(share.max())}) would remain on an infinite test set; the rest is seeds that"
            " are right on different rows."
        )
    return found
