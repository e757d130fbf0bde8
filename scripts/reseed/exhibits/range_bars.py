"""Figure 3: range of the test score over model seeds and over data seeds, a panel each dataset."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from reseed.exhibits import style
from reseed.exhibits.data import METRICS, VARIED, ExhibitData, footnote
from reseed.exhibits.figures import Drawn, empty_figure
from reseed.exhibits.spread_table import fewer_seeds

_WIDTH = 0.36
_COLUMNS = [
    "experiment", "varied", "dataset", "scheme", "model", "hyperparameters_source", "metric", "n",
    "failed", "range", "range_next_low", "range_next_high", "published_range",
]  # fmt: skip


@style.styled
def figure(data: ExhibitData, options: dict) -> tuple[Figure, Drawn]:
    """Bars of `options["experiments"]`, the range of as many new seeds, the published range."""
    rows = data.rows(options["experiments"])
    if not rows.empty:
        rows = rows[(rows["held"] == "") & (rows["n"] > 1)]
    if rows.empty:
        return empty_figure(data, "None of this figure's experiments was run at this scale.")
    rows = rows.reindex(columns=_COLUMNS)
    datasets = list(dict.fromkeys(rows["dataset"]))
    columns = min(2, len(datasets))
    lines = math.ceil(len(datasets) / columns)
    canvas = style.new_figure(2.2 * lines + 0.5)
    axes = canvas.subplots(lines, columns, squeeze=False)
    for axis in axes.flat[len(datasets) :]:
        axis.set_visible(False)
    for axis, dataset in zip(axes.flat, datasets, strict=False):
        _panel(axis, data, rows[rows["dataset"] == dataset])
        axis.set_title(data.dataset(dataset))
        axis.set_ylabel(f"Range of {METRICS[data.metric(dataset)]}")
    published = bool(rows["published_range"].notna().any())
    varied = list(dict.fromkeys(rows["varied"]))
    canvas.legend(handles=_legend(varied, published), loc="outside lower center", ncols=4)
    note = (
        "Thin line: where the range of as many new seeds falls (95 %), if scores are Gaussian with"
        " the measured SD."
    )
    about_published = (
        "Diamond: the published range (50 seeds); beside a stand-in, that of the original data."
        if published
        else ""
    )
    fewer = fewer_seeds(rows) if published else ""
    return canvas, Drawn(
        rows, footnote(data, rows, note, about_published, fewer), findings=_findings(rows)
    )


def _panel(axis: Axes, data: ExhibitData, rows: pd.DataFrame) -> None:
    models = list(dict.fromkeys(rows["model"]))
    varied = list(dict.fromkeys(rows["varied"]))
    for _, row in rows.iterrows():
        offset = (varied.index(row["varied"]) - (len(varied) - 1) / 2) * _WIDTH
        x = models.index(row["model"]) + offset
        axis.bar(x, row["range"], _WIDTH * 0.94, color=style.VARIED.get(row["varied"], style.GREY))
        axis.plot(
            [x, x], [row["range_next_low"], row["range_next_high"]], color=style.BLACK, lw=0.8
        )
        axis.plot(x, row["published_range"], "D", ms=4, mfc="white", mec=style.BLACK, mew=0.8)
    axis.set_xticks(range(len(models)), [data.model(model) for model in models])
    axis.tick_params(axis="x", length=0)
    axis.set_xlim(-0.6, len(models) - 0.4)
    axis.set_ylim(bottom=0)


def _legend(varied: list[str], published: bool) -> list:
    handles: list = [
        Patch(color=style.VARIED.get(name, style.GREY), label=f"{VARIED[name]} varied".capitalize())
        for name in varied
    ]
    handles.append(Line2D([], [], color=style.BLACK, lw=0.8, label="95 % for as many new seeds"))
    if published:
        mark = {"marker": "D", "ms": 4, "mfc": "white", "mec": style.BLACK, "mew": 0.8}
        handles.append(Line2D([], [], ls="", label="Published", **mark))
    return handles


def _findings(rows: pd.DataFrame) -> list[str]:
    wide = rows.pivot_table(index=["dataset", "model"], columns="varied", values=["range", "n"])
    if not {("range", "data"), ("range", "model")} <= set(wide.columns):
        return []
    same = wide[(wide["n"]["data"] == wide["n"]["model"]) & (wide["range"]["model"] > 0)]
    if same.empty:
        return []
    larger = same["range"]["data"] > same["range"]["model"]
    by_dataset = larger.groupby(level="dataset").all()
    return [
        f"At equal numbers of seeds the range over data seeds is the larger one in"
        f" {int(larger.sum())} of {len(larger)} pairs of dataset and algorithm, for every"
        f" algorithm on {int(by_dataset.sum())} of {len(by_dataset)} datasets (median ratio"
        f" {np.median(same['range']['data'] / same['range']['model']):.1f})."
    ]
