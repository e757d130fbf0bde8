"""What a claim is made of: the n behind it, estimates with intervals, tests."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from reseed.comparison.claims.formatting import count_noun, format_p, format_share
from reseed.comparison.claims.phrases import ROUNDING, ClaimError

#: Bounds of values without a limit.
ANY_NUMBER = (-math.inf, math.inf)
#: `null` of an estimate that is compared with nothing.
NO_NULL = "none, a measured value"


@dataclass(frozen=True)
class Sample:
    """The n behind a claim: from `low` to `high` units for each row; made by `Sample.of`.

    columns: of the rows, which hold n.
    rows: their index labels.
    least: the least n of a row.
    each: what has so many units, `a pair`; empty for `each` of several rows.
    """

    low: int
    high: int
    unit: str
    plural: str = ""
    columns: tuple[str, ...] = ()
    rows: tuple[Hashable, ...] = ()
    least: int = 1
    each: str = ""

    @classmethod
    def of(
        cls,
        rows: pd.DataFrame,
        columns: str | Sequence[str],
        unit: str,
        plural: str = "",
        least: int = 1,
        each: str = "",
    ) -> Sample:
        """The n in columns of the rows, counted in `unit` (singular).

        least: 0 for rows that may be without a run, such as a pair that shares none.
        """
        names = (columns,) if isinstance(columns, str) else tuple(columns)
        if absent := sorted(set(names) - set(rows)):
            raise ClaimError(f"the rows have no n: no column {', '.join(absent)}")
        values = rows[list(names)].to_numpy(float)
        if least == 0:
            values = np.nan_to_num(values)
        if not values.size or not np.isfinite(values).all() or values.min() < least:
            raise ClaimError(f"n is missing or 0 in a row ({', '.join(names)})")
        ends = int(values.min()), int(values.max())
        return cls(*ends, unit, plural, names, tuple(rows.index), least, each)

    @property
    def text(self) -> str:
        """`24 seeds`, `12 to 50 seeds`."""
        noun = count_noun(self.high, self.unit, self.plural)
        return noun if self.low == self.high else f"{self.low:,} to {noun}"

    @property
    def text_of_each(self) -> str:
        """`24 seeds` of one row, `12 to 50 seeds each` of several, `12 seeds a pair`."""
        each = self.each or ("each" if len(self.rows) > 1 else "")
        return f"{self.text} {each}".rstrip()


@dataclass(frozen=True)
class Estimate:
    """A measured value with its interval, in the unit of the metric or without one.

    subject: what it was measured on.
    level: of the interval.
    bounds: least and greatest possible value (required). Interval ends are NaN where there is no
        interval.
    factor: 100 for a difference of shares that is shown in points, with `unit`.
    share_n: number of independent cases whose share has such an interval; NaN for other estimates.
    """

    subject: str
    value: float
    low: float = math.nan
    high: float = math.nan
    level: float = math.nan
    bounds: tuple[float, float] = (math.nan, math.nan)
    factor: float = 1.0
    unit: str = ""
    share_n: float = math.nan

    def __post_init__(self) -> None:
        if math.isnan(self.bounds[0]):
            raise ClaimError(f"{self.subject}: an estimate needs the bounds of its possible values")
        least, greatest = self.bounds
        if not math.isfinite(self.value):
            raise ClaimError(f"{self.subject}: the estimate is {self.value}")
        for number in (self.value, self.low, self.high):
            if number < least or number > greatest:
                raise ClaimError(f"{self.subject}: {number:g} is outside {least:g} to {greatest:g}")
        error = ROUNDING * abs(self.value)
        if self.low > self.value + error or self.high < self.value - error:
            raise ClaimError(f"{self.subject}: {self.value:g} is outside its interval")

    @classmethod
    def truncated(
        cls,
        subject: str,
        value: float,
        interval: tuple[float, float],
        level: float,
        bounds: tuple[float, float],
    ) -> Estimate:
        """An estimate whose interval is cut at the ends of the possible range.

        The cut leaves out no possible value, so the interval covers as often as before.
        """
        low, high = (min(max(float(end), bounds[0]), bounds[1]) for end in interval)
        known = all(map(math.isfinite, interval))
        ends = (low, high) if known else (math.nan, math.nan)
        return cls(subject, float(value), *ends, float(level), bounds)

    @classmethod
    def of_rows(
        cls,
        rows: pd.DataFrame,
        subjects: Iterable[str],
        column: str,
        bounds: tuple[float, float],
        ends: tuple[str, str] | None = None,
        level: float | None = None,
    ) -> list[Estimate]:
        """The value of a column in each row, with its interval, cut as by `truncated`.

        ends: columns of the interval (None: `{column}_low` and `{column}_high`).
        level: of the intervals (None: the column `level`).
        """
        lows, highs = (rows[end] for end in ends or (f"{column}_low", f"{column}_high"))
        levels = rows["level"] if level is None else [level] * len(rows)
        columns = zip(subjects, rows[column], lows, highs, levels, strict=True)
        return [
            cls.truncated(subject, value, (low, high), confidence, bounds)
            for subject, value, low, high, confidence in columns
        ]

    def in_points(self) -> Estimate:
        """The estimate of shares, to be shown in points."""
        return replace(self, factor=100.0, unit="points")

    @property
    def has_interval(self) -> bool:
        """Whether both ends are finite."""
        return math.isfinite(self.low) and math.isfinite(self.high)


@dataclass(frozen=True)
class Test:
    """A test of a null hypothesis.

    null: in words.
    p: adjusted as `alpha` demands.
    power: against `alternative`, which is in words (None: not computed).
    """

    __test__ = False  # not a test case

    null: str
    p: float
    alpha: float = 0.05
    power: float | None = None
    alternative: str = ""

    @property
    def rejects(self) -> bool:
        """Whether the null hypothesis is rejected."""
        return self.p < self.alpha

    @property
    def text(self) -> str:
        """`p 0.61; power 12 % against t with 3 degrees of freedom`."""
        if self.rejects:
            return f"p {format_p(self.p)}"
        if self.power is None:
            return f"p {format_p(self.p)}; power not computed"
        return f"p {format_p(self.p)}; power {format_share(self.power)} against {self.alternative}"
