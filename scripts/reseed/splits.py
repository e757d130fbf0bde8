"""Which rows train, validate and test: persisted, seeded, stratified and group-aware.

Everything is drawn over *units*: a unit is a group when the dataset has groups, else a row. So no
group is ever in two parts, by construction. With groups, ratios are ratios of groups, and a group
is stratified by the rarest class it holds. Draws use NumPy's legacy ``RandomState``, whose streams
are frozen, so a data seed means the same rows on every platform.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from sklearn.model_selection import KFold, StratifiedKFold, train_test_split

from reseed.atomic import replacing
from reseed.errors import ReseedError

PARTS = ("train", "validation", "test")
_KEYS = {
    "holdout": {"test"},
    "kfold": {"folds"},
    "official": set(),
}
_OPTIONAL = {"kind", "validation", "stratify", "repeats"}


@dataclass(frozen=True)
class Split:
    """Row numbers (int64) of the three parts. Train is in its seeded order, the others ascend."""

    train: np.ndarray
    validation: np.ndarray
    test: np.ndarray


def make_split(
    scheme: dict,
    target: np.ndarray,
    groups: np.ndarray | None,
    task: str,
    data_seed: int,
    official: np.ndarray | None = None,
) -> pd.DataFrame:
    """Draw a split of all rows; one line per (repeat, fold, row).

    scheme: ``{kind: holdout, test: 0.2}``, ``{kind: kfold, folds: 5, repeats: 2}`` or
    ``{kind: official}``; each may hold ``validation`` (fraction of the rows that are not test
    rows, default 0) and ``stratify`` (default true; classification only, ignored in regression).
    official: the test row numbers that come with the dataset.
    Returns columns repeat, fold (int16), part (category), row (int64). Raises ReseedError.
    """
    target = np.asarray(target)
    kind = _check(scheme, len(target), groups, data_seed)
    stratify = scheme.get("stratify", True) and task != "regression"
    units, strata = _units(target, groups, stratify)
    validation = scheme.get("validation", 0.0)
    frames = []
    for repeat, fold, test_units in _tests(kind, scheme, units, strata, data_seed, official):
        key = (data_seed, repeat, fold)
        rest = np.setdiff1d(np.arange(strata.size), test_units)
        parts = {"test": test_units, "train": rest, "validation": rest[:0]}
        if validation:
            parts["train"], parts["validation"] = _draw(
                rest, strata, validation, stratify, np.random.RandomState((*key, 1)), "validation"
            )
        rows = {part: np.flatnonzero(np.isin(units, chosen)) for part, chosen in parts.items()}
        drawn = {part: rows[part] for part, chosen in parts.items() if chosen.size}
        if kind == "official":
            del drawn["test"]  # given, not drawn: whatever it holds is what is asked for
        if stratify:
            _check_classes(drawn, target)
        # Sources are often sorted by class; a network without shuffling must not see that order.
        rows["train"] = np.random.RandomState((*key, 2)).permutation(rows["train"])
        frames.append(_frame(repeat, fold, rows))
    return pd.concat(frames, ignore_index=True)


def _check(scheme: dict, n: int, groups: np.ndarray | None, data_seed: int) -> str:
    kind = scheme.get("kind")
    if kind not in _KEYS:
        raise ReseedError(f"scheme kind: found {kind!r}, allowed: {', '.join(_KEYS)}")
    missing = _KEYS[kind] - scheme.keys()
    unknown = scheme.keys() - _KEYS[kind] - _OPTIONAL
    if missing or unknown:
        raise ReseedError(f"{kind} scheme: missing {sorted(missing)}, unknown {sorted(unknown)}")
    for name, low_open in (("test", True), ("validation", False)):
        value = scheme.get(name, 0.5)
        if not isinstance(value, int | float) or not (
            0 < value < 1 or (value == 0 and not low_open)
        ):
            raise ReseedError(f"{kind} scheme: {name} must lie between 0 and 1, found {value!r}")
    for name, least in (("folds", 2), ("repeats", 1)):
        value = scheme.get(name, least)
        if not isinstance(value, int) or value < least:
            raise ReseedError(f"{kind} scheme: {name} must be a whole number ≥ {least}: {value!r}")
    if not 0 <= data_seed < 2**32:
        raise ReseedError(f"data seed must lie in 0 … 2**32 - 1, found {data_seed}")
    if n == 0:
        raise ReseedError("the dataset has no rows to split")
    if groups is not None and len(groups) != n:
        raise ReseedError(f"{len(groups)} group values for {n} rows")
    return kind


def _units(
    target: np.ndarray, groups: np.ndarray | None, stratify: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Unit number of each row, and stratum of each unit (all 0 when not stratified)."""
    n = target.size
    units = np.arange(n) if groups is None else np.unique(groups, return_inverse=True)[1].ravel()
    strata = np.zeros(units.max() + 1, dtype=np.int64)
    if stratify:
        _, codes, counts = np.unique(target, return_inverse=True, return_counts=True)
        # Rank of each class by size, most common first, so that the maximum is the rarest.
        rank = np.empty(counts.size, dtype=np.int64)
        rank[np.argsort(-counts, kind="stable")] = np.arange(counts.size)
        np.maximum.at(strata, units, rank[codes.ravel()])
    return units, strata


