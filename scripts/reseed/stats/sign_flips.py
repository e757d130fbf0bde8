"""Sign-flip tests of paired differences over datasets, of many pairs of models at once.

Under the null hypothesis a difference is as likely as its negative, so every pattern of signs of
the datasets is equally likely. All patterns are enumerated where there are few. The tests are exact
for differences that are symmetric around 0, for any number of datasets.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from reseed.stats.inputs import Array, as_finite, as_real, check_at_least, rescale

_CHUNK = 1_000_000  # statistics held in memory at once
_MOST, _FEWEST, _STATISTICS = 10_000, 1000, 10_000_000  # draws by default, draws times pairs
_TIED = 1 - 1e-9  # statistics that differ by less are rounding noise of equal ones


@dataclass(frozen=True)
class SignFlips:
    """Tests of P pairs.

    p_value: (P,) two-sided, of each pair alone.
    p_adjusted: (P,) for all pairs at once: step-down of the largest statistic (Romano and Wolf
        2005).
    p_least: (P,) smallest possible p-value of each pair's number of datasets.
    largest: (draws,) largest squared sum / sum of squares over the pairs, ascending.
    """

    p_value: Array
    p_adjusted: Array
    p_least: Array
    largest: Array


def flip_signs(d: ArrayLike, n_draws: int | None = None, *, rng: np.random.Generator) -> SignFlips:
    """Test whether each pair's differences are symmetric around 0.

    The statistic is (Σd)² / Σd², which orders as the t statistic does; Σd² does not change with the
    signs. A dataset has one sign for all pairs, so correlated pairs cost less than with Holm.

    Args:
        d: (pairs, datasets) differences; NaN where a pair lacks a dataset.
        n_draws: sign patterns, the observed one included; all are enumerated if they are no more.
            By default 10,000, and fewer for more than 1,000 pairs.
        rng: generator of the patterns.

    Raises:
        ValueError: no pairs or datasets, infinite differences, fewer than 100 patterns.
    """
    values = as_real(d, "d")
    d, _ = rescale(as_finite(np.where(np.isnan(values), 0.0, values), "d", ndim=2))
    pairs = len(d)
    n_draws = n_draws or max(_FEWEST, min(_MOST, _STATISTICS // pairs))
    check_at_least(100, n_draws=n_draws)
    squares = (d**2).sum(axis=1)
    weights = (d / np.sqrt(np.where(squares > 0, squares, np.inf))[:, None]).T
    observed = weights.sum(axis=0) ** 2
    order = np.argsort(-observed, kind="stable")
    limit = observed[order] * _TIED
    alone, joint, largest = np.zeros(pairs), np.zeros(pairs), []
    signs = _draw_signs(d.shape[1], n_draws, rng)
    for start in range(0, len(signs), step := max(1, _CHUNK // pairs)):
        drawn = (signs[start : start + step] @ weights[:, order]) ** 2
        alone += (drawn >= limit).sum(axis=0)
        # Largest of each pair and those of smaller statistic.
        drawn = np.maximum.accumulate(drawn[:, ::-1], axis=1)[:, ::-1]
        joint += (drawn >= limit).sum(axis=0)
        largest.append(drawn[:, 0])
    p, adjusted = np.empty((2, pairs))
    p[order] = alone / len(signs)
    adjusted[order] = np.maximum.accumulate(joint) / len(signs)
    counts = np.isfinite(values).sum(axis=1)
    least = np.maximum(2.0 ** (1 - counts), 1 / len(signs))
    return SignFlips(p, adjusted, np.minimum(least, 1.0), np.sort(np.concatenate(largest)))


def flip_equivalence_p(d: ArrayLike, rope: float, *, rng: np.random.Generator) -> float:
    """Return the larger p-value of the one-sided sign-flip tests of d + rope > 0 and d − rope < 0.

    It is small if the centre of symmetry lies within ±rope.

    Args:
        d: (datasets,) differences.
        rope: half-width of practical equivalence, > 0, in units of d.
        rng: generator of the sign patterns.
    """
    values = as_finite(d, "d", ndim=1)
    if not rope > 0:
        raise ValueError(f"rope must be a half-width > 0, got {rope}")
    margins, _ = rescale(np.stack([rope + values, rope - values]))
    sums = _draw_signs(values.size, _MOST, rng) @ margins.T
    observed = margins.sum(axis=1)
    noise = (1 - _TIED) * np.abs(margins).sum(axis=1)
    return float((sums >= observed - noise).mean(axis=0).max())


def _draw_signs(n: int, n_draws: int, rng: np.random.Generator) -> Array:
    """Return (patterns, n) of ±1: all of them, or random ones after the observed one."""
    if 2**n <= n_draws:
        patterns = (np.arange(2**n)[:, None] >> np.arange(n)) & 1
        return 1 - 2 * patterns.astype(np.float64)
    signs = rng.integers(0, 2, (n_draws, n)).astype(np.float64) * 2 - 1
    signs[0] = 1
    return signs
