"""From a dataset entry and its fetched file to a `Prepared` table of raw, typed rows."""

from collections.abc import Callable

import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split

from reseed.data import columns, readers
from reseed.data.sources import Fetched
from reseed.data.store import Prepared
from reseed.errors import ReseedError

PREPARE: dict[str, Callable[[dict, Fetched | None], readers.Read]] = {
    "table": readers.table,
    "magic": readers.magic,
    "bike_sharing": readers.bike_sharing,
    "california_housing": readers.california_housing,
    "home_mortgage_sim": readers.home_mortgage_sim,
}
"""How a raw table is read, by the name that stands under ``prepare`` in a dataset entry."""

OPTIONS = {
    "table": {"separator", "missing"},
    "home_mortgage_sim": {"seed"},
}
_COMMON_OPTIONS = {"categorical", "subsample_seed"}


def prepare(dataset: dict, fetched: Fetched | None = None) -> Prepared:
    """Read, check and type a dataset; draw ``rows`` of them if the entry says so.

    dataset: an entry as in ``config/datasets/``. fetched: its file; None for a simulator.
    options of every preparer: ``categorical`` (numeric columns that are codes), ``subsample_seed``.
    Raises ReseedError naming file, column, value and fix.
    """
    name = dataset.get("prepare", "table")
    if name not in PREPARE:
        raise ReseedError(
            f"dataset {dataset['name']}: prepare: {name!r} is unknown; known: {', '.join(PREPARE)}"
        )
    options = dataset.get("options") or {}
    unknown = sorted(set(options) - _COMMON_OPTIONS - OPTIONS.get(name, set()))
    if unknown:
        known = sorted(_COMMON_OPTIONS | OPTIONS.get(name, set()))
        raise ReseedError(
            f"dataset {dataset['name']}: options {unknown} are unknown to prepare: {name}; "
            f"known: {', '.join(known)}"
        )
    frame, notes = PREPARE[name](dataset, fetched)
    where = f"dataset {dataset['name']}" + (f" ({fetched.path})" if fetched else "")
    return _finish(where, frame, notes, dataset, fetched)


def _finish(
    where: str, frame: pd.DataFrame, notes: list[str], dataset: dict, fetched: Fetched | None
) -> Prepared:
    if frame.empty:
        raise ReseedError(f"{where}: the table is empty: it needs rows")
    frame = frame.rename(columns=str).reset_index(drop=True)
    task, group = dataset["task"], dataset.get("group")
    target, classes = columns.encode_target(
        where,
        columns.require(where, frame, dataset["target"], "target"),
        task,
        dataset.get("positive"),
    )
    groups = None
    if group is not None:
        values = columns.require(where, frame, group, "group")
        if values.isna().any():
            raise ReseedError(
                f"{where}: group column {group!r} has {values.isna().sum()} missing values: "
                "give each row its group or remove it"
            )
        groups = pd.factorize(values, sort=True)[0].astype(np.int64)
    drop = dataset.get("drop") or []
    for name in drop:
        columns.require(where, frame, name, "drop")
    frame = frame.drop(columns={*drop, dataset["target"], *([group] if group else [])})
    if frame.columns.empty:
        raise ReseedError(f"{where}: no feature is left beside target, group and drop")

    kept = _subsample(where, len(target), dataset, target)
    if kept is not None:
        notes = [*notes, f"{kept.size} of {len(target)} rows, drawn at random"]
        frame, target = frame.iloc[kept].reset_index(drop=True), target[kept]
        groups = None if groups is None else groups[kept]
    categorical = (dataset.get("options") or {}).get("categorical") or []
    for name in categorical:
        columns.require(where, frame, name, "options.categorical")
    typed = {name: columns.type_feature(where, frame[name], name in categorical) for name in frame}
    features = pd.DataFrame({name: series for name, (series, _) in typed.items()})
    constant = [name for name in features if features[name].nunique(dropna=False) == 1]
    if constant:
        notes = [*notes, f"constant columns (kept): {', '.join(constant)}"]
    kinds = [{"name": name, "kind": kind} for name, (_, kind) in typed.items()]
    meta = _meta(dataset, classes, target, kinds, fetched, notes)
    return Prepared(features, target, groups, meta)


def _subsample(where: str, n: int, dataset: dict, target: np.ndarray) -> np.ndarray | None:
    """Row numbers, ascending, of a seeded draw of ``rows`` (stratified for classification)."""
    rows = dataset.get("rows")
    if rows is None or rows >= n:
        return None
    classes = target if dataset["task"] != "regression" else None
    seed = (dataset.get("options") or {}).get("subsample_seed", 0)
    try:
        drawn, _ = train_test_split(
            np.arange(n), train_size=rows, stratify=classes, random_state=seed
        )
    except ValueError as error:
        raise ReseedError(f"{where}: rows: {rows} cannot be drawn from {n}: {error}") from None
    return np.sort(drawn)


def _meta(
    dataset: dict,
    classes: list[str] | None,
    target: np.ndarray,
    kinds: list[dict],
    fetched: Fetched | None,
    notes: list[str],
) -> dict:
    counts = None
    if classes is not None:
        sizes = np.bincount(target, minlength=len(classes))
        counts = dict(zip(classes, sizes.tolist(), strict=True))
    return {
        "name": dataset["name"],
        "title": dataset.get("title", dataset["name"]),
        "task": dataset["task"],
        "target": dataset["target"],
        "unit": dataset.get("unit") or "",
        "group": dataset.get("group"),
        "classes": classes,
        "positive": classes[1] if dataset["task"] == "binary" else None,
        "features": kinds,
        "rows": len(target),
        "class_counts": counts,
        "source": fetched.source if fetched else {"kind": "simulator"},
        "attempts": fetched.attempts if fetched else [],
        "licence": dataset.get("licence"),
        "citation": dataset.get("citation"),
        "stand_in": dataset.get("stand_in_for"),
        "notes": [*(dataset.get("notes") or []), *notes],
    }
