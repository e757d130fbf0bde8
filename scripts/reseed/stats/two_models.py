"""Tests of two trained models on the same test items: McNemar, DeLong, paired randomisation.

These tests treat both trained models as fixed: they compare *these two* models on new items of the
same population. A comparison of the training procedures needs several seeds of each:
`reseed.stats.crossed_comparison`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import bdtr

from reseed.stats import distributions as stats
from reseed.stats.inputs import Array, as_finite, check_at_least, check_probability

_CHUNK = 8_000_000  # numbers per block of random swaps


@dataclass(frozen=True)
class McNemar:
    """Discordant counts and p-values, over the leading axes of the input.

    `only_a` and `only_b` count the items on which only A, or only B, is correct. The test with
    `exact_p` never exceeds its level. `mid_p` is nearly exact on average and has more power
    (Fagerland et al. 2013).
    """

    only_a: NDArray[np.int64]
    only_b: NDArray[np.int64]
    exact_p: Array
    mid_p: Array


def mcnemar(correct_a: ArrayLike, correct_b: ArrayLike) -> McNemar:
    """Compute McNemar's test of equal error rates on the same items (McNemar 1947).

    Under the null hypothesis each of the n discordant items favours either model with probability
    1/2. The exact two-sided p is min(1, 2 P(X <= min(b, c))), X binomial (n, 1/2). The mid-p
    subtracts P(X = min(b, c)).

    Args:
        correct_a, correct_b: (..., items) of 0 and 1, broadcast together.

    Raises:
        ValueError: values other than 0 and 1, NaN, or no item.
    """
    a, b = np.broadcast_arrays(as_finite(correct_a, "correct_a"), as_finite(correct_b, "correct_b"))
    if not (np.isin(a, (0, 1)).all() and np.isin(b, (0, 1)).all()):
        raise ValueError("correct_a and correct_b must hold 0 and 1 only")
    only_a, only_b = ((x > y).sum(axis=-1) for x, y in ((a, b), (b, a)))
    n, fewer = only_a + only_b, np.minimum(only_a, only_b)
    tail = bdtr(fewer, n, 0.5)
    mid = tail + np.where(fewer > 0, bdtr(np.maximum(fewer - 1, 0), n, 0.5), 0.0)
    # For b = c both tails include the centre, so the doubled tail minus the centre is exactly 1.
    return McNemar(only_a, only_b, np.minimum(2 * tail, 1), np.where(only_a == only_b, 1.0, mid))


def placements(y_true: ArrayLike, scores: ArrayLike) -> tuple[Array, Array, Array]:
    """Return DeLong's structural components of the area under the ROC curve, by mid-ranks.

    Args:
        y_true: (items,) of 0 and 1, both present.
        scores: (..., items), larger means class 1.

    Returns:
        The AUC (...), the share of negatives below each positive (..., positives), and the share of
        positives above each negative (..., negatives). A tie counts 1/2. The AUC is the mean of
        either component.

    Raises:
        ValueError: other labels, only one class, NaN, or different numbers of items.
    """
    y, s = as_finite(y_true, "y_true", ndim=1), as_finite(scores, "scores")
    if s.shape[-1] != y.size:
        raise ValueError(f"y_true has {y.size} items, scores {s.shape[-1]}")
    positive = y == 1
    m = int(positive.sum())
    if not np.isin(y, (0, 1)).all() or m in (0, y.size):
        raise ValueError("the area under the ROC curve needs labels 0 and 1, both present")
    n = y.size - m
    pos, neg = s[..., positive], s[..., ~positive]
    ranks = stats.rankdata(np.concatenate([pos, neg], axis=-1), axis=-1)
    below = (ranks[..., :m] - stats.rankdata(pos, axis=-1)) / n
    above = 1 - (ranks[..., m:] - stats.rankdata(neg, axis=-1)) / m
    return below.mean(axis=-1), below, above


@dataclass(frozen=True)
class DeLong:
    """Difference of two areas under the ROC curve on the same items, over the leading axes."""

    auc_a: Array
    auc_b: Array
    difference: Array
    se: Array
    p_value: Array
    low: Array
    high: Array


def delong(y_true: ArrayLike, a: ArrayLike, b: ArrayLike, level: float = 0.95) -> DeLong:
    """Compute the z test and interval of two correlated AUCs (DeLong et al. 1988).

    If all items give the same difference, the variance is 0 and the interval is a point; p is then
    1 for a difference of 0, otherwise 0.

    Args:
        y_true: (items,) of 0 and 1, at least two of each.
        a, b: (..., items) scores of the two models, larger means class 1.
        level: two-sided confidence level.

    Raises:
        ValueError: as `placements`, or fewer than two items of a class.
    """
    check_probability(level=level)
    auc_a, below_a, above_a = placements(y_true, a)
    auc_b, below_b, above_b = placements(y_true, b)
    m, n = below_a.shape[-1], above_a.shape[-1]
    if m < 2 or n < 2:
        raise ValueError("DeLong's variance needs two items of each class")
    difference = auc_a - auc_b
    variance = (below_a - below_b).var(axis=-1, ddof=1) / m
    variance = variance + (above_a - above_b).var(axis=-1, ddof=1) / n
    se = np.sqrt(variance)
    z_without_variance = np.where(difference == 0, 0.0, np.inf)
    z = np.divide(difference, se, out=z_without_variance, where=se > 0)
    half = stats.norm.isf((1 - level) / 2) * se
    p = 2 * stats.norm.sf(np.abs(z))
    return DeLong(auc_a, auc_b, difference, se, p, difference - half, difference + half)


def swap_test(
    values_a: ArrayLike, values_b: ArrayLike, n_swaps: int = 10_000, *, rng: np.random.Generator
) -> float:
    """Return the p-value of the paired randomisation test of two models over items.

    Under the null hypothesis the outputs of A and B on an item are exchangeable, so the sign of
    each difference is random (Noreen 1989; Yeh 2000, "approximate randomization"). The test is
    exact for any number of items. The p-value is Monte Carlo and never 0.

    Args:
        values_a, values_b: (items,) contributions to a score that is their mean (correctness,
            squared error); for several seeds per model, their means over seeds.
        n_swaps: number of random swaps.
        rng: generator of the swaps.
    """
    a, b = as_finite(values_a, "values_a", ndim=1), as_finite(values_b, "values_b", ndim=1)
    d, noise = a - b, 1e-15 * (np.abs(a).sum() + np.abs(b).sum())
    check_at_least(1, n_swaps=n_swaps)
    d = d[d != 0]
    if d.size == 0:
        return 1.0
    observed = abs(d.sum()) * (1 - 1e-12) - noise
    step, extreme = max(1, _CHUNK // d.size), 0
    for done in range(0, n_swaps, step):
        signs = rng.integers(0, 2, (min(step, n_swaps - done), d.size), dtype=np.int8) * 2.0 - 1
        extreme += int(np.count_nonzero(np.abs(signs @ d) >= observed))
    return (1 + extreme) / (1 + n_swaps)
