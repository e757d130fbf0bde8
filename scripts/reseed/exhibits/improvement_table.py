"""How often a run of one arm beats a run of another, over all tasks."""

from __future__ import annotations

import pandas as pd

from reseed.exhibits.aggregates_figure import NOTHING, known, note
from reseed.exhibits.arms import arm_title
from reseed.exhibits.data import ExhibitData
from reseed.exhibits.numbers import NONE, percent
from reseed.exhibits.tables import Table, empty_table
from reseed.options import Experiments

DRAWS = ("aggregates",)


class Options(Experiments):
    """Which experiments are shown."""


def table(data: ExhibitData, options: dict) -> Table:
    """A square of arms: row against column."""
    rows = known(data, options)
    rows = rows if rows.empty else rows[rows["statistic"] == "improvement"]
    if rows.empty:
        return empty_table(data, NOTHING)
    arms = list(dict.fromkeys(rows["arm"]))
    cell = {
        (row["arm"], row["arm_b"]): f"{percent(row['value'])}"
        f" [{100 * row['low']:.0f}, {100 * row['high']:.0f}]"
        for _, row in rows.iterrows()
    }
    shown = [
        {"Beats": arm_title(data, a)} | {arm_title(data, b): cell.get((a, b), NONE) for b in arms}
        for a in arms
    ]
    text = (
        "Probability that a run of the row's arm scores better than one of the column's on a task,"
        " mean over tasks; a tie counts one half. It says how often, not by how much."
    )
    return Table(data, pd.DataFrame(shown), rows, note(data, rows, text))
