"""Readers of tables: CSV, Parquet, the published data sets, the simulator.

A reader takes (dataset entry, fetched files) and returns `Raw`: the same frame whichever source the
files came from, as far as the sources hold the same facts; notes tell where they do not.
"""

import csv
from pathlib import Path, PurePosixPath

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from reseed.core.errors import ReseedError
from reseed.data.raw import Raw
from reseed.data.registry import read_reader_options
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


def table(dataset: dict, fetched: Fetched) -> Raw:
    """CSV or Parquet files, one below the other where there are several.

    ``options``: separator (","), missing (marks of no value). Of several files, a column ``file``
    tells the name of each row's, for ``official`` to use; it is no feature.
    """
    options = read_reader_options(dataset)
    frames = {name: _table_file(path, options) for name, path in fetched.paths.items()}
    return Raw(concatenate_files(frames, dataset))


def concatenate_files(frames: dict[str, pd.DataFrame], dataset: dict) -> pd.DataFrame:
    """Frames of several files as one; ``file`` names each row's where ``official`` asks for it."""
    if len(frames) == 1:
        return next(iter(frames.values()))
    first, columns = next((name, list(frame)) for name, frame in frames.items())
    for name, frame in frames.items():
        if list(frame) != columns:
            odd = sorted(set(map(str, frame)) ^ set(map(str, columns))) or "their order"
            raise ReseedError(f"{name} and {first} have different columns: {odd}")
    if (dataset.get("official") or {}).get("column") == "file":
        frames = {n: frame.assign(file=PurePosixPath(n).name) for n, frame in frames.items()}
    return pd.concat(frames.values(), ignore_index=True)


def _table_file(path: Path, options) -> pd.DataFrame:
    try:
        if path.suffix.lower() in (".parquet", ".pq"):
            names = pq.read_schema(path).names
            refuse_duplicates(path, names)
            return pq.read_table(path).to_pandas()
        with open(path, encoding="utf-8-sig", newline="") as stream:
            lines = csv.reader(stream, delimiter=options.separator)
            names, first = next(lines, []), next(filter(None, lines), [])
        refuse_duplicates(path, names)
        if len(first) > len(names):
            # pandas takes the first field for the row's name then, and shifts all others.
            raise ReseedError(
                f"{path}: rows have more fields than the header ({len(names)}): give the first "
                f"column a name, or take the {options.separator!r} off the ends of the rows"
            )
        return _csv(path, sep=options.separator, na_values=options.missing or None)
    except UnicodeDecodeError as error:
        raise ReseedError(f"{path}: not UTF-8 text ({error}): save it as UTF-8 CSV") from None
    except (pd.errors.EmptyDataError, StopIteration):
        raise ReseedError(f"{path}: the table is empty: it needs a header and rows") from None
    except (pd.errors.ParserError, pa.ArrowInvalid, ValueError, OSError, csv.Error) as error:
        raise ReseedError(f"{path}: cannot be read as a table: {error}") from None


def magic(dataset: dict, fetched: Fetched) -> Raw:
    """MAGIC gamma telescope: no header, ten numbers and the class g or h."""
    return Raw(_csv(fetched.path, header=None, names=MAGIC_COLUMNS))


def california_housing(dataset: dict, fetched: Fetched) -> Raw:
    """California housing 1990, StatLib's file (no header) or the one of A. Géron (header).

    The response becomes units of 100,000 dollars, as in the paper and in scikit-learn.
    """
    with open(fetched.path, encoding="utf-8") as stream:
        with_header = stream.readline().startswith("longitude")
    header = {} if with_header else {"header": None, "names": CALIFORNIA_COLUMNS}
    frame = _csv(fetched.path, **header)[CALIFORNIA_COLUMNS]
    frame["median_house_value"] /= 100_000
    notes = ["median_house_value in units of 100,000 dollars"]
    missing = int(frame["total_bedrooms"].isna().sum())
    if missing:
        notes.append(
            f"this source is A. Géron's edition: {missing} values of total_bedrooms are missing "
            "that StatLib's file holds (all others are equal); its ocean_proximity is left out"
        )
    return Raw(frame, notes)


def bike_sharing(dataset: dict, fetched: Fetched) -> Raw:
    """Bike sharing by the hour, UCI's ``hour.csv`` or the shuffled text edition of it.

    Returns twelve features and the natural log of ``cnt`` as ``log_cnt``, by date and hour.
    """
    frame = _csv(fetched.path)
    notes = []
    if "yr" not in frame:
        frame = _bike_from_text(frame)
        notes.append(
            "this source is a shuffled edition with text categories, brought back to UCI's order "
            "and coding: yr, mnth and blank weekdays from the date, blank weathersit = 1"
        )
    frame = frame.sort_values(["dteday", "hr"], kind="stable", ignore_index=True)
    # Rounded, since the last bit of a logarithm depends on the processor; the table must not.
    log_count = np.round(np.log(frame["cnt"].to_numpy(dtype=float)), 9)
    notes.append("log_cnt is the natural logarithm of the hourly count, to 9 decimals")
    return Raw(frame[BIKE_FEATURES].assign(log_cnt=log_count), notes)


def _bike_from_text(text: pd.DataFrame) -> pd.DataFrame:
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
            "weekday": (date.dt.day_of_week + 1) % 7,  # UCI counts from Sunday
            "workingday": text["workingday"].map(yes),
            "weathersit": text["weathersit"].map(weather).where(text["weathersit"].notna(), 1),
            "temp": np.round((text["temp"] + 8) / 47, 2),
            "atemp": np.round((text["atemp"] + 16) / 66, 4),
            "hum": np.round(text["hum"] / 100, 2),
            "windspeed": np.round(text["windspeed"] / 67, 4),
            "cnt": text["cnt"],
        }
    )
    unread = [name for name in frame if frame[name].isna().any()]
    if unread:
        raise ReseedError(
            f"bike_sharing: columns {unread} hold values this edition should not have"
        )
    return frame


def home_mortgage_sim(dataset: dict, fetched: Fetched | None) -> Raw:
    """Simulated stand-in for the bank's Home Mortgage data; ``options.seed`` is part of it."""
    seed = read_reader_options(dataset).seed
    frame = simulate_home_mortgage(dataset.get("rows") or 1_000_000, seed)
    return Raw(frame, [f"simulated, seed {seed}"])


def _csv(path: Path, **options) -> pd.DataFrame:
    """Read a CSV in one piece, so that each column has one type, and each number as written."""
    return pd.read_csv(path, low_memory=False, float_precision="round_trip", **options)


def refuse_duplicates(path: Path, names: list[str]) -> None:
    """Refuse a header that names a column twice."""
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ReseedError(f"{path}: duplicate column names {twice}: rename or remove them")
