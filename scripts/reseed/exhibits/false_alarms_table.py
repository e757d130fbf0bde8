"""How often each test finds a difference between an arm and itself."""

from __future__ import annotations

import pandas as pd

from reseed.exhibits.arm_cells import cell_title, chosen
from reseed.exhibits.data import ExhibitData, footnote
from reseed.exhibits.numbers import percent
from reseed.exhibits.tables import Table, empty_table
from reseed.options import Arms

DRAWS = ("false_alarms",)


class Options(Arms):
    """Which experiments and arms are shown."""


def table(data: ExhibitData, options: dict) -> Table:
    """One row an arm and test."""
    rows = chosen(data, options)
    rows = rows if rows.empty else rows[rows["reason"] == ""]
    if rows.empty:
        return empty_table(data, "No arm has four model seeds on the same splits at this scale.")
    shown = [
        {
            "Arm": cell_title(data, rows, row),
            "Test": row["procedure"],
            "Compared": f"{row['runs']:.0f} against {row['runs']:.0f} seeds"
            if row["design"] == "seeds"
            else f"1 against 1 seed on {row['folds']:.0f} splits",
            "Finds a difference": f"{percent(row['rate'], 1)}"
            f" [{100 * row['low']:.1f}, {100 * row['high']:.1f}]",
        }
        for _, row in rows.iterrows()
    ]
    alpha = rows["alpha"].iloc[0]
    text = (
        f"Two groups of an arm's own seeds pose as two models; nominal: {100 * alpha:g} %. The data"
        " are held fixed: it shows the error of taking seed noise for a difference, not that of"
        " overlapping splits. In brackets the 95 % interval of drawing among the runs at hand."
    )
    return Table(
        data,
        pd.DataFrame(shown),
        rows,
        footnote(data, rows, text, per="arm"),
        sections=[data.dataset(name) for name in rows["dataset"]],
        text_columns=3,
    )
