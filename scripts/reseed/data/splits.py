"""Splits into training, validation and test rows: seeded, stratified, group-aware, stored.

Every draw is over *units*. A unit is a group if the dataset has groups, else a row, so no group is
in two parts. With groups, a fraction counts groups, and the stratum of a group is its rarest class.
Draws use NumPy's legacy `RandomState`, whose streams are frozen, so a data seed means the same rows
on every platform. A data seed is one repeat: k-fold cross-validation repeated twice has two data
seeds. Windows of time are not drawn, so they have data seed 0 alone.
"""

import hashlib
import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from reseed.core.atomic import replace_atomically
from reseed.core.errors import ReseedError, Stale
from reseed.core.identifiers import scheme_id
from reseed.core.ownership import read_twice
from reseed.data.draws import assign_folds, shuffle_split
from reseed.data.kinds import PARTS
from reseed.data.store import Targets, read_columns

if TYPE_CHECKING:
    import pandas as pd

_REQUIRED_FIELDS = {"holdout": {"test"}, "kfold": {"folds"}, "official": set(), "time": {"folds"}}
_OPTIONAL_FIELDS = {"kind", "validation", "stratify"}
_TIME_FIELDS = {"test", "gap", "train"}
#: Key of the metadata of the splits in the metadata of the Parquet file.
_METADATA_KEY = b"reseed"


class Scheme(TypedDict, total=False):
    """A split scheme: `kind` is holdout, kfold, official or time (see `reseed.config.studies`)."""

    kind: str
    test: float | None
    folds: int
    gap: int
    train: int | None
    validation: float
    stratify: bool


class SplitsMetadata(TypedDict):
    """Metadata of a file of splits.

    rows_sha256: hash of the rows by data seed and fold.
    errors: why a data seed has no split.
    """

    scheme: Scheme
    targets_sha256: str
    rows_sha256: dict[str, dict[str, str]]
    errors: dict[str, str]


@dataclass(frozen=True)
class Split:
    """Row numbers (int64) of the three parts: train in a seeded order, the others ascending."""

    train: np.ndarray
    validation: np.ndarray
    test: np.ndarray


def make_split(scheme: Scheme, targets: Targets, task: str, data_seed: int) -> "pd.DataFrame":
    """Draw a split of all rows.

    scheme: `{kind: holdout, test: 0.2}`, `{kind: kfold, folds: 5}`, `{kind: official}` or
    `{kind: time, folds: 5}` (see `_split_by_time`). Each may have `validation` (fraction of the
    rows that are not test rows, default 0), and those that are drawn `stratify` (default true;
    ignored in regression). An official split has the official test rows. Its validation rows are
    the official ones; without these, they are a fraction of the training rows, drawn by the data
    seed.
    Returns one row for each fold and row: columns fold (int16), part (category), row (int64).
    Raises ReseedError.
    """
    import pandas as pd  # imported here, because a read of a split does not need it

    target, groups = np.asarray(targets.target), targets.groups
    kind = _check_scheme(scheme, len(target), groups, data_seed)
    if kind == "time":
        return _split_by_time(scheme, targets, task, data_seed)
    stratify = scheme.get("stratify", True) and task != "regression"
    units, strata = _assign_units(target, groups, stratify)
    frames = []
    for fold, fixed in _iterate_folds(kind, scheme, units, strata, data_seed, targets.parts):
        seeds = (data_seed, 0, fold)
        units_of = _draw_parts(fixed, scheme, strata, stratify, seeds)
        rows = {
            part: np.flatnonzero(_mark(numbers, strata.size)[units])
            for part, numbers in units_of.items()
        }
        drawn = {part: rows[part] for part, numbers in units_of.items() if numbers.size}
        if kind == "official":
            # Official parts are not drawn, so they may lack a class.
            drawn = {p: r for p, r in drawn.items() if p == "train" or p not in fixed}
        if stratify:
            _check_classes(drawn, *np.unique(target, return_inverse=True))
        # Sources are often sorted by class, and some networks train without a shuffle.
        rows["train"] = np.random.RandomState((*seeds, 2)).permutation(rows["train"])
        frames.append(_build_frame(fold, rows))
    return pd.concat(frames, ignore_index=True)


