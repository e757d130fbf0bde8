"""Which rows train, validate and test: persisted, seeded, stratified and group-aware.

Everything is drawn over *units*: a unit is a group when the dataset has groups, else a row. So no
group is ever in two parts, by construction. With groups, ratios are ratios of groups, and a group
is stratified by the rarest class it holds. Draws use NumPy's legacy ``RandomState``, whose streams
are frozen, so a data seed means the same rows on every platform. A data seed is one repeat: k-fold
cross-validation repeated twice is two data seeds.
"""

import hashlib
import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from reseed.core.atomic import replace_atomically
from reseed.core.errors import ReseedError
from reseed.core.identifiers import scheme_id
from reseed.data.draws import assign_folds, shuffle_split
from reseed.data.kinds import PARTS
from reseed.data.store import Damaged, Targets, read_columns

if TYPE_CHECKING:
    import pandas as pd

_KEYS = {"holdout": {"test"}, "kfold": {"folds"}, "official": set()}
_OPTIONAL = {"kind", "validation", "stratify"}
_FACTS = b"reseed"


@dataclass(frozen=True)
class Split:
    """Row numbers (int64) of the three parts. Train is in its seeded order, the others ascend."""

    train: np.ndarray
    validation: np.ndarray
    test: np.ndarray


def make_split(scheme: dict, targets: Targets, task: str, data_seed: int) -> "pd.DataFrame":
    """Draw a split of all rows; one line per (fold, row).

    scheme: ``{kind: holdout, test: 0.2}``, ``{kind: kfold, folds: 5}`` or ``{kind: official}``;
    each may hold ``validation`` (fraction of the rows that are not test rows, default 0) and
    ``stratify`` (default true; classification only, ignored in regression). Official splits test
    on the dataset's own test rows; they validate on its own validation rows, or where it has none
    on a fraction of its training rows, drawn by the data seed.
    Returns columns fold (int16), part (category), row (int64). Raises ReseedError.
    """
    import pandas as pd  # here: who only reads splits does without it

    target, groups = np.asarray(targets.target), targets.groups
    kind = _check(scheme, len(target), groups, data_seed)
    stratify = scheme.get("stratify", True) and task != "regression"
    units, strata = _units(target, groups, stratify)
    frames = []
    for fold, given in _given(kind, scheme, units, strata, data_seed, targets.parts):
        key = (data_seed, 0, fold)
        chosen = _parts(given, scheme, strata, stratify, key)
        rows = {
            part: np.flatnonzero(_marked(unit, strata.size)[units]) for part, unit in chosen.items()
        }
        drawn = {part: rows[part] for part, unit in chosen.items() if unit.size}
        if kind == "official":
            # Given, not drawn: whatever they hold is what is asked for.
            drawn = {p: r for p, r in drawn.items() if p == "train" or p not in given}
        if stratify:
            _check_classes(drawn, *np.unique(target, return_inverse=True))
        # Sources are often sorted by class; a network without shuffling must not see that order.
        rows["train"] = np.random.RandomState((*key, 2)).permutation(rows["train"])
        frames.append(_frame(fold, rows))
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
    folds = scheme.get("folds", 2)
    if not isinstance(folds, int) or folds < 2:
        raise ReseedError(f"{kind} scheme: folds must be a whole number ≥ 2: {folds!r}")
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


def _given(
    kind: str,
    scheme: dict,
    units: np.ndarray,
    strata: np.ndarray,
    data_seed: int,
    official: np.ndarray | None,
) -> Iterator[tuple[int, dict[str, np.ndarray]]]:
    """Yield each fold with the units of its test part (and validation part, where given)."""
    if kind == "official":
        yield 0, _official_units(official, units)
        return
    stratified = strata if strata.any() else None
    if kind == "holdout":
        # The stream of train_test_split(random_state=data_seed): a published seed is that split.
        stream = np.random.RandomState(data_seed)
        everything = np.arange(strata.size)
        yield 0, {"test": _draw(everything, stratified, scheme["test"], stream, "test")[1]}
        return
    folds = scheme["folds"]
    smallest = np.bincount(strata)[np.unique(strata)].min()
    if smallest < folds:
        what = "the smallest class has only" if stratified is not None else "there are only"
        thing = "groups" if strata.size < units.size else "rows"
        raise ReseedError(
            f"kfold scheme: folds: {folds}, but {what} {smallest} {thing}: use fewer folds"
            + (", merge rare classes, or stratify: false" if stratified is not None else "")
        )
    numbers = assign_folds(strata.size, folds, np.random.RandomState((data_seed, 0)), stratified)
    yield from ((fold, {"test": np.flatnonzero(numbers == fold)}) for fold in range(folds))


def _official_units(parts: np.ndarray | None, units: np.ndarray) -> dict[str, np.ndarray]:
    if parts is None:
        raise ReseedError(
            "official scheme: this dataset has no test rows of its own; use holdout, "
            "or name them in its file (official: {column: …} or {test: rows.csv})"
        )
    given = {part: np.unique(units[parts == part]) for part in PARTS}
    if not given["test"].size or not given["train"].size:
        raise ReseedError("official scheme: the dataset's own parts leave no test or training rows")
    if sum(part.size for part in given.values()) != units.max() + 1:
        raise ReseedError("official scheme: the dataset's own parts divide a group; drop the group")
    del given["train"]
    return {part: rows for part, rows in given.items() if rows.size}


