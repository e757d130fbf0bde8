"""How often a run of one arm beats a run of another, over all tasks."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from reseed.comparison.claims import phrases
from reseed.comparison.claims.claim import Claim
from reseed.comparison.claims.estimates import Estimate, Sample
from reseed.comparison.claims.phrases import Phrase
from reseed.plugins.options import Experiments as Options
from reseed.report.analyses.aggregates import AggregateRow
from reseed.report.exhibits.aggregates_figure import (
    NOTHING,
    claims,
    footnote_aggregates,
    select_statistics,
)
from reseed.report.rendering.arms import arm_title, name_arms
from reseed.report.rendering.data import ExhibitData, require_rows
from reseed.report.rendering.numbers import NONE, percent, rounded_percent, several
from reseed.report.rendering.settings import group_by_comparison, join_titles
from reseed.report.rendering.tables import Rows, Table

# Most pairs with the greatest probability that are named.
_NAMED = 3
DRAWS = ("aggregates",)


def table(data: ExhibitData, options: Options) -> Table:
    """A square of arms for each experiment: probability that the row beats the column."""
    known = data.measured(options.experiments)
    rows = require_rows(select_statistics(known, "improvement"), NOTHING)
    lines = Rows()
    for title, board in group_by_comparison(data, rows):
        arms = name_arms(data, board, (row.arm for row in AggregateRow.read(board)))
        cell = {(row.arm, row.arm_b): _cell(row) for row in AggregateRow.read(board)}
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
        footnote_aggregates(data, rows, text),
        claims=claims(data, rows, _claim),
    )


def _cell(row: AggregateRow) -> str:
    return f"{rounded_percent(row.value)} [{100 * row.low:.0f}, {100 * row.high:.0f}]"


def _select_surest(rows: pd.DataFrame) -> pd.DataFrame:
    """Pairs with the greatest probability of improvement; none if it is at most one half."""
    most = max(0.5, *(row.value for row in AggregateRow.read(rows)))
    return AggregateRow.select(rows, lambda row: row.value == most > 0.5)


def _describe(data: ExhibitData, surest: pd.DataFrame, between: str = " beats one of ") -> str:
    """`XGB beats one of FFNN`, and so on for each pair of `surest`."""
    return several(
        between.join(arm_title(data, arm, row.experiment) for arm in (row.arm, row.arm_b))
        for row in AggregateRow.read(surest)
    )


def _claim(data: ExhibitData, title: str, rows: pd.DataFrame) -> Iterator[Claim]:
    """The pairs with the greatest probability of improvement."""
    surest = _select_surest(rows)
    pairs = AggregateRow.select(rows, lambda row: row.arm < row.arm_b)
    names = {
        "pairs": phrases.count(pairs, "pair", of="pair"),
        "tasks": phrases.extent(rows, "tasks", "{:.0f} tasks".format, is_comparable=True),
    }
    basis, headline = "surest of {pairs}, {tasks}", ""
    if len(surest):
        names["value"] = phrases.single(surest.head(1), "value", percent)
    if surest.empty:
        basis, finding = "{pairs}, {tasks}", "no arm beats another in more than half of cases"
    elif len(surest) == 1:
        names["pair"] = phrases.name(_describe(data, surest))
        names["cell"] = Phrase(_cell(AggregateRow.read_first(surest)), "each", tuple(surest.index))
        finding = "a run of {pair} with probability {cell}"
        headline = "A run of {pair} in {value} of cases"
    elif len(surest) <= _NAMED:
        names["pair"] = phrases.name(_describe(data, surest, " beats "))
        finding = "{pair} with probability {value} each"
        headline = "{pair}, in {value} of cases each"
    else:
        arms = [{row.arm, row.arm_b} for row in AggregateRow.read(surest)]
        is_surest = AggregateRow.where(pairs, lambda row: {row.arm, row.arm_b} in arms)
        names["sure"] = phrases.share(pairs, is_surest, "pair", of="pair")
        finding = "in {sure} a run of one arm beats one of the other in {value} of cases"
    yield Claim(
        join_titles("surest_improvement", title),
        finding,
        rows,
        names,
        Sample.of(rows, ["runs_min", "runs_max"], "run"),
        headline=headline or True,
        subject=title,
        basis=basis,
        statistic="probability of improvement",
        null="probability one half",
        estimates=Estimate.of_rows(
            rows,
            [_describe(data, rows.loc[[index]], " over ") for index in rows.index],
            "value",
            (0.0, 1.0),
            ("low", "high"),
        ),
    )
