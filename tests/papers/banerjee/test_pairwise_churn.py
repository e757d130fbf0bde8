"""Claims of Figure 10."""

import pandas as pd
import pytest
from papers.banerjee import (
    trimming_pairs,
    trimming_pairs_figure,
)
from run_kinds import draw
from scipy import stats


def test_every_arm_of_figure_10_has_its_own_claim(make):
    """Ranges of arms are not pooled."""
    drawn = draw(trimming_pairs_figure, make(trimming_pairs), {})[1]
    for claim, (_, rows) in zip(
        drawn.claims[1:-1], drawn.frame.groupby("arm", sort=False), strict=True
    ):
        low, high = rows["churn"].min(), rows["churn"].max()
        assert f"disagree on {100 * low:.1f} % to {100 * high:.1f} % of the" in claim.text
        assert claim.sample.text == "12 runs"
    association = drawn.claims[-1]
    groups = [rows for _, rows in drawn.frame.groupby("arm", sort=False)]
    varying = [rows for rows in groups if rows["alpha_high"].max() > rows["alpha_low"].min()]
    for rows, estimate in zip(varying, association.estimates, strict=True):
        both = [rows.set_index(f"seed_{side}") for side in "ab"]
        alpha = pd.concat([one[f"alpha_{side}"] for one, side in zip(both, "ab", strict=True)])
        churn = pd.concat([one["churn"] for one in both])
        by_run = [values.groupby(level=0).mean() for values in (alpha, churn)]
        assert estimate.value == pytest.approx(stats.spearmanr(*by_run).statistic)
