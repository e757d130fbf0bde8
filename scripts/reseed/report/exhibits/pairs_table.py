"""Numbers of the verdicts: difference, interval, effect size, p-values, order flips."""

from __future__ import annotations

from math import isfinite

import pandas as pd

from reseed.comparison.claims.claim import Claim
from reseed.comparison.claims.designs import ITEM_MODEL
from reseed.comparison.claims.formatting import format_level, format_p
from reseed.comparison.claims.item_verdicts import list_counts, name_generality
from reseed.comparison.claims.pair_row import PairRow, is_over_datasets
from reseed.comparison.claims.skewed import decisive_p, define_decisive_p
from reseed.plugins.options import Experiments as Options
from reseed.report.exhibits.shared.shown_pairs import claim_shown, share_shown
from reseed.report.rendering import coverage
from reseed.report.rendering.data import ExhibitData
from reseed.report.rendering.least import LEAST
from reseed.report.rendering.numbers import (
    NONE,
    fixed,
    percent,
)  # fmt: skip
from reseed.report.rendering.settings import (
    count_difference_decimals,
    difference_and_interval,
    footnote_pairs,
    group_by_setting,
    p_cell,
    pair_title,
    with_unit,
)
from reseed.report.rendering.tables import Rows, Table

DRAWS = ("pairs",)


def table(data: ExhibitData, options: Options) -> Table:
    """One row for each pair, a section for each dataset."""
    rows = data.require_rows(
        data.no_pairs("No two models were run on the same dataset."), options.experiments
    )
    lines, level = Rows(), rows["level"].max()
    for title, part in group_by_setting(data, rows):
        places, section = count_difference_decimals(part), with_unit(title, part)
        for row in PairRow.read(part):
            difference, interval = difference_and_interval(row, places)
            cells = {
                "Pair": pair_title(data, row),
                "Difference": difference,
                f"{format_level(level)} interval": interval,
                "Cohen’s d_z": fixed(row.cohens_d, 2),
                "p": p_cell(row.p),
                "p (Holm, both directions)": p_cell(decisive_p(row)),
                "rank p (Holm)": _rank_p(row),
                "Flips": percent(row.instability),
                "n": _n(row),
                "Test": row.test or NONE,
            }
            lines.add(cells, section)
    return lines.table(
        data,
        rows,
        footnote_pairs(data, rows),
        definitions=[
            "Differences are positive where the model named first is better. Rank p: signed-rank"
            " or Mann–Whitney test, which do not allow for overlapping splits; ≥: with so few runs"
            " no outcome gives less. d_z: difference over the SD of the paired differences. Flips:"
            " share of single runs (over all datasets: of datasets) that order the pair otherwise"
            " than the means, a tie as half.",
            *_define_items(rows),
            *define_decisive_p(rows),
            *coverage.corrected(rows),
        ],
        claims=_claims(data, rows),
    )


def _claims(data: ExhibitData, rows: pd.DataFrame) -> list[Claim]:
    """The count of shown differences on single datasets, by the corrected test."""
    within = rows[~is_over_datasets(rows)]
    tested = within[within["p_adjusted"].notna()]
    if tested.empty:
        return []
    return [
        claim_shown(
            data,
            within,
            "a difference is shown for {shown}",
            {"shown": share_shown(within, "pair")},
            headline=bool(tested["n"].min() >= LEAST),
            basis="adjusted over the pairs",
        )
    ]


def _define_items(rows: pd.DataFrame) -> list[str]:
    """What comparisons over items hold for."""
    over_items = PairRow.read(rows[rows["design"] == ITEM_MODEL.design])
    general = name_generality([row for row in over_items if _is_over_items(row)])
    return [f"Comparisons over items hold for {general}."] if general else []


def _is_over_items(row: PairRow) -> bool:
    return row.design == ITEM_MODEL.design and isfinite(row.p_adjusted)


def _rank_p(row: PairRow) -> str:
    """The adjusted p-value, or its least possible value if that exceeds the level."""
    if row.rank_p_least > row.alpha:
        return f"≥ {format_p(row.rank_p_least)}"
    return p_cell(row.rank_p_holm)


def _n(row: PairRow) -> str:
    if _is_over_items(row):
        return list_counts(row)
    if row.n_a != row.n_b:
        return f"{row.n_a:.0f} + {row.n_b:.0f}"
    return f"{row.n:.0f}"
