"""Reads CSV, Parquet and JSON files, and lists of them, as one table with one line of headings."""

from __future__ import annotations

import csv
import gzip
import io
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from itertools import compress, takewhile
from pathlib import Path
from typing import IO, Any

import numpy as np
import pandas as pd

from reseed.core.errors import ReseedError
from reseed.readers.cells import MISSING, is_number
from reseed.readers.foreign_files import (
    JSON_LINES,
    list_files,
    load_json,
    name_file,
    refuse_kind,
)
from reseed.readers.names import ALL_RUN_COLUMNS, find_role
from reseed.readers.options import ReadOptions
from reseed.readers.run_paths import find_common_folder, identify_files
from reseed.readers.source_table import UNNAMED_INDEX, Layout, SourceTable, join_names
from reseed.readers.text_tables import LATEX, MARKDOWN, TextTable, parse_latex, parse_markdown

_PARQUET = (".parquet", ".pq")
JSON_SUFFIXES = (".json", *JSON_LINES)
_SPREADSHEETS = (".xlsx", ".xlsm")
#: Matches a number in which this sign separates thousands or decimals.
_NUMBERS = {
    sign: re.compile(rf"[-+]?\d+(?:{re.escape(sign)}\d+)*(?:[eE][-+]?\d+)?(?:\s*%)?").fullmatch
    for sign in ",."
}
_is_thousands = re.compile(r"[-+]?[1-9]\d{0,2}(?:[,.]\d{3})+").fullmatch
#: Columns of names, in which a comma is not part of a number.
_NAME_COLUMNS = ("model", "dataset", "metric", "item", "status")
#: What rows that a field of a record lists are named by.
_RUN_NAMES = {*ALL_RUN_COLUMNS, "item"}
#: Suffixes of files that are read as tables.
TABLE_SUFFIXES = (".csv", ".tsv", ".txt", *_PARQUET, *JSON_LINES)
#: Lines in which the headings are looked for.
_MOST_REMARKS = 20
#: A first line that tells a spreadsheet how cells are separated.
_SEPARATOR = re.compile(r"sep=.?\s*")
#: The columns, and the number of each row in the file.
_Content = tuple[pd.DataFrame, np.ndarray]


def read_table(path: str | Path, file_format: str = "auto") -> SourceTable:
    """Read a CSV (comma, semicolon or tab), Parquet or JSON file (a list of records, or lines).

    Raises ReseedError for a file that is missing, unreadable or empty, or that repeats a column.
    """
    path = Path(path)
    require_file(path)
    refuse_kind(path)
    kinds = (kind for kind, (_, ends) in _READERS.items() if path.suffix.lower() in ends)
    kind = next(kinds, "CSV")
    if file_format == "csv" and kind not in ("Parquet", "JSON"):
        kind = "CSV"
    kind = {"parquet": "Parquet", "json": "JSON"}.get(file_format, kind)
    is_plain = kind in ("CSV", "JSON")
    with name_file(path, kind, f"{'Set `format`, or repair' if is_plain else 'Repair'} the file."):
        frame, row_labels = _READERS[kind][0](path)
    is_text = kind in ("CSV", "Markdown", "LaTeX")  # a comma may be the decimal sign
    table = check_table(SourceTable(str(path), frame, row_labels, "line" if is_text else "row"))
    return _convert_decimal_commas(table) if is_text else table


def require_file(path: Path) -> None:
    """Raise ReseedError for a path that is no file: missing, a folder, or impossible as a name."""
    if "\0" in str(path) or not path.exists():
        name = str(path).replace("\0", "\\0")
        raise ReseedError(f"{name}: no such file. Give its path from the folder you are in.")
    if path.is_dir():
        raise ReseedError(f"{path}: is a folder. Give the files in it.")


