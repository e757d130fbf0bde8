"""How often a run of one arm beats a run of another, over all tasks."""

from __future__ import annotations

import pandas as pd

from reseed.exhibits.aggregates_figure import NOTHING, known, note
from reseed.exhibits.arms import arm_title
from reseed.exhibits.data import ExhibitData
from reseed.exhibits.headlines import LEAST
from reseed.exhibits.numbers import NONE, counted, from_to, percent
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
    return Table(
        data,
        pd.DataFrame(shown),
        rows,
        note(data, rows, text),
        headline=_headline(data, rows),
        findings=_findings(data, rows),
    )


def _surest(rows: pd.DataFrame) -> pd.Series:
    """The pair in which one arm beats the other most often."""
    return rows.loc[rows["value"].idxmax()]


def _headline(data: ExhibitData, rows: pd.DataFrame) -> str:
    row = _surest(rows)
    if row["runs_min"] < LEAST:
        return ""
    names = " beats one of ".join(arm_title(data, row[name]) for name in ("arm", "arm_b"))
    return f"A run of {names} in {percent(row['value'])} of cases"


def _findings(data: ExhibitData, rows: pd.DataFrame) -> list[str]:
    row = _surest(rows)
    return [
        f"A run of {arm_title(data, row['arm'])} beats one of {arm_title(data, row['arm_b'])} with"
        f" probability {percent(row['value'])} [{100 * row['low']:.0f}, {100 * row['high']:.0f}],"
        f" the surest of {counted(len(rows) // 2, 'pair')} ({row['tasks']:.0f} tasks,"
        f" {from_to(row[['runs_min', 'runs_max']])} runs each)."
    ]
