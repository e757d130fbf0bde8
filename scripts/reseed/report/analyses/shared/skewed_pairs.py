"""Tests of pairs whose runs or items are skewed, and how often A is better."""

from __future__ import annotations

from math import nan

import numpy as np

from reseed.core.schemas import Row
from reseed.stats.comparison import CorrectedT
from reseed.stats.shares import share_interval
from reseed.stats.skewness import skewed_p, skewness_of_difference, skewness_of_mean
from reseed.stats.unpaired import Welch

#: Columns of the skewness, and of the share of cases in which A is better.
SKEW_COLUMNS = ("skewness", "better_share", "better_low", "better_high", "better_n")


def describe_tails(d: np.ndarray, test: CorrectedT, level: float) -> Row:
    """Skewness and corrected p of paired differences (pairs, runs), as lists over the pairs."""
    skewness = skewness_of_mean(d)
    columns: Row = {name: [nan] * len(d) for name in SKEW_COLUMNS}
    for k in np.flatnonzero(skewness):
        for name, value in count_better(d[k], level).items():
            columns[name][k] = value
    p = skewed_p(test.t, test.df, skewness)
    return columns | {"p": p, "skewness": skewness, "better_unit": "run"}


def describe_own_tails(a: np.ndarray, b: np.ndarray, test: Welch) -> Row:
    """Skewness and corrected p of runs that are not paired, (pairs, runs) each."""
    skewness = skewness_of_difference(a, b)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(test.difference == 0, 0.0, test.difference / test.scale)
    return {"p": skewed_p(t, test.df, skewness), "skewness": skewness, "better_unit": "run"}


def count_better(d: np.ndarray, level: float) -> dict[str, float]:
    """The share of positive differences with its exact interval."""
    wins, n = int((d > 0).sum()), len(d)
    low, high = share_interval(wins, n, level)
    return {"better_share": wins / n, "better_low": low, "better_high": high, "better_n": n}
