"""Stability of the order of models between trials."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from reseed.stats import distributions as stats
from reseed.stats.bootstrap import ONE_THREAD
from reseed.stats.comparison import differences
from reseed.stats.inputs import Array, as_finite, check_at_least, check_probability, rescale

#: How a trial with equal scores counts: as a different order, or as one half.
Ties = Literal["differ", "half"]
#: Fewest splits for an interval of `split_agreement`.
_LEAST_SPLITS = 4
_NOISE = 1e-11  # relative rounding error of a sum of differences


def _sign_of_mean(total: Array, size: Array) -> Array:
    """Return the sign of sums of differences of typical `size`; 0 for rounding noise."""
    return np.where(np.abs(total) <= _NOISE * size, 0, np.sign(total))


def disagreement(sign: Array, total: Array, size: Array, ties: Ties) -> Array:
    """Return whether the sign of each trial differs from that of the sum: (..., trials) 0, ½ or 1.

    Args:
        sign: (..., trials) signs of the differences.
        total: (...) sum of the differences.
        size: (...) sum of their absolute values.
        ties: "differ" compares signs. With "half", a tied trial counts 1/2, and so does every
            trial if the sum is tied.
    """
    reference = _sign_of_mean(total, size)[..., None]
    if ties == "differ":
        return (sign != reference).astype(np.float64)
    if ties == "half":
        return np.where(reference == 0, 0.5, np.abs(sign - reference) / 2)
    raise ValueError(f'ties must be "differ" or "half", got {ties!r}')


def instability(scores: ArrayLike, ties: Ties = "differ") -> Array:
    """Return the ranking instability of every pair of models [protocol, sec. 3.2, last equation].

    Instability(A, B) = Pr_{s,i}[sign(m_si(A) − m_si(B)) ≠ sign(E[m(A) − m(B)])]: the share of
    (seed, fold) trials whose order differs from the order of the means over all trials.

    The means include the trials themselves, so the instability of few trials is underestimated; a
    single trial gives 0. `disagreement_of_means` has a smaller bias.

    Args:
        scores: (models, seeds, folds) or (models, trials).
        ties: "differ" follows the definition: a trial with equal scores has sign 0 and differs from
            a non-zero mean; a mean of exactly 0 differs from all other trials. "half" counts a
            tied trial 1/2, and all trials 1/2 if the mean is 0.

    Returns:
        (models, models) symmetric matrix in [0, 1], diagonal 0.

    Raises:
        ValueError: fewer than 2 models, NaN or infinity.
    """
    s = as_finite(scores, "scores")
    if s.ndim not in (2, 3) or len(s) < 2:
        raise ValueError(f"scores must be (models, seeds, folds), at least 2 models: {s.shape}")
    s = s.reshape(len(s), -1)
    out = np.zeros((len(s), len(s)))
    for i in range(len(s)):
        d, _ = rescale(differences(s[i], s), axis=-1)
        flips = disagreement(np.sign(d), d.sum(axis=1), np.abs(d).sum(axis=1), ties)
        out[i] = flips.mean(axis=1)
    np.fill_diagonal(out, 0)
    return out


@dataclass(frozen=True)
class OrderReversal:
    """Probability that a comparison of means over `m` trials contradicts that of other trials.

    `probability` and `se` are (...). `se` is the Monte Carlo error only; it does not include the
    sampling error of the trials.
    """

    m: int
    probability: Array
    se: Array
    n_draws: int


def disagreement_of_means(
    d: ArrayLike, m: int, *, n_draws: int = 10_000, rng: np.random.Generator
) -> OrderReversal:
    """Estimate the probability that means of `m` and of n − m trials order a pair differently.

    Both means use trials drawn with replacement, independently of each other. If they are positive
    with probabilities p and q (a tie counts 1/2), the result is p(1 − q) + q(1 − p); a tied pair
    has 1/2. A split of the trials into two parts would be unbiased over samples. But if the trials
    sum to about 0, the two parts have opposite signs: a tie gives 100 %, and the error over samples
    is about twice as large (`docs/methods`). This estimate is slightly too low for truly equal
    models: 0.40 instead of 0.50 at 6 trials and m = 1, and 0.47 at 50 trials.

    Args:
        d: (..., trials) differences of pairs. A trial is a seed and fold, or a seed with averaged
            folds.
        m: number of averaged trials, 1 to trials − 1.
        n_draws: Monte Carlo draws of each mean of several trials, shared by all pairs. Where m or
            n − m is 1, that probability is exact.
        rng: generator of the draws.
    """
    rows, n, shape = _as_rows(d, m)
    if m > n - 1:
        raise ValueError(f"m must be 1 to {n - 1} for {n} trials, got {m}")
    p, p_variance = _share_positive(rows, m, n_draws, rng)
    q, q_variance = _share_positive(rows, n - m, n_draws, rng)
    probability = p * (1 - q) + q * (1 - p)
    se = np.sqrt((1 - 2 * q) ** 2 * p_variance + (1 - 2 * p) ** 2 * q_variance)
    return OrderReversal(m, probability.reshape(shape)[()], se.reshape(shape)[()], n_draws)


def _draw_counts(
    n: int, count: int, n_draws: int, step: int, rng: np.random.Generator
) -> Iterator[Array]:
    """Yield how often each of n trials is among `count` drawn with replacement, (≤ step, n)."""
    for done in range(0, n_draws, step):
        draws = min(step, n_draws - done)
        # Several times as fast as `rng.multinomial`, which draws n binomial numbers.
        drawn = rng.integers(n, size=(draws, count)) + n * np.arange(draws)[:, None]
        counts = np.bincount(drawn.ravel(), minlength=draws * n)
        yield counts.reshape(draws, n).astype(np.float64)


def _share_positive(
    rows: Array, count: int, n_draws: int, rng: np.random.Generator
) -> tuple[Array, Array]:
    """Return the share of positive means of `count` trials of each row, and its variance."""
    n = rows.shape[1]
    noise = _NOISE * count * np.abs(rows).max(axis=1, keepdims=True)
    if count == 1:
        return _count_positive(rows, noise) / n, np.zeros(len(rows))
    positive = np.zeros(len(rows))
    for weights in _draw_counts(n, count, n_draws, max(1, ONE_THREAD // rows.size), rng):
        positive += _count_positive(rows @ weights.T, noise)
    share = positive / n_draws
    return share, share * (1 - share) / n_draws


def _count_positive(total: Array, noise: Array) -> Array:
    """Return the number of positive sums of each row; those within `noise` of 0 count ½."""
    above = np.count_nonzero(total > noise, axis=1) + np.count_nonzero(total >= -noise, axis=1)
    return above / 2


def _as_rows(d: ArrayLike, m: int) -> tuple[Array, int, tuple[int, ...]]:
    """Return rescaled differences (pairs, trials), the number of trials and the leading shape."""
    a = as_finite(d, "d")
    check_at_least(1, m=m)
    rows, _ = rescale(a.reshape(-1, a.shape[-1]), axis=-1)
    return rows, a.shape[-1], a.shape[:-1]


@dataclass(frozen=True)
class OrderAgreement:
    """Kendall's τ_b between the orders of models under different seeds.

    - `tau`: (seeds, seeds). A seed under which all models tie has NaN with every other seed.
    - `pairs`: τ of all pairs of distinct seeds (upper triangle, without NaN).
    - `mean`, `quantiles`: of `pairs`; NaN if there are none.
    - `identical`: share of `pairs` with the same order of every pair of models.
    - `to_mean`: (seeds,) τ_b between the order under each seed and the order of the mean scores.
    """

    tau: Array
    pairs: Array
    mean: float
    quantiles: Array
    identical: float
    to_mean: Array


def kendall_agreement(
    scores: ArrayLike, quantiles: Sequence[float] = (0.0, 0.05, 0.5, 0.95, 1.0)
) -> OrderAgreement:
    """Compute Kendall's τ_b between the orders of models for all pairs of seeds.

    All τ_b are one matrix product of the signs of all pairs of models.

    Args:
        scores: (models, seeds), at least 2 of each.
        quantiles: probabilities of the quantiles of τ over pairs of seeds.

    Raises:
        ValueError: fewer than 2 models or seeds, NaN or infinity.
    """
    s = as_finite(scores, "scores", ndim=2, min_size=2)
    if len(s) < 2:
        raise ValueError(f"scores must be (models, seeds) with at least 2 models: {s.shape}")
    i, j = np.triu_indices(len(s), 1)
    with_mean = np.column_stack([s, s.mean(axis=1)]).T
    signs = np.sign(differences(with_mean[:, i], with_mean[:, j]))
    norm = np.sqrt((signs != 0).sum(axis=1))
    signs = np.divide(
        signs, norm[:, None], out=np.full_like(signs, np.nan), where=norm[:, None] > 0
    )
    tau = np.clip(signs @ signs.T, -1, 1)
    seeds = s.shape[1]
    pairs = tau[:seeds, :seeds][np.triu_indices(seeds, 1)]
    pairs = pairs[~np.isnan(pairs)]
    nan = np.full(np.shape(quantiles), np.nan)
    return OrderAgreement(
        tau[:seeds, :seeds],
        pairs,
        float(pairs.mean()) if pairs.size else float("nan"),
        np.quantile(pairs, quantiles) if pairs.size else nan,
        float((pairs > 1 - 1e-12).mean()) if pairs.size else float("nan"),
        tau[seeds, :seeds],
    )


@dataclass(frozen=True)
class SplitAgreement:
    """Mean Kendall's τ_b of two models over the order of splits, with its interval.

    NaN where no two models order any two splits; the interval also with fewer than four splits.
    """

    tau: float
    low: float
    high: float


def split_agreement(scores: ArrayLike, level: float = 0.95) -> SplitAgreement:
    """Compute how far models agree on which of their shared splits give good scores.

    τ of 0.5: two models put three in four pairs of splits in one order. The interval is that of the
    jackknife over splits on the scale of Fisher's z.

    Args:
        scores: (splits, models), at least 2 of each; a greater score is better for all or none.
        level: two-sided confidence level.

    Raises:
        ValueError: fewer than 2 models or splits, NaN or infinity.
    """
    s = as_finite(scores, "scores", ndim=2, min_size=2)
    check_probability(level=level)
    tau, n = kendall_agreement(s).mean, len(s)
    if n < _LEAST_SPLITS or not abs(tau) < 1:
        return SplitAgreement(tau, np.nan, np.nan)
    left_out = [kendall_agreement(np.delete(s, split, axis=0)).mean for split in range(n)]
    z = np.arctanh(np.clip(left_out, -1 + 1e-9, 1 - 1e-9))
    half = stats.t.ppf((1 + level) / 2, n - 1) * np.sqrt((n - 1) / n * ((z - z.mean()) ** 2).sum())
    centre = np.arctanh(tau)
    return SplitAgreement(tau, float(np.tanh(centre - half)), float(np.tanh(centre + half)))
