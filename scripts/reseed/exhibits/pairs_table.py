"""Numbers of the verdicts: difference, interval, effect size, p-values, order flips."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from reseed.claims.formatting import format_p
from reseed.plugins.options import Experiments as Options
from reseed.rendering import coverage
from reseed.rendering.data import ExhibitData
from reseed.rendering.headlines import LEAST
from reseed.rendering.numbers import (
    NONE,
    counted,
    fixed,
    part_of,
    percent,
)  # fmt: skip
from reseed.rendering.settings import (
    counted_runs,
    difference_and_interval,
    difference_places,
    note,
    p_cell,
    pair_title,
    settings,
    with_unit,
)
from reseed.rendering.tables import Rows, Table

DRAWS = ("pairs",)


def table(data: ExhibitData, options: Options) -> Table:
    """One row for each pair, a section for each dataset."""
    rows = data.require_rows(
        data.no_pairs("No two models were run on the same dataset."), options.experiments
    )
    lines, level = Rows(), rows["level"].max()
    for title, part in settings(data, rows):
        places, section = difference_places(part), with_unit(title, part)
        for row in part.to_dict("records"):
            difference, interval = difference_and_interval(row, places)
            cells = {
                "Pair": pair_title(data, row),
                "Difference": difference,
                f"{100 * level:g} % interval": interval,
                "Cohen’s d_z": fixed(row["cohens_d"], 2),
                # The p-value of equal differences (0 or 1) is meaningless.
                "p": NONE if row["outcome"] == "no variation" else p_cell(row["p"]),
                "p (Holm)": p_cell(row["p_holm"]),
                "rank p (Holm)": _rank_p(row),
                "Flips": percent(row["instability"]),
                "n": _n(row),
                "Test": row["test"] or NONE,
            }
            lines.add(cells, section)
    return lines.table(
        data,
        rows,
        note(data, rows),
        definitions=[
            "Differences are positive where the model named first is better. Rank p: signed-rank"
            " or Mann–Whitney test, which do not allow for overlapping splits; ≥: with so few runs"
            " no outcome gives less. d_z: difference over the SD of the paired differences. Flips:"
            " share of single runs (over all datasets: of datasets) that order the pair otherwise"
            " than the means, a tie as half.",
            *coverage.corrected(rows),
        ],
        headline=_headline(rows),
        findings=_findings(rows),
    )


def _shown(rows: pd.DataFrame) -> tuple[pd.DataFrame, int, int, int]:
    """(tested pairs within datasets, their number, shown ones, shown ones by the rank test)."""
    within = rows[rows["design"] != "datasets"]
    tested = within[within["p_holm"].notna()]
    by_rank = int((tested["rank_p_holm"] <= tested["alpha"]).sum())
    return tested, len(within), int((tested["p_holm"] <= tested["alpha"]).sum()), by_rank


def _headline(rows: pd.DataFrame) -> str:
    tested, total, shown, by_rank = _shown(rows)
    if tested.empty or tested["n"].min() < LEAST:
        return ""
    pairs = counted(total, "pair")
    ranks = f"; by the rank test for {by_rank}" if tested["rank_p_holm"].notna().any() else ""
    return f"A difference is shown for {shown} of {pairs}{ranks}"


def _findings(rows: pd.DataFrame) -> list[str]:
    tested, total, shown, by_rank = _shown(rows)
    if tested.empty:
        return []
    ranks = f", by the rank test for {by_rank}" if tested["rank_p_holm"].notna().any() else ""
    return [
        f"A difference is shown for {part_of(shown, total, 'pair')}{ranks}"
        f" ({counted_runs(tested)} a pair, adjusted over the pairs)."
    ]


def _rank_p(row: Mapping) -> str:
    """The adjusted p-value, or its least possible value if that exceeds the level."""
    if row["rank_p_least"] > row["alpha"]:
        return f"≥ {format_p(row['rank_p_least'])}"
    return p_cell(row["rank_p_holm"])


def _n(row: Mapping) -> str:
    if row["n_a"] != row["n_b"]:
        return f"{row['n_a']:.0f} + {row['n_b']:.0f}"
    return f"{row['n']:.0f}"
