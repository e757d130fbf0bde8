"""Columns of an arm as a whole, on which statements are judged, against other computations."""

import numpy as np
import pandas as pd
import pytest
from papers.banerjee import gap_distribution, trimming, trimming_ensembles, trimming_pairs
from papers.banerjee.arm_columns import with_shares
from scipy import stats


def of_arms(data):
    """The measured rows of each arm."""
    rows = data.statistics
    return rows[rows["reason"] == ""].groupby("arm", sort=False)


def test_runs_with_a_greater_alpha_hidden_by_their_accuracy(make):
    for _, runs in of_arms(make(trimming)):
        low, high = (runs[runs["admitted"].astype(bool) == is_low] for is_low in (True, False))
        inside = [low["accuracy"].min() <= x <= low["accuracy"].max() for x in high["accuracy"]]
        assert set(runs["hidden_of"]) == {len(high)}
        assert runs["hidden"].iloc[0] == pytest.approx(np.mean(inside or np.nan), nan_ok=True)


def test_runs_with_more_small_gaps_than_their_ensemble(make):
    for _, bins in of_arms(make(gap_distribution)):
        above, n = bins["runs_above"].iloc[0], bins["n"].iloc[0]
        ends = stats.binomtest(int(above), int(n)).proportion_ci(method="wilson")
        assert bins["above"].iloc[0] == above / n
        assert bins["above_low"].iloc[0] <= ends.low + 0.1
        assert bins["above_high"].iloc[0] >= ends.high - 0.1


def test_the_rank_correlation_of_churn_and_alpha_is_over_runs(make):
    for _, pairs in of_arms(make(trimming_pairs)):
        both = [pairs.set_index(f"seed_{side}") for side in "ab"]
        alpha = pd.concat([one[f"alpha_{side}"] for one, side in zip(both, "ab", strict=True)])
        churn = pd.concat([one["churn"] for one in both])
        by_run = [values.groupby(level=0).mean() for values in (alpha, churn)]
        assert set(pairs["runs"]) == {len(by_run[0])} == {12}
        if by_run[0].nunique() > 1:
            expected = stats.spearmanr(*by_run).statistic
            assert pairs["rho"].iloc[0] == pytest.approx(expected)


def test_shares_of_ensembles_count_shared_runs(make):
    """12 runs hold four ensembles of three without a common run."""
    rows = make(trimming_ensembles).statistics.query("arm == 'rf'").copy()
    single, whole = (rows.loc[rows["size"] == size, "ks"] for size in (1, 12))
    assert rows["beyond"].iloc[0] == (single > whole.item()).mean()
    rows.loc[rows["size"].between(2, 11), "alpha_hat"] = 0.5
    found = with_shares(rows[trimming_ensembles.COLUMNS])
    tried = found[found["is_ensemble"].eq(True)].drop_duplicates("size")
    assert tried["size"].tolist() == [3, 5]
    drawn = (rows["size"] == 3).sum()
    n = [1 / (k / 12 + (1 - k / 12) / drawn) for k in (3, 5)]
    assert tried["independent"].tolist() == pytest.approx(n)
    assert tried["low_alpha"].tolist() == [0, 0]
    assert tried["low_alpha_high"].iloc[0] == pytest.approx(stats.beta.ppf(0.975, 1, n[0]))
    within = (rows["ks"] <= rows["delta"]).groupby(rows["size"]).mean()
    assert tried["within"].tolist() == within[[3, 5]].tolist()
    assert (tried["within_low"] <= tried["within"]).all()
