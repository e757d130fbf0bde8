"""The trimmed Kolmogorov–Smirnov test and α̂ of Banerjee et al., by NumPy alone.

Used by `reproduce_more_verdicts.py`. `rng` draws halves of the test items.
"""

import math

import numpy as np


def threshold(n: int) -> float:
    """δ of Algorithm 1 for halves of n items, exceeded by chance with probability 0.01."""
    return math.sqrt(math.log((2.16863 if n < 458 else 2) / 0.01) / n) + 1 / n


def mean_cdf(pool: np.ndarray, at: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The average distribution function of the pool, its jumps joined by lines: left limit, value.

    They differ at values that the pool has, too, as clipped ones.
    """
    values, ends = np.unique(pool, return_counts=True)
    known = np.cumsum(ends) / pool.size
    right = np.interp(at, values, known, left=0.0)
    place = np.minimum(np.searchsorted(values, at), len(values) - 1)
    below = np.concatenate([[0.0], known])[place]
    return np.where(values[place] == at, below, right), right


def is_accepted(left: np.ndarray, right: np.ndarray, delta: float, alpha: np.ndarray) -> np.ndarray:
    """Whether weights of at most 1 / (n (1 − α)) bring sorted samples within δ of the reference.

    left, right: the reference (runs, n) at the sorted sample. Weights are laid as early as allowed.
    """
    step = 1 / (right.shape[1] * (1 - alpha))
    total, fits = np.zeros(len(right)), np.ones(len(right), bool)
    for before, after in zip(left.T, right.T, strict=True):
        fits &= total >= before - delta - 1e-12
        total = np.minimum(total + step, np.minimum(after + delta, 1))
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
            parts = [mean_cdf(np.delete(other, i, 0), x) for i, x in enumerate(own)]
            left, right = (np.stack(side) for side in zip(*parts, strict=True))
        else:
            left, right = mean_cdf(pool[:, draw[n:]], own)
        low, high = np.zeros(len(own)), np.full(len(own), 1 - 1e-9)
        zero = is_accepted(left, right, threshold(n), low)
        for _ in range(12):
            middle = (low + high) / 2
            accepted = is_accepted(left, right, threshold(n), middle)
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
        left, right = mean_cdf(pool[:, order[n : 2 * n]], np.sort(samples[:, order[:n]], axis=1))
        total += np.maximum(steps[1:] - right, left - steps[:-1]).max(axis=1)
    return total / splits
