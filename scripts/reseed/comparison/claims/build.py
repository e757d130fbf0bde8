"""The one way from a row of a comparison to its verdict."""

from __future__ import annotations

from collections.abc import Mapping
from math import nan
from typing import Any, cast

from reseed.comparison.claims.designs import ITEM_MODEL, SIGN_FLIPS
from reseed.comparison.claims.item_verdicts import ITEMS
from reseed.comparison.claims.mean_verdicts import EFFECTS, MEANS_WORDING
from reseed.comparison.claims.pair_row import PairRow
from reseed.comparison.claims.pair_verdicts import OVER_DATASETS, PAIRS
from reseed.comparison.claims.verdicts import Outcome, Verdict, format_region

#: Value of `design` → how such rows are decided and explained; of runs on one dataset by default.
WORDINGS = {
    SIGN_FLIPS.design: OVER_DATASETS,
    ITEM_MODEL.design: ITEMS,
    "means": MEANS_WORDING,
    "effects": EFFECTS,
}


#: Columns of tests, which pairs without variation do not have.
_OF_TESTS = (
    "low", "high", "joint_low", "joint_high", "dunnett_low", "dunnett_high", "bca_low", "bca_high",
    "boot_low", "boot_high", "p", "p_adjusted", "p_holm", "rank_p", "rank_p_holm", "rank_p_least",
    "seeds_p", "dunnett_p", "conservative_p", "conservative_p_holm", "skew_p", "skew_p_adjusted",
    "equivalence_p", "equivalence_p_holm", "p_a_better", "p_b_better", "p_equivalent",
    "permutation_p", "swap_p",
)  # fmt: skip


def state_verdict(pair: PairRow, row: Mapping[str, Any]) -> dict[str, Any]:
    """Columns `outcome` and `verdict` of `row`; without variation also its tests, which are empty.

    Where the differences do not vary, p would be 0 or 1 and the interval a point.
    """
    verdict = build_verdict(pair)
    untested = _OF_TESTS if verdict.outcome == "no variation" else ()
    columns = {name: nan for name in untested if name in row}
    return columns | {"outcome": verdict.outcome, "verdict": verdict.sentence()}


def build_verdict(row: PairRow) -> Verdict:
    """The verdict on two models by a row of any comparison, whose `design` says of which.

    The outcome is decided once: a row that has one keeps it.
    """
    wording = WORDINGS.get(row.design, PAIRS)
    outcome = cast("Outcome", row.outcome) or wording.decide(row)
    return Verdict(
        outcome,
        row.model_a,
        row.model_b,
        wording.explain(row, outcome),
        format_region(row),
        wording.is_within(row),
    )
