"""Readers of tables: CSV, Parquet, published datasets and the simulator.

A reader takes (dataset, fetched files) and returns `Raw`. The frame is the same for every
source of a dataset. Notes say where sources hold different values.
"""

import csv
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from reseed.config.datasets import Dataset
from reseed.core.errors import ReseedError
from reseed.data.number_text import convert_decimal_commas, describe_number_like_columns
from reseed.data.raw import Raw
from reseed.data.registry import DelimitedOptions, read_reader_options
from reseed.data.simulate import simulate_home_mortgage
from reseed.data.sources import Fetched

MAGIC_COLUMNS = [
    *("fLength", "fWidth", "fSize", "fConc", "fConc1", "fAsym"),
    *("fM3Long", "fM3Trans", "fAlpha", "fDist", "class"),
]
CALIFORNIA_COLUMNS = [
    *("longitude", "latitude", "housing_median_age", "total_rooms", "total_bedrooms"),
    *("population", "households", "median_income", "median_house_value"),
]
BIKE_FEATURES = [
    *("season", "yr", "mnth", "hr", "holiday", "weekday", "workingday", "weathersit"),
    *("temp", "atemp", "hum", "windspeed"),
]


def table(dataset: Dataset, fetched: Fetched) -> Raw:
    """Read CSV or Parquet files; several files are concatenated.

    Options: separator (","), missing (marks of missing values). With several files, `official` may
    use a column `file`, which holds the file name of each row and is not a feature.
    """
    options = read_reader_options(dataset)
    frames = {name: _read_table_file(path, options) for name, path in fetched.paths.items()}
    frame = concatenate_files(frames, dataset)
    if options.decimal is not None:
        return Raw(frame, describe_number_like_columns(frame, options.categorical))
    frame, notes = convert_decimal_commas(frame)
    return Raw(frame, [*notes, *describe_number_like_columns(frame, options.categorical)])


def concatenate_files(frames: dict[str, pd.DataFrame], dataset: Dataset) -> pd.DataFrame:
    """Concatenate the frames of several files; add the column `file` if `official` uses it."""
    if len(frames) == 1:
        return next(iter(frames.values()))
    first, columns = next((name, list(frame)) for name, frame in frames.items())
    for name, frame in frames.items():
        if list(frame) != columns:
            different = sorted(set(map(str, frame)) ^ set(map(str, columns))) or "their order"
            raise ReseedError(f"{name} and {first} have different columns: {different}")
    if dataset.official and dataset.official.column == "file":
        frames = {n: frame.assign(file=PurePosixPath(n).name) for n, frame in frames.items()}
    return pd.concat(frames.values(), ignore_index=True)


def _read_table_file(path: Path, options: DelimitedOptions) -> pd.DataFrame:
    try:
        if path.suffix.lower() in (".parquet", ".pq"):
            names = pq.read_schema(path).names
            refuse_duplicates(path, names)
            return pq.read_table(path).to_pandas()
        encoding = options.encoding.replace("utf-8", "utf-8-sig")
        with open(path, encoding=encoding, newline="") as stream:
            lines = csv.reader(stream, delimiter=options.separator)
            names, first = next(lines, []), next(filter(None, lines), [])
        refuse_duplicates(path, names)
        _check_separator(path, names, options.separator)
        if len(first) > len(names):
            # pandas would use the first field as the index, and shift all other fields.
            raise ReseedError(
                f"{path}: rows have more fields than the header ({len(names)}): name the first "
                f"column, or remove the {options.separator!r} at the ends of the rows"
            )
        signs = {"sep": options.separator, "decimal": options.decimal or "."}
        missing = options.missing or None
        return _read_csv(path, **signs, na_values=missing, encoding=encoding)
    except (UnicodeDecodeError, LookupError) as error:
        raise ReseedError(
            f"{path}: is not {options.encoding} text ({error}): set `encoding: cp1252` (or "
            "another) in the `options` of the dataset, or save it as UTF-8"
        ) from None
    except (pd.errors.EmptyDataError, StopIteration):
        raise ReseedError(f"{path}: the table is empty: it needs a header and rows") from None
    except (pd.errors.ParserError, pa.ArrowInvalid, ValueError, OSError, csv.Error) as error:
        raise ReseedError(f"{path}: cannot be read as a table: {error}") from None


def _check_separator(path: Path, names: list[str], separator: str) -> None:
    """Raise ReseedError if the header is one name that another separator divides."""
    others = [sign for sign in ";\t,|" if sign != separator and sign in "".join(names[:1])]
    if len(names) == 1 and others:
        sign = others[0]
        raise ReseedError(
            f"{path}: the first line, {names[0][:60]!r}, is one column if {separator!r} separates "
            f"columns: set `separator: {sign!r}` in the `options` of this dataset's `reader`"
        )


