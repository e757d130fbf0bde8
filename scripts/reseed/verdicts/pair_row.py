"""One compared pair of models: of runs, items, printed means, or over datasets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from math import inf, nan
from typing import Any, Self

import pandas as pd

from reseed.verdicts.designs import ONE_TEST_SET
from reseed.verdicts.typed_row import ComparedRow


@dataclass(frozen=True)
class PairTest:
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


@dataclass(frozen=True)
class PairRow(ComparedRow):
    """A pair of models; `model_a` has the better mean. A number that is not known is NaN.

    The fields are the columns of the analysis `pairs`, which documents them, and `tested`, which
    is known where the pair is computed.
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
    pairs: float = nan
    family: str = ""
    alpha: float = nan
    rope: float = nan
    instability: float = nan
    detectable: float = nan
    tested: PairTest = PairTest()

    @classmethod
    @cache
    def columns(cls) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(name for name in super().columns() if name != "tested")

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


def list_pairs(pairs: Iterable[PairRow]) -> pd.DataFrame:
    """The table of pairs, a row each."""
    known = list(pairs)
    return pd.DataFrame(
        {name: [getattr(pair, name) for pair in known] for name in PairRow.columns()}
    )


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
