"""Wilcoxon signed-rank test, vectorised over many rows of differences."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from reseed.stats import distributions as stats
from reseed.stats.inputs import Array, as_finite

_MAX_ENUMERATED = 13  # up to this many differences, all sign patterns are enumerated (8,192)


def wilcoxon_p(d: ArrayLike) -> Array:
    """Return Wilcoxon signed-rank p-values of differences, vectorised over leading axes.

    Zeros are dropped; a row of zeros has p = 1. The other differences get, row by row, the result
    of `scipy.stats.wilcoxon(method="auto")`:

    - up to 13 differences: exact by enumeration, with or without ties;
    - up to 50 differences without ties: exact null distribution;
    - otherwise the normal approximation with tie correction.

    Zeros are dropped before SciPy sees the row, because SciPy counts them when it chooses the
    method. Five differences of one sign and 15 zeros would give 0.043; the exact p is 0.0625.

    Args:
        d: (..., n) differences, as from `differences` (ties must be exact).

    Returns:
        (...) p-values.
    """
    a = as_finite(d, "differences")
    rows = a.reshape(-1, a.shape[-1])
    # In descending order, so that the zeros of a row are at its end.
    rows = np.take_along_axis(rows, np.argsort(-np.abs(rows), axis=-1), axis=-1)
    sizes = np.count_nonzero(rows, axis=-1)
    p = np.ones(len(rows))
    for n in np.unique(sizes[sizes > 0]):
        p[sizes == n] = _signed_rank(rows[sizes == n, :n])
    return p.reshape(a.shape[:-1])[()]


def _signed_rank(d: Array) -> Array:
    """Return p-values (rows,) of non-zero differences (rows, n), in descending order of size."""
    if d.shape[1] <= _MAX_ENUMERATED:
        return _signed_rank_enumerated(d)
    p = np.empty(len(d))
    exact = (np.diff(np.abs(d), axis=1) != 0).all(axis=1) & (d.shape[1] <= 50)
    for rows, method in ((exact, "exact"), (~exact, "asymptotic")):
        if rows.any():
            test = stats.wilcoxon(d[rows], axis=1, method=method)
            p[rows] = test.pvalue
    return p


def _signed_rank_enumerated(d: Array) -> Array:
    """Return exact p-values by enumeration of all 2ⁿ sign patterns, with or without ties."""
    n = d.shape[1]
    ranks = stats.rankdata(np.abs(d), axis=1)
    patterns = ((np.arange(2**n)[:, None] >> np.arange(n)) & 1).astype(np.float64)
    p = np.empty(len(d))
    for start in range(0, len(d), 256):
        block = ranks[start : start + 256]
        null = block @ patterns.T
        observed = (block * (d[start : start + 256] > 0)).sum(axis=1)[:, None]
        p[start : start + 256] = rank_sum_p(null, observed)
    return p


def rank_sum_p(null: Array, observed: Array) -> Array:
    """Return p-values (...) of rank sums `observed` (..., 1) given all arrangements (..., n)."""
    # Rank sums are multiples of 1/2, so a tolerance of 1/4 only absorbs rounding.
    upper, lower = (null >= observed - 0.25).mean(-1), (null <= observed + 0.25).mean(-1)
    return np.minimum(1, 2 * np.minimum(upper, lower))
