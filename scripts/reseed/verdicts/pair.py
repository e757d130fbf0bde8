"""One compared pair of models: of runs, items, printed means, or over datasets."""

from __future__ import annotations

from collections.abc import Iterable
from math import inf, nan
from typing import NamedTuple

import pandas as pd

from reseed.verdicts.designs import ONE_TEST_SET


class PairTest(NamedTuple):
    """What the test of one pair leaves to decide all pairs of a family at once.

    scale: standard error of the difference; 0 if nothing varies.
    parts: independent parts of the squared error, in any unit, each with its degrees of freedom.
    skewness: of the mean difference, where the test corrects for it.
    tail: what lies far from the others then: `run`, `item`.
    discordant: of one run of items that are right or wrong: how many only A and only B has right.
    least: fewest runs or datasets for a test.
    most: largest possible difference.
    items, clusters: what an average over items is of; clusters are 0 without them.
    p_least: over datasets, the smallest p that any scores would have.
    equivalence_p: over datasets, of the two one-sided tests against ±`rope`.
    """

    scale: float = 0.0
    parts: tuple[tuple[float, float], ...] = ()
    skewness: float = 0.0
    tail: str = ""
    discordant: tuple[int, int] | None = None
    least: float = 0
    most: float = inf
    items: int = 0
    clusters: float = 0
    p_least: float = nan
    equivalence_p: float = nan


class Pair(NamedTuple):
    """A pair of models; `model_a` has the better mean. A number that is not known is NaN.

    The fields are the columns of the analysis `pairs`, which documents them, and `tested`, which
    is known where the pair is computed.
    """

    experiment: str = ""
    varied: str = ""
    dataset: str = ""
    scheme: str = ""
    test_ratio: float = nan
    hyperparameters_source: str = ""
    metric: str = ""
    greater_is_better: bool = True
    factor: float = 1.0
    unit: str = ""
    model_a: str = ""
    model_b: str = ""
    outcome: str = ""
    reason: str = ""
    design: str = ""
    test: str = ""
    covers: str = ""
    error_shares: str = ""
    n: float = nan
    left_out: float = 0
    failed: float = 0
    mean_a: float = nan
    mean_b: float = nan
    difference: float = nan
    low: float = nan
    high: float = nan
    p: float = nan
    p_adjusted: float = nan
    published_p: float = nan
    pairs: float = nan
    family: str = ""
    alpha: float = nan
    rope: float = nan
    instability: float = nan
    detectable: float = nan
    tested: PairTest = PairTest()

    @property
    def wins(self) -> int:
        """Datasets on which A is better, of a sign test."""
        return round(self.mean_a * self.n)

    @property
    def shown_difference(self) -> tuple[float, float, float]:
        """Difference and ends of its interval in the unit that is shown."""
        return self.difference * self.factor, self.low * self.factor, self.high * self.factor


#: The columns of a table of pairs.
PAIR_COLUMNS = [name for name in Pair._fields if name != "tested"]


def list_pairs(pairs: Iterable[Pair]) -> pd.DataFrame:
    """The table of pairs, a row each."""
    columns = [*zip(*pairs, strict=True)] or [()] * len(PAIR_COLUMNS)
    return pd.DataFrame(dict(zip(PAIR_COLUMNS, columns, strict=False)))


def read_pairs(rows: pd.DataFrame) -> list[Pair]:
    """The pairs of a table; what it has no column for has its default."""
    columns = [
        rows[name].tolist() if name in rows else [Pair._field_defaults[name]] * len(rows)
        for name in PAIR_COLUMNS
    ]
    return [Pair(*values) for values in zip(*columns, strict=True)]


# Of columns, since a table may have a hundred thousand pairs.
def is_shown(pairs: pd.DataFrame) -> pd.Series[bool]:
    """Whether the first model is shown to be better, for each pair."""
    return pairs["outcome"] == "better"


def is_over_datasets(pairs: pd.DataFrame) -> pd.Series[bool]:
    """Whether a pair was compared over datasets, for each pair."""
    return pairs["design"] == "datasets"


def is_on_one_test_set(pairs: pd.DataFrame) -> pd.Series[bool]:
    """Whether its verdict holds for the one test set at hand, for each pair."""
    return pairs["design"].isin(ONE_TEST_SET)


def has_model(pairs: pd.DataFrame, *models: str) -> pd.Series[bool]:
    """Whether one of the two models is among `models`, for each pair."""
    return pairs["model_a"].isin(models) | pairs["model_b"].isin(models)
