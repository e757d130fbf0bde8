"""How often the order of models changes between trials."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from reseed.stats.comparison import differences
from reseed.stats.inputs import Array, as_finite, check_at_least, rescale

Ties = Literal["differ", "half"]
_CACHED = 100_000  # numbers that a processor's cache holds
_NOISE = 1e-11  # of a sum's terms: below, it is 0 and rounding


def _sign_of_mean(total: Array, size: Array) -> Array:
    """Sign of sums of differences of typical `size`, 0 when it is rounding noise."""
    return np.where(np.abs(total) <= _NOISE * size, 0, np.sign(total))


def disagreement(sign: Array, total: Array, size: Array, ties: Ties) -> Array:
    """Whether each trial's `sign` (..., trials) differs from that of the sum `total` (...).

    `size`: sum of the absolute values behind `total`. With ties="half" a tied trial counts one
    half, and so does every trial against a tied sum: there is no order that it could differ from.
    """
    reference = _sign_of_mean(total, size)[..., None]
    if ties == "differ":
        return (sign != reference).astype(np.float64)
    if ties == "half":
        return np.where(reference == 0, 0.5, np.abs(sign - reference) / 2)
    raise ValueError(f'ties must be "differ" or "half", got {ties!r}')


def instability(scores: ArrayLike, ties: Ties = "differ") -> Array:
    """Ranking instability of every pair of models [protocol, sec. 3.2, last equation].

    Instability(A, B) = Pr_{s,i}[sign(m_si(A) − m_si(B)) ≠ sign(E[m(A) − m(B)])]: the share of
    (seed, fold) trials whose order differs from that of the means over all of them.

    Ties: as written, a trial with equal scores has sign 0 and differs from a non-zero
    mean (`ties="differ"`, the default); `ties="half"` counts it one half, as a coin flip would. A
    mean difference of exactly 0 has sign 0 too: every untied trial differs from it (or all count
    half).

    The reference mean holds the trials themselves, so few trials understate the instability:
    a single trial gives 0. `disagreement_of_means` has less of this fault.

    Args:
        scores: (models, seeds, folds) or (models, trials).
        ties: see above.

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
    """Probability that a comparison by a mean of `m` trials contradicts the reference.

    `se` is Monte Carlo: it says nothing of having only these trials.
    """

    m: int
    probability: Array
    se: Array
    n_draws: int


