"""Reader of text tables: CSV, TSV, JSON lines and Parquet, with one or two text columns."""

import csv
from pathlib import Path
from typing import Literal

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from reseed.config.datasets import Dataset
from reseed.core.errors import ReseedError
from reseed.data.raw import Raw
from reseed.data.registry import TextTableOptions, read_reader_options
from reseed.data.sources import Fetched
from reseed.data.tables import concatenate_files, refuse_duplicates


def text_table(dataset: Dataset, fetched: Fetched) -> Raw:
    """Read files of texts and their targets; several files are concatenated.

    Text is unchanged: "NA" and "null" are texts. Options: separator, quoting, header, encoding.
    With several files, `official` may use a column `file`, the file name of each row.
    """
    options = read_reader_options(dataset)
    frames = {name: read_text_file(path, options) for name, path in fetched.paths.items()}
    return Raw(convert_columns(concatenate_files(frames, dataset), dataset.text))


def read_text_file(path: Path, options: TextTableOptions) -> pd.DataFrame:
    """Read one file; columns of delimited files are text, and no value counts as missing."""
    suffix = path.suffix.lower()
    try:
        if suffix in (".parquet", ".pq"):
            refuse_duplicates(path, pq.read_schema(path).names)
            return pq.read_table(path).to_pandas()
        if suffix in (".jsonl", ".ndjson", ".json"):
            return read_json_lines(path, options.encoding)
        return _read_delimited(path, options)
    except (UnicodeDecodeError, LookupError) as error:
        raise ReseedError(
            f"{path}: not text in options.encoding: {options.encoding} ({error})"
        ) from None
    except (pa.ArrowInvalid, ValueError, OSError, csv.Error) as error:
        raise ReseedError(f"{path}: cannot be read as a text table: {error}") from None


def _read_delimited(path: Path, options: TextTableOptions) -> pd.DataFrame:
    separator = options.separator or ("\t" if path.suffix.lower() == ".tsv" else ",")
    quoting: Literal[0, 3] = csv.QUOTE_MINIMAL if options.quoting else csv.QUOTE_NONE
    csv.field_size_limit(2**31 - 1)  # one field may hold a book
    with open(path, encoding=_accept_bom(options.encoding), newline="") as stream:
        reader = csv.reader(stream, delimiter=separator, quoting=quoting)
        names = options.header or next(reader, None)
        if names is None:
            raise ReseedError(f"{path}: the table is empty: it needs a header and rows")
        refuse_duplicates(path, names)
        rows = []
        for row in reader:
            if row and len(row) != len(names):
                raise ReseedError(
                    f"{path}: line {reader.line_num} has {len(row)} fields, not {len(names)}: if "
                    "quotation marks are text, set options.quoting: false; else quote the field"
                )
            if row:
                rows.append(row)
    return pd.DataFrame(rows, columns=names, dtype="str")


def read_json_lines(path: Path, encoding: str = "utf-8") -> pd.DataFrame:
    """Read one JSON object per line; absent names are missing values. Raises ValueError."""
    return pd.read_json(path, lines=True, dtype=False, convert_dates=False, encoding=encoding)


def convert_columns(frame: pd.DataFrame, text: list[str]) -> pd.DataFrame:
    """Convert the columns that are not text: empty cells to missing, all-numeric to numbers."""
    columns = {}
    for name, values in frame.items():
        if name not in text and pd.api.types.is_string_dtype(values.dtype):
            values = values.where(values.str.strip() != "")
            numbers = pd.to_numeric(values, errors="coerce")
            if (numbers.notna() == values.notna()).all():
                values = numbers
        columns[name] = values
    return pd.DataFrame(columns)


def _accept_bom(encoding: str) -> str:
    """Return an encoding that reads UTF-8 with or without a byte order mark."""
    return "utf-8-sig" if encoding.lower().replace("_", "-") in ("utf-8", "utf8") else encoding
