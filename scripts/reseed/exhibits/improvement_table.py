"""How often a run of one arm beats a run of another, over all tasks."""

from __future__ import annotations

import pandas as pd

from reseed.exhibits.aggregates_figure import NOTHING, findings, known, note
from reseed.plugins.options import Experiments as Options
from reseed.rendering.arms import arm_title
from reseed.rendering.data import ExhibitData, require_rows
from reseed.rendering.headlines import LEAST
from reseed.rendering.numbers import NONE, counted, from_to, percent, rounded_percent, several
from reseed.rendering.settings import cross_dataset_parts
from reseed.rendering.tables import Rows, Table

# Most pairs with the greatest probability that are named.
_NAMED = 3
_NONE_BETTER = "No arm beats another in more than half of cases"
DRAWS = ("aggregates",)


def table(data: ExhibitData, options: Options) -> Table:
    """A square of arms for each experiment: probability that the row beats the column."""
    rows = known(data, options)
    rows = require_rows(rows if rows.empty else rows[rows["statistic"] == "improvement"], NOTHING)
    lines = Rows()
    for title, board in cross_dataset_parts(data, rows):
        experiment = board["experiment"].iloc[0]
        arms = {arm: arm_title(data, arm, experiment) for arm in dict.fromkeys(board["arm"])}
        cell = {(row["arm"], row["arm_b"]): _cell(row) for _, row in board.iterrows()}
        for a, name in arms.items():
            others = {other: cell.get((a, b), NONE) for b, other in arms.items()}
            lines.add({"Beats": name} | others, title)
    text = (
        "Probability that a run of the row's arm scores better than one of the column's on a task,"
        " mean over tasks; a tie counts one half. It says how often, not by how much."
    )
    return lines.table(
        data,
        rows,
        note(data, rows, text),
        headline=_headline(data, rows),
        findings=findings(data, rows, _finding),
    )


def _cell(row: pd.Series) -> str:
    return f"{rounded_percent(row['value'])} [{100 * row['low']:.0f}, {100 * row['high']:.0f}]"


def _surest(rows: pd.DataFrame) -> pd.DataFrame:
    """Pairs with the greatest probability of improvement; none if it is at most one half."""
    return rows[(rows["value"] == rows["value"].max()) & (rows["value"] > 0.5)]


def _describe(data: ExhibitData, surest: pd.DataFrame, between: str = " beats one of ") -> str:
    """`XGB beats one of FFNN`, and so on for each pair of `surest`."""
    return several(
        between.join(arm_title(data, row[side], row["experiment"]) for side in ("arm", "arm_b"))
        for _, row in surest.iterrows()
    )


def _headline(data: ExhibitData, rows: pd.DataFrame) -> str:
    if len(cross_dataset_parts(data, rows)) > 1 or rows["runs_min"].min() < LEAST:
        return ""
    surest = _surest(rows)
    if surest.empty:
        return _NONE_BETTER
    value = percent(surest["value"].iloc[0])
    if 1 < len(surest) <= _NAMED:
        return f"{_describe(data, surest, ' beats ')}, in {value} of cases each"
    if len(surest) > 1:
        pairs = f"{len(surest)} of {counted(len(rows) // 2, 'pair')}"
        return f"In {pairs} a run of one arm beats one of the other in {value} of cases"
    return f"A run of {_describe(data, surest)} in {value} of cases"


def _finding(data: ExhibitData, rows: pd.DataFrame) -> str:
    surest, row = _surest(rows), rows.iloc[0]
    pairs = counted(len(rows) // 2, "pair")
    runs = f"{row['tasks']:.0f} tasks, {from_to(row[['runs_min', 'runs_max']])} runs each"
    if surest.empty:
        return f"{_NONE_BETTER} ({pairs}, {runs})."
    if 1 < len(surest) <= _NAMED:
        return (
            f"{_describe(data, surest, ' beats ')} with probability"
            f" {percent(surest['value'].iloc[0])} each, the surest of {pairs} ({runs})."
        )
    if len(surest) > 1:
        return (
            f"In {len(surest)} of {pairs} a run of one arm beats one of the other with probability"
            f" {percent(surest['value'].iloc[0])} ({runs})."
        )
    return (
        f"A run of {_describe(data, surest)} with probability {_cell(surest.iloc[0])},"
        f" the surest of {pairs} ({runs})."
    )
