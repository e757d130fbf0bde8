"""Tests of pairs whose runs are skewed."""

from __future__ import annotations

import numpy as np

from reseed.core.schemas import Row
from reseed.stats.comparison import CorrectedT
from reseed.stats.skewness import skewed_p, skewness_of_difference, skewness_of_mean
from reseed.stats.unpaired import Welch


def describe_tails(d: np.ndarray, test: CorrectedT) -> Row:
    """Skewness and corrected p of paired differences (pairs, runs), as lists over the pairs."""
    skewness = skewness_of_mean(d)
    p = skewed_p(test.t, test.df, skewness)
    return {"p": p, "skewness": skewness, "better_unit": "run"}


def describe_own_tails(a: np.ndarray, b: np.ndarray, test: Welch) -> Row:
    """Skewness and corrected p of runs that are not paired, (pairs, runs) each."""
    skewness = skewness_of_difference(a, b)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(test.difference == 0, 0.0, test.difference / test.scale)
    return {"p": skewed_p(t, test.df, skewness), "skewness": skewness, "better_unit": "run"}
