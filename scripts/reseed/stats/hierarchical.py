"""One difference over several datasets, with its size: a hierarchical normal model, by quadrature.

d_q ~ N(δ_q, s_q²), δ_q ~ N(μ, τ²), μ and τ uniform: Gelman et al., *Bayesian Data Analysis* (3rd
ed., sec. 5.4), which is the model of Corani et al. (2017, baycomp's hierarchical test) with a
normal in place of a Student population and each dataset's standard error taken from its own
(corrected) t test. Given τ all is normal and closed; τ is integrated numerically. Nothing is
sampled: the same numbers every time.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import optimize, special, stats

from reseed.stats.inputs import Array, as_finite, check_probability, rescale

_POINTS = 800


@dataclass(frozen=True)
class Shares:
    """Posterior shares below −rope, within ±rope and above rope; they sum to 1."""

    below: float
    equivalent: float
    above: float


@dataclass(frozen=True)
class Hierarchical:
    """Posterior of the mean effect μ, of the spread τ between datasets, of each dataset's own
    effect, and of that of a new dataset like these.

    effects, effects_low, effects_high: (datasets,) shrunken effects.
    """

    mean: float
    low: float
    high: float
    mean_shares: Shares
    new_low: float
    new_high: float
    new_shares: Shares
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
    """Posterior of one effect over datasets; medians and central intervals.

    Args:
        effects: (datasets,) observed effects in one unit, at least 3 datasets (with two the
            uniform prior on τ has no posterior).
        standard_errors: (datasets,) positive; for t-based ones of df degrees of freedom inflate
            them by √(df/(df − 2)) first (`t_standard_error`).
        rope: half-width of practical equivalence.
        level: of the intervals.
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
    # Given τ: δ_q is normal about the precision-weighted mean of d_q and μ̂.
    share = tau[:, None] ** 2 / variance
    own = share * d + (1 - share) * mu[:, None]
    own_sd = np.sqrt(share * s**2 + (1 - share) ** 2 * mu_sd[:, None] ** 2)
    tails = [(1 - level) / 2, 0.5, (1 + level) / 2]
    centre, fresh = _Mixture(weight, mu, mu_sd), _Mixture(weight, mu, new_sd)
    low, mean, high = centre.quantiles(tails) * unit
    new_low, _, new_high = fresh.quantiles(tails) * unit
    singles = [_Mixture(weight, own[:, q], own_sd[:, q]).quantiles(tails) for q in range(d.size)]
    own_low, own_mean, own_high = np.transpose(singles) * unit
    tau_low, tau_mean, tau_high = np.interp(tails, np.cumsum(weight) - weight / 2, tau) * unit
    return Hierarchical(
        *map(float, (mean, low, high)), centre.shares(rope),
        *map(float, (new_low, new_high)), fresh.shares(rope),
        *map(float, (tau_mean, tau_low, tau_high)), own_mean, own_low, own_high, level,
    )  # fmt: skip


def t_standard_error(scale: float, df: int) -> float:
    """Standard error with the variance of a t: scale √(df/(df − 2)); df must be above 2."""
    if not (scale > 0 and df > 2):
        raise ValueError(
            f"needs a positive scale and more than 2 degrees of freedom: {scale}, {df}"
        )
    return scale * float(np.sqrt(df / (df - 2)))


def _tau_posterior(d: Array, s: Array) -> tuple[Array, Array]:
    """Points of τ and their weights: p(τ | d) ∝ V_μ^½ Π N(d_q; μ̂, s_q² + τ²)^… (BDA eq. 5.21)."""
    # τ = c u/(1−u) maps (0, 1) to all τ: the tail of few datasets falls like a power only. u = v³
    # is dense near 0, where a few datasets that are far more precise than the others place τ.
    c = float(np.median(s) + d.std())
    v = (np.arange(_POINTS) + 0.5) / _POINTS
    u = v**3
    tau = c * u / (1 - u)
    variance = s**2 + tau[:, None] ** 2
    precision = (1 / variance).sum(axis=1)
    mu = (d / variance).sum(axis=1) / precision
    log_p = -0.5 * (np.log(precision) + np.log(variance).sum(axis=1)
                    + ((d - mu[:, None]) ** 2 / variance).sum(axis=1))  # fmt: skip
    log_p += 2 * np.log(v) - 2 * np.log1p(-u)
    weight = np.exp(log_p - log_p.max())
    return tau, weight / weight.sum()


@dataclass(frozen=True)
class _Mixture:
    """Normals (points,) with weights that sum to 1."""

    weight: Array
    mean: Array
    sd: Array

    def cdf(self, x: float) -> float:
        return float(self.weight @ special.ndtr((x - self.mean) / self.sd))

    def quantiles(self, shares: list[float]) -> Array:
        z = stats.norm.isf(1e-12)
        kept = self.weight > 1e-14
        low, high = (self.mean - z * self.sd)[kept].min(), (self.mean + z * self.sd)[kept].max()
        width = max(high - low, 1e-300)
        return np.array([
            optimize.brentq(lambda x, p=p: self.cdf(x) - p, low, high, xtol=1e-10 * width)
            for p in shares
        ])  # fmt: skip

    def shares(self, rope: float) -> Shares:
        below, above = self.cdf(-rope), 1 - self.cdf(rope)
        return Shares(below, max(0.0, 1 - below - above), above)
