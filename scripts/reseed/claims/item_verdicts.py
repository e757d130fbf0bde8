"""Verdicts of the analysis `item_pairs`: two models compared by their scores on test items."""

from __future__ import annotations

import math

from reseed.claims.formatting import format_share
from reseed.claims.verdicts import (
    Row,
    Verdict,
    decide_outcome,
    describe_equivalence_tests,
    format_region,
    format_unit,
    is_equivalent,
    state_evidence,
)

#: Value of `scope` where seeds and test items were both sampled.
BOTH = "seeds and items"


def build_item_verdict(row: Row) -> Verdict:
    """The verdict on one row of the analysis `item_pairs`, with what it generalises to."""
    outcome = decide_outcome(row, row["p_holm"], varies=row["low"] != row["high"])
    a, b, factor = row["arm_a"], row["arm_b"], row["factor"]
    items = f"{row['items']:.0f} test items"
    if outcome == "no variation":
        evidence = f"both have the same {row['metric']} on every one of {items}"
        if row["difference"] != 0:
            direction = "" if row["greater_is_better"] else ", lower is better"
            evidence = (
                f"every item gives the same difference {row['difference'] * factor:.3g}"
                f"{format_unit(row)} ({row['metric']}{direction}), so {items} say no more than one"
            )
        return Verdict(outcome, a, b, evidence)
    tests = describe_equivalence_tests(row) if outcome == "equivalent" else ""
    return Verdict(
        outcome,
        a,
        b,
        ", ".join(state_evidence(row, "p_holm")),
        region=format_region(row),
        is_within_region=is_equivalent(row),
        notes=(tests, _describe_scope(row), _describe_single_runs(row)),
    )


def _describe_scope(row: Row) -> str:
    items = f"{row['items']:.0f} test items"
    runs = f"{row['runs_a']:.0f} and {row['runs_b']:.0f} runs"
    if row["runs_a"] == row["runs_b"]:
        runs = f"{row['runs_a']:.0f} runs each"
    if row["scope"] != BOTH:
        return (
            f"Compared over {items} for the models as trained ({runs}): other seeds may order them "
            "otherwise."
        )
    text = f"Compared over {runs} and {items}: new seeds and new items are both allowed for."
    if min(row["runs_a"], row["runs_b"]) < 3:
        text += " Two runs hardly show the spread over seeds: a third would narrow the interval."
    return text


def _describe_single_runs(row: Row) -> str:
    """How often one run of each model, tested over items alone, would show a difference."""
    if row["scope"] != BOTH or not math.isfinite(row["single_a"]):
        return ""
    return (
        f"One run of each, tested over the items alone, would have declared {row['arm_a']} better "
        f"in {format_share(row['single_a'])} and {row['arm_b']} better in "
        f"{format_share(row['single_b'])} of {row['single_pairs']:.0f} pairs of runs."
    )
