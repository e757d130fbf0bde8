"""The reader of text tables: CSV, TSV, JSON lines and Parquet, with one or two text columns."""

import csv
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from reseed.core.errors import ReseedError
from reseed.data.raw import Raw
from reseed.data.registry import read_reader_options
from reseed.data.sources import Fetched
from reseed.data.tables import concatenate_files, refuse_duplicates


def text_table(dataset: dict, fetched: Fetched) -> Raw:
    """Files of texts and their targets, one below the other where there are several.

    Text is taken as it stands: "NA" or "null" is text. ``options``: separator, quoting, header,
    encoding. Of several files, a column ``file`` names each row's, for ``official`` to use.
    """
    options = read_reader_options(dataset)
    frames = {name: read_text_file(path, options) for name, path in fetched.paths.items()}
    return Raw(convert_columns(concatenate_files(frames, dataset), dataset["text"]))


def read_text_file(path: Path, options) -> pd.DataFrame:
    """One file as a frame; the columns of delimited files are text, nothing is taken as missing."""
    suffix = path.suffix.lower()
    try:
        if suffix in (".parquet", ".pq"):
            refuse_duplicates(path, pq.read_schema(path).names)
            return pq.read_table(path).to_pandas()
        if suffix in (".jsonl", ".ndjson", ".json"):
            return read_json_lines(path, options.encoding)
        return _delimited(path, options)
    except (UnicodeDecodeError, LookupError) as error:
        raise ReseedError(
            f"{path}: not text of options.encoding: {options.encoding} ({error})"
        ) from None
    except (pa.ArrowInvalid, ValueError, OSError, csv.Error) as error:
        raise ReseedError(f"{path}: cannot be read as a text table: {error}") from None


def _delimited(path: Path, options) -> pd.DataFrame:
    separator = options.separator or ("\t" if path.suffix.lower() == ".tsv" else ",")
    quoting = csv.QUOTE_MINIMAL if options.quoting else csv.QUOTE_NONE
    csv.field_size_limit(2**31 - 1)  # a whole book may be one field
    with open(path, encoding=_signed(options.encoding), newline="") as stream:
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
    """One JSON object a line; what a line does not name is missing. Raises ValueError."""
    return pd.read_json(path, lines=True, dtype=False, convert_dates=False, encoding=encoding)


def convert_columns(frame: pd.DataFrame, text: list[str]) -> pd.DataFrame:
    """The columns that are no text: empty cells as missing, and numbers where all are numbers."""
    columns = {}
    for name, values in frame.items():
        if name not in text and pd.api.types.is_string_dtype(values.dtype):
            values = values.where(values.str.strip() != "")
            numbers = pd.to_numeric(values, errors="coerce")
            if (numbers.notna() == values.notna()).all():
                values = numbers
        columns[name] = values
    return pd.DataFrame(columns)


def _signed(encoding: str) -> str:
    """UTF-8 with or without a mark at its start."""
    return "utf-8-sig" if encoding.lower().replace("_", "-") in ("utf-8", "utf8") else encoding
