"""Every pair of models in one line, with its verdict."""

from __future__ import annotations

from typing import get_args

import pandas as pd

from reseed.core.schemas import COMPARISON_COLUMNS
from reseed.plugins.options import Experiments as Options
from reseed.report.rendering import coverage, numbers
from reseed.report.rendering.data import ExhibitData
from reseed.report.rendering.settings import (
    adjusted_over,
    count_difference_decimals,
    difference_and_interval,
    footnote_pairs,
    group_by_setting,
    p_cell,
    pair_title,
    select_leaders,
    with_unit,
)
from reseed.report.rendering.tables import Rows, Table
from reseed.verdicts.decide import Outcome, label_outcome
from reseed.verdicts.families import describe_families
from reseed.verdicts.formatting import format_level
from reseed.verdicts.pair import has_model, is_on_one_test_set, is_over_datasets, read_pairs

# With more pairs in a setting, only pairs with the best model are printed.
_MOST = 45


DRAWS = ("pairs",)


def table(data: ExhibitData, options: Options) -> Table:
    """One row for each pair, a section for each dataset."""
    rows = data.require_rows(
        data.no_pairs("No two models were run on the same dataset."), options.experiments
    )
    rows, untested = _tested(rows)
    # The verdict over datasets leads: it is one claim, those by dataset are many.
    rows = rows.sort_values("design", key=lambda design: design != "datasets", kind="stable")
    lines, raw, hidden = Rows(), [], 0
    first = next(rows.itertuples())
    for title, part in group_by_setting(data, rows):
        part = _in_order(part)
        raw.append(part)
        printed = _printed(part)
        hidden += len(part) - len(printed)
        places, section = count_difference_decimals(part), with_unit(title, part)
        for row in read_pairs(printed):
            difference, interval = difference_and_interval(row, places)
            cells = {
                "Pair": pair_title(data, row),
                "Difference": difference,
                f"{format_level(1 - first.alpha)} interval": interval,
                "p": p_cell(row.p_adjusted),
                "Flips": numbers.percent(row.instability),
                "Verdict": label_outcome(row),
            }
            lines.add(cells, section)
    only = f"{hidden} pairs without the best mean are in the CSV only." if hidden else ""
    return lines.table(
        data,
        pd.concat(raw, ignore_index=True),
        footnote_pairs(data, rows, only, untested),
        definitions=[
            "Difference: positive where the model named first is better. Intervals and p hold for"
            f" {adjusted_over(rows)} at once: p is that of the pair times their number."
            " Flips: share of single runs that order the pair the other way.",
            "A difference is shown where the interval excludes 0. On given splits"
            " it says nothing of other data sets; a difference that is not shown is no equality.",
            *_fixed_test_set(rows),
            *_families(rows),
            *coverage.corrected(rows),
        ],
    )


def _tested(rows: pd.DataFrame) -> tuple[pd.DataFrame, str]:
    """The rows without comparisons over too few datasets, and a sentence on them."""
    is_over = is_over_datasets(rows)
    over = is_over & (rows["outcome"] == "not tested")
    if not over.any() or over.all():
        return rows, ""
    if over.sum() == is_over.sum():
        return rows[~over], "Nothing is tested over datasets: there are too few."
    return rows[~over], (
        f"Not tested over datasets: {numbers.counted(int(over.sum()), 'pair')} with comparable runs"
        " on too few."
    )


def _families(rows: pd.DataFrame) -> list[str]:
    """What the adjustment by dataset leaves, if there are several datasets."""
    tested = rows[~is_over_datasets(rows) & (rows["family"] == "dataset")]
    families = tested.groupby([*COMPARISON_COLUMNS], dropna=False).ngroups
    text = describe_families(families, next(rows.itertuples()).alpha)
    return [text] if text else []


def _fixed_test_set(rows: pd.DataFrame) -> list[str]:
    """What pairs over seeds alone hold for, if there are any."""
    if not is_on_one_test_set(rows).any():
        return []
    return [
        "Pairs compared over seeds on one test set: it did not vary, so a difference holds on"
        " exactly these items, and other items may order the models otherwise."
    ]


def _in_order(part: pd.DataFrame) -> pd.DataFrame:
    """Rows sorted by outcome, then by p; unknown outcomes come last."""
    part = part.sort_values("p_adjusted", kind="stable", na_position="last")
    order = {name: i for i, name in enumerate(get_args(Outcome))}
    return part.sort_values("outcome", key=lambda o: o.map(order).fillna(len(order)), kind="stable")


def _printed(part: pd.DataFrame) -> pd.DataFrame:
    best = select_leaders(part)  # empty if no two models share a run
    if len(part) <= _MOST or best.empty:
        return part
    return part[has_model(part, next(best.itertuples()).model_a)]
