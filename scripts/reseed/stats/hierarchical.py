"""Size of one effect over several datasets: a hierarchical normal model by quadrature.

Model: d_q ~ N(δ_q, s_q²), δ_q ~ N(μ, τ²), with uniform priors on μ and τ (Gelman et al., *Bayesian
Data Analysis*, 3rd ed., sec. 5.4). It differs from the hierarchical test of Corani et al. (2017,
baycomp) in two ways: the population is normal instead of Student, and each dataset's standard
error comes from its own (corrected) t test. Given τ, all posteriors are normal in closed form; τ is
integrated numerically. The result is deterministic.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import optimize, special

from reseed.stats import distributions as stats
from reseed.stats.inputs import Array, as_finite, check_probability, rescale

_POINTS = 800  # quadrature points of τ


@dataclass(frozen=True)
class RopeProbabilities:
    """Posterior probabilities below −rope, within ±rope and above rope; they sum to 1."""

    below: float
    equivalent: float
    above: float


@dataclass(frozen=True)
class Hierarchical:
    """Posterior medians and central intervals, in the unit of the effects.

    `mean`, `low` and `high` describe the mean effect μ; `tau*` the SD τ between datasets; `new_*`
    the effect on a new dataset of the same population; `effects*` (datasets,) the shrunken effect
    on each dataset.
    """

    mean: float
    low: float
    high: float
    mean_shares: RopeProbabilities
    new_low: float
    new_high: float
    new_shares: RopeProbabilities
    tau: float
    tau_low: float
    tau_high: float
    effects: Array
    effects_low: Array
    effects_high: Array
    level: float


def hierarchical_effect(
    effects: ArrayLike, standard_errors: ArrayLike, rope: float = 0.0, level: float = 0.95
) -> Hierarchical:
    """Compute the posterior of an effect over datasets: medians and central intervals.

    Args:
        effects: (datasets,) observed effects in one unit, at least 3 datasets (with two, the
            uniform prior on τ gives no proper posterior).
        standard_errors: (datasets,) positive. Those of t tests must be converted with
            `t_standard_error` first.
        rope: half-width of practical equivalence, in the unit of the effects, >= 0.
        level: probability of the central intervals.

    Raises:
        ValueError: fewer than 3 datasets, different lengths, NaN, standard errors that are not
            positive, or a negative rope.
    """
    d, s = (
        as_finite(effects, "effects", ndim=1),
        as_finite(standard_errors, "standard_errors", ndim=1),
    )
    check_probability(level=level)
    if d.size != s.size or d.size < 3:
        raise ValueError(f"at least 3 datasets with an effect and an error: {d.size}, {s.size}")
    if s.min() <= 0 or not rope >= 0:
        raise ValueError("standard_errors must be positive and rope must not be negative")
    _, unit = rescale(np.stack([d, s]))
    d, s, rope = d / unit, s / unit, rope / unit
    tau, weight = _tau_posterior(d, s)
    variance = s**2 + tau[:, None] ** 2
    precision = (1 / variance).sum(axis=1)
    mu, mu_sd = (d / variance).sum(axis=1) / precision, np.sqrt(1 / precision)
    new_sd = np.sqrt(mu_sd**2 + tau**2)
    # Given τ, δ_q is normal with the precision-weighted mean of d_q and μ̂.
    share = tau[:, None] ** 2 / variance
    delta = share * d + (1 - share) * mu[:, None]
    delta_sd = np.sqrt(share * s**2 + (1 - share) ** 2 * mu_sd[:, None] ** 2)
    tails = [(1 - level) / 2, 0.5, (1 + level) / 2]
    mean_effect, new_effect = _Mixture(weight, mu, mu_sd), _Mixture(weight, mu, new_sd)
    low, median, high = mean_effect.quantiles(tails) * unit
    new_low, _, new_high = new_effect.quantiles(tails) * unit
    quantiles = [
        _Mixture(weight, delta[:, q], delta_sd[:, q]).quantiles(tails) for q in range(d.size)
    ]
    effects_low, effects_median, effects_high = np.transpose(quantiles) * unit
    tau_low, tau_median, tau_high = np.interp(tails, np.cumsum(weight) - weight / 2, tau) * unit
    return Hierarchical(
        mean=float(median),
        low=float(low),
        high=float(high),
        mean_shares=mean_effect.rope_probabilities(rope),
        new_low=float(new_low),
        new_high=float(new_high),
        new_shares=new_effect.rope_probabilities(rope),
        tau=float(tau_median),
        tau_low=float(tau_low),
        tau_high=float(tau_high),
        effects=effects_median,
        effects_low=effects_low,
        effects_high=effects_high,
        level=level,
    )


def t_standard_error(scale: float, df: float) -> float:
    """Return the SD of a t distribution: scale √(df/(df − 2)); df must be above 2.

    Raises:
        ValueError: df of 2 or less, or a scale that is not positive.
    """
    if not (scale > 0 and df > 2):
        raise ValueError(
            f"needs a positive scale and more than 2 degrees of freedom: {scale}, {df}"
        )
    return scale * float(np.sqrt(df / (df - 2)))


def _tau_posterior(d: Array, s: Array) -> tuple[Array, Array]:
    """Return points of τ and their weights, p(τ | d) ∝ V_μ^½ Π N(d_q; μ̂, s_q² + τ²).

    Source: Gelman et al., *Bayesian Data Analysis*, eq. 5.21.
    """
    # On a logarithmic scale, because τ may be of the size of the smallest or of the largest error.
    # The first grid finds the range that has weight, the second integrates over it.
    largest = max(s.max(), np.ptp(d))
    log_tau = np.linspace(np.log(s.min()) - 30, np.log(largest) + 30, _POINTS)
    density = _log_density(d, s, log_tau)
    (relevant,) = np.nonzero(density > density.max() - 20)
    first, last = max(relevant[0] - 1, 0), min(relevant[-1] + 1, _POINTS - 1)
    log_tau = np.linspace(log_tau[first], log_tau[last], _POINTS)
    density = _log_density(d, s, log_tau)
    weight = np.exp(density - density.max())
    return np.exp(log_tau), weight / weight.sum()


def _log_density(d: Array, s: Array, log_tau: Array) -> Array:
    """Return the logarithm of the posterior density of log τ, (points,), up to a constant."""
    variance = s**2 + np.exp(2 * log_tau[:, None])
    precision = (1 / variance).sum(axis=1)
    mu = (d / variance).sum(axis=1) / precision
    squares = ((d - mu[:, None]) ** 2 / variance).sum(axis=1)
    return log_tau - 0.5 * (np.log(precision) + np.log(variance).sum(axis=1) + squares)


@dataclass(frozen=True)
class _Mixture:
    """Mixture of normal distributions (points,) with weights that sum to 1."""

    weight: Array
    mean: Array
    sd: Array

    def cdf(self, x: float) -> float:
        return float(self.weight @ special.ndtr((x - self.mean) / self.sd))

    def quantiles(self, probabilities: list[float]) -> Array:
        z = stats.norm.isf(1e-12)
        has_weight = self.weight > 1e-14
        low = (self.mean - z * self.sd)[has_weight].min()
        high = (self.mean + z * self.sd)[has_weight].max()
        # Relative to the narrowest component: the ends may be many orders of magnitude larger.
        tolerance = 1e-10 * max(self.sd[has_weight].min(), 1e-300)
        return np.array(
            [
                optimize.brentq(lambda x, p=p: self.cdf(x) - p, low, high, xtol=tolerance)
                for p in probabilities
            ]
        )

    def rope_probabilities(self, rope: float) -> RopeProbabilities:
        below, above = self.cdf(-rope), 1 - self.cdf(rope)
        return RopeProbabilities(below, max(0.0, 1 - below - above), above)
