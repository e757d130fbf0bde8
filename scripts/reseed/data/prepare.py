"""From a dataset's entry and its fetched files to a `Prepared` dataset of raw, typed rows."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from reseed.core.errors import ReseedError
from reseed.data import columns, draws
from reseed.data.inputs import Images, Inputs, Table, Texts
from reseed.data.kinds import PARTS
from reseed.data.official import assign_official_parts
from reseed.data.raw import Raw
from reseed.data.registry import find_entry_errors, find_reader, read_reader_options
from reseed.data.sources import Fetched
from reseed.data.store import Prepared


def prepare(dataset: dict, fetched: Fetched | None = None, folder: Path | None = None) -> Prepared:
    """Read, check and type a dataset; draw ``rows`` of them if the entry says so.

    dataset: an entry as in ``config/datasets/``. fetched: its files; None where the reader needs
    none. folder: where relative paths of official row files start (default: the working folder).
    Raises ReseedError naming file, column, value and fix.
    """
    where = f"dataset {dataset['name']}"
    if wrong := find_entry_errors({**dataset, "sources": [fetched] if fetched else []}):
        raise ReseedError(f"{where}: " + "; ".join(wrong))
    options = read_reader_options(dataset)
    try:
        read = find_reader(dataset).load()
    except ReseedError as error:
        raise ReseedError(f"{where}: {error}") from None
    raw = read(dataset, fetched)
    if fetched is not None:
        where += f" ({', '.join(str(path) for path in fetched.paths.values())})"
    if raw.frame.empty:
        raise ReseedError(f"{where}: the table is empty: it needs rows")
    frame = raw.frame.rename(columns=str).reset_index(drop=True)
    raw = Raw(frame, list(raw.notes), raw.images, raw.parts)
    raw = replace(raw, parts=assign_official_parts(where, dataset, raw, folder or Path()))
    raw = _without_duplicates(where, dataset, options, _selected(where, dataset, options, raw))
    return _finish(where, dataset, options, raw, fetched)


def _rows(raw: Raw, kept: np.ndarray, *notes: str) -> Raw:
    """The raw rows of these numbers."""
    return Raw(
        raw.frame.iloc[kept].reset_index(drop=True),
        [*raw.notes, *notes],
        None if raw.images is None else raw.images[kept],
        None if raw.parts is None else raw.parts[kept],
    )


def _selected(where: str, dataset: dict, options, raw: Raw) -> Raw:
    """Rows of the classes that the options keep, with merged classes under their new name."""
    if not (options.classes or options.merge):
        return raw
    if dataset["task"] == "regression":
        raise ReseedError(
            f"{where}: options.classes and merge need classes; the task is regression"
        )
    values = columns.require_column(where, raw.frame, dataset["target"], "target")
    labels = values.map(columns.format_label, na_action="ignore")
    groups = options.merge or {one: [one] for one in options.classes}
    new_of = {
        columns.format_label(old): columns.format_label(new)
        for new, olds in groups.items()
        for old in olds
    }
    unknown = sorted(set(new_of) - set(labels.dropna()))
    if unknown:
        field = "merge" if options.merge else "classes"
        raise ReseedError(
            f"{where}: options.{field}: {unknown[0]!r} is no class of {dataset['target']!r}, which "
            f"has {', '.join(sorted(set(labels.dropna()))[:20])}"
        )
    merged = labels.map(new_of)
    kept = np.flatnonzero(merged.notna())
    left = len(labels) - kept.size
    raw = _rows(raw, kept, *([f"{left} rows of other classes left out"] if left else []))
    raw.frame[dataset["target"]] = merged.iloc[kept].to_numpy()
    return raw


def _without_duplicates(where: str, dataset: dict, options, raw: Raw) -> Raw:
    """The first row of each text, where the options say so; else a note of how many repeat one."""
    if dataset.get("kind") != "texts":
        return raw
    for name in dataset["text"]:
        columns.require_column(where, raw.frame, name, "text")
    again = raw.frame.duplicated(dataset["text"], keep="first").to_numpy()
    if not again.any():
        return raw
    if options.duplicates == "keep":
        note = f"{again.sum()} rows have the text of an earlier row: a split may part them"
        return replace(raw, notes=[*raw.notes, note])
    pairs = raw.frame.drop_duplicates([*dataset["text"], dataset["target"]])
    disputed = int(pairs.duplicated(dataset["text"]).sum())
    note = f"{again.sum()} rows left out whose text stands in an earlier row"
    note += f" ({disputed} of them under another label)" if disputed else ""
    return _rows(raw, np.flatnonzero(~again), note)


def _finish(where: str, dataset: dict, options, raw: Raw, fetched: Fetched | None) -> Prepared:
    task, group = dataset["task"], dataset.get("group")
    values = columns.require_column(where, raw.frame, dataset["target"], "target")
    target, classes = columns.encode_target(where, values, task, dataset.get("positive"))
    groups = None
    if group is not None:
        values = columns.require_column(where, raw.frame, group, "group")
        if values.isna().any():
            raise ReseedError(
                f"{where}: group column {group!r} is empty in {values.isna().sum()} of "
                f"{len(values)} rows: give each row its group or remove it"
            )
        groups = pd.factorize(values, sort=True)[0].astype(np.int64)
    kept = _subsample(where, dataset, options, target, raw.parts)
    if kept is not None:
        raw = _rows(raw, kept, f"{kept.size} of {len(target)} rows, drawn at random")
        target = target[kept]
        groups = None if groups is None else groups[kept]
        _still_there(where, dataset, classes, target)
    inputs = _INPUTS[dataset.get("kind") or "table"](where, dataset, options, raw)
    meta = _meta(dataset, classes, target, fetched, raw.notes)
    return Prepared(inputs, target, groups, raw.parts, meta)


def _table(where: str, dataset: dict, options, raw: Raw) -> Inputs:
    frame, group = raw.frame, dataset.get("group")
    drop = dataset.get("drop") or []
    for name in drop:
        columns.require_column(where, frame, name, "drop")
    others = [dataset["target"], group, (dataset.get("official") or {}).get("column")]
    frame = frame.drop(
        columns=[*drop, *(n for n in set(others) if n is not None and n not in drop)]
    )
    if frame.columns.empty:
        raise ReseedError(f"{where}: no feature is left beside target, group and drop")
    for name in options.categorical:
        columns.require_column(where, frame, name, "options.categorical")
    typed = {
        n: columns.convert_feature(where, frame[n], n in options.categorical)[0] for n in frame
    }
    constant = [name for name, values in typed.items() if values.nunique(dropna=False) == 1]
    if constant:
        raw.notes.append(f"constant columns (kept): {', '.join(constant)}")
    return Table(pd.DataFrame(typed))


def _images(where: str, dataset: dict, options, raw: Raw) -> Inputs:
    if raw.images is None or len(raw.images) != len(raw.frame):
        found = "none" if raw.images is None else str(len(raw.images))
        raise ReseedError(f"{where}: the reader gave {found} images for {len(raw.frame)} rows")
    return Images(raw.images)


def _texts(where: str, dataset: dict, options, raw: Raw) -> Inputs:
    texts = {n: columns.require_column(where, raw.frame, n, "text") for n in dataset["text"]}
    for name, values in texts.items():
        bad = np.flatnonzero(~values.map(lambda v: isinstance(v, str) and v.strip() != ""))
        if bad.size:
            raise ReseedError(
                f"{where}: text column {name!r} holds {values.iloc[bad[0]]!r} in row {bad[0] + 1} "
                f"({bad.size} rows hold no text): remove these rows, or write what stands for none"
            )
    return Texts(texts)


_INPUTS = {"table": _table, "images": _images, "texts": _texts}


def _subsample(
    where: str, dataset: dict, options, target: np.ndarray, parts: np.ndarray | None
) -> np.ndarray | None:
    """Ascending row numbers of a seeded draw of ``rows``, by class and official part."""
    rows = dataset.get("rows")
    if rows is None or rows >= len(target):
        return None
    strata = target if dataset["task"] != "regression" else None
    if parts is not None:
        code = np.searchsorted(sorted(PARTS), parts)
        strata = code if strata is None else strata * len(PARTS) + code
    try:
        return draws.draw_rows(len(target), rows, options.subsample_seed, strata)
    except ValueError as error:
        raise ReseedError(
            f"{where}: rows: {rows} cannot be drawn from {len(target)}: {error}"
        ) from None


def _still_there(where: str, dataset: dict, classes: list | None, target: np.ndarray) -> None:
    absent = [] if classes is None else sorted(set(range(len(classes))) - set(target.tolist()))
    if absent:
        rows, lost = dataset["rows"], classes[absent[0]]
        raise ReseedError(f"{where}: rows: {rows} leave no row of class {lost!r}: use more rows")


def _meta(
    dataset: dict,
    classes: list[str] | None,
    target: np.ndarray,
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
        "class_counts": counts,
        "source": fetched.source
        if fetched
        else {"kind": "reader", "reader": dataset.get("reader")},
        "attempts": fetched.attempts if fetched else [],
        "licence": dataset.get("licence"),
        "citation": dataset.get("citation"),
        "stand_in": dataset.get("stand_in_for"),
        "notes": [*(dataset.get("notes") or []), *notes],
    }
