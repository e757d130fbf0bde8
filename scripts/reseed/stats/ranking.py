"""Stability of the order of models between trials."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from reseed.stats import distributions as stats
from reseed.stats.comparison import differences
from reseed.stats.inputs import Array, as_finite, check_probability, rescale

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
    single trial gives 0.

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
