"""Runs with similar accuracy but different α̂ [Banerjee et al., Tables IV and V]."""

from __future__ import annotations

import math

import pandas as pd
from reseed.core.schemas import MODEL_SEED_COLUMNS
from reseed.plugins.options import Arms, Count
from reseed.report.rendering import numbers
from reseed.report.rendering.arms import TEST_SET_KEY, key_columns
from reseed.report.rendering.data import AS_PUBLISHED, ExhibitData, require_rows
from reseed.report.rendering.tables import Rows, Table, TableRow

from papers.banerjee.trimming import RunRow
from papers.banerjee.trimming_text import NOTHING, footnote_trimming, group_by_arm, select_measured

DRAWS = ("papers.banerjee.trimming:analyse",)


class Options(Arms):
    """count: number of rows of an arm."""

    count: Count = 9


def table(data: ExhibitData, options: Options) -> Table:
    """The most accurate runs of each arm by increasing α̂, then those of the paper."""
    rows = require_rows(select_measured(data, options), NOTHING)
    lines, chosen = Rows(), []
    places = _count_decimals(rows)
    for title, part in group_by_arm(data, rows):
        best = part.sort_values(["accuracy", "alpha_hat"], ascending=[False, True], kind="stable")
        best = best.head(options.count).sort_values("alpha_hat", kind="stable")
        printed = _printed(data, part)
        roles = [role for role in MODEL_SEED_COLUMNS if part[role].nunique() > 1]
        for source, models in ((title, best), (f"{title}, as published", printed)):
            for row in RunRow.read(models):
                lines.add(_line(row, roles, places), f"{source} ({row.items:,.0f} test items)")
        chosen += [best, printed]
    return lines.table(
        data,
        pd.concat(chosen, ignore_index=True),
        footnote_trimming(
            data,
            rows,
            "The most accurate runs only, so their accuracies are biased upwards. Churn in test"
            " items: against the ensemble of all judged runs, and mean against each of them.",
            AS_PUBLISHED if any(len(models) for models in chosen[1::2]) else "",
        ),
    )


def _count_decimals(rows: pd.DataFrame) -> dict[str, int]:
    """Decimals of shares of the test items, and of α̂ by its error over bootstraps."""
    return {
        "share": numbers.item_decimals(rows["items"]),
        "alpha": numbers.decimals(rows["alpha_hat_mc_se"], 1, 2, most=3),
    }


def _printed(data: ExhibitData, part: pd.DataFrame) -> pd.DataFrame:
    """The paper's models of the arm and test set of `part`."""
    every = data.rows()
    if "published" not in every:
        return every.iloc[:0]
    cell = key_columns(every, TEST_SET_KEY)
    mine = (every[cell].astype(str) == part[cell].iloc[0].astype(str)).all(axis=1)
    return every[mine & every["published"].astype(bool)]


def _seed(row: RunRow, roles: list[str]) -> str:
    """Seeds of `roles`, or one number if they are equal; the number of a model of the paper."""
    seeds: list[float] = [getattr(row, role) for role in roles]
    known = [f"{seed:.0f}" for seed in seeds if not math.isnan(seed)] or [f"{row.init:.0f}"]
    return "-".join(known) if len(set(known)) > 1 else known[0]


def _line(row: RunRow, roles: list[str], places: dict[str, int]) -> TableRow:
    def items(share: float, digits: int) -> str:
        count = share * row.items
        return numbers.NONE if math.isnan(count) else f"{count:,.{digits}f}"

    return {
        "Seed": _seed(row, roles),
        "α̂": numbers.fixed(row.alpha_hat, places["alpha"]),
        "α̂, authors’ grid": numbers.fixed(row.alpha_hat_grid, 3),
        "Accuracy": numbers.fixed(row.accuracy, places["share"]),
        "Churn, ensemble": items(row.churn_ensemble, 0),
        "Churn, mean": items(row.churn, 1),
        "ECE": numbers.fixed(row.ece, places["share"]),
    }
