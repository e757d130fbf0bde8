"""Almost stochastic order: arms whose distribution of scores lies above another's."""

from __future__ import annotations

import numpy as np
import pandas as pd

from reseed.comparison.claims import phrases
from reseed.comparison.claims.claim import Claim
from reseed.comparison.claims.estimates import Sample
from reseed.comparison.claims.formatting import format_level
from reseed.core.schemas import COMPARISON_COLUMNS
from reseed.plugins.options import Experiments as Options
from reseed.report.rendering.arms import arm_title
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
    rows = data.rows(options.experiments)
    rows = require_rows(
        rows if rows.empty else rows[rows["reason"] == ""],
        "No two arms have two finished seeds each at this scale.",
    )
    lines, claims, parts = Rows(), [_claim(rows)], group_by_setting(data, rows)
    several = len(parts) > 1
    for title, part in parts:
        cell = {(r["arm_a"], r["arm_b"]): r for _, r in part.iterrows()}
        heading = f"{title}, {metric_title(part['metric'].iloc[0])}"
        experiment = part["experiment"].iloc[0]
        arms = {a: arm_title(data, a, experiment) for a in dict.fromkeys(part["arm_a"])}
        for a, name in arms.items():
            others = {other: _cell(cell.get((a, b))) for b, other in arms.items()}
            lines.add({"Lies above": name} | others, heading)
        if several:
            claims.append(_claim(part, title))
    first = rows.iloc[0]
    text = from_to(rows[["n_a", "n_b"]].to_numpy().ravel(), to="–")
    note = footnote(
        data,
        rows,
        f"Seeds per arm: {text}. Violation ratio (0: the row's arm is"
        f" better at every quantile; 1: the column's is), in brackets its"
        f" {format_level(first['level'])} upper bound; {_SHOWN} where that is below"
        f" {first['threshold']:g}."
        " For each pair by itself, not for all at once. Seeds are taken as independent samples.",
    )
    return lines.table(data, rows, note, claims=claims)


def _claim(rows: pd.DataFrame, where: str = "") -> Claim:
    """The number of pairs with a shown order, of one setting or (empty) over all of them."""
    dominates = rows["dominates"].astype(bool)
    either = rows.assign(
        shown=dominates,
        first=rows[["arm_a", "arm_b"]].min(axis=1),
        second=rows[["arm_a", "arm_b"]].max(axis=1),
    )
    keys = [*COMPARISON_COLUMNS, "first", "second"]
    either["shown"] = either.groupby(keys, dropna=False)["shown"].transform("any")
    pairs = either.drop_duplicates(keys)
    sample = Sample.of(pairs, ["n_a", "n_b"], "seed", each="an arm")
    return Claim(
        f"stochastic_order: {where}" if where else "stochastic_order",
        "almost stochastic order is shown for {shown}",
        pairs,
        {"shown": phrases.share(pairs, pairs["shown"], "pair")},
        sample,
        headline=not where and sample.low >= LEAST,
        subject=where,
        statistic="violation ratio",
        null="no order",
        precision=_detectable(pairs[~pairs["shown"]]),
    )


def _detectable(pairs: pd.DataFrame) -> str:
    """Smallest shift between Gaussian scores that is shown; empty where all orders are shown."""
    if pairs.empty:
        return ""
    sizes = pairs["detectable"]
    if np.isinf(sizes).any():
        return "no shift, however large, is shown with a power of 80 % by so few seeds"
    return f"power 80 % against a shift of {from_to(sizes, '{:.1f}'.format)} SD between Gaussians"


def _cell(row: pd.Series | None) -> str:
    if row is None:
        return NONE
    mark = _SHOWN if row["dominates"] else ""
    return f"{fixed(row['ratio'], 2)} [{fixed(row['upper'], 2)}]{mark}"
