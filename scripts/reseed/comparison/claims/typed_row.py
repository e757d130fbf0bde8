"""Rows of tables as frozen classes, whose fields are the columns that are read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
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
