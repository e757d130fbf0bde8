"""Estimates of findings from CSV files, with their 95 % intervals."""

from __future__ import annotations

import csv
import math
from pathlib import Path
from typing import Literal

import numpy as np
from pydantic import model_validator
from reseed.comparison.claims.claim import ANY_NUMBER, Estimate
from reseed.plugins.options import Strict
from reseed.stats.error_rates import estimate_rate
from reseed.stats.extremes import gaussian_range_interval
from reseed.stats.gaussian_range import expected_gaussian_range
from scipy import stats

LEVEL = 0.95
_TAIL = (1 - LEVEL) / 2
Method = Literal[
    "given", "none", "exact", "share", "sd", "sd_ratio", "ratio", "gaussian_range", "correlation"
]
#: Least and greatest possible value by method; the others have `ANY_NUMBER`.
BOUNDS = {
    "share": (0.0, 1.0),
    "correlation": (-1.0, 1.0),
    **dict.fromkeys(("sd", "sd_ratio", "gaussian_range", "ratio"), (0.0, math.inf)),
}
CsvRow = dict[str, str]


class Cell(Strict):
    """A row of another file, whose cell in the same column is subtracted."""

    name: str
    where: CsvRow


class ValuesFile(Strict):
    """Estimates of a CSV file: one for each of its rows that `where` selects.

    name: of the file, relative to the folder of the records. where: values of columns.
    subject: what was measured, with `{column}`. value: column of the value.
    minus, per: columns of a number to subtract, and of a divisor. other: the cell to compare with,
        by the absolute difference. against: columns of the row whose value is the divisor.
    n, n_other: column of n, or n itself; of the second sample. low, high: columns of the interval.
    controls: column of the number of control variables. skip_zero: leave out rows whose value is 0.
    method: how the interval is computed: `given` (low, high; a ratio: `ratio`), `none` (no
        interval), `exact` (no error), `share` (Wilson's), `sd` and `sd_ratio` (χ² and F, Gaussian
        scores), `gaussian_range` (value in SDs, divided by the range of Gaussian samples),
        `correlation` (partial, of ranks).
    """

    name: str
    where: CsvRow = {}
    subject: str
    value: str
    minus: str | None = None
    per: str | None = None
    other: Cell | None = None
    against: CsvRow | None = None
    n: str | int
    n_other: str | None = None
    low: str | None = None
    high: str | None = None
    controls: str | None = None
    skip_zero: bool = False
    method: Method

    @model_validator(mode="after")
    def _has_what_its_method_needs(self) -> ValuesFile:
        needed = {
            "given": ("low", "high"),
            "ratio": ("low", "high"),
            "correlation": ("controls",),
        }.get(self.method, ())
        if absent := [name for name in needed if getattr(self, name) is None]:
            raise ValueError(f"{self.name}: the method {self.method} needs {', '.join(absent)}")
        if self.method == "sd_ratio" and self.n_other is None and self.against is None:
            raise ValueError(f"{self.name}: the method sd_ratio needs n_other or against")
        return self


def read_estimates(files: list[ValuesFile], folder: Path) -> list[tuple[Estimate, int]]:
    """Each estimate of the files with its n."""
    found = []
    for file in files:
        for row in _rows(folder, file.name, file.where):
            if float(row[file.value]) > 0 or not file.skip_zero:
                found.append(_of_row(file, row, folder))
    return found


def _rows(folder: Path, name: str, where: CsvRow) -> list[CsvRow]:
    with (folder / name).open(encoding="utf-8", newline="") as stream:
        found = [row for row in csv.DictReader(stream) if where.items() <= row.items()]
    if not found:
        raise ValueError(f"{name} has no row with {where}")
    return found


def _of_row(file: ValuesFile, row: CsvRow, folder: Path) -> tuple[Estimate, int]:
    value = float(row[file.value]) - (float(row[file.minus]) if file.minus else 0)
    n = int(row[file.n]) if isinstance(file.n, str) else file.n
    n_other = int(row[file.n_other]) if file.n_other else 0
    if file.per:
        value /= float(row[file.per])
    if file.against:  # the row that differs in these columns
        [base] = _rows(folder, file.name, {**file.where, **file.against})
        value /= float(base[file.value])
        n_other = int(base[str(file.n)])
    if file.other:  # the same cell of another file
        [cell] = _rows(folder, file.other.name, file.other.where)
        value = round(abs(value - float(cell[file.value])), 6)
    if file.method in ("given", "ratio"):
        ends = float(row[str(file.low)]), float(row[str(file.high)])
    else:
        controls = int(row[file.controls]) if file.controls else 0
        value, *ends = with_interval(file.method, value, n, n_other, controls)
    bounds = BOUNDS.get(file.method, ANY_NUMBER)
    return Estimate(file.subject.format_map(row), value, *ends, LEVEL, bounds), n


def with_interval(
    method: Method, value: float, n: int, n_other: int = 0, controls: int = 0
) -> tuple[float, float, float]:
    """(value, low, high) by a method that computes the interval from n."""
    low = high = math.nan
    if method == "exact":
        low = high = value
    elif method == "share":
        rate = estimate_rate(np.arange(n) < round(value * n))
        low, high = rate.low, rate.high
    elif method == "sd":
        low, high = value * np.sqrt((n - 1) / stats.chi2.isf([_TAIL, 1 - _TAIL], n - 1))
    elif method == "sd_ratio":
        low, high = value / np.sqrt(stats.f.isf([_TAIL, 1 - _TAIL], n - 1, n_other - 1))
    elif method == "correlation":  # Bonett and Wright (2000), as partial_rank_correlation
        half = stats.norm.isf(_TAIL) * np.sqrt((1 + value**2 / 2) / (n - controls - 3))
        low, high = np.tanh([np.arctanh(value) - half, np.arctanh(value) + half])
    elif method == "gaussian_range":
        least, most = gaussian_range_interval(n)
        value, low, high = value / float(expected_gaussian_range(n)), value / most, value / least
    return value, float(low), float(high)
