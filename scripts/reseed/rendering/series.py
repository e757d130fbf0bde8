"""What stands side by side for one arm: the runs of each kind of seed, or of each experiment."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
from reseed.rendering import style
from reseed.rendering.data import VARIED, ExhibitData
from reseed.rendering.panels import colours


def series(
    data: ExhibitData, rows: pd.DataFrame, cell: Sequence[str]
) -> tuple[str, dict[str, tuple[str, str]]]:
    """The column that tells the series of each `cell` of `rows` apart, and value → (colour, label).

    The seed that is varied; the experiment where several vary the same one of one cell.
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
