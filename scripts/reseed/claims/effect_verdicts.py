"""Verdicts of the analysis `over_datasets`: the mean difference over similar datasets."""

from __future__ import annotations

from reseed.claims.formatting import count_interval_decimals, format_number, format_share
from reseed.claims.verdicts import (
    Outcome,
    Row,
    Verdict,
    format_interval,
    format_region,
    format_unit,
)


def decide_effect_outcome(row: Row) -> Outcome:
    """Outcome of the mean difference over datasets.

    A difference where the interval excludes 0. Else equivalent where at least `level` of the
    posterior lies within the region of practical equivalence. Else inconclusive.
    """
    if row["low"] > 0:
        return "difference"
    return "equivalent" if _is_within_region(row) else "no difference shown"


def _is_within_region(row: Row) -> bool:
    return row["p_equivalent"] >= row["level"]


def build_effect_verdict(row: Row) -> Verdict:
    """The verdict on one `pair` row of the analysis `over_datasets`."""
    outcome, factor = decide_effect_outcome(row), row["factor"]
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
        is_within_region=_is_within_region(row),
        notes=(f"Hierarchical model of {row['datasets']:.0f} datasets.",),
    )
