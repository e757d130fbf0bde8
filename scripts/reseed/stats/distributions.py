"""The distributions of common tests, by `scipy.special`: `scipy.stats` takes 0.4 s to import.

Values have the same bits as those of `scipy.stats`, which calls the same functions. Every other
name of `scipy.stats` is found here too; its first use imports that package.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

_LOG_SCALE = np.log(np.sqrt(2 * np.pi))


class norm:
    """The standard normal distribution."""

    @staticmethod
    def cdf(x: ArrayLike) -> Any:
        """P(X ≤ x)."""
        return special.ndtr(x)

    @staticmethod
    def sf(x: ArrayLike) -> Any:
        """P(X > x)."""
        return special.ndtr(np.negative(x))

    @staticmethod
    def ppf(q: ArrayLike) -> Any:
        """The value that is exceeded with probability 1 − q."""
        return special.ndtri(q)

    @staticmethod
    def isf(q: ArrayLike) -> Any:
        """The value that is exceeded with probability q."""
        return -special.ndtri(q)

    @staticmethod
    def logcdf(x: ArrayLike) -> Any:
        """Logarithm of `cdf`."""
        return special.log_ndtr(x)


class t:
    """Student's t distribution."""

    @staticmethod
    def cdf(x: ArrayLike, df: ArrayLike) -> Any:
        """P(X ≤ x)."""
        return special.stdtr(df, x)

    @staticmethod
    def sf(x: ArrayLike, df: ArrayLike) -> Any:
        """P(X > x)."""
        return special.stdtr(df, np.negative(x))

    @staticmethod
    def ppf(q: ArrayLike, df: ArrayLike) -> Any:
        """The value that is exceeded with probability 1 − q."""
        inner = np.where(np.equal(q, 0), -np.inf, special.stdtrit(df, q))
        return np.where(np.equal(q, 1), np.inf, inner)[()]

    @staticmethod
    def isf(q: ArrayLike, df: ArrayLike) -> Any:
        """The value that is exceeded with probability q."""
        return -t.ppf(q, df)


class chi2:
    """The chi-squared distribution."""

    @staticmethod
    def sf(x: ArrayLike, df: ArrayLike) -> Any:
        """P(X > x)."""
        return special.chdtrc(df, x)

    @staticmethod
    def ppf(q: ArrayLike, df: ArrayLike) -> Any:
        """The value that is exceeded with probability 1 − q."""
        return 2 * special.gammaincinv(np.asarray(df) / 2, q)

    @staticmethod
    def isf(q: ArrayLike, df: ArrayLike) -> Any:
        """The value that is exceeded with probability q."""
        return special.chdtri(df, q)


class f:
    """The F distribution."""

    @staticmethod
    def cdf(x: ArrayLike, dfn: ArrayLike, dfd: ArrayLike) -> Any:
        """P(X ≤ x)."""
        return special.fdtr(dfn, dfd, x)

    @staticmethod
    def sf(x: ArrayLike, dfn: ArrayLike, dfd: ArrayLike) -> Any:
        """P(X > x)."""
        return special.fdtrc(dfn, dfd, x)

    @staticmethod
    def ppf(q: ArrayLike, dfn: ArrayLike, dfd: ArrayLike) -> Any:
        """The value that is exceeded with probability 1 − q."""
        return special.fdtri(dfn, dfd, q)

    @staticmethod
    def isf(q: ArrayLike, dfn: ArrayLike, dfd: ArrayLike) -> Any:
        """The value that is exceeded with probability q."""
        return special.fdtri(dfn, dfd, np.subtract(1, q))


class ncf:
    """The noncentral F distribution."""

    @staticmethod
    def sf(x: ArrayLike, dfn: ArrayLike, dfd: ArrayLike, nc: ArrayLike) -> Any:
        """P(X > x), with an error of 1e-16: powers are not small."""
        return 1 - special.ncfdtr(dfn, dfd, nc, x)


def rankdata(values: ArrayLike, axis: int | None = None) -> NDArray[np.float64]:
    """Return the ranks of finite values along an axis, from 1; ties have their mean rank.

    axis: None ranks all values together, as one dimension.
    """
    a = np.asarray(values)
    if axis is None:
        return rankdata(a.reshape(-1), axis=0)
    a = np.moveaxis(a, axis, -1)
    order = np.argsort(a, axis=-1, kind="stable")
    ordered = np.take_along_axis(a, order, axis=-1)
    n = a.shape[-1]
    is_new = np.ones(a.shape, dtype=bool)
    is_new[..., 1:] = ordered[..., 1:] != ordered[..., :-1]
    first = np.maximum.accumulate(np.where(is_new, np.arange(n), 0), axis=-1)
    is_last = np.ones(a.shape, dtype=bool)
    is_last[..., :-1] = is_new[..., 1:]
    backwards = np.where(is_last, np.arange(n), n)[..., ::-1]
    last = np.minimum.accumulate(backwards, axis=-1)[..., ::-1]
    ranks = np.empty(a.shape)
    np.put_along_axis(ranks, order, (first + last) / 2 + 1, axis=-1)
    return np.moveaxis(ranks, -1, axis)


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    from scipy import stats

    return getattr(stats, name)