def order_reversal(
    d: ArrayLike,
    m: int,
    *,
    ties: Ties = "differ",
    n_draws: int = 10_000,
    rng: np.random.Generator,
) -> OrderReversal:
    """Probability that the order by the mean of `m` random trials differs from that by all.

    m = 1 is the single-seed practice, m = all trials of one protocol run is the protocol
    [protocol, Table "instability"]. The reference is the order of the mean over all trials, so
    with m = all trials the answer is 0 by construction.

    Args:
        d: (..., trials) differences of pairs; a trial is what one would run at a time: a seed
            and fold, or a seed with its folds averaged first.
        m: trials averaged, 1 to trials; drawn without replacement.
        ties: as in `disagreement`.
        n_draws: Monte Carlo draws, shared by all pairs.
        rng: their source.

    Returns:
        Probability and its Monte Carlo standard error, over the leading axes.
    """
    rows, n, shape = _rows(d, m)
    if m > n:
        raise ValueError(f"m must be 1 to {n} for {n} trials, got {m}")
    size, total = np.abs(rows).sum(axis=1), rows.sum(axis=1)
    wrong, squares = np.zeros(len(rows)), np.zeros(len(rows))
    step = max(1, 2_000_000 // n)
    for done in range(0, n_draws, step):
        keys = rng.random((min(step, n_draws - done), n))
        drawn = np.zeros_like(keys)
        np.put_along_axis(drawn, np.argpartition(keys, m - 1, axis=1)[:, :m], 1.0, axis=1)
        flips = disagreement(_sign_of_mean(rows @ drawn.T, size[:, None]), total, size, ties)
        wrong += flips.sum(axis=1)
        squares += (flips**2).sum(axis=1)
    p = wrong / n_draws
    se = np.sqrt(np.maximum(squares / n_draws - p**2, 0) / n_draws)
    return OrderReversal(m, p.reshape(shape)[()], se.reshape(shape)[()], n_draws)


def disagreement_of_means(
    d: ArrayLike, m: int, *, n_draws: int = 10_000, rng: np.random.Generator
) -> OrderReversal:
    """Probability that the mean of `m` trials and the mean of n − m others order a pair unlike.

    Both means are of trials drawn with replacement, independently of each other: with p and q
    their probabilities of a positive mean (a tie one half), p(1 − q) + q(1 − p). So a tied pair
    has 1/2. Splitting the trials at hand in two instead is unbiased over samples, but when all of
    them sum to about 0 each part opposes the other: a tie reads 100 %, and the error over samples
    is about twice as large (`docs/methods.md`). In return this is a little too low for models that
    are truly equal: 0.40 instead of 0.50 at 6 trials and m = 1, 0.47 at 50.

    Args:
        d: (..., trials) differences, as in `order_reversal`.
        m: trials averaged, 1 to trials − 1.
        n_draws: Monte Carlo draws of each mean, shared by all pairs.
        rng: their source.
    """
    rows, n, shape = _rows(d, m)
    if m > n - 1:
        raise ValueError(f"m must be 1 to {n - 1} for {n} trials, got {m}")
    size = np.abs(rows).max(axis=1, keepdims=True)
    shares = []
    for count in (m, n - m):
        weights = rng.multinomial(count, np.full(n, 1 / n), n_draws).astype(np.float64)
        shares.append(_share_positive(rows, weights, _NOISE * count * size))
    p, q = shares
    probability = p * (1 - q) + q * (1 - p)
    variance = (1 - 2 * q) ** 2 * p * (1 - p) + (1 - 2 * p) ** 2 * q * (1 - q)
    se = np.sqrt(variance / n_draws)
    return OrderReversal(m, probability.reshape(shape)[()], se.reshape(shape)[()], n_draws)


def _share_positive(rows: Array, weights: Array, noise: Array) -> Array:
    """Share of weighted sums of each row above 0; one within its `noise` of 0 counts one half."""
    step = max(1, _CACHED // len(rows))
    above = np.zeros(len(rows))
    for start in range(0, len(weights), step):
        total = rows @ weights[start : start + step].T
        above += np.count_nonzero(total > noise, axis=1) + np.count_nonzero(total >= -noise, axis=1)
    return above / (2 * len(weights))


def _rows(d: ArrayLike, m: int) -> tuple[Array, int, tuple[int, ...]]:
    """Differences as (pairs, trials) of size about 1, the number of trials, the leading shape."""
    a = as_finite(d, "d")
    check_at_least(1, m=m)
    rows, _ = rescale(a.reshape(-1, a.shape[-1]), axis=-1)
    return rows, a.shape[-1], a.shape[:-1]


@dataclass(frozen=True)
class OrderAgreement:
    """Kendall's τ_b between the orders of models under different seeds."""

    tau: Array
    pairs: Array
    mean: float
    quantiles: Array
    identical: float
    to_mean: Array


def kendall_agreement(
    scores: ArrayLike, quantiles: ArrayLike = (0.0, 0.05, 0.5, 0.95, 1.0)
) -> OrderAgreement:
    """Kendall's τ_b between the orders of many models, for all pairs of seeds at once.

    With signs of all model pairs in one matrix, all τ_b are one matrix product.

    Args:
        scores: (models, seeds), at least 2 of each.
        quantiles: of the distribution of τ over pairs of seeds.

    Returns:
        tau: (seeds, seeds); a seed under which all models tie has NaN with every other.
        pairs: τ of the pairs of distinct seeds (upper triangle, NaN left out).
        mean, quantiles: of `pairs`; NaN if there are none.
        identical: share of `pairs` that put every pair of models in the same order.
        to_mean: (seeds,) τ_b of each seed's order with that of the mean scores.
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