def _tests(
    kind: str,
    scheme: dict,
    units: np.ndarray,
    strata: np.ndarray,
    data_seed: int,
    official: np.ndarray | None,
) -> Iterator[tuple[int, int, np.ndarray]]:
    """Yield repeat, fold and the test units of each fold of a scheme."""
    everything = np.arange(strata.size)
    stratified = bool(strata.any())
    if kind == "holdout":
        # The stream of train_test_split(random_state=data_seed): a published seed is that split.
        stream = np.random.RandomState(data_seed)
        yield 0, 0, _draw(everything, strata, scheme["test"], stratified, stream, "test")[1]
    elif kind == "official":
        yield 0, 0, _official_units(official, units)
    else:
        folds = scheme["folds"]
        smallest = np.bincount(strata)[np.unique(strata)].min()
        if smallest < folds:
            what = "the smallest class has only" if stratified else "there are only"
            thing = "groups" if strata.size < units.size else "rows"
            raise ReseedError(
                f"kfold scheme: folds: {folds}, but {what} {smallest} {thing}: use fewer folds"
                + (", merge rare classes, or stratify: false" if stratified else "")
            )
        splitter = StratifiedKFold if stratified else KFold
        for repeat in range(scheme.get("repeats", 1)):
            stream = np.random.RandomState((data_seed, repeat))
            cut = splitter(folds, shuffle=True, random_state=stream).split(everything, strata)
            yield from ((repeat, fold, test) for fold, (_, test) in enumerate(cut))


def _official_units(official: np.ndarray | None, units: np.ndarray) -> np.ndarray:
    if official is None:
        raise ReseedError("official scheme: this dataset has no official test rows; use holdout")
    rows = np.asarray(official)
    if np.unique(rows).size != rows.size or rows.size in (0, units.size):
        raise ReseedError(
            f"official scheme: {rows.size} test rows of {units.size}: "
            "must be distinct, at least one, and leave some to train on"
        )
    if rows.min() < 0 or rows.max() >= units.size:
        raise ReseedError(f"official scheme: test rows must lie in 0 … {units.size - 1}")
    inside = np.unique(units[rows])
    if np.isin(units, inside).sum() != rows.size:
        raise ReseedError("official scheme: the official test rows divide a group; drop the group")
    return inside


def _draw(
    pool: np.ndarray,
    strata: np.ndarray,
    fraction: float,
    stratify: bool,
    stream: np.random.RandomState,
    name: str,
) -> tuple[np.ndarray, np.ndarray]:
    """Draw a fraction of the pool's units; return (the rest, the drawn)."""
    by = strata[pool] if stratify else None
    try:
        rest, drawn = train_test_split(pool, test_size=fraction, stratify=by, random_state=stream)
    except ValueError as error:
        raise ReseedError(
            f"{name}: {fraction} of {pool.size} rows or groups cannot be drawn: {error} "
            "Use another fraction, merge rare classes, or stratify: false"
        ) from None
    return rest, drawn


def _check_classes(drawn: dict[str, np.ndarray], target: np.ndarray) -> None:
    for part, rows in drawn.items():
        absent = np.setdiff1d(target, target[rows])
        if absent.size:
            raise ReseedError(
                f"class {absent[0]} has {np.sum(target == absent[0])} rows, too few: "
                f"the {part} part got none. Merge rare classes, use a larger fraction, "
                "or stratify: false"
            )


def _frame(repeat: int, fold: int, rows: dict[str, np.ndarray]) -> pd.DataFrame:
    sizes = [rows[part].size for part in PARTS]
    return pd.DataFrame(
        {
            "repeat": np.full(sum(sizes), repeat, dtype=np.int16),
            "fold": np.full(sum(sizes), fold, dtype=np.int16),
            "part": pd.Categorical.from_codes(np.repeat(range(len(PARTS)), sizes), PARTS),
            "row": np.concatenate([rows[part] for part in PARTS]).astype(np.int64),
        }
    )


def write_split(path: Path, frame: pd.DataFrame) -> None:
    """Write a split atomically as one Parquet file."""
    with replacing(Path(path)) as temporary:
        pq.write_table(pa.Table.from_pandas(frame, preserve_index=False), temporary)


def read_split(path: Path, repeat: int = 0, fold: int = 0) -> Split:
    """Read one fold of a split file. Raises ReseedError if it is absent or the file is damaged."""
    wanted = [("repeat", "==", repeat), ("fold", "==", fold)]
    try:
        frame = pq.read_table(path, columns=["part", "row"], filters=wanted).to_pandas()
    except (pa.ArrowInvalid, OSError) as error:
        raise ReseedError(f"{path}: cannot be read as a split ({error}): make it again") from None
    if frame.empty:
        raise ReseedError(f"{path} has no repeat {repeat}, fold {fold}")
    return Split(*(frame.loc[frame["part"] == part, "row"].to_numpy() for part in PARTS))


def same_split(path: Path, frame: pd.DataFrame) -> bool:
    """Whether `path` holds exactly this split (a damaged or absent file does not)."""
    try:
        stored = pq.read_table(path).to_pandas()
    except (pa.ArrowInvalid, OSError):
        return False
    return stored.astype(str).equals(frame.astype(str)[stored.columns])