def _check_scheme(scheme: Scheme, n: int, groups: np.ndarray | None, data_seed: int) -> str:
    """Return the kind of a scheme after a check of all fields and of the rows."""
    kind = scheme.get("kind")
    if kind not in _REQUIRED_FIELDS:
        raise ReseedError(f"scheme kind: found {kind!r}, allowed: {', '.join(_REQUIRED_FIELDS)}")
    missing = _REQUIRED_FIELDS[kind] - scheme.keys()
    optional = _OPTIONAL_FIELDS | (_TIME_FIELDS if kind == "time" else set())
    unknown = scheme.keys() - _REQUIRED_FIELDS[kind] - optional
    if missing or unknown:
        raise ReseedError(f"{kind} scheme: missing {sorted(missing)}, unknown {sorted(unknown)}")
    for name, may_be_zero in (("test", False), ("validation", True)):
        value = 0.5 if scheme.get(name) is None else scheme[name]  # type: ignore[literal-required]
        if not isinstance(value, int | float) or not (
            0 < value < 1 or (value == 0 and may_be_zero)
        ):
            raise ReseedError(f"{kind} scheme: {name} must lie between 0 and 1, found {value!r}")
    folds, least = scheme.get("folds", 2), 1 if kind == "time" else 2
    if not isinstance(folds, int) or folds < least:
        raise ReseedError(f"{kind} scheme: folds must be a whole number ≥ {least}: {folds!r}")
    if not 0 <= data_seed < 2**32:
        raise ReseedError(f"data seed must lie in 0 … 2**32 - 1, found {data_seed}")
    if n == 0:
        raise ReseedError("the dataset has no rows to split")
    if groups is not None and len(groups) != n:
        raise ReseedError(f"{len(groups)} group values for {n} rows")
    return kind


def _split_by_time(scheme: Scheme, targets: Targets, task: str, data_seed: int) -> "pd.DataFrame":
    """Windows of time, as those of scikit-learn's `TimeSeriesSplit` over the distinct times.

    The folds share the last `test` of the times (default: folds / (folds + 1)). Each trains on
    those before its own, less `gap`: on all, or on the last `train`. The last of these are
    validation times. Rows of a group of a later part are left out.
    """
    import pandas as pd

    if targets.times is None:
        raise ReseedError("time scheme: the dataset has no times: name their column (time: …)")
    if data_seed:
        raise ReseedError(
            f"time scheme: data seed {data_seed}: windows of time are not drawn, so they have data "
            "seed 0 alone"
        )
    distinct, moment = np.unique(targets.times, return_inverse=True)
    n, folds, gap = distinct.size, scheme["folds"], scheme.get("gap", 0)
    test, most = scheme.get("test"), scheme.get("train")
    size = math.ceil(test * n / folds - 1e-9) if test else n // (folds + 1)
    frames = []
    for fold in range(folds):
        start = n - (folds - fold) * size
        end = start - gap
        first = max(0, end - most) if most else 0
        held = math.ceil(scheme.get("validation", 0.0) * (end - first) - 1e-9)
        if size < 1 or end - held <= first:
            raise ReseedError(
                f"time scheme: {n} times are too few for {folds} windows of {size} with a gap of "
                f"{gap}: fold {fold} has no time to train on. Use fewer folds, or smaller windows"
            )
        borders = {
            "train": (first, end - held), "validation": (end - held, end),
            "test": (start, start + size),
        }  # fmt: skip
        rows = {p: np.flatnonzero((moment >= a) & (moment < b)) for p, (a, b) in borders.items()}
        if targets.groups is not None:
            for earlier, *later in (("train", "validation", "test"), ("validation", "test")):
                others = targets.groups[np.concatenate([rows[part] for part in later])]
                rows[earlier] = rows[earlier][~np.isin(targets.groups[rows[earlier]], others)]
        absent = np.empty(0) if task == "regression" else np.unique(targets.target)
        absent = np.setdiff1d(absent, targets.target[rows["train"]])
        if not rows["train"].size or absent.size:
            lacks = f"row of class {absent[0]}" if rows["train"].size else "row of other groups"
            raise ReseedError(
                f"time scheme: fold {fold}: no {lacks} is left to train on. Use fewer folds, or "
                "smaller windows"
            )
        rows["train"] = np.random.RandomState((0, 0, fold, 2)).permutation(rows["train"])
        frames.append(_build_frame(fold, rows))
    return pd.concat(frames, ignore_index=True)


