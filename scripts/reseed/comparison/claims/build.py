"""The one way from a row of a comparison to its verdict."""

from __future__ import annotations

from reseed.comparison.claims.designs import ITEM_MODEL, SIGN_FLIPS
from reseed.comparison.claims.item_verdicts import ITEMS
from reseed.comparison.claims.mean_verdicts import EFFECTS, MEANS_WORDING
from reseed.comparison.claims.pair_row import PairRow
from reseed.comparison.claims.pair_verdicts import OVER_DATASETS, PAIRS
from reseed.comparison.claims.verdicts import Verdict, format_region

#: Value of `design` → how such rows are decided and explained; of runs on one dataset by default.
WORDINGS = {
    SIGN_FLIPS.design: OVER_DATASETS,
    ITEM_MODEL.design: ITEMS,
    "means": MEANS_WORDING,
    "effects": EFFECTS,
}


def build_verdict(row: PairRow) -> Verdict:
    """The verdict on two models by a row of any comparison, whose `design` says of which."""
    wording = WORDINGS.get(row.design, PAIRS)
    outcome = wording.decide(row)
    return Verdict(
        outcome,
        row.model_a,
        row.model_b,
        wording.explain(row, outcome),
        format_region(row),
        wording.is_within(row),
    )
