"""A user's file as a table that can say in which line a mistake stands."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from reseed.errors import ReseedError

SHOWN = 5
#: How files write a score that is not there.
MISSING = {"", "nan", "na", "n/a", "null", "none", "-"}


@dataclass(frozen=True)
class Table:
    """The file's columns; the index holds line numbers (CSV) or row numbers from 1 (Parquet)."""

    path: str
    frame: pd.DataFrame
    place: str

    def refuse(self, what: str, fix: str, lines: Iterable[int] = ()) -> ReseedError:
        """The one error a mistake in the file gives: file, lines, what is wrong, the fix."""
        lines = list(dict.fromkeys(lines))
        where = f" ({self.lines(lines)})" if lines else ""
        return ReseedError(f"{self.path}{where}: {what}. {fix}")

    def lines(self, lines: list[int]) -> str:
        """`line 3` or `lines 3, 4, 5, 6, 7 and 12 more`."""
        shown = ", ".join(str(line) for line in lines[:SHOWN])
        more = f" and {len(lines) - SHOWN} more" if len(lines) > SHOWN else ""
        return f"{self.place}{'s' if len(lines) > 1 else ''} {shown}{more}"

    def numbers(self, column: str) -> pd.Series:
        """A column as numbers; NaN where the file has none.

        Raises ReseedError for text that is no number.
        """
        values = self.frame[column]
        if pd.api.types.is_numeric_dtype(values):
            return values.astype(np.float64)
        text = self.text(column)
        missing = text.str.lower().isin(MISSING)
        try:
            return text.where(~missing, "nan").astype(np.float64)
        except ValueError:
            bad = pd.to_numeric(text, errors="coerce").isna() & ~missing
            raise self.refuse(
                f"column {column!r} holds {text[bad].iloc[0]!r}, which is not a number",
                "Write plain numbers with a decimal point (0.853, not 85.3 % or 0,853), and leave "
                "the cell empty where a run failed.",
                text.index[bad],
            ) from None

    def text(self, column: str) -> pd.Series:
        """A column as text without surrounding blanks; empty where the file has nothing."""
        values = self.frame[column]
        return values.astype(object).where(values.notna(), "").astype(str).str.strip()


def read_table(path: str | Path, file_format: str = "auto") -> Table:
    """Read a CSV (comma, semicolon or tab) or Parquet file.

    Raises ReseedError for a file that is missing, unreadable, empty or has a column name twice.
    """
    path = Path(path)
    if not path.is_file():
        raise ReseedError(f"{path}: no such file. Give `results: path` from the project's folder.")
    parquet = file_format == "parquet" or path.suffix.lower() in (".parquet", ".pq")
    try:
        frame = pd.read_parquet(path) if parquet else _read_csv(path)
    except (OSError, ValueError, csv.Error) as error:
        kind = "Parquet" if parquet else "CSV"
        reason = str(error).strip().rstrip(".")
        raise ReseedError(
            f"{path}: cannot be read as {kind} ({reason}). Set `format`, or repair the file."
        ) from None
    twice = frame.columns[frame.columns.duplicated()]
    if len(twice):
        raise ReseedError(
            f"{path}: has the column {twice[0]!r} more than once. Rename or remove one of them."
        )
    if frame.empty:
        raise ReseedError(f"{path}: holds no rows. Each run of a model is one row.")
    if parquet:
        frame = frame.reset_index(drop=True).set_axis(range(1, len(frame) + 1))
    return Table(str(path), frame.rename(columns=str), "row" if parquet else "line")


def _read_csv(path: Path) -> pd.DataFrame:
    """All columns as text, indexed by line, so that no model named `NA` is taken for nothing."""
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
    return pd.DataFrame(rows, index=lines, columns=header, dtype=object)
