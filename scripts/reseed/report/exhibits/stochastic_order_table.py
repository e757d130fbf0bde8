"""Almost stochastic order: arms whose distribution of scores lies above another's."""

from __future__ import annotations

import math

import pandas as pd

from reseed.comparison.claims import phrases
from reseed.comparison.claims.claim import Claim
from reseed.comparison.claims.estimates import Sample
from reseed.comparison.claims.formatting import format_level
from reseed.core.schemas import COMPARISON_COLUMNS
from reseed.plugins.options import Experiments as Options
from reseed.report.analyses.stochastic_order import OrderRow
from reseed.report.rendering.arms import name_arms
from reseed.report.rendering.data import ExhibitData, footnote, require_rows
from reseed.report.rendering.least import LEAST
from reseed.report.rendering.numbers import NONE, fixed, from_to
from reseed.report.rendering.settings import group_by_setting, metric_title
from reseed.report.rendering.tables import Rows, Table

DRAWS = ("stochastic_order",)

# The asterisk of a stand-in is removed.
_SHOWN = "§"


def table(data: ExhibitData, options: Options) -> Table:
    """A square of arms for each dataset: violation ratio of row over column, with its bound."""
    reason = "No two arms have two finished seeds each at this scale."
    rows = require_rows(data.measured(options.experiments), reason)
    lines, claims, parts = Rows(), [_claim(rows)], group_by_setting(data, rows)
    several = len(parts) > 1
    for title, part in parts:
        ordered = OrderRow.read(part)
        cell = {(row.arm_a, row.arm_b): _cell(row) for row in ordered}
        heading = f"{title}, {metric_title(ordered[0].metric)}"
        arms = name_arms(data, part, (row.arm_a for row in ordered))
        for a, name in arms.items():
            others = {other: cell.get((a, b), NONE) for b, other in arms.items()}
            lines.add({"Lies above": name} | others, heading)
        if several:
            claims.append(_claim(part, title))
    first = OrderRow.read_first(rows)
    text = from_to(rows[["n_a", "n_b"]].to_numpy().ravel(), to="–")
    note = footnote(
        data,
        rows,
        f"Seeds per arm: {text}. Violation ratio (0: the row's arm is"
        f" better at every quantile; 1: the column's is), in brackets its"
        f" {format_level(first.level)} upper bound; {_SHOWN} where that is below"
        f" {first.threshold:g}."
        " For each pair by itself, not for all at once. Seeds are taken as independent samples.",
    )
    return lines.table(data, rows, note, claims=claims)


def _claim(rows: pd.DataFrame, where: str = "") -> Claim:
    """The number of pairs with a shown order, of one setting or (empty) over all of them."""
    names = ["\n".join(sorted((row.arm_a, row.arm_b))) for row in OrderRow.read(rows)]
    keys = [*COMPARISON_COLUMNS, "pair"]
    either = rows.assign(pair=names).groupby(keys, dropna=False)["dominates"].transform("any")
    pairs = rows[~rows.assign(pair=names).duplicated(keys)]
    is_shown = either[pairs.index].astype(bool)
    sample = Sample.of(pairs, ["n_a", "n_b"], "seed", each="an arm")
    return Claim(
        f"stochastic_order: {where}" if where else "stochastic_order",
        "almost stochastic order is shown for {shown}",
        pairs,
        {"shown": phrases.share(pairs, is_shown, "pair")},
        sample,
        headline=not where and sample.low >= LEAST,
        subject=where,
        statistic="violation ratio",
        null="no order",
        precision=_detectable(OrderRow.read(pairs[~is_shown])),
    )


def _detectable(pairs: list[OrderRow]) -> str:
    """Smallest shift between Gaussian scores that is shown; empty where all orders are shown."""
    if not pairs:
        return ""
    sizes = [row.detectable for row in pairs]
    if math.inf in sizes:
        return "no shift, however large, is shown with a power of 80 % by so few seeds"
    return f"power 80 % against a shift of {from_to(sizes, '{:.1f}'.format)} SD between Gaussians"


def _cell(row: OrderRow) -> str:
    mark = _SHOWN if row.dominates else ""
    return f"{fixed(row.ratio, 2)} [{fixed(row.upper, 2)}]{mark}"
