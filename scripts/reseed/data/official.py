"""Official train, validation and test rows of a dataset, from its reader or its entry."""

from pathlib import Path

import numpy as np

from reseed.config.datasets import Dataset, OfficialRows
from reseed.core.errors import ReseedError
from reseed.data import columns
from reseed.data.kinds import PARTS
from reseed.data.raw import Raw


def assign_official_parts(
    where: str, dataset: Dataset, raw: Raw, folder: Path
) -> np.ndarray | None:
    """Part of each raw row, or None if the dataset has no official parts.

    The entry's `official` has priority over the parts of the reader. It is either `{column: name,
    train: [values], validation: [...], test: [...]}`, or a file of row numbers for each part
    (`.csv` with one column, or `.npy`; the first row is 0). Rows that nothing names are training
    rows. If `train` is configured, every row must be named. Raises ReseedError.
    """
    official = dataset.official
    if official is None:
        parts = raw.parts
    elif official.column is not None:
        parts = _parts_by_column(f"{where}: official", raw, official, official.column)
    else:
        parts = _parts_by_files(f"{where}: official", len(raw.frame), official, folder)
    if parts is not None and "test" not in parts:
        raise ReseedError(f"{where}: official: no row is a test row")
    if parts is not None and "train" not in parts:
        raise ReseedError(f"{where}: official: no row is left to train on")
    return None if parts is None else np.asarray(parts, dtype="<U10")


def _parts_by_column(where: str, raw: Raw, official: OfficialRows, column: str) -> np.ndarray:
    values = columns.require_column(where, raw.frame, column, "part")
    labels = values.map(columns.format_label).to_numpy()
    parts = np.full(len(labels), "train" if official.train is None else "", dtype="<U10")
    values_of = {part: getattr(official, part) or [] for part in PARTS}
    named = [columns.format_label(one) for listed in values_of.values() for one in listed]
    twice = sorted({value for value in named if named.count(value) > 1})
    if twice:
        raise ReseedError(f"{where}: {twice[0]!r} is named twice: each value has one part")
    for part, listed in values_of.items():
        for value in listed:
            rows = labels == columns.format_label(value)
            if not rows.any():
                present = ", ".join(sorted(set(labels))[:10])
                raise ReseedError(f"{where}.{part}: no row holds {value!r}; there are {present}")
            parts[rows] = part
    unassigned = sorted(set(labels[parts == ""]))
    if unassigned:
        raise ReseedError(
            f"{where}: rows with {column} = {', '.join(unassigned[:10])} are in no "
            "part: name the value under train, validation or test, or leave train out"
        )
    return parts


def _parts_by_files(where: str, n: int, official: OfficialRows, folder: Path) -> np.ndarray:
    parts = np.full(n, "train" if official.train is None else "", dtype="<U10")
    is_assigned = np.zeros(n, dtype=bool)
    for part in PARTS:
        file = getattr(official, part)
        if file is None:
            continue
        path = folder / file
        rows = _read_row_numbers(f"{where}.{part}", path)
        if rows.size and (rows.min() < 0 or rows.max() >= n):
            bad = rows[(rows < 0) | (rows >= n)][0]
            raise ReseedError(f"{where}.{part}: {path} names row {bad}; rows are 0 … {n - 1}")
        if np.unique(rows).size != rows.size or is_assigned[rows].any():
            raise ReseedError(f"{where}.{part}: {path} names a row twice, or one of another part")
        is_assigned[rows] = True
        parts[rows] = part
    if (parts == "").any():
        row = np.flatnonzero(parts == "")[0]
        raise ReseedError(f"{where}: row {row} is in no part: name it, or leave train out")
    return parts


def _read_row_numbers(where: str, path: Path) -> np.ndarray:
    try:
        if path.suffix == ".npy":
            rows = np.load(path, allow_pickle=False).ravel()
        else:
            cells = path.read_text(encoding="utf-8-sig").split()
            if cells and not cells[0].lstrip("-").isdigit():  # a header
                cells = cells[1:]
            rows = np.array([int(cell) for cell in cells], dtype=np.int64)
    except (OSError, ValueError) as error:
        raise ReseedError(f"{where}: {path} cannot be read as row numbers: {error}") from None
    if not np.issubdtype(rows.dtype, np.integer):
        raise ReseedError(f"{where}: {path} holds {rows.dtype} values, not row numbers")
    return rows.astype(np.int64)
