"""How often the order of models changes between trials."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from reseed.stats.comparison import differences
from reseed.stats.inputs import Array, finite, scaled

Ties = Literal["differ", "half"]


def _disagreement(sign: Array, reference: Array, ties: Ties) -> Array:
    if ties == "differ":
        return (sign != reference).astype(np.float64)
    if ties == "half":
        return np.abs(sign - reference) / 2
    raise ValueError(f'ties must be "differ" or "half", got {ties!r}')


def _sign_of_mean(total: Array, size: Array) -> Array:
    """Sign of sums of differences of typical `size`, 0 when it is rounding noise."""
    return np.where(np.abs(total) <= 1e-11 * size, 0, np.sign(total))


def instability(scores: ArrayLike, ties: Ties = "differ") -> Array:
    """Ranking instability of every pair of models [protocol, sec. 3.2, last equation].

    Instability(A, B) = Pr_{s,i}[sign(m_si(A) − m_si(B)) ≠ sign(E[m(A) − m(B)])]: the share of
    (seed, fold) trials whose order differs from that of the means over all of them.

    Ties: as written, a trial with equal scores has sign 0 and differs from a non-zero
    mean (`ties="differ"`, the default); `ties="half"` counts it one half, as a coin flip would. A
    mean difference of exactly 0 has sign 0 too: every untied trial differs from it (or half).

    The reference mean holds the trials themselves, so few trials understate the instability:
    a single trial gives 0. `order_reversal(held_out=True)` does not have this fault.

    Args:
        scores: (models, seeds, folds) or (models, trials).
        ties: see above.

    Returns:
        (models, models) symmetric matrix in [0, 1], diagonal 0.

    Raises:
        ValueError: fewer than 2 models, NaN or infinity.
    """
    s = finite(scores, "scores")
    if s.ndim not in (2, 3) or len(s) < 2:
        raise ValueError(f"scores must be (models, seeds, folds), at least 2 models: {s.shape}")
    s = s.reshape(len(s), -1)
    out = np.zeros((len(s), len(s)))
    for i in range(len(s)):
        d, _ = scaled(differences(s[i], s), axis=-1)
        reference = _sign_of_mean(d.sum(axis=1), np.abs(d).sum(axis=1))
        out[i] = _disagreement(np.sign(d), reference[:, None], ties).mean(axis=1)
    return out


@dataclass(frozen=True)
class Reversal:
    """Probability that a comparison by a mean of `m` trials contradicts the reference."""

    m: int
    probability: Array
    se: Array
    n_draws: int


def order_reversal(
    d: ArrayLike,
    m: int,
    *,
    held_out: bool = False,
    ties: Ties = "differ",
    n_draws: int = 10_000,
    rng: np.random.Generator,
) -> Reversal:
    """Probability that the order by the mean of `m` random trials differs from the reference.

    m = 1 is the single-seed practice, m = all trials of one protocol run is the protocol
    [protocol, Table "instability"]. The reference is the order of the mean over all trials
    (with m = all trials the answer is 0 by construction) or, with `held_out`, over the trials not
    drawn, which is the honest one for large m.

    Args:
        d: (..., trials) differences of pairs; a trial is what one would run at a time: a seed
            and fold, or a seed with its folds averaged first.
        m: trials averaged, 1 to trials (trials − 1 if `held_out`); drawn without replacement.
        held_out: reference from the other trials.
        ties: as in `instability`.
        n_draws: Monte Carlo draws, shared by all pairs.
        rng: their source.

    Returns:
        Probability and its Monte Carlo standard error, over the leading axes.
    """
    a = finite(d, "d")
    n = a.shape[-1]
    if not 1 <= m <= n - held_out:
        raise ValueError(f"m must be 1 to {n - held_out} for {n} trials, got {m}")
    rows, _ = scaled(a.reshape(-1, n), axis=-1)
    size = np.abs(rows).sum(axis=1)
    total = rows.sum(axis=1)
    wrong, squares = np.zeros(len(rows)), np.zeros(len(rows))
    step = max(1, 2_000_000 // n)
    for done in range(0, n_draws, step):
        keys = rng.random((min(step, n_draws - done), n))
        drawn = np.zeros_like(keys)
        np.put_along_axis(drawn, np.argpartition(keys, m - 1, axis=1)[:, :m], 1.0, axis=1)
        sums = drawn @ rows.T
        reference = _sign_of_mean(total - sums * held_out, size)
        flips = _disagreement(_sign_of_mean(sums, size), reference, ties)
        wrong += flips.sum(axis=0)
        squares += (flips**2).sum(axis=0)
    p = wrong / n_draws
    se = np.sqrt(np.maximum(squares / n_draws - p**2, 0) / n_draws)
    shape = a.shape[:-1]
    return Reversal(m, p.reshape(shape)[()], se.reshape(shape)[()], n_draws)


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
    s = finite(scores, "scores", ndim=2, min_size=2)
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
