"""One compared pair of models as a typed row: of runs, items, printed means, or over datasets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import nan
from types import MappingProxyType
from typing import Any, Self

import pandas as pd

from reseed.comparison.claims.designs import ONE_TEST_SET, SOURCES
from reseed.comparison.claims.typed_row import TypedRow

#: Fields that hold one number a source of variance, and the start of the names of their columns.
_BY_SOURCE = {"levels": "level", "shares": "share", "detectable_twice": "detectable_2x"}
_OF_SOURCES = {f"{start}_{source}" for start in _BY_SOURCE.values() for source in SOURCES}
_UNKNOWN = dict.fromkeys(_BY_SOURCE, MappingProxyType(dict.fromkeys(SOURCES, nan)))


@dataclass(frozen=True)
class PairRow(TypedRow):
    """A pair of models; `model_a` has the better mean. A number that is not known is NaN.

    The analysis `pairs` documents the columns; the others are those of `item_pairs`.

    levels: number of levels by source of variance.
    shares: parts of the squared standard error by source.
    detectable_twice: smallest difference found with twice the levels of a source.
    """

    model_a: str = ""
    model_b: str = ""
    dataset: str = ""
    experiment: str = ""
    scheme: str = ""
    metric: str = ""
    greater_is_better: bool = True
    factor: float = 1.0
    unit: str = ""
    design: str = ""
    test: str = ""
    outcome: str = ""
    reason: str = ""
    n: float = nan
    n_a: float = nan
    n_b: float = nan
    min_runs: float = nan
    left_out: float = 0
    failed: float = 0
    missing: str = ""
    difference: float = nan
    low: float = nan
    high: float = nan
    alpha: float = nan
    pairs: float = 1
    family: str = ""
    p: float = nan
    p_adjusted: float = nan
    rope: float = nan
    equivalence_p: float = nan
    instability: float = nan
    ties: float = 0.0
    wins: float = nan
    p_least: float = nan
    detectable: float = nan
    detectable_sd: float = nan
    target_power: float = nan
    test_train_ratio: float = nan
    is_split_assumed: bool = False
    seed_share: float = nan
    item_share: float = nan
    items: float = nan
    skewness: float = nan
    better_unit: str = ""
    method: str = ""
    cluster_df: float = nan
    single_a: float = nan
    single_b: float = nan
    levels: Mapping[str, float] = field(default_factory=dict)
    shares: Mapping[str, float] = field(default_factory=dict)
    detectable_twice: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def of(cls, row: Mapping[Any, Any] | pd.Series) -> Self:
        """The row with these columns; `item_pairs` names arms in place of models."""
        names = cls.names()
        known = {name: value for name, value in row.items() if name in names}
        if "arm_a" in row:
            known |= {"model_a": row["arm_a"], "model_b": row["arm_b"]}
        if not _OF_SOURCES.isdisjoint(row.keys()):
            for name, start in _BY_SOURCE.items():
                known[name] = {source: row.get(f"{start}_{source}", nan) for source in SOURCES}
        return cls._make(known)

    @classmethod
    def read(cls, rows: pd.DataFrame) -> list[Self]:
        """The rows of a table."""
        if _OF_SOURCES.isdisjoint(rows.columns) and "arm_a" not in rows:
            return super().read(rows)
        return [cls.of(row) for row in rows.to_dict("records")]

    @classmethod
    def _make(cls, values: dict[str, Any]) -> Self:
        for name, unknown in _UNKNOWN.items():
            values.setdefault(name, unknown)
        return super()._make(values)

    @property
    def shown_difference(self) -> tuple[float, float, float]:
        """Difference and ends of its interval in the unit that is shown."""
        return self.difference * self.factor, self.low * self.factor, self.high * self.factor


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
