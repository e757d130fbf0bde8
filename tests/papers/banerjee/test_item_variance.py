"""Variance components of items against the simulated model and against a single item."""

import warnings

import numpy as np
import pytest
from papers.banerjee.item_variance import item_components
from reseed.stats.variance import crossed_variance
from scipy import stats


def grid(m=12, d=12, items=400, sds=(1.0, 0.5, 0.7), seed=0):
    """Simulate crossed effects of every item, independent between items."""
    rng = np.random.default_rng(seed)
    return (
        rng.normal(0, 3, items)
        + rng.normal(0, sds[0], (m, 1, items))
        + rng.normal(0, sds[1], (1, d, items))
        + rng.normal(0, sds[2], (m, d, items))
    )


def test_one_item_equals_crossed_variance():
    y = grid(items=1, m=5, d=7)
    ours = item_components(y, ("a", "b"))
    theirs = crossed_variance(y[:, :, 0], ("a", "b"), rng=np.random.default_rng(0))
    assert ours.names == tuple(part.name for part in theirs.components)
    assert ours.variances == pytest.approx([part.raw for part in theirs.components])


def test_many_items_recover_their_components():
    result = item_components(grid(items=3000))
    assert result.variances == pytest.approx([1, 0.25, 0.49], rel=0.05)
    assert result.shares == pytest.approx(np.array([1, 0.25, 0.49]) / 1.74, abs=0.02)
    assert result.sd == pytest.approx(np.sqrt(1.74), rel=0.03)
    assert item_components(grid(items=3000) / 100).sd == pytest.approx(result.sd / 100)


def test_components_are_means_over_items():
    y = grid(items=6, m=4, d=5)
    each = [item_components(y[:, :, [t]]).variances for t in range(6)]
    assert item_components(y).variances == pytest.approx(np.mean(each, axis=0))


@pytest.mark.parametrize("items", [20, 2])
def test_interval_equals_jackknife_pseudo_values(items):
    """Tukey's form: the variance of a mean of pseudo-values, one per left-out seed."""
    y = grid(m=6, d=4, items=items)
    result, variance = item_components(y), np.zeros(3)
    for axis in (0, 1):
        n = y.shape[axis]
        left = [item_components(np.delete(y, k, axis)).variances for k in range(n)]
        shares = np.array([v / v.sum() for v in left])
        pseudo = n * result.variances / result.variances.sum() - (n - 1) * shares
        variance += pseudo.var(axis=0, ddof=1) / n
    half = stats.t.ppf(0.975, 3) * np.sqrt(variance)
    shares = result.variances / result.variances.sum()
    assert result.low == pytest.approx(np.clip(shares - half, 0, 1))
    assert result.high == pytest.approx(np.clip(shares + half, 0, 1))


def test_intervals_have_nearly_nominal_coverage():
    """Items that share seed effects: 200 grids of 8 levels; 0.95 minus four standard errors.

    Normal quantiles in place of t covered 0.93 of the first two shares, 0.90 at 14 levels.
    """
    truth = np.array([1, 0.5, 1.5]) / 3
    rng = np.random.default_rng(1)
    inside = []
    for _ in range(200):
        loads = rng.normal(size=(3, 30))
        y = sum(
            rng.normal(0, np.sqrt(v), (*shape, 1)) * load / np.sqrt(np.mean(load**2))
            for v, shape, load in zip((1, 0.5, 1.5), ((8, 1), (1, 8), (8, 8)), loads, strict=True)
        )
        result = item_components(y)
        inside.append((result.low <= truth) & (truth <= result.high))
    assert (np.mean(inside, axis=0) > 0.95 - 4 * np.sqrt(0.0475 / 200)).all()


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (np.zeros((2, 5, 4)), "3 × 3 runs"),
        (np.zeros((4, 4)), "3 axes"),
        (np.full((4, 4, 2), np.nan), "NaN or infinite"),
        (np.full((4, 4, 2), "1"), "real numbers"),
        (np.ones((4, 4, 2)), "nothing to split"),
    ],
)
def test_inputs_without_variance_are_refused(y, message):
    with pytest.raises(ValueError, match=message):
        item_components(y)


def test_shares_are_truncated_to_0_and_1():
    square = np.array([[1.0, 2.0, 3.0], [2.0, 3.0, 1.0], [3.0, 1.0, 2.0]])  # equal margins
    result = item_components(np.stack([square, square], axis=2))
    assert (result.variances[:2] < 0).all()
    np.testing.assert_array_equal(result.shares, [0, 0, 1])


def test_ends_of_intervals_are_truncated_to_0_and_1():
    result = item_components(grid(m=3, d=3, items=2, sds=(1.0, 0.1, 0.5)))
    assert result.high.max() == 1
    assert result.low.min() == 0


def test_levels_without_variance_give_no_interval():
    y = np.zeros((3, 4, 2))
    y[0] = np.random.default_rng(0).normal(size=(4, 2))  # no variance without level 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = item_components(y)
    assert np.isnan(result.low).all()
    assert np.isnan(result.high).all()
