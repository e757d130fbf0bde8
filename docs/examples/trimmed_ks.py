"""The trimmed Kolmogorov–Smirnov test and α̂ of Banerjee et al., by NumPy alone.

Used by `reproduce_more_verdicts.py`. `rng` draws halves of the test items.
"""

import math

import numpy as np


def threshold(n: int) -> float:
    """δ of Algorithm 1 for halves of n items, exceeded by chance with probability 0.01."""
    return math.sqrt(math.log((2.16863 if n < 458 else 2) / 0.01) / n) + 1 / n


def mean_cdf(pool: np.ndarray, at: np.ndarray) -> np.ndarray:
    """The average distribution function of the pool, its jumps joined by lines, at some values."""
    values, ends = np.unique(pool, return_counts=True)
    return np.interp(at, values, np.cumsum(ends) / pool.size, left=0.0)


def is_accepted(cdf: np.ndarray, delta: float, alpha: np.ndarray) -> np.ndarray:
    """Whether weights of at most 1 / (n (1 − α)) bring sorted samples within δ of the reference.

    cdf: the reference (runs, n) at the sorted sample. Weights are laid as early as allowed.
    """
    step = 1 / (cdf.shape[1] * (1 - alpha))
    total, fits = np.zeros(len(cdf)), np.ones(len(cdf), bool)
    for column in cdf.T:
        fits &= total >= column - delta - 1e-12
        total = np.minimum(total + step, np.minimum(column + delta, 1))
        fits &= total >= column - delta - 1e-12
    return fits & (total >= 1 - 1e-12)


def alpha_hat(
    samples: np.ndarray, pool: np.ndarray | None, bootstraps: int, rng: np.random.Generator
) -> np.ndarray:
    """The least accepted α of each run, averaged over bootstraps; pool None: all other runs."""
    n = samples.shape[1] // 2
    found = np.zeros(len(samples))
    for _ in range(bootstraps):
        draw = rng.integers(samples.shape[1], size=2 * n)
        own = np.sort(samples[:, draw[:n]], axis=1)
        if pool is None:
            other = samples[:, draw[n:]]
            cdf = np.stack([mean_cdf(np.delete(other, i, 0), x) for i, x in enumerate(own)])
        else:
            cdf = mean_cdf(pool[:, draw[n:]], own)
        low, high = np.zeros(len(own)), np.full(len(own), 1 - 1e-9)
        zero = is_accepted(cdf, threshold(n), low)
        for _ in range(12):
            middle = (low + high) / 2
            accepted = is_accepted(cdf, threshold(n), middle)
            low, high = np.where(accepted, low, middle), np.where(accepted, middle, high)
        found += np.where(zero, 0, high)
    return found / bootstraps


def ks_distance(
    samples: np.ndarray, pool: np.ndarray, rng: np.random.Generator, splits: int = 10
) -> np.ndarray:
    """KS distance of each run to the pool on other items, averaged over splits of the items."""
    total, n = np.zeros(len(samples)), samples.shape[1] // 2
    steps = np.arange(n + 1) / n
    for _ in range(splits):
        order = rng.permutation(samples.shape[1])
        cdf = mean_cdf(pool[:, order[n : 2 * n]], np.sort(samples[:, order[:n]], axis=1))
        total += np.maximum(steps[1:] - cdf, cdf - steps[:-1]).max(axis=1)
    return total / splits
