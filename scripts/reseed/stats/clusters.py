"""Variance of a mean over items in clusters: CR2, with Bell and McCaffrey's degrees of freedom."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reseed.stats.inputs import Array, check_at_least


def index_clusters(clusters: ArrayLike | None, n: int) -> tuple[NDArray | None, Array]:
    """Return the cluster of each item (None: itself), and the share of the items in each."""
    if clusters is None:
        return None, np.full(n, 1 / n)
    labels = np.asarray(clusters)
    if labels.shape != (n,):
        raise ValueError(f"clusters must name the cluster of each of {n} items: {labels.shape}")
    _, index, counts = np.unique(labels, return_inverse=True, return_counts=True)
    check_at_least(2, clusters=counts.size)
    return index, counts / n


def cluster_df(sizes: Array) -> float:
    """Return Bell and McCaffrey's degrees of freedom of `item_squares`: Satterthwaite's.

    The sum of squares is e'Be of independent items e; its degrees of freedom are tr(B)²/tr(B²).
    They are clusters − 1 for equal sizes.
    """
    off = sizes**2 * _cr2_factors(sizes)
    return float(1 / ((sizes**2).sum() + off.sum() ** 2 - (off**2).sum()))


def _cr2_factors(sizes: Array) -> Array:
    """Return the factor of each cluster's squared sum in the variance CR2.

    It is unbiased for independent items. For equal sizes all are G/(G − 1), as in CR1.
    """
    return 1 / (1 - sizes)


def item_squares(effects: Array, index: NDArray | None, sizes: Array) -> float:
    """Return the sum of squares over clusters of the sums of centred `effects` (..., items)/n."""
    return float((_cluster_sums(effects, index, sizes) ** 2 @ _cr2_factors(sizes)).sum())


def _cluster_sums(effects: Array, index: NDArray | None, sizes: Array) -> Array:
    sums = effects / effects.shape[-1]
    if index is None:
        return sums
    flat = sums.reshape(-1, sums.shape[-1])
    return np.array([np.bincount(index, row, sizes.size) for row in flat])
