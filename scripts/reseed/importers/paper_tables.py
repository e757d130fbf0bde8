"""A paper's table of means and spreads → one row a model and dataset: mean, SD, runs, digits."""

from __future__ import annotations

import re
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd

from reseed.core.errors import ReseedError
from reseed.importers.columns import NAMES, known_name, plain
from reseed.importers.files import read_table
from reseed.importers.in_memory import of_frame
from reseed.importers.source_table import MISSING, Table

COLUMNS = ("dataset", "model", "mean", "sd", "n", "half_mean", "half_sd")
_DIGITS = ("mean_digits", "sd_digits")
_NUMBER = r"(\d*\.?\d+(?:[eE][-+]?\d+)?)"
_MINUS = r"\-\u2212\u2013\u2014"  # dashes, too, are set for a minus
# LaTeX's commands, marks, percent; no sign or arrow: it would be lost, or tells of a change.
_MARKS = rf"(?:\\[A-Za-z]+|[^A-Za-z0-9.+{_MINUS}←-⇿▲-◿])*?"
_MEAN = rf"{_MARKS}([+{_MINUS}]?)[\s${{}}]*{_NUMBER}"
_PLUS_MINUS = r"(?:±|\+/?[-\u2212]|\\pm)"
#: `90.4 ± 0.5`, `90.4 (0.5)`, `$90.4_{\pm 0.5}$`, `\textbf{90.4} \pm 0.5`.
_CELL = re.compile(
    rf"{_MEAN}{_MARKS}(?:{_PLUS_MINUS}{_MARKS}([{_MINUS}]?)|(?P<bracket>\()){_MARKS}{_NUMBER}{_MARKS}"
)
_COMMA = re.compile(r"(?<=\d),(?=\d)")
_COMMA_FIRST = re.compile(r"[^\d.]*(?!(?:[1-9]\d{0,2},\d{3})(?!\d))\d+,\d[^.]*")  # not of thousands
_MEANS = ("mean", "average", "avg")
_SPREADS = {
    **dict.fromkeys(["sd", "s_d", "std", "stdev", "stddev", "std_dev", "standard_deviation"], "sd"),
    **dict.fromkeys(["se", "s_e", "sem", "stderr", "std_err", "standard_error"], "se"),
}
_COUNTS = {"n", "runs", "seeds", "n_runs", "n_seeds", "num_runs", "num_seeds", "count"}
_WHAT = (
    "A table of means has a row a model, and either cells such as `90.4 ± 0.5` in a column a "
    "dataset, or the columns `mean` and `sd` (or `se`)"
)


def read_means(
    source: pd.DataFrame | str | Path, runs: int | None = None, spread: str = "sd"
) -> pd.DataFrame:
    """One row a model and dataset (`COLUMNS`), in the table's order.

    `half_mean` and `half_sd` are half a unit of the last digit that those of a dataset are printed
    with. Where the first column holds datasets and none the model, other columns are the models.

    Args:
        source: a CSV, or a frame.
        runs: behind each mean, where no column (`n`, `runs`, `seeds`, `count`) says it.
        spread: what stands behind ±: `sd`, or `se` (of the mean). A column's own name wins.

    Raises:
        ReseedError: no such table, a cell that is no mean with its spread, no number of runs, no
            name of a model, a model twice on a dataset.
    """
    if spread not in ("sd", "se"):
        raise ReseedError(f"spread is {spread!r}: give 'sd' or 'se' (of the mean).")
    table = of_frame(source) if isinstance(source, pd.DataFrame) else read_table(source)
    text = pd.DataFrame({column: table.text(column) for column in table.columns})
    names = {plain(column).strip("_"): column for column in text}
    first = text.columns[0]
    model = next((names[name] for name in NAMES["model"] if name in names), None)
    count = next((names[name] for name in names if name in _COUNTS), None)
    pairs = _pairs(names)
    across = model is None and not pairs and known_name(first) == "dataset"
    if not across:
        model = model or first
        if known_name(model) in ("dataset", "metric") or text[model].map(_is_cell).any():
            raise table.refuse(
                "has no column that names the model", f"Name it `model`. {table.holds}"
            )
    labels = [c for c in text if known_name(c) in ("dataset", "metric")]
    of = [c for c in labels if not text[c].map(_is_cell).any()]
    of_what = text[of].agg(", ".join, axis=1) if of else pd.Series("", text.index)
    if pairs:
        parts = [
            _cells(table, mean, _joined(table, text, mean, width)).assign(
                dataset=_beside(of_what, title), model=text[model], spread=kind
            )
            for title, mean, width, kind in pairs
        ]
    else:
        twice = across or text[model].duplicated().any()
        parts = [
            _cells(table, column, cells).assign(
                dataset=of_what if across else _beside(of_what if twice else "", column),
                model=column if across else text[model],
                spread=spread,
            )
            for column, cells in _columns_of_cells(
                table, text[[c for c in text if c not in (model, count, *of)]]
            )
        ]
    ns = text[count] if count else pd.Series(str(runs or ""), text.index)
    found = pd.concat([part.assign(n=ns) for part in parts]).dropna(subset="mean")
    found["n"] = _runs(table, found["n"])
    _named(table, found)
    for name, digits in zip(("half_mean", "half_sd"), _DIGITS, strict=True):
        most = found.groupby("dataset")[digits].transform("max")
        found[name] = 0.5 * 10.0**-most
    errors = found["spread"] == "se"
    for name in ("sd", "half_sd"):
        found[name] *= np.sqrt(found["n"]).where(errors, 1)
    if (found["sd"] < 0).any():
        raise table.refuse("holds a spread below 0", "Give SDs or standard errors as they are")
    return found[[*COLUMNS]].reset_index(drop=True)


