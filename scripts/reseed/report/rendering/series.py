"""Series of one arm: the runs of each varied seed, or of each experiment."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
from reseed.report.rendering import style
from reseed.report.rendering.data import VARIED, ExhibitData
from reseed.report.rendering.panels import colours

#: Colour and label of each series.
Styles = dict[str, tuple[str, str]]


def series(data: ExhibitData, rows: pd.DataFrame, cell: Sequence[str]) -> tuple[str, Styles]:
    """The column that identifies a series in each `cell`, and its values → (colour, label).

    The column is `varied`, or `experiment` if several experiments vary the same seed of a cell.
    """
    runs = rows[[*cell, "experiment", "varied"]].drop_duplicates()
    if runs.duplicated([*cell, "varied"]).any():
        own = colours(rows["experiment"])
        return "experiment", {name: (own[name], data.experiment(name)) for name in own}
    return "varied", {
        name: (style.VARIED.get(name, style.GREY),
               f"{VARIED.get(name, name)} varied".capitalize())
        for name in dict.fromkeys(rows["varied"])
    }  # fmt: skip
