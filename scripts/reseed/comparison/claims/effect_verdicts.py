"""Verdicts of the analysis `over_datasets`: the mean difference over similar datasets."""

from __future__ import annotations

from reseed.comparison.claims.formatting import count_interval_decimals, format_number, format_share
from reseed.comparison.claims.verdicts import (
    Row,
    Verdict,
    decide_outcome,
    format_interval,
    format_region,
    format_unit,
)


def build_effect_verdict(row: Row) -> Verdict:
    """The verdict on one `pair` row of the analysis `over_datasets`.

    A difference where the interval excludes 0. Else equivalent where at least `level` of the
    posterior lies within the region of practical equivalence.
    """
    is_within, factor = row["p_equivalent"] >= row["level"], row["factor"]
    facts = {"difference": row["effect"], "alpha": 1 - row["level"]}
    outcome = decide_outcome(facts, 0.0 if row["low"] > 0 else 1.0, is_within=is_within)
    decimals = count_interval_decimals(row["low"] * factor, row["high"] * factor)
    effect = format_number(row["effect"] * factor, decimals)
    evidence = f"mean difference {effect}{format_unit(row)}, {format_interval(row, decimals)}"
    if outcome == "equivalent":
        evidence += f"; {format_share(row['p_equivalent'])} of the posterior lies within"
    return Verdict(
        outcome,
        row["model_a"],
        row["model_b"],
        evidence,
        scope="over datasets like these",
        region=format_region(row),
        is_within_region=is_within,
        notes=(f"Hierarchical model of {row['datasets']:.0f} datasets.",),
    )
