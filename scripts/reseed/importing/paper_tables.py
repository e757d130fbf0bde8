"""A paper's table of means and spreads → one row a model and dataset: mean, SD, runs, digits."""

from __future__ import annotations

import re
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd

from reseed.errors import ReseedError
from reseed.importing.columns import known_name, plain
from reseed.importing.files import read_table
from reseed.importing.in_memory import of_frame
from reseed.importing.table import MISSING, Table

COLUMNS = ("dataset", "model", "mean", "sd", "n", "half_mean", "half_sd")
_DIGITS = ("mean_digits", "sd_digits")
_NUMBER = r"([-+\u2212]?\d*\.?\d+(?:[eE][-+]?\d+)?)"
#: `90.4 ± 0.5`, `90.4 (0.5)`, `$90.4_{\pm 0.5}$`, `\textbf{90.4} \pm 0.5`.
_SIGNS = r"(?:\\[A-Za-z]+|[^A-Za-z0-9.])*?"  # LaTeX's commands, too
_CELL = re.compile(rf"{_SIGNS}{_NUMBER}{_SIGNS}(?:±|\+/?-|\\pm|\(){_SIGNS}{_NUMBER}{_SIGNS}")
_MEANS = {"mean", "average", "avg"}
_SPREADS = {
    **dict.fromkeys(["sd", "std", "stdev", "std_dev", "standard_deviation"], "sd"),
    **dict.fromkeys(["se", "sem", "stderr", "std_err", "standard_error"], "se"),
}
_COUNTS = {"n", "runs", "seeds", "n_runs", "n_seeds", "num_runs", "num_seeds"}
_WHAT = (
    "A table of means has a row a model, and either cells such as `90.4 ± 0.5` in a column a "
    "dataset, or the columns `mean` and `sd` (or `se`)"
)


def read_means(
    source: pd.DataFrame | str | Path, runs: int | None = None, spread: str = "sd"
) -> pd.DataFrame:
    """One row a model and dataset (`COLUMNS`), in the table's order.

    `half_mean` and `half_sd` are half a unit of the last digit that those of a dataset are printed
    with.

    Args:
        source: a CSV, or a frame.
        runs: behind each mean, where no column (`n`, `runs`, `seeds`) says it.
        spread: what stands behind ±: `sd`, or `se` (of the mean). A column's own name wins.

    Raises:
        ReseedError: no such table, a cell that is no mean with its spread, no number of runs, a
            model twice on a dataset.
    """
    if spread not in ("sd", "se"):
        raise ReseedError(f"spread is {spread!r}: give 'sd' or 'se' (of the mean).")
    table = of_frame(source) if isinstance(source, pd.DataFrame) else read_table(source)
    text = pd.DataFrame({column: table.text(column) for column in table.columns})
    names = {plain(column): column for column in text}
    model = next((c for c in text if known_name(c) == "model"), text.columns[0])
    count = next((names[name] for name in names if name in _COUNTS), None)
    mean = next((names[name] for name in names if name in _MEANS), None)
    width = next((name for name in names if name in _SPREADS), None)
    if mean and width:
        of = [c for c in text if known_name(c) in ("dataset", "metric")]
        of_what = text[of].agg(", ".join, axis=1) if of else ""
        cells = text[mean] + " ± " + text[names[width]]
        parts = [_cells(table, mean, cells).assign(dataset=of_what)]
        spread = _SPREADS[width]
    else:
        told = [c for c in text if c not in (model, count) and text[c].map(_is_cell).any()]
        if not told:
            raise table.refuse("holds no mean with its spread", f"{_WHAT}. {table.holds}")
        parts = [_cells(table, column, text[column]).assign(dataset=column) for column in told]
    ns = _runs(table, text[count] if count else pd.Series(str(runs or ""), text.index))
    found = pd.concat([part.assign(model=text[model], n=ns) for part in parts])
    found = found.dropna(subset="mean").reset_index(drop=True)
    for name, digits in zip(("half_mean", "half_sd"), _DIGITS, strict=True):
        most = found.groupby("dataset")[digits].transform("max")
        found[name] = 0.5 * 10.0**-most
    if spread == "se":
        for name in ("sd", "half_sd"):
            found[name] *= np.sqrt(found["n"])
    if (found["sd"] < 0).any():
        raise table.refuse("holds a spread below 0", "Give SDs or standard errors as they are")
    twice = found.duplicated(["dataset", "model"])
    if twice.any():
        row = found[twice].iloc[0]
        where = f" on {row['dataset']}" if row["dataset"] else ""
        raise table.refuse(
            f"{row['model']!r} stands twice{where}", "Name a model once on each dataset."
        )
    return found[[*COLUMNS]]


def _is_cell(text: str) -> bool:
    return _CELL.fullmatch(text) is not None


def _cells(table: Table, column: str, cells: pd.Series) -> pd.DataFrame:
    """Mean, SD and the decimals of either, by cell of a column; NaN where a cell holds nothing."""
    found = cells.map(_CELL.fullmatch)
    empty = cells.str.replace("[±–—]", "", regex=True).str.strip().str.lower().isin(MISSING)
    odd = cells.index[found.isna() & ~empty]
    if len(odd):
        raise table.refuse(
            f"column {column!r} holds {cells[odd[0]]!r}, which is no mean with its spread",
            f"{_WHAT}; leave a cell empty where a model has none",
            odd,
        )
    rows = [(np.nan, np.nan, 0, 0)] * len(cells)
    for i, match in enumerate(found):
        if match is not None:
            values = [Decimal(text.replace("\u2212", "-")) for text in match.groups()]
            decimals = [max(0, -value.as_tuple().exponent) for value in values]
            rows[i] = (*map(float, values), *decimals)
    return pd.DataFrame(rows, columns=["mean", "sd", *_DIGITS], index=cells.index)


def _runs(table: Table, text: pd.Series) -> pd.Series:
    counts = pd.to_numeric(text, errors="coerce")
    odd = text.index[~(counts >= 2) | (counts % 1 != 0)]
    if len(odd):
        what = f"{text[odd[0]]!r} runs" if text[odd[0]] else "no number of runs"
        raise table.refuse(
            f"has {what} behind a mean",
            "Say over how many seeds each mean is: a column `n`, or `runs=5` (`--runs 5`); two or "
            "more, whole numbers",
            odd if text[odd[0]] else (),
        )
    return counts
