"""Rows of tables as frozen classes, whose fields are the columns that are read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from math import nan
from typing import Any, Self

import pandas as pd


@dataclass(frozen=True)
class TypedRow:
    """A row of a table. Each field has a default, for tables without its column."""

    @classmethod
    def of(cls, row: Mapping[Any, Any] | pd.Series) -> Self:
        """The row with these columns; others are left out."""
        return cls(**{name: row[name] for name in cls.columns() if name in row})

    @classmethod
    @cache
    def columns(cls) -> tuple[str, ...]:
        """Names of the fields."""
        return tuple(one.name for one in fields(cls))

    @classmethod
    def read(cls, rows: pd.DataFrame) -> list[Self]:
        """The rows of a table."""
        return [cls.of(row) for row in rows.to_dict("records")]


@dataclass(frozen=True)
class CellRow(TypedRow):
    """A row with `core.schemas.CELL_COLUMNS`: an arm on one dataset, over the seeds that vary."""

    experiment: str = ""
    varied: str = ""
    dataset: str = ""
    scheme: str = ""
    test_ratio: float = nan
    arm: str = ""
    model: str = ""
    hyperparameters_source: str = ""


@dataclass(frozen=True)
class ComparedRow(TypedRow):
    """A row with `core.schemas.COMPARISON_COLUMNS`: where arms are compared."""

    experiment: str = ""
    varied: str = ""
    dataset: str = ""
    scheme: str = ""
    test_ratio: float = nan
    hyperparameters_source: str = ""


@dataclass(frozen=True)
class AcrossRow(TypedRow):
    """A row of a comparison over datasets: what its datasets share."""

    experiment: str = ""
    varied: str = ""
    scheme: str = ""
    test_ratio: float = nan
    hyperparameters_source: str = ""
