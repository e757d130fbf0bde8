"""Sequential inference over seeds without a Gaussian assumption.

Both methods are valid under any stopping rule. The t-mixture of `reseed.stats.sequential` is too,
but needs Gaussian scores.

- `symmetry_e_process` tests paired differences. Under the null hypothesis they are symmetric about
  0, which holds exactly for pairs of runs of equivalent procedures. No moments are needed.
- `bounded_confidence_sequence` gives intervals for the mean of scores within known bounds. They
  hold for any distribution and are wide, because rare scores near a bound are possible.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import logsumexp

from reseed.stats.inputs import Array, as_finite, check_probability, rescale
from reseed.stats.sequential import ConfidenceSequence

#: Bets of the mixture, in units of the running root mean square; each is used with both signs.
_BETS = (0.25, 0.5, 1.0, 2.0)


def symmetry_e_process(differences: ArrayLike) -> Array:
    """Return the e-value against symmetry about 0 after each difference.

    E_n = mean over bets λ of Π_t (1 + tanh(λ x_t / r_t)), where r_t is the root mean square of
    x_1 … x_t. Under the null hypothesis, given the absolute values, the signs are independent and
    fair. Each product is then a test martingale with mean 1, and P(E ever reaches 1/α) <= α
    (Ville). The two signs of a bet together give at most 2ⁿ⁻¹, so E >= 20 needs six seeds or more.

    Args:
        differences: (..., n) paired differences in the order of the seeds.

    Returns:
        (..., n) e-values.

    Source: betting on signs, Ramdas et al. (2020), sec. on symmetry; Vovk & Wang (2024).
    """
    x, _ = rescale(as_finite(differences, "differences"), axis=-1)
    size = np.sqrt(np.cumsum(x**2, axis=-1) / np.arange(1, x.shape[-1] + 1))
    z = np.divide(x, size, out=np.zeros_like(x), where=size > 0)
    bets = np.array([sign * bet for bet in _BETS for sign in (1, -1)])
    # log(1 + tanh u) = log 2 − log(1 + exp(−2u)), which is accurate where tanh is close to −1.
    growth = np.log(2) - np.logaddexp(0, -2 * bets[:, None] * z[..., None, :])
    logs = np.cumsum(growth, axis=-1)
    return np.exp(logsumexp(logs, axis=-2) - np.log(bets.size))


def bounded_confidence_sequence(
    x: ArrayLike, low: float = 0.0, high: float = 1.0, alpha: float = 0.05
) -> ConfidenceSequence:
    """Return the empirical-Bernstein confidence sequence of the mean of scores in [low, high].

    All intervals together cover the mean with probability 1 − alpha, for independent scores with
    the same (conditional) mean and any distribution within the bounds. Each interval is the
    intersection of all intervals so far.

    Args:
        x: (..., n) scores in the order of the seeds; for paired differences of scores in [0, 1]
            the bounds are −1 and 1.
        low, high: bounds of all possible scores (not of the observed ones).
        alpha: error probability.

    Raises:
        ValueError: scores outside the bounds, NaN, low >= high.

    Source: the predictable plug-in sequence, Waudby-Smith & Ramdas (2024), theorem 2.
    """
    check_probability(alpha=alpha)
    x = as_finite(x, "x")
    if not low < high:
        raise ValueError(f"low must be less than high, got {low} and {high}")
    if x.min() < low or x.max() > high:
        raise ValueError(f"scores reach from {x.min()} to {x.max()}, outside [{low}, {high}]")
    u = (x - low) / (high - low)
    t = np.arange(1, u.shape[-1] + 1)
    mean = (0.5 + np.cumsum(u, axis=-1)) / (t + 1)
    variance = (0.25 + np.cumsum((u - mean) ** 2, axis=-1)) / (t + 1)

    def previous(values: Array, first: float) -> Array:
        start = np.full((*values.shape[:-1], 1), first)
        return np.concatenate([start, values[..., :-1]], axis=-1)

    log_odds = np.log(2 / alpha)
    bet = np.minimum(np.sqrt(2 * log_odds / (previous(variance, 0.25) * t * np.log(t + 1))), 0.5)
    cost = (u - previous(mean, 0.5)) ** 2 * (-np.log1p(-bet) - bet)
    total = np.cumsum(bet, axis=-1)
    centre = np.cumsum(bet * u, axis=-1) / total
    half = (log_odds + np.cumsum(cost, axis=-1)) / total
    lower = np.maximum.accumulate(np.maximum(centre - half, 0), axis=-1)
    upper = np.minimum.accumulate(np.minimum(centre + half, 1), axis=-1)
    running_mean = np.cumsum(x, axis=-1) / t
    width = high - low
    return ConfidenceSequence(running_mean, low + width * lower, low + width * upper, alpha)