def _convert_decimal_commas(table: SourceTable) -> SourceTable:
    """Replace decimal commas by points, with a note; labels are not changed.

    Raises ReseedError if another column holds points that may separate thousands.
    """
    frame = table.frame
    values = [str(c) for c in frame if find_role(c) not in _NAME_COLUMNS]
    cells = {column: _split_numbers(frame[column]) for column in values}
    # A comma that cannot separate thousands is a decimal comma; next to it no point can be one.
    commas = [c for c, (comma, _) in cells.items() if not all(map(_is_thousands, comma))]
    if not commas:
        return table
    names = join_names([*map(repr, commas)])
    for column, (_, with_point) in cells.items():
        if with_point and all(map(_is_thousands, with_point)):
            table.add_error(
                f"column {column!r} holds {with_point[0]!r}: of thousands, or a fraction? The "
                f"comma is the decimal sign in {names}",
                "Write numbers without a thousands separator.",
                frame.index[frame[column].str.strip().isin(with_point)],
            )
    table.raise_errors()
    table.notes.append(f"The comma was read as the decimal sign: {names}.")
    points = {column: frame[column].str.replace(",", ".") for column in commas}
    return replace(table, frame=frame.assign(**points))


def _split_numbers(column: pd.Series) -> tuple[list[str], list[str]]:
    """The numbers with a comma, and those with a point.

    Either list is empty if the column holds anything but numbers written with that sign.
    """
    present = [
        cell for cell in {cell.strip(): None for cell in column} if cell.lower() not in MISSING
    ]
    with_comma, with_point = (
        [cell for cell in present if sign in cell] if all(map(number, present)) else []
        for sign, number in _NUMBERS.items()
    )
    return with_comma, with_point


