"""Validation and conversion of arguments, used by every public function of `reseed.stats`.

Arrays pass through `as_finite`, `as_real` or `as_labels`; levels and counts through
`check_probability` and `check_at_least`. All of them raise ValueError with the argument's name.
"""

from __future__ import annotations

from numbers import Real
from typing import overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]

_REAL_KINDS = "bifu"  # dtype kinds of booleans, integers and floats


def as_finite(
    x: ArrayLike, name: str = "x", *, ndim: int | None = None, min_size: int = 1
) -> Array:
    """Return `x` as a finite float64 array.

    Accepted are booleans, integers, floats, and object arrays (pandas columns) of these. Masked
    arrays are accepted if no entry is masked.

    Raises:
        ValueError: text (also numeric text), complex numbers, dates, masked values, wrong number
            of axes, fewer than `min_size` entries on the last axis, an empty array, NaN, infinity,
            or an integer too large for float64.
    """
    a = as_real(x, name)
    if ndim is not None and a.ndim != ndim:
        raise ValueError(f"{name} must have {ndim} axes, it has shape {a.shape}")
    if a.ndim == 0 or a.size == 0 or a.shape[-1] < min_size:
        raise ValueError(f"{name} needs at least {min_size} values on its last axis: {a.shape}")
    n_invalid = a.size - np.count_nonzero(np.isfinite(a))
    if n_invalid:
        raise ValueError(
            f"{name} holds {n_invalid} NaN or infinite values of {a.size}: "
            "leave failed trials out (and count them) before calling"
        )
    return a


def as_real(x: ArrayLike, name: str = "x") -> Array:
    """Return `x` as float64 of any shape; as `as_finite`, but NaN and infinity are allowed."""
    a = np.asarray(as_unmasked(x, name))
    if a.dtype.kind == "O":
        missing = [v is None or v is np.ma.masked for v in a.ravel()]
        if any(missing):
            raise ValueError(f"{name} holds {sum(missing)} missing values of {a.size}")
        invalid = next((v for v in a.ravel() if not isinstance(v, Real | np.bool_)), None)
        if invalid is not None:
            kind = type(invalid).__name__
            raise ValueError(f"{name} must hold real numbers, it holds {invalid!r} ({kind})")
        try:
            return a.astype(np.float64)
        except OverflowError as error:
            raise ValueError(f"{name} holds a number too large for float64") from error
    if a.dtype.kind not in _REAL_KINDS:
        raise ValueError(f"{name} must hold real numbers, it is of type {a.dtype}")
    return a.astype(np.float64, copy=False)


def as_labels(x: ArrayLike, name: str) -> NDArray:
    """Return class labels as an array of numbers (float64) or text (`str`).

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
        raise ValueError(f"{name} mixes text with other values: use one kind of label")
    return as_finite(a, name)


def as_unmasked(x: ArrayLike, name: str = "x") -> ArrayLike:
    """Return `x` unchanged, or the data of a masked array that has no masked entries."""
    if not isinstance(x, np.ma.MaskedArray):
        return x
    n_masked = int(np.ma.getmaskarray(x).sum())
    if n_masked:
        raise ValueError(
            f"{name} holds {n_masked} masked values of {x.size}: leave them out before calling"
        )
    return x.data


@overload
def rescale(x: Array, axis: None = None) -> tuple[Array, float]: ...
@overload
def rescale(x: Array, axis: int | tuple[int, ...]) -> tuple[Array, Array]: ...
def rescale(
    x: Array, axis: int | tuple[int, ...] | None = None
) -> tuple[Array, float] | tuple[Array, Array]:
    """Divide `x` by a power of two near its largest absolute value; return both.

    The division is exact, and squares of the result neither overflow nor underflow. Tests
    therefore give the same p-values for scores of size 1e200, 1e-200 and 1.

    With `axis`, each row has its own power (an array in which `axis` has length 1). Without, the
    power is one number.
    """
    largest = np.abs(x).max(axis=axis, keepdims=axis is not None)
    # Limited to 2 ** ±1000, so that the power and its inverse are float64 numbers.
    power = np.where(largest > 0, 2.0 ** np.clip(np.frexp(largest)[1], -1000, 1000), 1.0)[()]
    return x / power, power


def check_probability(**values: float) -> None:
    """Raise ValueError, naming the argument, unless every value is strictly between 0 and 1."""
    for name, value in values.items():
        if not 0 < value < 1:
            raise ValueError(f"{name} must lie strictly between 0 and 1, got {value}")


def check_at_least(minimum: int, **counts: float) -> None:
    """Raise ValueError, naming the argument, unless every count is at least `minimum`."""
    for name, count in counts.items():
        if not count >= minimum:
            raise ValueError(f"{name} must be at least {minimum}, got {count}")
