"""The rows of an analysis that a statement speaks about, each a value with its interval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf, isfinite, nan

import pandas as pd
from pandas.api.types import is_bool_dtype, is_numeric_dtype

from reseed.core.errors import ReseedError
from reseed.core.statement import Statement
from reseed.stats.spread import ratio_limits

#: Scale → least and greatest possible value.
BOUNDS = {"log": (0, inf), "fisher": (-1, 1), "share": (0, 1), "linear": (-inf, inf)}
#: Columns that name a cell of scores; those of a denominator are `baseline` and `baseline_…`.
CELL = ("experiment", "varied", "dataset", "scheme", "hyperparameters_source", "held")
# A value below this share of the scores' size is a rounding error.
_ROUNDING = 1e-12


@dataclass(frozen=True)
class Setting:
    """A measured value with its interval; ends are NaN where there is none.

    share_n: number of independent cases of a share; NaN where Wilson's interval tells it.
    group: settings of other groups have errors that are independent of its own.
    reason: what it does not share with the paper; it then has no vote.
    """

    subject: str
    value: float
    low: float
    high: float
    level: float
    bounds: tuple[float, float]
    share_n: float = nan
    group: str = ""
    reason: str = ""

    @property
    def has_interval(self) -> bool:
        """Whether both ends are finite."""
        return isfinite(self.low) and isfinite(self.high)


def select_rows(statement: Statement, frame: pd.DataFrame) -> pd.DataFrame:
    """The rows that the statement speaks about, with its value and interval."""
    single = {statement.value, statement.cases, statement.p, statement.power} - {""}
    wanted = {*single, *statement.ends, *statement.n, *statement.within, *statement.per}
    wanted |= {*statement.where, *statement.over, *statement.least}
    if absent := sorted(wanted - {*frame}):
        raise ReseedError(f"{statement.text!r}: its analysis has no column {', '.join(absent)}")
    keep = frame[statement.value].notna()
    for column, number in statement.least.items():
        keep &= frame[column] >= number
    frame = frame[keep]
    if statement.over:
        return _divide(statement, frame)
    rows = frame[holds(frame, statement.where)]
    return rows.drop_duplicates(statement.per) if statement.per else rows


def read_settings(
    statement: Statement, rows: pd.DataFrame, subjects: Sequence[str], reasons: Sequence[str]
) -> list[Setting]:
    """A setting for each row; ends of an interval are cut at the bounds of the scale."""
    least, most = bounds = BOUNDS[statement.scale]
    found = []
    for subject, reason, row in zip(subjects, reasons, rows.to_dict("records"), strict=True):
        low, high = (float(row.get(end, nan)) for end in _ends(statement))
        known = isfinite(low) and isfinite(high)
        ends = (max(low, least), min(high, most)) if known else (nan, nan)
        cases = float(row[statement.cases]) if statement.cases else nan
        found.append(
            Setting(
                subject,
                float(row[statement.value]),
                *ends,
                float(row.get("level", 0.95)),
                bounds,
                cases,
                " ".join(str(row[name]) for name in statement.independent if name in row),
                reason,
            )
        )
    return found


def is_rounding_error(rows: pd.DataFrame, column: str) -> pd.Series:
    """Whether a spread is 0 but for rounding, by the size of `mean` or `median` in its row."""
    sizes = rows[[name for name in ("mean", "median") if name in rows]].abs().max(axis=1)
    return rows[column] <= _ROUNDING * sizes.fillna(1.0)


def holds(rows: pd.DataFrame, where: Mapping[str, Sequence[str]]) -> pd.Series:
    """Whether each row has the values; what follows a `~` is a variant of a name."""
    keep = pd.Series(True, rows.index)
    for column, values in where.items():
        if is_numeric_dtype(rows[column]) and not is_bool_dtype(rows[column]):
            keep &= rows[column].isin([float(value) for value in values])
        else:
            keep &= rows[column].astype(str).str.split("~").str[0].isin(values)
    return keep


def _ends(statement: Statement) -> list[str]:
    return statement.ends or [f"{statement.value}_low", f"{statement.value}_high"]


def _divide(statement: Statement, frame: pd.DataFrame) -> pd.DataFrame:
    """Each row of `where` by each of `over` that shares the columns `within`.

    The interval is that of a ratio of independent estimates. Rows whose value is a rounding error
    are left out. Columns of the denominator: `baseline` and `baseline_…`.
    """
    value = statement.value
    frame = frame[~is_rounding_error(frame, value)]
    below = holds(frame, statement.over)
    above = holds(frame, statement.where) & ~below
    pairs = frame[above].merge(frame[below], on=statement.within, suffixes=("", "_baseline"))
    for name in (*CELL, "arm"):  # columns of `within` are equal
        old, new = f"{name}_baseline", "baseline" if name == "arm" else f"baseline_{name}"
        if name in frame:
            pairs[new] = pairs[old if old in pairs else name]
    ends = [value, *_ends(statement)]
    tops = pairs[ends].itertuples(index=False, name=None)
    bottoms = pairs[[f"{name}_baseline" for name in ends]].itertuples(index=False, name=None)
    limits = [ratio_limits(a, b) for a, b in zip(tops, bottoms, strict=True)]
    low, high = zip(*limits, strict=True) if limits else ((), ())
    divided = {value: pairs[value] / pairs[f"{value}_baseline"], ends[1]: low, ends[2]: high}
    return pairs.assign(**divided)
