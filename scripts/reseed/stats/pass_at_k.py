"""Probability that some, or all, of k samples of an item are right, from n ≥ k samples."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from reseed.stats.inputs import Array, as_finite, check_at_least


def pass_at_k(n: ArrayLike, c: ArrayLike, k: int) -> Array:
    """Return the unbiased estimate of P(at least one of `k` samples is right), pass@k.

    1 − C(n−c, k) / C(n, k): the share of the subsets of size k with a right sample.

    Args:
        n: (...) samples of each item, at least `k`.
        c: (...) right samples of them.
        k: samples that a user would draw, at least 1.

    Raises:
        ValueError: fewer than `k` samples, counts that are not whole, or c outside 0 to n.

    Source: Chen et al. (2021), arXiv 2107.03374, eq. 1.
    """
    total, right = _as_counts(n, c, k)
    return 1 - _share_of_subsets(total, total - right, k)


def pass_all_k(n: ArrayLike, c: ArrayLike, k: int) -> Array:
    """Return the unbiased estimate of P(all of `k` samples are right), pass^k: C(c, k) / C(n, k).

    Arguments and errors as `pass_at_k`.

    Source: Yao et al. (2024), arXiv 2406.12045, sec. 4.
    """
    total, right = _as_counts(n, c, k)
    return _share_of_subsets(total, right, k)


def _as_counts(n: ArrayLike, c: ArrayLike, k: int) -> tuple[Array, Array]:
    total, right = np.broadcast_arrays(as_finite(np.atleast_1d(n), "n"),
                                       as_finite(np.atleast_1d(c), "c"))  # fmt: skip
    check_at_least(1, k=k)
    if (total % 1 != 0).any() or (right % 1 != 0).any() or k % 1:
        raise ValueError("n, c and k must be whole numbers")
    if (right < 0).any() or (right > total).any():
        raise ValueError("c must lie between 0 and n")
    if (total < k).any():
        raise ValueError(f"an item has {total.min():.0f} samples, fewer than k = {k}")
    return total, right


def _share_of_subsets(total: Array, members: Array, k: int) -> Array:
    """Return C(members, k) / C(total, k)."""
    share = np.ones(total.shape)
    for j in range(k):
        share *= np.maximum(members - j, 0) / (total - j)
    return share
