"""The one gate for input: real, finite, unmasked float64 of the right shape, or a clear error.

Every public function of `reseed.stats` takes its arrays through `finite` or `labels`, and its
levels and counts through `probability` and `at_least`.
"""

from __future__ import annotations

from numbers import Real

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]

_TAKEN = "bifu"  # kinds of dtype that are real numbers: booleans, integers, floats


def as_finite(
    x: ArrayLike, name: str = "x", *, ndim: int | None = None, min_size: int = 1
) -> Array:
    """Return `x` as a finite float64 array.

    Taken are booleans, integers, floats, and objects (a pandas column) that hold only these. A
    masked array is taken where nothing in it is masked.

    Raises:
        ValueError: text (numeric text too), complex numbers, dates, masked values, wrong number
            of axes, fewer than `min_size` entries on the last axis, an empty array, NaN, infinity,
            or an integer too large for float64.
    """
    a = as_real(x, name)
    if ndim is not None and a.ndim != ndim:
        raise ValueError(f"{name} must have {ndim} axes, it has shape {a.shape}")
    if a.ndim == 0 or a.size == 0 or a.shape[-1] < min_size:
        raise ValueError(f"{name} needs at least {min_size} values on its last axis: {a.shape}")
    bad = a.size - np.count_nonzero(np.isfinite(a))
    if bad:
        raise ValueError(
            f"{name} holds {bad} NaN or infinite values of {a.size}: "
            "leave failed trials out (and count them) before calling"
        )
    return a


def as_real(x: ArrayLike, name: str = "x") -> Array:
    """Return `x` as float64 of any shape, NaN and infinity let through; else as `finite`."""
    a = np.asarray(as_unmasked(x, name))
    if a.dtype.kind == "O":
        missing = [v is None or v is np.ma.masked for v in a.ravel()]
        if any(missing):
            raise ValueError(f"{name} holds {sum(missing)} missing values of {a.size}")
        strange = next((v for v in a.ravel() if not isinstance(v, Real | np.bool_)), None)
        if strange is not None:
            kind = type(strange).__name__
            raise ValueError(f"{name} must hold real numbers, it holds {strange!r} ({kind})")
        try:
            return a.astype(np.float64)
        except OverflowError as error:
            raise ValueError(f"{name} holds a number too large for float64") from error
    if a.dtype.kind not in _TAKEN:
        raise ValueError(f"{name} must hold real numbers, it is of type {a.dtype}")
    return a.astype(np.float64, copy=False)


def as_labels(x: ArrayLike, name: str) -> NDArray:
    """Return class labels as an array: numbers (float64) or text (`str`), never a mix.

    Raises:
        ValueError: missing, masked, NaN or infinite entries; complex numbers, dates, or text mixed
            with numbers.
    """
    a = np.asarray(as_unmasked(x, name))
    if a.dtype.kind == "U":
        return a
    if a.dtype.kind == "O" and a.size and all(isinstance(v, str) for v in a.ravel()):
        return a.astype(str)
    if a.dtype.kind == "O" and any(isinstance(v, str) for v in a.ravel()):
        raise ValueError(f"{name} mixes text with other values: give one kind of label")
    return as_finite(a, name)


def as_unmasked(x: ArrayLike, name: str = "x") -> ArrayLike:
    """Return `x` itself, or the data of a masked array without masked entries."""
    if not isinstance(x, np.ma.MaskedArray):
        return x
    hidden = int(np.ma.getmaskarray(x).sum())
    if hidden:
        raise ValueError(
            f"{name} holds {hidden} masked values of {x.size}: leave them out before calling"
        )
    return x.data


def rescale(x: Array, axis: int | tuple[int, ...] | None = None) -> tuple[Array, Array]:
    """Return `x` over a power of two near its greatest size along `axis`, and that power.

    The division is exact, and squares of the result neither overflow nor vanish, so that tests
    give for scores of 1e200 or 1e-200 what they give for scores of 1. With an axis, each row has
    its own power (that axis of length 1); else there is one.
    """
    largest = np.abs(x).max(axis=axis, keepdims=axis is not None)
    # Within 2 ** ±1000, so that neither the power nor its inverse leaves float64.
    power = np.where(largest > 0, 2.0 ** np.clip(np.frexp(largest)[1], -1000, 1000), 1.0)[()]
    return x / power, power


def check_probability(**values: float) -> None:
    """Refuse, by its name, any value that is not strictly between 0 and 1 (a level, an alpha)."""
    for name, value in values.items():
        if not 0 < value < 1:
            raise ValueError(f"{name} must lie strictly between 0 and 1, got {value}")


def check_at_least(minimum: int, **counts: int) -> None:
    """Refuse, by its name, any count below `minimum` (resamples, items, seeds)."""
    for name, count in counts.items():
        if not count >= minimum:
            raise ValueError(f"{name} must be at least {minimum}, got {count}")
