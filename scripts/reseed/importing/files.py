"""Files → tables: CSV, Parquet, and folders or lists of them."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pandas as pd

from reseed.errors import ReseedError
from reseed.importing.table import Table

_PARQUET = (".parquet", ".pq")
#: Files of a folder that are read as tables.
TABLES = (".csv", ".tsv", ".txt", *_PARQUET)


def read_table(path: str | Path, file_format: str = "auto") -> Table:
    """Read a CSV (comma, semicolon or tab) or Parquet file.

    Raises ReseedError for a file that is missing, unreadable, empty or has a column name twice.
    """
    path = Path(path)
    if not path.is_file():
        raise ReseedError(f"{path}: no such file. Give its path from the folder you are in.")
    parquet = file_format == "parquet" or path.suffix.lower() in _PARQUET
    try:
        frame, where = _read_parquet(path) if parquet else _read_csv(path)
    except (OSError, ValueError, csv.Error) as error:
        kind = "Parquet" if parquet else "CSV"
        reason = str(error).strip().rstrip(".")
        raise ReseedError(
            f"{path}: cannot be read as {kind} ({reason}). Set `format`, or repair the file."
        ) from None
    return checked(Table(str(path), frame, where, "row" if parquet else "line"))


def checked(table: Table) -> Table:
    """The table; raises ReseedError if a column name occurs twice or there is no row."""
    columns = table.frame.columns
    twice = columns[columns.duplicated()]
    if len(twice):
        table.mistake(
            f"has the column {twice[0]!r} more than once", "Rename or remove one of them."
        )
    if table.frame.empty:
        table.mistake("holds no rows", "Each run of a model is one row.")
    table.finish()
    return table


def read_tables(paths: list[Path], file_format: str = "auto") -> Table:
    """Several files, one below the other; without a column `model` each file names its model.

    A line is told as `12 of file.csv`. Raises ReseedError as `read_table`, or where files do not
    have the same columns.
    """
    if len(paths) == 1:
        return read_table(paths[0], file_format)
    tables = [read_table(path, file_format) for path in paths]
    for path, table in zip(paths, tables, strict=True):
        other = set(table.columns) ^ set(tables[0].columns)
        if other:
            raise ReseedError(
                f"{path} and {paths[0]} do not have the same columns: {', '.join(sorted(other))} "
                "is in one of them only. Give the files the same columns."
            )
    frames = [table.frame for table in tables]
    if "model" not in tables[0].columns:
        frames = [f.assign(model=path.stem) for f, path in zip(frames, paths, strict=True)]
    where = [
        f"{number} of {path.name}"
        for path, table in zip(paths, tables, strict=True)
        for number in table.where
    ]
    joined = pd.concat(frames, ignore_index=True)
    return Table(", ".join(map(str, paths)), joined, np.array(where), tables[0].place)


def _read_parquet(path: Path) -> tuple[pd.DataFrame, np.ndarray]:
    frame = pd.read_parquet(path).reset_index(drop=True).rename(columns=str)
    return frame, np.arange(1, len(frame) + 1)


def _read_csv(path: Path) -> tuple[pd.DataFrame, np.ndarray]:
    """Columns as text, so that no model named `NA` is taken for nothing, and each row's line."""
    with path.open(encoding="utf-8-sig", newline="") as handle:
        first = handle.readline()
        if not first.strip():
            raise ValueError("the first line, which names the columns, is empty")
        delimiter = max(",;\t", key=first.count)
        handle.seek(0)
        reader = csv.reader(handle, delimiter=delimiter, strict=True)
        header = [name.strip() for name in next(reader)]
        rows, lines, start = [], [], reader.line_num + 1
        for row in reader:
            if any(cell.strip() for cell in row):
                if len(row) != len(header):
                    raise ValueError(
                        f"line {start} has {len(row)} cells, the first line names {len(header)}"
                    )
                rows.append(row)
                lines.append(start)
            start = reader.line_num + 1
    frame = pd.DataFrame(rows, columns=header, dtype=object)
    if header[0] == "":  # a frame's index that was written along
        frame = frame.iloc[:, 1:]
    return frame, np.array(lines)