def _pairs(names: dict[str, str]) -> list[tuple[str, str, str, str]]:
    """`mean` and `sd`, `acc_mean` and `acc_std`, `acc` and `acc_std`: title, columns, kind."""
    found = {}
    for name, column in names.items():
        for ending, kind in _SPREADS.items():
            if f"_{name}".endswith(f"_{ending}"):
                stem = name.removesuffix(ending).strip("_")
                known = [f"{stem}_{mean}".strip("_") for mean in _MEANS] + [stem]
                mean = next((names[name] for name in known if name in names), None)
                if mean and stem not in found:
                    title = mean[: len(stem)] if stem else ""
                    found[stem] = (title, mean, column, kind)
    return [*found.values()]


def _columns_of_cells(table: Table, text: pd.DataFrame) -> list[tuple[str, pd.Series]]:
    columns = [(column, _with_points(text[column])) for column in text]
    found = [(column, cells) for column, cells in columns if cells.map(_is_cell).any()]
    if not found:
        raise table.refuse("holds no mean with its spread", f"{_WHAT}. {table.holds}")
    return found


def _joined(table: Table, text: pd.DataFrame, mean: str, width: str) -> pd.Series:
    """A column of means and one of spreads as cells."""
    missing = text[[mean, width]].apply(lambda column: column.str.lower().isin(MISSING))
    odd = text.index[missing[width] & ~missing[mean]]
    if len(odd):
        raise table.refuse(
            f"column {width!r} is empty beside a mean",
            "Give the spread over its runs, or leave the mean out: of one run nothing is tested",
            odd,
        )
    return (_with_points(text[mean]) + " ± " + _with_points(text[width])).where(~missing[mean], "")


def _beside(labels: pd.Series | str, title: str) -> pd.Series | str:
    """Names of datasets, and a column's title behind them where it has one."""
    if isinstance(labels, str):
        return title
    return (labels + ", " + title).str.strip(", ")


def _is_cell(text: str) -> bool:
    return _values(text) is not None


def _values(text: str) -> list[Decimal] | None:
    """Mean and spread of a cell, as printed."""
    match = _CELL.fullmatch(text)
    if match is None:
        return None
    minus, mean, below, bracket, spread = match.groups()
    if bracket and "." in mean and "." not in spread:  # `0.912(3)`: ±0.003 or ±3, or a rank
        return None
    return [
        Decimal(f"{'-' if sign not in ('', None, '+') else ''}{number}")
        for sign, number in ((minus, mean), (below, spread))
    ]


def _with_points(cells: pd.Series) -> pd.Series:
    """The cells, in place of decimal commas (no sign for thousands) points."""
    commas = cells.map(_COMMA_FIRST.fullmatch).notna()
    return cells.where(~commas, cells.str.replace(_COMMA, ".", regex=True))


def _cells(table: Table, column: str, cells: pd.Series) -> pd.DataFrame:
    """Mean, SD and the decimals of either, by cell of a column; NaN where a cell holds nothing."""
    found = cells.map(_values)
    parts = cells.str.lower().str.split(f"[±{_MINUS}]", regex=True)
    empty = parts.map(lambda texts: {text.strip() for text in texts} <= MISSING)
    odd = cells.index[found.isna() & ~empty]
    if len(odd):
        raise table.refuse(
            f"column {column!r} holds {cells[odd[0]]!r}, which is no mean with its spread",
            f"{_WHAT}; leave a cell empty where a model has none",
            odd,
        )
    rows = [(np.nan, np.nan, 0, 0)] * len(cells)
    for i, values in enumerate(found):
        if values is not None:
            decimals = [max(0, -value.as_tuple().exponent) for value in values]
            rows[i] = (*map(float, values), *decimals)
    return pd.DataFrame(rows, columns=["mean", "sd", *_DIGITS], index=cells.index)


def _named(table: Table, found: pd.DataFrame) -> None:
    """Refuse a mean without a model, and a model twice on a dataset."""
    blank = found.index[found["model"] == ""]
    if len(blank):
        raise table.refuse("names no model", "Write its name in every row", blank)
    twice = found.duplicated(["dataset", "model"])
    if twice.any():
        row = found[twice].iloc[0]
        where = f" on {row['dataset']}" if row["dataset"] else ""
        raise table.refuse(
            f"{row['model']!r} stands twice{where}",
            "Name a model once on each dataset (a column `dataset` may tell its rows apart)",
        )


def _runs(table: Table, text: pd.Series) -> pd.Series:
    counts = pd.to_numeric(text, errors="coerce")
    odd = text[~(counts >= 2) | (counts % 1 != 0)]
    if len(odd):
        value = odd.iloc[0]
        raise table.refuse(
            f"has {f'{value!r} runs' if value else 'no number of runs'} behind a mean",
            "Say over how many seeds each mean is: a column `n`, or `runs=5` (`--runs 5`); two or "
            "more, whole numbers",
            odd.index if value else (),
        )
    return counts
