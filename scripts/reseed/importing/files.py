"""Files → tables: CSV, Parquet, and folders or lists of them."""

from __future__ import annotations

import csv
import os
from pathlib import Path

import numpy as np
import pandas as pd

from reseed.errors import ReseedError
from reseed.importing.columns import known_name
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
    except UnicodeDecodeError:
        raise ReseedError(
            f"{path}: is no CSV, or holds letters that are not UTF-8. Save it as UTF-8 (in a "
            "spreadsheet: `CSV UTF-8`)."
        ) from None
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
        what = f"the column {twice[0]!r} more than once" if twice[0] else "columns without a name"
        table.mistake(f"has {what}", "Name each column once, in the first line.")
    if table.frame.empty:
        table.mistake("holds no rows", "Each run of a model is one row.")
    table.finish()
    return table


def with_index(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with the named levels of its index as columns, first; other levels are dropped."""
    levels = frame.index.to_frame(index=False)
    named = [n for n in frame.index.names if n is not None and n not in frame.columns]
    return pd.concat([levels[named], frame.reset_index(drop=True)], axis=1)


def common_folder(paths: list[Path]) -> Path:
    """The innermost folder that holds all of these."""
    return Path(os.path.commonpath([path.absolute().parent for path in paths]))


def read_tables(paths: list[Path], file_format: str = "auto", mapping: dict | None = None) -> Table:
    """Several files, one below the other; where no column names the model each file names its own.

    mapping: the user's `columns`. A line is told as `12 of file.csv`. Raises ReseedError as
    `read_table`, or where files do not have the same columns.
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
    if "model" not in {*map(known_name, tables[0].columns), *(mapping or {})}:
        frames = [f.assign(model=name) for f, name in zip(frames, _names(paths), strict=True)]
    where = [
        f"{number} of {path.name}"
        for path, table in zip(paths, tables, strict=True)
        for number in table.where
    ]
    joined = pd.concat(frames, ignore_index=True)
    path = f"{paths[0]} and {len(paths) - 1} more"
    return Table(path, joined, np.array(where), tables[0].place)


def _names(paths: list[Path]) -> list[str]:
    """The files' names; where two have the same one, with their folders."""
    names = [path.stem for path in paths]
    if len(set(names)) == len(names):
        return names
    folder = common_folder(paths)
    return [path.absolute().relative_to(folder).with_suffix("").as_posix() for path in paths]


def _read_parquet(path: Path) -> tuple[pd.DataFrame, np.ndarray]:
    frame = with_index(pd.read_parquet(path)).rename(columns=str)
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
        if len(header) == 1:
            raise ValueError(
                f"the first line, {header[0]!r}, names one column only: put comma, semicolon or "
                "tab between the names of columns, and nothing above them"
            )
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
    frame = pd.DataFrame(rows, columns=range(len(header)), dtype=object)
    # A frame's index that was written along; cells that a spreadsheet holds empty.
    nothing = [not name and (i == 0 or frame[i].eq("").all()) for i, name in enumerate(header)]
    frame.columns = header
    return frame.loc[:, np.invert(nothing)], np.array(lines)
