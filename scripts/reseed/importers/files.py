"""Files → tables: CSV, Parquet, JSON, and folders or lists of them."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from reseed.core.errors import ReseedError
from reseed.importers.columns import LABELS, known_name
from reseed.importers.run_paths import common_folder, places_of
from reseed.importers.source_table import MISSING, Table, few

_PARQUET = (".parquet", ".pq")
_LINES = (".jsonl", ".ndjson")
JSON = (".json", *_LINES)
_SPREADSHEETS = (".xlsx", ".xls", ".xlsm", ".ods")
_COMPRESSED = (".gz", ".bz2", ".xz", ".zst", ".zip")
#: Whether text is a number in which this sign parts thousands or decimals.
_NUMBERS = {
    sign: re.compile(rf"[-+]?\d+(?:{re.escape(sign)}\d+)*(?:[eE][-+]?\d+)?").fullmatch
    for sign in ",."
}
#: Whether it may be of thousands.
_THOUSANDS = re.compile(r"[-+]?[1-9]\d{0,2}(?:[,.]\d{3})+").fullmatch
#: Columns whose cells are names, in which a comma is none of a number.
_NAMES = (*LABELS, "metric", "item", "status")
#: Files of a folder that are read as tables.
TABLES = (".csv", ".tsv", ".txt", *_PARQUET, *_LINES)


def read_table(path: str | Path, file_format: str = "auto") -> Table:
    """Read a CSV (comma, semicolon or tab), Parquet or JSON file (a list of records, or lines).

    Raises ReseedError for a file that is missing, unreadable, empty or has a column name twice.
    """
    path = Path(path)
    if not path.is_file():
        raise ReseedError(f"{path}: no such file. Give its path from the folder you are in.")
    if path.suffix.lower() in _SPREADSHEETS:
        raise ReseedError(
            f"{path}: is a spreadsheet. Save its sheet as `CSV UTF-8`, or give what "
            "`pandas.read_excel` makes of it."
        )
    if path.suffix.lower() in _COMPRESSED:
        raise ReseedError(
            f"{path}: is compressed: unpack it, or give what `pandas.read_csv` makes of it."
        )
    kind = _kind(path, file_format)
    try:
        frame, where = _READERS[kind](path)
    except UnicodeDecodeError:
        raise ReseedError(
            f"{path}: is no CSV, or holds letters that are not UTF-8. Save it as UTF-8 (in a "
            "spreadsheet: `CSV UTF-8`)."
        ) from None
    except (OSError, ValueError, csv.Error) as error:
        reason = str(error).strip().rstrip(".")
        raise ReseedError(
            f"{path}: cannot be read as {kind} ({reason}). Set `format`, or repair the file."
        ) from None
    if kind != "CSV":
        return checked(Table(str(path), frame, where, "row"))
    return _with_decimal_commas(checked(Table(str(path), frame, where, "line")))


def _with_decimal_commas(table: Table) -> Table:
    """A table of text with points for decimal commas, said in a note; labels stay as they are.

    Raises ReseedError where another column holds points that may be of thousands.
    """
    frame = table.frame
    cells = {c: _parted(frame[c]) for c in frame if known_name(c) not in _NAMES}
    # A comma that cannot be of thousands is a decimal one; beside it no point can be one.
    commas = [c for c, (with_comma, _) in cells.items() if not all(map(_THOUSANDS, with_comma))]
    if not commas:
        return table
    told = few([*map(repr, commas)])
    for column, (_, with_point) in cells.items():
        if with_point and all(map(_THOUSANDS, with_point)):
            table.mistake(
                f"column {column!r} holds {with_point[0]!r}: of thousands, or a fraction? The "
                f"comma is the decimal sign in {told}",
                "Write numbers without a sign for thousands.",
                frame.index[frame[column].str.strip().isin(with_point)],
            )
    table.finish()
    table.notes.append(f"The comma was read as the decimal sign: {told}.")
    points = {column: frame[column].str.replace(",", ".") for column in commas}
    return replace(table, frame=frame.assign(**points))


def _parted(column: pd.Series) -> tuple[list[str], list[str]]:
    """The numbers with a comma and those with a point of a column of text; none of it where not
    all that it holds are numbers written in one of these ways."""
    present = [
        cell for cell in {cell.strip(): None for cell in column} if cell.lower() not in MISSING
    ]
    with_comma, with_point = (
        [cell for cell in present if sign in cell] if all(map(number, present)) else []
        for sign, number in _NUMBERS.items()
    )
    return with_comma, with_point


def _kind(path: Path, file_format: str) -> str:
    suffix = path.suffix.lower()
    if file_format == "parquet" or suffix in _PARQUET:
        return "Parquet"
    return "JSON" if file_format == "json" or suffix in JSON else "CSV"


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
    names = frame.index.names
    named = [i for i, n in enumerate(names) if n is not None and n not in frame.columns]
    levels = pd.DataFrame({i: frame.index.get_level_values(i) for i in named})
    levels = levels.set_axis([names[i] for i in named], axis=1)
    return pd.concat([levels, frame.reset_index(drop=True)], axis=1)


def read_tables(paths: list[Path], file_format: str = "auto", mapping: dict | None = None) -> Table:
    """Several files, one below the other; what no column says (model, seed, …) their names do.

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
    told = {*map(known_name, tables[0].columns), *(mapping or {})}
    places = [{n: v for n, v in p.items() if known_name(n) not in told} for p in _places(paths)]
    frames = [t.frame.assign(**place) for t, place in zip(tables, places, strict=True)]
    folder = common_folder(paths)
    where = [
        f"{number} of {path.absolute().relative_to(folder).as_posix()}"
        for path, table in zip(paths, tables, strict=True)
        for number in table.where
    ]
    joined = pd.concat(frames, ignore_index=True)
    path = f"{paths[0]} and {len(paths) - 1} more"
    notes = list(dict.fromkeys(note for table in tables for note in table.notes))
    named = dict.fromkeys(name for place in places for name in place)
    notes += [f"By the names of the files: {', '.join(named)}."] if named else []
    return Table(path, joined, np.array(where), tables[0].place, notes=notes)