def _parts(
    given: dict[str, np.ndarray], scheme: dict, strata: np.ndarray, stratify: bool, key: tuple
) -> dict[str, np.ndarray]:
    """Units of each part: those given, the validation units drawn if need be, the rest to train."""
    rest = np.flatnonzero(~_marked(np.concatenate(list(given.values())), strata.size))
    parts = {"validation": rest[:0], **given, "train": rest}
    fraction = scheme.get("validation", 0.0)
    if fraction and "validation" not in given:
        stream = np.random.RandomState((*key, 1))
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
    """Draw a fraction of the pool's units; return (the rest, the drawn)."""
    by = None if strata is None else strata[pool]
    try:
        rest, drawn = shuffle_split(pool.size, math.ceil(fraction * pool.size), stream, by)
    except ValueError as error:
        raise ReseedError(
            f"{name}: {fraction} of {pool.size} rows or groups cannot be drawn: {error}. "
            "Use another fraction, merge rare classes, or stratify: false"
        ) from None
    return pool[rest], pool[drawn]


def _marked(numbers: np.ndarray, size: int) -> np.ndarray:
    """Whether each of 0 … size-1 is among the numbers."""
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


def _frame(fold: int, rows: dict[str, np.ndarray]) -> "pd.DataFrame":
    import pandas as pd

    sizes = [rows[part].size for part in PARTS]
    return pd.DataFrame(
        {
            "fold": np.full(sum(sizes), fold, dtype=np.int16),
            "part": pd.Categorical.from_codes(np.repeat(range(len(PARTS)), sizes), PARTS),
            "row": np.concatenate([rows[part] for part in PARTS]).astype(np.int64),
        }
    )


def compute_rows_sha256(split: Split) -> str:
    """Hash of the rows of each part, in order: what of a split decides a trial's numbers."""
    digest = hashlib.sha256()
    for part in PARTS:
        rows = np.ascontiguousarray(getattr(split, part), dtype="<i8")
        digest.update(f"{part} {rows.size} ".encode() + rows.tobytes())
    return digest.hexdigest()


def select_fold(frame: "pd.DataFrame", fold: int = 0) -> Split:
    """One fold of a frame that `make_split` drew."""
    one = frame[frame["fold"] == fold]
    return Split(*(one.loc[one["part"] == part, "row"].to_numpy() for part in PARTS))


def write_split(path: Path, frame: "pd.DataFrame", facts: dict) -> None:
    """Write a split atomically as one Parquet file.

    facts: at least ``scheme``, ``data_seed`` and ``targets_sha256`` of the rows that were split;
    stored in the file with the hash of each fold's rows.
    """
    hashes = {
        str(f): compute_rows_sha256(select_fold(frame, f)) for f in frame["fold"].unique().tolist()
    }
    text = json.dumps({**facts, "rows_sha256": hashes}, sort_keys=True)
    table = pa.Table.from_pandas(frame, preserve_index=False)
    with replace_atomically(Path(path)) as temporary:
        pq.write_table(table.replace_schema_metadata({_FACTS: text.encode()}), temporary)


def read_split_metadata(path: Path, drawn_for: Mapping[str, object] | None = None) -> dict:
    """What a split file says of itself; no row is read.

    drawn_for: `scheme` (its identifier), `data_seed` or `targets_sha256` that it must be of.
    Raises `Damaged`, also for a whole file that stands in another's place.
    """
    try:
        facts = json.loads(pq.read_schema(path).metadata[_FACTS])
        found = {**facts, "scheme": scheme_id(facts["scheme"])} if drawn_for else {}
    except FileNotFoundError:
        raise Damaged(path, "is missing") from None
    except (pa.ArrowInvalid, OSError, KeyError, TypeError, ValueError) as error:
        raise Damaged(path, f"cannot be read as a split ({error})") from None
    for name, wanted in (drawn_for or {}).items():
        if found.get(name) != wanted:
            raise Damaged(path, f"was drawn for {name} {found.get(name)!r}, not for {wanted!r}")
    return facts


def read_split_hashes(path: Path, drawn_for: Mapping[str, object] | None = None) -> dict[int, str]:
    """Hash of the rows of each fold, from the file's metadata alone. Raises `Damaged`."""
    facts = read_split_metadata(path, drawn_for)
    return {int(fold): found for fold, found in facts["rows_sha256"].items()}


def read_split(path: Path, fold: int = 0) -> Split:
    """Read one fold of a split file and check it.

    Raises `Damaged` where the rows are not those that were drawn, or stand in two parts;
    ReseedError where the file has no such fold.
    """
    facts = read_split_metadata(path)
    if str(fold) not in facts["rows_sha256"]:
        raise ReseedError(f"{path} has no fold {fold}; it has {', '.join(facts['rows_sha256'])}")
    try:
        columns = read_columns(path)
        chosen = columns["fold"] == fold
        part, row = columns["part"][chosen], columns["row"][chosen]
    except (pa.ArrowException, BufferError, KeyError, OSError, TypeError, ValueError) as error:
        raise Damaged(path, f"cannot be read as a split ({error})") from None
    split = Split(*(row[part == name] for name in PARTS))
    if np.unique(row).size != row.size:
        raise Damaged(path, f"fold {fold} has a row in two parts")
    if compute_rows_sha256(split) != facts["rows_sha256"][str(fold)]:
        raise Damaged(path, f"the rows of fold {fold} are not those that were drawn")
    return split
