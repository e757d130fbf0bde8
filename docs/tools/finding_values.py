"""Estimates of findings from CSV files, with their 95 % intervals."""

from __future__ import annotations

import csv
import math
from pathlib import Path
from typing import Any

import numpy as np
from reseed.stats.error_rates import estimate_rate
from reseed.stats.extremes import gaussian_range_interval
from reseed.stats.gaussian_range import expected_gaussian_range
from scipy import stats

LEVEL = 0.95
_TAIL = (1 - LEVEL) / 2
#: Least and greatest possible value by method.
BOUNDS = {
    "share": (0.0, 1.0),
    "correlation": (-1.0, 1.0),
    **dict.fromkeys(("sd", "sd_ratio", "gaussian_range", "ratio"), (0.0, math.inf)),
}


def read_estimates(record: dict[str, Any], folder: Path) -> list[dict[str, Any]]:
    """Estimates of a record, each with subject, value, low, high and n."""
    entries = list(record.get("estimates", []))
    files = record.get("file", [])
    for file in files if isinstance(files, list) else [files]:
        entries += _from_file(file, folder)
    return [with_interval(entry) for entry in entries]


def _rows(folder: Path, name: str, where: dict[str, str]) -> list[dict[str, str]]:
    with (folder / name).open(encoding="utf-8", newline="") as stream:
        found = [row for row in csv.DictReader(stream) if where.items() <= row.items()]
    if not found:
        raise ValueError(f"{name} has no row with {where}")
    return found


def _from_file(file: dict[str, Any], folder: Path) -> list[dict[str, Any]]:
    """One estimate for each row, or the share of rows with one value (`share`)."""
    where = file.get("where", {})
    rows = _rows(folder, file["name"], where)
    if share := file.get("share"):
        count = sum(share.items() <= row.items() for row in rows)
        return [{"subject": file["subject"], "value": count / len(rows), "n": len(rows),
                 "method": "share"}]  # fmt: skip
    return [_of_row(file, row, folder) for row in rows if float(row[file["value"]]) > 0
            or not file.get("skip_zero")]  # fmt: skip


def _of_row(file: dict[str, Any], row: dict[str, str], folder: Path) -> dict[str, Any]:
    column = file["value"]
    value = float(row[column]) - (float(row[file["minus"]]) if "minus" in file else 0)
    found = {"subject": file["subject"].format_map(row), "method": file.get("method")}
    found["n"] = int(row[file["n"]]) if isinstance(file["n"], str) else file["n"]
    if "n_other" in file:
        found["n_other"] = int(row[file["n_other"]])
    if "per" in file:
        value /= float(row[file["per"]])
    if other := file.get("against"):  # the row that differs in these columns
        where = {**file["where"], **other}
        [base] = _rows(folder, file["name"], where)
        value /= float(base[column])
        found["n_other"] = int(base[file["n"]])
    if other := file.get("other"):  # the same cell of another file
        [cell] = _rows(folder, other["name"], other["where"])
        value = round(abs(value - float(cell[column])), 6)
    for end in ("low", "high"):
        if end in file:
            found[end] = float(row[file[end]])
    return {**found, "value": value}


def with_interval(entry: dict[str, Any]) -> dict[str, Any]:
    """The entry with the ends of its interval, as its `method` computes them."""
    value, n, method = float(entry["value"]), int(entry["n"]), entry.get("method")
    low, high = entry.get("low", math.nan), entry.get("high", math.nan)
    if method == "exact":
        low = high = value
    elif method == "share":
        rate = estimate_rate(np.arange(n) < round(value * n))
        low, high = rate.low, rate.high
    elif method == "sd":
        low, high = value * np.sqrt((n - 1) / stats.chi2.isf([_TAIL, 1 - _TAIL], n - 1))
    elif method == "sd_ratio":
        df = n - 1, entry["n_other"] - 1
        low, high = value / np.sqrt(stats.f.isf([_TAIL, 1 - _TAIL], *df))
    elif method == "correlation":  # Bonett and Wright (2000), as partial_rank_correlation
        half = stats.norm.isf(_TAIL) * np.sqrt((1 + value**2 / 2) / (n - entry["controls"] - 3))
        low, high = np.tanh([np.arctanh(value) - half, np.arctanh(value) + half])
    elif method == "gaussian_range":
        least, most = gaussian_range_interval(n)
        value, low, high = value / float(expected_gaussian_range(n)), value / most, value / least
    return {**entry, "value": value, "low": float(low), "high": float(high), "n": n}
