"""Rows of tables as frozen classes, whose fields are the columns that are read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from functools import cache
from math import nan
from typing import Any, Self

import numpy as np
import pandas as pd


@dataclass(frozen=True)
class TypedRow:
    """A row of a table. Each field has a default, for tables without its column."""

    @classmethod
    def of(cls, row: Mapping[Any, Any] | pd.Series) -> Self:
        """The row with these columns; others are left out."""
        known = cls.names()
        return cls._make({name: value for name, value in row.items() if name in known})

    @classmethod
    @cache
    def columns(cls) -> tuple[str, ...]:
        """Names of the fields."""
        return tuple(one.name for one in fields(cls))

    @classmethod
    @cache
    def names(cls) -> frozenset[str]:
        """Names of the fields, without an order."""
        return frozenset(cls.columns())

    @classmethod
    def read(cls, rows: pd.DataFrame) -> list[Self]:
        """The rows of a table."""
        names = [name for name in cls.columns() if name in rows]
        if not names:
            return [cls() for _ in rows.index]
        columns = zip(*(_list_values(rows[name]) for name in names), strict=True)
        return [cls._make(dict(zip(names, values, strict=True))) for values in columns]

    @classmethod
    def make_table(cls, rows: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
        """A table of rows with the columns of the class."""
        return pd.DataFrame(list(rows), columns=[*cls.columns()])

    @classmethod
    def read_first(cls, rows: pd.DataFrame) -> Self:
        """The first row of a table that has one."""
        first = rows.iloc[0]
        if first.dtype != object:  # of numbers alone, whole ones would become floats
            return cls.read(rows.iloc[:1])[0]
        return cls.of(
            {
                name: value.item() if isinstance(value, np.generic) else value
                for name, value in first.items()
            }
        )

    @classmethod
    def where(cls, rows: pd.DataFrame, holds: Callable[[Self], bool]) -> pd.Series[bool]:
        """Whether `holds` is true, for each row of a table."""
        return pd.Series([holds(row) for row in cls.read(rows)], rows.index, dtype=bool)

    @classmethod
    def select(cls, rows: pd.DataFrame, holds: Callable[[Self], bool]) -> pd.DataFrame:
        """The rows of a table for which `holds` is true."""
        return rows[cls.where(rows, holds)]

    @classmethod
    def _make(cls, values: dict[str, Any]) -> Self:
        """The row with these fields; the others have their defaults, which the class holds.

        A comparison makes a hundred thousand, and `__init__` of a frozen class calls a function for
        each field.
        """
        made = object.__new__(cls)
        object.__setattr__(made, "__dict__", values)
        return made


def _list_values(column: pd.Series) -> list[Any]:
    """The values as Python's types."""
    if isinstance(column.dtype, np.dtype) and column.dtype != object:
        return column.to_numpy().tolist()
    values = column.to_numpy(object).tolist()
    return [one.item() if isinstance(one, np.generic) else one for one in values]


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
class OutputRow(TypedRow):
    """A row on the runs of an arm on one test set."""

    experiment: str = ""
    dataset: str = ""
    scheme: str = ""
    arm: str = ""
    model: str = ""
    hyperparameters_source: str = ""
    data_seed: float = nan
    repeat: float = nan
    fold: float = nan


@dataclass(frozen=True)
class ComparedRow(TypedRow):
    """A row with `core.schemas.COMPARISON_COLUMNS`: where arms are compared."""

    experiment: str = ""
    varied: str = ""
    dataset: str = ""
    scheme: str = ""
    test_ratio: float = nan
    hyperparameters_source: str = ""