def magic(dataset: Dataset, fetched: Fetched) -> Raw:
    """Read MAGIC gamma telescope: no header, ten numbers and the class g or h."""
    return Raw(_read_csv(fetched.path, header=None, names=MAGIC_COLUMNS))


def california_housing(dataset: Dataset, fetched: Fetched) -> Raw:
    """Read California housing 1990: the file of StatLib (no header) or of A. Géron (header).

    The target is converted to units of 100,000 dollars, as in the paper and in scikit-learn.
    """
    with open(fetched.path, encoding="utf-8") as stream:
        has_header = stream.readline().startswith("longitude")
    header = {} if has_header else {"header": None, "names": CALIFORNIA_COLUMNS}
    frame = _read_csv(fetched.path, **header)[CALIFORNIA_COLUMNS]
    frame["median_house_value"] /= 100_000
    notes = ["median_house_value in units of 100,000 dollars"]
    missing = int(frame["total_bedrooms"].isna().sum())
    if missing:
        notes.append(
            f"this source is A. Géron's edition: {missing} values of total_bedrooms are missing "
            "that StatLib's file holds (all others are equal); its ocean_proximity is left out"
        )
    return Raw(frame, notes)


def bike_sharing(dataset: Dataset, fetched: Fetched) -> Raw:
    """Read hourly bike sharing: `hour.csv` of UCI, or the shuffled edition with text categories.

    Returns twelve features and the natural logarithm of `cnt` as `log_cnt`, by date and hour.
    """
    frame = _read_csv(fetched.path)
    notes = []
    if "yr" not in frame:
        frame = _restore_bike_codes(frame)
        notes.append(
            "this source is a shuffled edition with text categories, brought back to UCI's order "
            "and coding: yr, mnth and blank weekdays from the date, blank weathersit = 1"
        )
    frame = frame.sort_values(["dteday", "hr"], kind="stable", ignore_index=True)
    # The last bit of a logarithm depends on the processor, so the values are rounded.
    log_count = np.round(np.log(frame["cnt"].to_numpy(dtype=float)), 9)
    notes.append("log_cnt is the natural logarithm of the hourly count, to 9 decimals")
    return Raw(frame[BIKE_FEATURES].assign(log_cnt=log_count), notes)


def _restore_bike_codes(text: pd.DataFrame) -> pd.DataFrame:
    """Convert text categories and units to the codes of UCI's file."""
    date = pd.to_datetime(text["dteday"], format="%Y-%m-%d")
    hour = text["hr"].str.extract(r"^(\d+)(am|pm)$")
    seasons = {"spring": 1, "summer": 2, "fall": 3, "winter": 4}
    weather = {"Clear": 1, "Mist": 2, "Light Rain": 3, "Heavy Rain": 4}
    yes = {"No": 0, "Yes": 1}
    frame = pd.DataFrame(
        {
            "dteday": text["dteday"],
            "season": text["season"].map(seasons),
            "yr": date.dt.year - 2011,
            "mnth": date.dt.month,
            "hr": hour[0].astype(int) % 12 + 12 * (hour[1] == "pm"),
            "holiday": text["holiday"].map(yes),
            "weekday": (date.dt.day_of_week + 1) % 7,  # UCI counts days from Sunday
            "workingday": text["workingday"].map(yes),
            "weathersit": text["weathersit"].map(weather).where(text["weathersit"].notna(), 1),
            "temp": np.round((text["temp"] + 8) / 47, 2),
            "atemp": np.round((text["atemp"] + 16) / 66, 4),
            "hum": np.round(text["hum"] / 100, 2),
            "windspeed": np.round(text["windspeed"] / 67, 4),
            "cnt": text["cnt"],
        }
    )
    unknown = [name for name in frame if frame[name].isna().any()]
    if unknown:
        raise ReseedError(f"bike_sharing: columns {unknown} hold unknown values for this edition")
    return frame


def home_mortgage_sim(dataset: Dataset, fetched: Fetched | None) -> Raw:
    """Simulate loans in place of the bank's Home Mortgage data; `options.seed` seeds them."""
    seed = read_reader_options(dataset).seed
    frame = simulate_home_mortgage(dataset.rows or 1_000_000, seed)
    return Raw(frame, [f"simulated, seed {seed}"])


def _read_csv(path: Path, **options: Any) -> pd.DataFrame:
    """Read a CSV file in one piece, so that each column has one type and numbers are exact."""
    return pd.read_csv(path, low_memory=False, float_precision="round_trip", **options)


def refuse_duplicates(path: Path, names: list[str]) -> None:
    """Raise ReseedError if a header names a column twice."""
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ReseedError(f"{path}: duplicate column names {twice}: rename or remove them")
