"""Box plots of scores over seeds with printed outliers (IR consistency, Figure 1)."""

from __future__ import annotations

import json

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pydantic import Field, field_validator
from reseed.plugins.options import Experiments, Names
from reseed.report.rendering import style
from reseed.report.rendering.arms import (
    TEST_SET_KEY,
    arm_title,
    cell_titles,
    group_title,
    key_columns,
    titled_groups,
)
from reseed.report.rendering.data import ExhibitData, footnote
from reseed.report.rendering.figures import FigureInfo
from reseed.report.rendering.least import LEAST, Least, with_least
from reseed.report.rendering.numbers import several
from reseed.report.rendering.panels import titled_panels

METRICS = {
    "accuracy": "Accuracy",
    "macro_precision": "Precision (macro)",
    "macro_recall": "Recall (macro)",
    "macro_f1": "F1 (macro)",
}
_MOST_PRINTED = 3  # outliers of a box that are printed; with more, only the extremes

DRAWS = ("papers.ir.seed_scores:analyse",)


class Options(Experiments):
    """metrics: shown, a panel for each."""

    metrics: Names = Field(["macro_precision", "macro_f1"])

    @field_validator("metrics")
    @classmethod
    def _measured(cls, metrics: list[str]) -> list[str]:
        for metric in metrics:
            if metric not in METRICS:
                raise ValueError(f"no scores of {metric!r} over seeds: use {', '.join(METRICS)}")
        return metrics


@style.styled
def figure(data: ExhibitData, options: Options) -> tuple[Figure, FigureInfo]:
    """A line of panels for each dataset, a panel for each metric, a box for each model."""
    rows = data.require_rows(
        "No per-item scores of a classifier at this scale.",
        options.experiments,
        keep=lambda rows: rows["median"].notna(),
    )
    box = [*key_columns(rows, TEST_SET_KEY), "arm"]
    boxes, few = with_least(
        [
            (_name_row(data, rows, part.iloc[0]), part)
            for _, part in rows.groupby(box, sort=False, dropna=False)
        ],
        Least(LEAST, lambda part: part["n"].iloc[0], "seed"),
    )
    rows = pd.concat([part for _, part in boxes]).sort_index()
    metrics = options.metrics
    panels = [
        (title, part[part["metric"] == metric])
        for title, part in titled_groups(data, rows, TEST_SET_KEY)
        for metric in metrics
    ]
    heights = [0.28 * len(part) + 0.8 for _, part in panels]
    canvas, drawn, omitted = titled_panels(panels, heights, len(metrics), legend=0.1, characters=23)
    for axis, part in drawn:
        _panel(axis, data, part)
        row = part.iloc[0]
        title = METRICS[row["metric"]]
        axis.set_xlabel(f"{title}\ncommonest class always: {row['majority']:.3f}")
    shown = rows[rows["metric"].isin(metrics)]
    note = (
        "Box: quartiles; line: median; whiskers: the furthest score within 1.5 IQR; scores beyond"
        " are printed (of many, the two ends and their number). Dashed, where it is"
        " near: the commonest class, always."
    )
    named = several(METRICS[metric] for metric in metrics)
    return canvas, FigureInfo(
        shown,
        footnote(data, shown, note, few, omitted),
        alt=f"A box a model, a panel a dataset and metric: {named} over seeds.",
    )


def _name_row(data: ExhibitData, rows: pd.DataFrame, row: pd.Series) -> str:
    """`XGB on Magic`, with the columns in which `rows` differ."""
    return f"{arm_title(data, row['arm'], row['experiment'])} on {group_title(data, rows, row)}"


def _panel(axis: Axes, data: ExhibitData, rows: pd.DataFrame) -> None:
    outliers = [json.loads(text) for text in rows["outliers"]]
    boxes = [
        {"label": title, "med": row.median, "q1": row.low_quartile, "q3": row.high_quartile,
         "whislo": row.low_whisker, "whishi": row.high_whisker, "fliers": values}
        for title, row, values in zip(
            cell_titles(data, rows), rows.itertuples(), outliers, strict=True
        )
    ]  # fmt: skip
    axis.bxp(
        boxes, orientation="horizontal", widths=0.5, positions=range(len(boxes)),
        medianprops={"color": style.RED, "lw": 1.6}, boxprops={"lw": 0.8, "color": style.BLUE},
        whiskerprops={"lw": 0.8}, capprops={"lw": 0.8},
        flierprops={"marker": "o", "ms": 2.5, "mfc": style.BLUE, "mec": "none"},
    )  # fmt: skip
    for y, values in enumerate(outliers):
        axis.annotate(
            _printed(values), (1, y), xycoords=("axes fraction", "data"), xytext=(2, 0),
            textcoords="offset points", va="center", fontsize=6, color=style.GREY,
        )  # fmt: skip
    _constant(axis, rows)
    axis.set_ylim(len(boxes) - 0.5, -0.5)
    axis.grid(True, axis="x")
    axis.grid(False, axis="y")


def _constant(axis: Axes, rows: pd.DataFrame) -> None:
    """Draw the score of a constant prediction if it is within the scale of the boxes."""
    low, high = rows["least"].min(), rows["most"].max()
    constant, margin = rows["majority"].iloc[0], 0.08 * (high - low) or 0.01
    if low - (high - low) <= constant <= high + (high - low):
        axis.axvline(constant, color=style.GREY, ls="--", lw=0.8)
        low, high = min(low, constant), max(high, constant)
    axis.set_xlim(low - margin, high + margin)


def _printed(values: list[float]) -> str:
    if len(values) <= _MOST_PRINTED:
        return "\n".join(f"{value:.3f}" for value in values)
    return f"{values[0]:.3f}\n…{values[-1]:.3f}\n({len(values)})"
