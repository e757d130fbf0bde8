"""Roots of functions; SciPy's optimisers (a quarter of a second) load only if one is used."""

from collections.abc import Callable
from typing import Any


def brentq(function: Callable[[float], float], low: float, high: float, **options: Any) -> float:
    """The root of a function between two values with different signs (`scipy.optimize.brentq`)."""
    from scipy.optimize import brentq as solve

    return float(solve(function, low, high, **options))
