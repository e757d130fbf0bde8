"""One compared pair of models: of runs, items, printed means, or over datasets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import nan
from typing import Any, Self

import pandas as pd

from reseed.verdicts.designs import ONE_TEST_SET
from reseed.verdicts.typed_row import ComparedRow


@dataclass(frozen=True)
class PairRow(ComparedRow):
    """A pair of models; `model_a` has the better mean. A number that is not known is NaN.

    The fields are the columns of the analysis `pairs`, which documents them.
    """

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
    pairs: float = 1
    family: str = ""
    alpha: float = nan
    rope: float = nan
    instability: float = nan
    detectable: float = nan

    @classmethod
    def of(cls, row: Mapping[Any, Any] | pd.Series) -> Self:
        """The row with these columns; `item_pairs` names arms in place of models."""
        sides = {f"model_{one}": row[f"arm_{one}"] for one in "ab" if f"arm_{one}" in row}
        return super().of({**row, **sides})

    @classmethod
    def read(cls, rows: pd.DataFrame) -> list[Self]:
        """The rows of a table."""
        names = {"arm_a": "model_a", "arm_b": "model_b"}
        return super().read(rows.rename(columns=names))

    @property
    def wins(self) -> int:
        """Datasets on which A is better, of a sign test."""
        return round(self.mean_a * self.n)

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
