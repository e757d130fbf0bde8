"""Columns of pairs whose runs or items are skewed: the corrected p, and how often A is better."""

from __future__ import annotations

from math import nan

import numpy as np

from reseed.core.schemas import Row
from reseed.stats.comparison import PairedComparison
from reseed.stats.shares import share_interval
from reseed.stats.skewness import skewed_p, skewness_of_difference, skewness_of_mean
from reseed.stats.unpaired import UnpairedComparison

#: Columns of the skewness, and of the share of cases in which A is better.
SKEW_COLUMNS = ("skewness", "skew_p", "better_share", "better_low", "better_high", "better_n")


def describe_tails(d: np.ndarray, test: PairedComparison, level: float) -> Row:
    """Of paired differences (pairs, runs), as lists over the pairs.

    `skew_p` is that of the t test where no skewness is seen, so that a family is adjusted whole.
    """
    skewness = skewness_of_mean(d)
    columns = _fill(skewness, skewed_p(test.t, test.df, skewness))
    for k in np.flatnonzero(skewness):
        for name, value in count_better(d[k], level).items():
            columns[name][k] = value
    columns["better_unit"] = "run"
    return columns


def describe_own_tails(a: np.ndarray, b: np.ndarray, test: UnpairedComparison) -> Row:
    """Of runs that are not paired, (pairs, runs) each: the Mann–Whitney test decides too."""
    skewness = skewness_of_difference(a, b)
    larger = np.maximum(test.welch_p, test.mann_whitney_p)
    columns = _fill(skewness, np.where(skewness != 0, larger, test.welch_p))
    for name, values in (
        ("better_share", test.superiority),
        ("better_low", test.superiority_low),
        ("better_high", test.superiority_high),
    ):
        columns[name] = np.where(skewness != 0, values, nan).tolist()
    columns["better_unit"] = "run"
    return columns


def _fill(skewness: np.ndarray, p: np.ndarray) -> Row:
    empty = {name: [nan] * len(skewness) for name in SKEW_COLUMNS}
    return empty | {"skewness": skewness.tolist(), "skew_p": p.tolist()}


def count_better(d: np.ndarray, level: float) -> dict[str, float]:
    """The share of positive differences with its exact interval."""
    wins, n = int((d > 0).sum()), len(d)
    low, high = share_interval(wins, n, level)
    return {"better_share": wins / n, "better_low": low, "better_high": high, "better_n": n}
