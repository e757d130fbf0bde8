"""Looking after every seed without assuming a Gaussian: a sign-symmetry e-value, and bounds.

Two guarantees that hold at any stopping rule, beside the t-mixture of `reseed.stats.sequential`
(which needs Gaussian scores):

- `symmetry_e_process`: differences whose distribution is symmetric about 0 under the null, as they
  are exactly where two procedures that do not differ are run in pairs. No moments are needed.
- `bounded_confidence_sequence`: the mean of scores within known bounds, whatever their shape. Wide:
  it has to allow for rare scores at the far end of the bounds.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import logsumexp

from reseed.stats.inputs import Array, as_finite, check_probability, rescale
from reseed.stats.sequential import ConfidenceSequence

#: Bets of the mixture, in units of the running root mean square, both ways.
_BETS = (0.25, 0.5, 1.0, 2.0)


def symmetry_e_process(differences: ArrayLike) -> Array:
    """e-value against symmetry about 0 after each difference (..., n), in the order of the seeds.

    E_n = mean over bets λ of Π_t (1 + tanh(λ x_t / r_t)), r_t the root mean square of x_1 … x_t.
    Given all absolute values the signs are fair coins under the null, so each product has mean 1:
    a test martingale, and P(E ever reaches 1/α) <= α (Ville). It at most doubles with a seed, so
    no evidence of 1/α = 20 is possible before the sixth.

    Source: betting on signs, Ramdas et al. (2020), sec. on symmetry; Vovk & Wang (2024).
    """
    x, _ = rescale(as_finite(differences, "differences"), axis=-1)
    size = np.sqrt(np.cumsum(x**2, axis=-1) / np.arange(1, x.shape[-1] + 1))
    z = np.divide(x, size, out=np.zeros_like(x), where=size > 0)
    bets = np.array([sign * bet for bet in _BETS for sign in (1, -1)])
    # log(1 + tanh u) = log 2 − log(1 + exp(−2u)), which keeps its digits where tanh is near −1.
    growth = np.log(2) - np.logaddexp(0, -2 * bets[:, None] * z[..., None, :])
    logs = np.cumsum(growth, axis=-1)
    return np.exp(logsumexp(logs, axis=-2) - np.log(bets.size))


def bounded_confidence_sequence(
    x: ArrayLike, low: float = 0.0, high: float = 1.0, alpha: float = 0.05
) -> ConfidenceSequence:
    """Empirical-Bernstein confidence sequence of the mean of scores in [low, high].

    The predictable plug-in sequence of Waudby-Smith & Ramdas (2024, theorem 2): all intervals
    cover at once with probability 1 − alpha for independent scores with the same (conditional)
    mean, whatever their distribution within the bounds. Running intersections are taken.

    Args:
        x: (..., n) scores in the order of the seeds; for paired differences of scores in [0, 1]
            the bounds are −1 and 1.
        low, high: bounds that no score can pass (not those observed).
        alpha: error probability.

    Raises:
        ValueError: scores outside the bounds, NaN, low >= high.
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

    def before(values: Array, first: float) -> Array:
        start = np.full((*values.shape[:-1], 1), first)
        return np.concatenate([start, values[..., :-1]], axis=-1)

    budget = np.log(2 / alpha)
    bet = np.minimum(np.sqrt(2 * budget / (before(variance, 0.25) * t * np.log(t + 1))), 0.5)
    cost = (u - before(mean, 0.5)) ** 2 * (-np.log1p(-bet) - bet)
    total = np.cumsum(bet, axis=-1)
    centre = np.cumsum(bet * u, axis=-1) / total
    half = (budget + np.cumsum(cost, axis=-1)) / total
    lower = np.maximum.accumulate(np.maximum(centre - half, 0), axis=-1)
    upper = np.minimum.accumulate(np.minimum(centre + half, 1), axis=-1)
    running = np.cumsum(x, axis=-1) / t
    return ConfidenceSequence(running, low + (high - low) * lower, low + (high - low) * upper,
                              alpha)  # fmt: skip
