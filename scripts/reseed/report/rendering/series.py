"""Panels with a column for each arm, and a series for each varied seed, or experiment."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from reseed.report.rendering import style
from reseed.report.rendering.arms import PANEL_KEY, arm_titles, titled_groups
from reseed.report.rendering.data import VARIED, ExhibitData
from reseed.report.rendering.panels import colours, name_by_test_ratio, titled_panels

#: Colour and label of each series.
Styles = dict[str, tuple[str, str]]


def group_by_series(
    data: ExhibitData, rows: pd.DataFrame
) -> tuple[list[tuple[str, pd.DataFrame]], Styles]:
    """(title, rows) of each setting with columns `title` (of the arm) and `series`; their styles.

    A series is a varied seed, or an experiment if several vary the same seed of an arm.
    """
    place = name_by_test_ratio(rows, PANEL_KEY)
    column, styles = _series(data, rows, [*place, "arm"])
    named = rows.assign(title=arm_titles(data, rows), series=rows[column])
    return titled_groups(data, named, place), styles


def arm_panels(
    groups: Sequence[tuple[str, pd.DataFrame]], height: float, legend: float
) -> tuple[Figure, list[tuple[Axes, pd.DataFrame]], str]:
    """The `titled_panels` of `group_by_series`, with room for the names of arms below each."""
    columns, more = style.panels_of_columns(
        max((list(part["title"].unique()) for _, part in groups), key=len)
    )
    return titled_panels(groups, height + more, columns, legend=legend)


def _series(data: ExhibitData, rows: pd.DataFrame, cell: Sequence[str]) -> tuple[str, Styles]:
    runs = rows[[*cell, "experiment", "varied"]].drop_duplicates()
    if runs.duplicated([*cell, "varied"]).any():
        palette = colours(rows["experiment"])
        return "experiment", {name: (palette[name], data.experiment(name)) for name in palette}
    return "varied", {
        name: (style.VARIED.get(name, style.GREY),
               f"{VARIED.get(name, name)} varied".capitalize())
        for name in dict.fromkeys(rows["varied"])
    }  # fmt: skip
