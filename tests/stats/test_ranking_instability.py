import itertools

import numpy as np
import pytest
from reseed.stats.ranking import instability, kendall_agreement, split_agreement
from scipy import stats


def _rng(seed=0):
    return np.random.default_rng(seed)


def test_instability_matches_brute_force_protocol_equation():
    scores = _rng(1).integers(0, 8, (4, 3, 5)).astype(float)
    result = instability(scores)
    for a, b in itertools.product(range(4), repeat=2):
        reference = np.sign((scores[a] - scores[b]).mean())
        changed = [
            np.sign(scores[a, s, i] - scores[b, s, i]) != reference
            for s in range(3)
            for i in range(5)
        ]
        assert result[a, b] == pytest.approx(np.mean(changed))


def test_ties_count_as_documented():
    scores = np.array([[1.0, 1.0, 1.0, 0.0], [0.0, 1.0, 1.0, 1.0]])  # mean difference exactly 0
    assert instability(scores)[0, 1] == 0.5  # two untied trials differ from sign 0
    scores[0, 0] = 3  # A is now better: one trial disagrees, two are tied
    assert instability(scores)[0, 1] == 0.75
    assert instability(scores, ties="half")[0, 1] == 0.5
    with pytest.raises(ValueError, match="ties must be"):
        instability(scores, ties="skip")


def test_ties_count_half_by_brute_force():
    a, b = _rng(20).integers(0, 4, (2, 30)) + np.array([[1], [0]])
    total = np.sign((a - b).sum())
    costs = [0.5 if x == y else float(np.sign(x - y) != total) for x, y in zip(a, b, strict=True)]
    assert 0.5 in costs
    assert total > 0
    for pair in ((a, b), (b, a)):
        assert instability(np.array(pair) / 8, ties="half")[0, 1] == pytest.approx(np.mean(costs))


def test_identical_models_and_single_trials():
    scores = np.full((3, 2, 5), 0.3)
    np.testing.assert_array_equal(instability(scores), 0)
    np.testing.assert_array_equal(instability([[0.1], [0.2]]), 0)


def test_tau_agrees_with_scipy_for_all_pairs_of_seeds():
    scores = _rng(6).integers(0, 6, (8, 5)).astype(float)
    result = kendall_agreement(scores)
    for s, t in itertools.product(range(5), repeat=2):
        assert result.tau[s, t] == pytest.approx(stats.kendalltau(scores[:, s], scores[:, t])[0])
    mean = scores.mean(axis=1)
    for s in range(5):
        assert result.to_mean[s] == pytest.approx(stats.kendalltau(scores[:, s], mean)[0])
    assert result.pairs.size == 10
    assert result.quantiles[0] == result.pairs.min()


def test_tau_edge_cases():
    same = kendall_agreement(np.tile([[3.0], [2.0], [1.0]], (1, 4)))
    assert (same.mean, same.identical) == (pytest.approx(1), 1)
    tied = kendall_agreement(np.ones((3, 4)))
    assert tied.pairs.size == 0
    assert np.isnan([tied.mean, tied.identical]).all()
    for bad in (np.ones((1, 3)), np.ones((3, 1)), np.empty((0, 0)), [[1, np.nan], [1, 2]]):
        with pytest.raises(ValueError, match=r"at least|NaN"):
            kendall_agreement(bad)
    with pytest.raises(ValueError, match="at least 2 models"):
        instability(np.ones((1, 3)))


def test_agreement_of_equal_orders_is_not_above_one():
    for models in range(2, 40):
        order = np.arange(float(models))
        found = kendall_agreement(np.column_stack([order, order, -order]))
        assert found.tau.max() <= 1
        assert found.tau.min() >= -1


def test_split_agreement_is_the_mean_tau_of_pairs_of_models():
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(12, 1)) + rng.normal(size=(12, 4))
    found = split_agreement(scores)
    taus = [
        stats.kendalltau(scores[:, i], scores[:, j]).statistic
        for i, j in itertools.combinations(range(4), 2)
    ]
    assert found.tau == pytest.approx(np.mean(taus))
    assert -1 < found.low < found.tau < found.high < 1


@pytest.mark.parametrize("scores", [np.ones((5, 2)), np.arange(6.0).reshape(3, 2)])
def test_split_agreement_without_an_interval(scores):
    assert np.isnan(split_agreement(scores).low)


def test_split_agreement_covers_the_true_tau():
    """τ of a normal pair with correlation ρ is 2/π·arcsin ρ."""
    rng = np.random.default_rng(1)
    covered = [
        found.low <= 1 / 3 <= found.high
        for scores in rng.normal(size=(200, 15, 4))
        for found in [split_agreement(scores[:, :1] + scores[:, 1:])]
    ]
    assert np.mean(covered) > 0.92
