"""Phrases of a claim's sentence, each computed from rows by a named statistic.

A number enters a sentence only as a `Phrase`, which knows the rows and the statistic behind it. So
a sentence cannot state the median of other rows than its n.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import pandas as pd

from reseed.comparison.claims.formatting import count_noun, from_to, join_names
from reseed.comparison.claims.wording import quote_count

Statistic = Literal["median", "mean", "range", "count", "each", "setting", "name"]
#: An SD below this share of the values' size is a rounding error.
ROUNDING = 1e-12
_CENTRES: dict[str, Callable[[np.ndarray], float]] = {"median": np.median, "mean": np.mean}
_SIZES = ("mean", "median")
#: Most rows that a sentence lists one by one.
LISTED = 4


class ClaimError(ValueError):
    """A claim says more than its rows support."""


@dataclass(frozen=True)
class Phrase:
    """A part of a sentence.

    text: as printed.
    statistic: how it follows from the rows.
    rows: index labels of the rows it was computed from (empty: a name or a setting).
    of: words of the sentence that name these rows, where they are a part of the claim's.
    """

    text: str
    statistic: Statistic
    rows: tuple[Hashable, ...] = ()
    of: str = ""

    def __post_init__(self) -> None:
        if (self.statistic in ("name", "setting")) != (not self.rows):
            raise ClaimError(f"{self.text!r} is a {self.statistic} of {len(self.rows)} rows")

    def __str__(self) -> str:
        return self.text


def name(text: str) -> Phrase:
    """Title of a model, dataset, metric or setting, or several of them.

    A title that reads as a number or a count is printed in quotation marks: a count is a phrase of
    its rows (`count`, `share`, `distinct`).
    """
    return Phrase(quote_count(text), "name")


def setting(value: float, show: Callable[[float], str] = "{:g}".format) -> Phrase:
    """A configured or theoretical number, such as a level; not a measurement."""
    return Phrase(show(value), "setting")


def pooled(
    rows: pd.DataFrame,
    column: str,
    show: Callable[[float], str],
    statistic: Literal["median", "mean"] = "median",
    noun: str = "row",
    plural: str = "",
    title: Callable[[str], str] | None = None,
) -> Phrase:
    """`3.20 (median of 12 settings, 1.10 to 5.00)`: centre, number of rows and range.

    rows: with a column `metric`, since ratios and differences of unlike metrics have no common
        centre.
    title: of a metric; with it, several metrics are pooled apart: `… for AUC and … for MSE`.

    Raises:
        ClaimError: for no rows, several metrics without `title`, a missing value or a degenerate
            row.
    """

    def text(part: pd.DataFrame) -> str:
        values = part[column].to_numpy(float)
        number, middle = count_noun(len(values), noun, plural), _CENTRES[statistic](values)
        ends = from_to(values, show)
        if len(values) == 1:
            return f"{ends} ({number})"
        if show(float(values.min())) == show(float(values.max())):
            return f"{ends} (each of {number})"
        return f"{show(float(middle))} ({statistic} of {number}, {ends})"

    return _by_metric(rows, [column], text, statistic, title)


def centre(
    rows: pd.DataFrame,
    column: str,
    show: Callable[[float], str],
    statistic: Literal["median", "mean"] = "median",
    title: Callable[[str], str] | None = None,
) -> Phrase:
    """The centre alone, for a headline: `3.20`. Arguments and errors as those of `pooled`."""

    def text(part: pd.DataFrame) -> str:
        return show(float(_CENTRES[statistic](part[column].to_numpy(float))))

    return _by_metric(rows, [column], text, statistic, title)


def _by_metric(
    rows: pd.DataFrame,
    columns: list[str],
    text: Callable[[pd.DataFrame], str],
    statistic: Literal["median", "mean", "range"],
    title: Callable[[str], str] | None,
) -> Phrase:
    """The text of all rows, or of those of each metric where a title tells them apart."""
    if title is None or "metric" not in rows or rows["metric"].nunique() < 2:
        _check_poolable(rows, columns)
        return Phrase(text(rows), statistic, tuple(rows.index))
    parts = []
    for metric, part in rows.groupby("metric", sort=False):
        _check_poolable(part, columns)
        parts.append(f"{text(part)} for {title(str(metric))}")
    return Phrase(join_names(parts), statistic, tuple(rows.index))


def extent(
    rows: pd.DataFrame,
    columns: str | Sequence[str],
    show: Callable[[float], str],
    of: str = "",
    is_comparable: bool = False,
    title: Callable[[str], str] | None = None,
) -> Phrase:
    """`3 to 12`: least and greatest value; `3` if both have the same text.

    is_comparable: the values have no unit of a metric, such as counts and probabilities; else rows
        have a column `metric`, and their scores vary.
    title: of a metric; with it, several metrics are stated apart: `… for AUC and … for MSE`.

    Raises:
        ClaimError: for no rows, a missing value, or rows whose values have no common scale.
    """
    names = [columns] if isinstance(columns, str) else list(columns)

    def text(part: pd.DataFrame) -> str:
        return from_to(part[names].to_numpy(float).ravel(), show)

    if is_comparable:
        _check_finite(rows, names)
        return Phrase(text(rows), "range", tuple(rows.index), of)
    return replace(_by_metric(rows, names, text, "range", title), of=of)


def single(
    rows: pd.DataFrame,
    column: str,
    show: Callable[[float], str],
    interval: tuple[str, str] | None = None,
) -> Phrase:
    """`0.20 [0.12, 0.34]`: the value of the only row, with the interval in two columns.

    Raises:
        ClaimError: for another number of rows, or a missing value.
    """
    if len(rows) != 1:
        raise ClaimError(f"the value of one row was asked from {len(rows)} rows")
    _check_finite(rows, [column])
    row = rows.iloc[0]
    text = show(float(row[column]))
    if interval and all(math.isfinite(row[end]) for end in interval):
        text += f" [{', '.join(show(float(row[end])) for end in interval)}]"
    return Phrase(text, "each", tuple(rows.index))


def each(
    rows: pd.DataFrame,
    column: str,
    show: Callable[[float], str],
    titles: Iterable[str],
    interval: tuple[str, str] | None = None,
) -> Phrase:
    """`0.12 for RF and 0.20 for XGB`: the value of every row; without its title for one row.

    Raises:
        ClaimError: for no rows or a missing value.
    """
    _check_finite(rows, [column])
    parts = [single(rows.iloc[[i]], column, show, interval).text for i in range(len(rows))]
    if len(rows) > 1:
        parts = [f"{part} for {title}" for part, title in zip(parts, titles, strict=True)]
    return Phrase(join_names(parts), "each", tuple(rows.index))


def listed(
    rows: pd.DataFrame,
    column: str,
    show: Callable[[float], str],
    titles: Iterable[str],
    interval: tuple[str, str] | None = None,
    noun: str = "arm",
    is_comparable: bool = False,
    title: Callable[[str], str] | None = None,
) -> Phrase:
    """As `each` for up to four rows, else as `extent`: `0.12 to 0.20 (8 arms)`. Raises as both."""
    if len(rows) <= LISTED:
        return each(rows, column, show, titles, interval)
    ends = extent(rows, column, show, is_comparable=is_comparable, title=title)
    return Phrase(f"{ends} ({count_noun(len(rows), noun)})", "range", ends.rows)


def share(
    rows: pd.DataFrame,
    holds: pd.Series,
    noun: str,
    plural: str = "",
    of: str = "",
    per: str = "",
) -> Phrase:
    """`3 of the 12 pairs`, `none of the 12 pairs`, `all 12 pairs`: rows for which `holds` is true.

    Few rows have words of their own: `the only pair`, `no pair`, `both pairs`, `neither pair`.

    per: column; counted are its values, of those the ones for which `holds` is true in all rows.

    Raises:
        ClaimError: for no rows, or if `holds` has other rows.
    """
    if rows.empty or not holds.index.equals(rows.index):
        raise ClaimError("a count needs rows, and one truth value for each of them")
    counted = holds.groupby(rows[per]).all() if per else holds
    return Phrase(_share_of(counted, noun, plural), "count", tuple(rows.index), of)


def _share_of(holds: pd.Series, noun: str, plural: str) -> str:
    n, total = int(holds.sum()), len(holds)
    counted = count_noun(total, noun, plural)
    if n == total:
        few = {1: f"the only {noun}", 2: f"both {plural or f'{noun}s'}"}
        return few.get(total, f"all {counted}")
    if n == 0:
        return {1: f"no {noun}", 2: f"neither {noun}"}.get(total, f"none of the {counted}")
    return f"{n:,} of the {counted}"


def count(rows: pd.DataFrame, noun: str, plural: str = "", of: str = "") -> Phrase:
    """`12 pairs`: the number of rows."""
    return Phrase(count_noun(len(rows), noun, plural), "count", tuple(rows.index), of)


def distinct(
    rows: pd.DataFrame, columns: str | Sequence[str], noun: str, plural: str = ""
) -> Phrase:
    """`3 datasets`: the number of different values in the columns."""
    names = [columns] if isinstance(columns, str) else list(columns)
    return Phrase(
        count_noun(len(rows[names].drop_duplicates()), noun, plural), "count", tuple(rows.index)
    )


def tally(rows: pd.DataFrame, parts: Sequence[str], of: str = "") -> Phrase:
    """`RF on 3 and XGB on 2`: counts of rows by name, each part with its name and number."""
    return Phrase(join_names(parts), "count", tuple(rows.index), of)


def is_degenerate(rows: pd.DataFrame) -> pd.Series:
    """Rows whose SD (columns `sd`, `…_sd`, `sd_…`) is a rounding error: their scores do not vary.

    The SD is compared with the size of `mean` or `median`, where the rows have one.
    """
    spreads = [column for column in map(str, rows) if _is_spread(column)]
    sizes = [column for column in _SIZES if column in rows]
    size = rows[sizes].abs().max(axis=1).fillna(1.0) if sizes else pd.Series(1.0, rows.index)
    measured = rows[spreads].apply(pd.to_numeric, errors="coerce")
    return measured.le(ROUNDING * size, axis=0).any(axis=1)


def _is_spread(column: str) -> bool:
    words = column.split("_")
    return "sd" in (words[0], words[-1]) and not {"low", "high"} & set(words)


def _check_poolable(rows: pd.DataFrame, columns: list[str]) -> None:
    _check_finite(rows, columns)
    column = ", ".join(columns)
    if "metric" not in rows:
        raise ClaimError(f"{column} of rows without a column `metric` cannot be pooled")
    metrics = sorted(set(rows["metric"]))
    if len(metrics) > 1:
        raise ClaimError(f"{column} of unlike metrics cannot be pooled: {', '.join(metrics)}")
    if is_degenerate(rows).any():
        raise ClaimError(f"{column} is pooled over rows whose scores do not vary")


def _check_finite(rows: pd.DataFrame, columns: list[str]) -> None:
    if rows.empty:
        raise ClaimError(f"{', '.join(columns)}: there are no rows")
    if not np.isfinite(rows[columns].to_numpy(float)).all():
        raise ClaimError(f"{', '.join(columns)}: a row has no value")