def index_to_columns(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with the named levels of its index as first columns; other levels are dropped."""
    names = frame.index.names
    named = [i for i, n in enumerate(names) if n is not None and n not in frame.columns]
    levels = pd.DataFrame({i: frame.index.get_level_values(i) for i in named})
    levels = levels.set_axis([names[i] for i in named], axis=1)
    return pd.concat([levels, frame.reset_index(drop=True)], axis=1)


def read_tables(
    paths: list[Path], options: ReadOptions, left_out: Sequence[Path] = ()
) -> SourceTable:
    """Read several files as one table, in which paths supply missing columns (model, seed, …).

    left_out: text files next to them, for a note. Columns that the user maps are not missing. Row
    labels have the form `12 of file.csv`. Raises ReseedError as `read_table`, and if the files
    differ in their columns.
    """
    tables = [read_table(path, options.format) for path in paths]
    if left_out:
        names = join_names([path.name for path in left_out])
        tables[0].notes.append(f"Left out, as text files next to tables: {names}.")
    if len(tables) == 1:
        return tables[0]
    for path, table in zip(paths, tables, strict=True):
        unshared = set(table.columns) ^ set(tables[0].columns)
        if unshared:
            raise ReseedError(
                f"{path} and {paths[0]} do not have the same columns: "
                f"{join_names(sorted(unshared))} is in one of them only. Give the files the same "
                "columns."
            )
    named = identify_files(paths, options, tables[0].columns)
    ids = named.rows
    frames = [table.frame.assign(**run) for table, run in zip(tables, ids, strict=True)]
    folder = find_common_folder(paths)
    row_labels = [
        f"{number} of {path.absolute().relative_to(folder).as_posix()}"
        for path, table in zip(paths, tables, strict=True)
        for number in table.row_labels
    ]
    notes = list(dict.fromkeys(note for table in tables for note in table.notes))
    from_names = dict.fromkeys(name for run in ids for name in run)
    notes += [f"By the names of the files: {join_names([*from_names])}."] if from_names else []
    layout = Layout(files=len(paths), stated=named.stated, parts=named.parts)
    return SourceTable(
        f"{paths[0]} and {len(paths) - 1} more",
        pd.concat(frames, ignore_index=True),
        np.array(row_labels),
        tables[0].row_noun,
        layout,
        notes,
    )


def _read_parquet(path: Path) -> _Content:
    frame = index_to_columns(pd.read_parquet(path)).rename(columns=str)
    return frame, np.arange(1, len(frame) + 1)


def flatten_records(records: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """Records as a frame; a nested field keeps its last name if no other field has that name."""
    nested = [row for record in records for row in _list_runs(record)]
    frame = pd.json_normalize(nested)
    top_level = {name for record in nested for name in record}
    names = {c: c if c in top_level else str(c).rpartition(".")[2] for c in frame}
    count = Counter(names.values())
    return frame.rename(columns={c: name for c, name in names.items() if count[name] == 1})


def _list_runs(record: Mapping[str, Any]) -> list[dict[str, Any]]:
    """A row for each run or item that a field lists: `{model: rf, folds: [{fold: 0, …}, …]}`."""
    for name, value in record.items():
        are_rows = isinstance(value, list) and all(isinstance(one, Mapping) for one in value)
        if are_rows and {find_role(key) for one in value[:1] for key in one} & _RUN_NAMES:
            rest = {other: content for other, content in record.items() if other != name}
            return [rest | dict(one) for one in value]
    return [dict(record)]


def _read_json(path: Path) -> _Content:
    records = load_json(path)
    if not isinstance(records, list) or not all(isinstance(r, Mapping) for r in records):
        raise ValueError(
            'it holds no list of records, one a run: [{"model": "rf", "seed": 0, "auc": 0.9}, …]'
        )
    return flatten_records(records), np.arange(1, len(records) + 1)


def find_delimiter(line: str) -> str:
    """Comma, semicolon, tab or bar, the most frequent one in a line; a blank without any."""
    return max(",;\t|", key=line.count) if set(",;\t|") & set(line) else " "


def _count_remarks(head: Sequence[str]) -> int:
    """Lines above the headings: remarks of a script, a title, `sep=;` of a spreadsheet."""
    cells = [re.split(r"[,;\t|]", line.strip("\r\n")) for line in head]
    is_separated = [
        len(row) > 1 and not _SEPARATOR.fullmatch(row[0]) and not row[0].startswith("#{")
        for row in cells
    ]
    # A title of a spreadsheet has empty cells next to it.
    is_table = [
        one and any(map(str.strip, row[1:])) for one, row in zip(is_separated, cells, strict=True)
    ]
    if any(is_separated):
        return is_table.index(True) if any(is_table) else is_separated.index(True)
    return next((n for n, line in enumerate(head) if not line.startswith("#")), 0)


def _open_text(path: Path) -> IO[str]:
    """A file as text: UTF-8, else Windows-1252; a pipe or `/dev/stdin`, or compressed by gzip."""
    data = path.read_bytes()
    if path.suffix.lower() == ".gz":
        data = gzip.decompress(data)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("cp1252")
    return io.StringIO(text.replace("\0", ""), newline="")  # as an interrupted writer leaves


def _read_csv(path: Path) -> _Content:
    """Columns as text, so that a model named `NA` is not a missing value, and the line of rows."""
    with _open_text(path) as handle:
        lines = handle.readlines()
    above = _count_remarks(lines[:_MOST_REMARKS])
    first = lines[above] if lines else ""
    if not first.strip():
        raise ValueError("the first line, which names the columns, is empty")
    delimiter = find_delimiter(first)
    is_blank = delimiter == " "
    split = partial(csv.reader, delimiter=delimiter, skipinitialspace=is_blank, strict=True)
    lines = [line.strip() + "\n" for line in lines[above:]] if is_blank else lines[above:]
    if is_blank or any('"' in line for line in lines):
        reader = split(lines)
        sizes, ends = np.array([(len(row), reader.line_num) for row in reader]).T
        starts = np.r_[0, ends[:-1]]
        rows = ["".join(lines[start:end]) for start, end in zip(starts, ends, strict=True)]
    else:  # the reader takes most of the time that a large file needs
        sizes = np.array([line.count(delimiter) + 1 for line in lines])
        starts, rows = np.arange(len(lines)), lines
    headings = next(split(lines))
    header = [name.strip() for name in headings]
    header[0] = header[0].removeprefix("# ")  # as NumPy's savetxt writes it
    width = len(header)
    if width == 1:
        raise ValueError(
            f"the first line, {header[0][:60]!r}, names one column only: put comma, "
            "semicolon or tab between the names of columns, and nothing above them"
        )
    # Joined files repeat the line of headings; databases print signs below it.
    is_ruled = re.compile(rf'[-+=:"\s{re.escape(delimiter)}]*').fullmatch
    is_kept = [row.strip() != rows[0].strip() and not is_ruled(row) for row in rows]
    line_numbers = above + 1 + starts[is_kept]
    for row in np.flatnonzero(sizes[is_kept] != width)[:1]:  # pandas would fill a short one
        raise ValueError(
            f"line {line_numbers[row]} has {sizes[is_kept][row]} cells, the first line names "
            f"{width}"
        )
    frame = pd.read_csv(
        io.StringIO("".join(compress(rows, is_kept))), sep=r"\s+" if is_blank else delimiter,
        index_col=False, names=range(width), dtype="str", na_filter=False,
    )  # fmt: skip
    # An index that pandas wrote has no name. Empty columns of a spreadsheet are dropped. With
    # repeated headings the first column may continue below: a second line of headings.
    repeats = len(set(filter(None, header))) < len([name for name in header if name])
    if not (header[0] or repeats):
        header[0] = UNNAMED_INDEX
    named = [bool(name) or frame[i].ne("").any() for i, name in enumerate(header)]
    frame.columns = pd.Index(header)
    return frame.loc[:, np.array(named, dtype=bool)], line_numbers


def _read_text_table(path: Path, parse: Callable[[str], TextTable]) -> _Content:
    header, rows = parse(_open_text(path).read())
    frame = pd.DataFrame(rows, columns=range(len(header)), dtype=object)
    return frame.set_axis(pd.Index(header), axis=1), np.arange(1, len(frame) + 1)


def _read_spreadsheet(path: Path) -> _Content:
    """The first sheet; numbers keep their type."""
    try:
        frame = pd.read_excel(path, engine="calamine", keep_default_na=False, na_values=[""])
    except ImportError:
        raise ReseedError(
            f"{path}: is a spreadsheet, which needs the package python-calamine: "
            "`pip install python-calamine`. Or save its sheet as `CSV UTF-8`."
        ) from None
    frame = frame.rename(columns=str)
    return frame, np.arange(2, len(frame) + 2)


#: Reader → how it reads, and the suffixes of its files.
_READERS: dict[str, tuple[Callable[[Path], _Content], tuple[str, ...]]] = {
    "CSV": (_read_csv, ()),
    "Parquet": (_read_parquet, _PARQUET),
    "JSON": (_read_json, JSON_SUFFIXES),
    "Markdown": (partial(_read_text_table, parse=parse_markdown), MARKDOWN),
    "LaTeX": (partial(_read_text_table, parse=parse_latex), LATEX),
    "a spreadsheet": (_read_spreadsheet, _SPREADSHEETS),
}


#: Columns of the widest table that is read.
_MOST_COLUMNS = 20_000


def check_table(table: SourceTable) -> SourceTable:
    """The table; raises ReseedError if a column name is repeated or there are no rows."""
    columns = table.frame.columns
    if len(columns) > _MOST_COLUMNS:
        raise table.error(
            f"has {len(columns):,} columns, and at most {_MOST_COLUMNS:,} are read",
            "Give one row a score, with columns of model, run and score.",
        )
    is_named = [
        bool(str(name).strip()) or table.frame.iloc[:, i].astype(str).str.contains(r"\w").any()
        for i, name in enumerate(columns)
    ]
    if not all(is_named):  # arrows and ± in columns of their own
        table = replace(table, frame=table.frame.loc[:, np.array(is_named)])
        columns = table.frame.columns
    repeated = columns[columns.duplicated()]
    if len(repeated) and (joined := _join_headings(table)) is not None:
        return check_table(joined)
    if len(repeated):
        name = repeated[0]
        what = f"the column {name!r} more than once" if name else "columns without a name"
        table.add_error(f"has {what}", "Name each column once, in the first line.")
    if table.frame.empty:
        table.add_error("holds no rows", "Each run of a model is one row.")
    table.raise_errors()
    return table


def _join_headings(table: SourceTable) -> SourceTable | None:
    """The table with one line of headings, where its first row continues them; None elsewhere.

    A blank heading continues the one before it, as merged cells of a spreadsheet do.
    """
    rows = [["" if cell is None else str(cell).strip() for cell in row]
            for row in table.frame.head(2).to_numpy()]  # fmt: skip
    if not rows:
        return None
    above, below = [name.strip() for name in table.columns], rows.pop(0)
    # pandas writes the names of the levels above its index, and those of the index into a line.
    of_index = [*takewhile(bool, rows[0])] if rows and not rows[0][-1] else []
    width = len(of_index) or 1
    numbers = any(map(is_number, below))
    is_run = find_role(below[0]) in ALL_RUN_COLUMNS  # `seed, 0, 1, 0, 1`
    if not all(below[width:]) or (numbers and not is_run):
        return None
    filled = above[width - 1 : width]
    for name in above[width:]:
        filled.append(name or filled[-1])
    names = (above[0], "" if numbers else below[0])
    named = [name for name in names if name not in ("", UNNAMED_INDEX)]
    index = of_index or [named[0] if len(named) == 1 else UNNAMED_INDEX]
    runs = f"{below[0]} " if numbers else ""
    pairs = zip(filled[1:], below[width:], strict=True)
    joined = [*index, *(f"{a}_{runs}{b}" if a else b for a, b in pairs)]
    if len(set(joined)) < len(joined):
        return None
    frame = table.frame.iloc[2 if of_index else 1 :].set_axis(joined, axis=1)
    note = f"Two lines of headings were joined: {join_names(joined[width:])}."
    return table.with_frame(frame, note)


class FileSet:
    """Paths that a user gives, `given` the files and `in_folders` those in folders."""

    def __init__(self, paths: list[Path], options: ReadOptions):
        self.paths, self.options = paths, options
        self.given = [path for path in paths if not path.is_dir()]
        self.in_folders = [file for one in paths if one.is_dir() for file in list_files(one)]

    @cached_property
    def left_out(self) -> list[Path]:
        """Text files next to tables."""
        tables = self._list(*TABLE_SUFFIXES)
        texts = [path for path in tables if path.suffix.lower() == ".txt"]
        return texts if len(texts) < len(tables) else []

    @cached_property
    def results(self) -> list[Path]:
        """The files that hold results: those given; in folders JSON named so, else tables."""
        json_files = self._list(".json")
        named = [path for path in json_files if path.name.startswith("result")]
        tables = [path for path in self._list(*TABLE_SUFFIXES) if path not in self.left_out]
        for path in self._list(".wandb"):
            refuse_kind(path)
        files = [*self.given, *(named or tables or json_files)]
        if not files:
            raise ReseedError(
                f"{self.paths[0]}: holds no table ({', '.join(TABLE_SUFFIXES)}), no JSON and no "
                "TensorBoard event file."
            )
        return files

    @cached_property
    def contents(self) -> Mapping[Path, object]:
        """The content of the results, if all are JSON or the user says so; else empty."""
        is_json = all(path.suffix.lower() in JSON_SUFFIXES for path in self.results)
        contents: dict[Path, object] = {}
        for path in self.results if is_json or self.options.format == "lm_eval" else ():
            require_file(path)
            with name_file(path, "JSON", "Set `format`, or repair the file."):
                contents[path] = load_json(path)
        return contents

    def _list(self, *suffixes: str) -> list[Path]:
        return [path for path in self.in_folders if path.suffix.lower() in suffixes]