def _assign_units(
    target: np.ndarray, groups: np.ndarray | None, stratify: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Unit number of each row, and stratum of each unit (all 0 if not stratified)."""
    n = target.size
    units = np.arange(n) if groups is None else np.unique(groups, return_inverse=True)[1].ravel()
    strata = np.zeros(units.max() + 1, dtype=np.int64)
    if stratify:
        _, codes, counts = np.unique(target, return_inverse=True, return_counts=True)
        # Rank classes by size, most common first, so that the maximum is the rarest class.
        rank = np.empty(counts.size, dtype=np.int64)
        rank[np.argsort(-counts, kind="stable")] = np.arange(counts.size)
        np.maximum.at(strata, units, rank[codes.ravel()])
    return units, strata


def _iterate_folds(
    kind: str,
    scheme: Scheme,
    units: np.ndarray,
    strata: np.ndarray,
    data_seed: int,
    official: np.ndarray | None,
) -> Iterator[tuple[int, dict[str, np.ndarray]]]:
    """Yield each fold with the units of its test part, and of an official validation part."""
    if kind == "official":
        yield 0, _find_official_units(official, units)
        return
    stratified = strata if strata.any() else None
    if kind == "holdout":
        # Same stream as train_test_split(random_state=data_seed), to reproduce published splits.
        stream = np.random.RandomState(data_seed)
        everything = np.arange(strata.size)
        fraction = scheme["test"] or 0.0
        yield 0, {"test": _draw(everything, stratified, fraction, stream, "test")[1]}
        return
    folds = scheme["folds"]
    smallest = np.bincount(strata)[np.unique(strata)].min()
    if smallest < folds:
        subject = "the smallest class has only" if stratified is not None else "there are only"
        noun = "groups" if strata.size < units.size else "rows"
        raise ReseedError(
            f"kfold scheme: folds: {folds}, but {subject} {smallest} {noun}: use fewer folds"
            + (", merge rare classes, or stratify: false" if stratified is not None else "")
        )
    numbers = assign_folds(strata.size, folds, np.random.RandomState((data_seed, 0)), stratified)
    yield from ((fold, {"test": np.flatnonzero(numbers == fold)}) for fold in range(folds))


def _find_official_units(parts: np.ndarray | None, units: np.ndarray) -> dict[str, np.ndarray]:
    if parts is None:
        raise ReseedError(
            "official scheme: this dataset has no official test rows; use holdout, "
            "or name them in its file (official: {column: …} or {test: rows.csv})"
        )
    fixed = {part: np.unique(units[parts == part]) for part in PARTS}
    if not fixed["test"].size or not fixed["train"].size:
        raise ReseedError("official scheme: the official parts leave no test or training rows")
    if sum(part.size for part in fixed.values()) != units.max() + 1:
        raise ReseedError("official scheme: the official parts divide a group; drop the group")
    del fixed["train"]
    return {part: numbers for part, numbers in fixed.items() if numbers.size}


def _draw_parts(
    fixed: dict[str, np.ndarray],
    scheme: Scheme,
    strata: np.ndarray,
    stratify: bool,
    seeds: tuple[int, int, int],
) -> dict[str, np.ndarray]:
    """Units of each part: fixed ones, drawn validation units if configured, and the rest."""
    rest = np.flatnonzero(~_mark(np.concatenate(list(fixed.values())), strata.size))
    parts = {"validation": rest[:0], **fixed, "train": rest}
    fraction = scheme.get("validation", 0.0)
    if fraction and "validation" not in fixed:
        stream = np.random.RandomState((*seeds, 1))
        by = strata if stratify else None
        parts["train"], parts["validation"] = _draw(rest, by, fraction, stream, "validation")
    return parts


def _draw(
    pool: np.ndarray,
    strata: np.ndarray | None,
    fraction: float,
    stream: np.random.RandomState,
    name: str,
) -> tuple[np.ndarray, np.ndarray]:
    """Draw a fraction of the units in `pool`; return (the rest, the drawn units)."""
    by = None if strata is None else strata[pool]
    try:
        rest, drawn = shuffle_split(pool.size, math.ceil(fraction * pool.size), stream, by)
    except ValueError as error:
        raise ReseedError(
            f"{name}: {fraction} of {pool.size} rows or groups cannot be drawn: {error}. "
            "Use another fraction, merge rare classes, or stratify: false"
        ) from None
    return pool[rest], pool[drawn]


def _mark(numbers: np.ndarray, size: int) -> np.ndarray:
    """Boolean array: whether each of 0 … size-1 is among the numbers."""
    marks = np.zeros(size, dtype=bool)
    marks[numbers] = True
    return marks


def _check_classes(drawn: dict[str, np.ndarray], classes: np.ndarray, codes: np.ndarray) -> None:
    for part, rows in drawn.items():
        absent = np.flatnonzero(np.bincount(codes[rows], minlength=classes.size) == 0)
        if absent.size:
            raise ReseedError(
                f"class {classes[absent[0]]} has {np.sum(codes == absent[0])} rows, too few: "
                f"the {part} part got none. Merge rare classes, use a larger fraction, "
                "or stratify: false"
            )


def _build_frame(fold: int, rows: dict[str, np.ndarray]) -> "pd.DataFrame":
    import pandas as pd

    sizes = [rows[part].size for part in PARTS]
    codes = np.repeat(np.arange(len(PARTS)), sizes)
    return pd.DataFrame(
        {
            "fold": np.full(sum(sizes), fold, dtype=np.int16),
            "part": pd.Categorical.from_codes(codes, pd.Index(PARTS)),
            "row": np.concatenate([rows[part] for part in PARTS]).astype(np.int64),
        }
    )


def compute_rows_sha256(split: Split) -> str:
    """Hash of the rows of each part, in order; it is part of the key of each trial."""
    digest = hashlib.sha256()
    for part in PARTS:
        rows = np.ascontiguousarray(getattr(split, part), dtype="<i8")
        digest.update(f"{part} {rows.size} ".encode() + rows.tobytes())
    return digest.hexdigest()


def select_fold(frame: "pd.DataFrame", fold: int = 0) -> Split:
    """Return one fold of a frame that `make_split` drew."""
    one = frame[frame["fold"] == fold]
    return Split(*(one.loc[one["part"] == part, "row"].to_numpy() for part in PARTS))


def write_splits(
    path: Path,
    splits: Iterable[tuple[int, "pd.DataFrame | ReseedError"]],
    metadata: Mapping[str, Any],
) -> None:
    """Write the splits of some data seeds as a Parquet file, in one step.

    A column `data_seed` is added. Each data seed is a row group, so that one is read alone.

    splits: data seed with its split, or with the error that it gives. metadata: `scheme` and
    `targets_sha256` (see `SplitsMetadata`).
    Raises ReseedError where every data seed gives an error.
    """
    hashes: dict[str, dict[str, str]] = {}
    errors: dict[str, ReseedError] = {}
    writer: pq.ParquetWriter | None = None
    with replace_atomically(Path(path)) as temporary:
        for data_seed, frame in splits:
            if isinstance(frame, ReseedError):
                errors[str(data_seed)] = frame
                continue
            hashes[str(data_seed)] = {
                str(fold): compute_rows_sha256(select_fold(frame, fold))
                for fold in frame["fold"].unique().tolist()
            }
            frame.insert(0, "data_seed", np.int64(data_seed))
            table = pa.Table.from_pandas(frame, preserve_index=False).replace_schema_metadata(None)
            writer = writer or pq.ParquetWriter(temporary, table.schema)
            writer.write_table(table, row_group_size=max(1, len(frame)))
        if writer is None:
            raise next(iter(errors.values()), ReseedError(f"{path}: no data seed"))
        texts = {data_seed: str(error) for data_seed, error in errors.items()}
        text = json.dumps({**metadata, "rows_sha256": hashes, "errors": texts}, sort_keys=True)
        writer.add_key_value_metadata({_METADATA_KEY: text})
        writer.close()


def read_splits_metadata(
    path: Path, drawn_for: Mapping[str, object] | None = None
) -> SplitsMetadata:
    """Read the metadata of a file of splits without its rows.

    drawn_for: expected `scheme` (its identifier) or `targets_sha256`.
    Raises Damaged, also if the file is intact but has other metadata than expected.
    """

    def read() -> SplitsMetadata:
        metadata: SplitsMetadata = json.loads(pq.read_metadata(path).metadata[_METADATA_KEY])
        recorded = {**metadata, "scheme": scheme_id(metadata["scheme"])} if drawn_for else {}
        for name, expected in (drawn_for or {}).items():
            if recorded.get(name) != expected:
                found = f"{recorded.get(name)!r}, not for {expected!r}"
                raise Stale(path, f"was drawn for {name} {found}")
        return metadata

    return read_twice(path, read)


def read_split_hashes(
    path: Path, data_seed: int, drawn_for: Mapping[str, object] | None = None
) -> dict[int, str]:
    """Read the hash of the rows of each fold of a data seed from the metadata of a file.

    Raises Damaged, and ReseedError where the data seed has no split.
    """
    metadata = read_splits_metadata(path, drawn_for)
    hashes, seed = metadata["rows_sha256"], str(data_seed)
    if seed in metadata["errors"]:
        raise ReseedError(f"data seed {seed}: {metadata['errors'][seed]}")
    if seed not in hashes:
        raise ReseedError(
            f"{path} has no data seed {seed}; it has {', '.join(sorted(hashes, key=int))}"
        )
    return {int(fold): value for fold, value in hashes[seed].items()}


def read_split(path: Path, data_seed: int, fold: int = 0) -> Split:
    """Read one data seed and fold of a file of splits, and check it.

    Raises Damaged if the rows differ from those that were drawn, or are in two parts; ReseedError
    if the file has no such data seed or fold.
    """
    folds = read_split_hashes(path, data_seed)
    if fold not in folds:
        raise ReseedError(f"{path} has no fold {fold}; it has {', '.join(map(str, folds))}")
    drawn = list(read_splits_metadata(path)["rows_sha256"])

    def read() -> Split:
        columns = read_columns(path, sorted(map(int, drawn)).index(data_seed))
        is_in_fold = (columns["data_seed"] == data_seed) & (columns["fold"] == fold)
        part, row = columns["part"][is_in_fold], columns["row"][is_in_fold]
        split = Split(*(row[part == name] for name in PARTS))
        if np.unique(row).size != row.size:
            raise ValueError(f"data seed {data_seed}, fold {fold} has a row in two parts")
        if compute_rows_sha256(split) != folds[fold]:
            raise ValueError(
                f"the rows of data seed {data_seed}, fold {fold} are not those that were drawn"
            )
        return split

    return read_twice(path, read)