def _places(paths: list[Path]) -> list[dict]:
    """What the files' paths say of their runs; where they hold no number, each names a model."""
    places = places_of(paths)
    if any(set(place) > {"model"} for place in places):
        return places
    return [{"model": name} for name in _names(paths)]


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


def load_json(path: Path) -> object:
    """What a JSON file holds; of JSON lines, the list of them."""
    text = path.read_text(encoding="utf-8-sig")
    if path.suffix.lower() in _LINES:
        return [json.loads(line) for line in text.splitlines() if line.strip()]
    return json.loads(text)


def flat(records: Iterable[Mapping]) -> pd.DataFrame:
    """Records as a frame; what is nested goes by its last name where no other has that one."""
    records = list(records)
    frame = pd.json_normalize(records)
    own = {name for record in records for name in record}
    last = {c: c if c in own else str(c).rpartition(".")[2] for c in frame}
    count = Counter(last.values())
    return frame.rename(columns={c: name for c, name in last.items() if count[name] == 1})


def _read_json(path: Path) -> tuple[pd.DataFrame, np.ndarray]:
    records = load_json(path)
    if not isinstance(records, list) or not all(isinstance(r, Mapping) for r in records):
        raise ValueError(
            'it holds no list of records, one a run: [{"model": "rf", "seed": 0, "auc": 0.9}, …]'
        )
    return flat(records), np.arange(1, len(records) + 1)


def _read_csv(path: Path) -> tuple[pd.DataFrame, np.ndarray]:
    """Columns as text, so that no model named `NA` is taken for nothing, and each row's line."""
    with path.open(encoding="utf-8-sig", newline="") as handle:
        first = handle.readline()
        if not first.strip():
            raise ValueError("the first line, which names the columns, is empty")
        delimiter = max(",;\t", key=first.count)
        handle.seek(0)
        # A writer that was cut short leaves zero bytes.
        cleaned = (line.replace("\0", "") for line in handle)
        reader = csv.reader(cleaned, delimiter=delimiter, strict=True)
        header = [name.strip() for name in next(reader)]
        if len(header) == 1:
            raise ValueError(
                f"the first line, {header[0][:60]!r}, names one column only: put comma, "
                "semicolon or tab between the names of columns, and nothing above them"
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


_READERS = {"CSV": _read_csv, "Parquet": _read_parquet, "JSON": _read_json}
