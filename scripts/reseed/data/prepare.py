"""Turn the entry of a dataset and its fetched files into a `Prepared` dataset."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from reseed.config.datasets import Dataset
from reseed.core.errors import ReseedError
from reseed.data import columns, draws
from reseed.data.inputs import Images, Inputs, Table, Texts
from reseed.data.kinds import PARTS
from reseed.data.leaks import find_leaks
from reseed.data.meta import DatasetDescription
from reseed.data.official import assign_official_parts
from reseed.data.raw import Raw
from reseed.data.registry import (
    ReaderOptions,
    find_entry_errors,
    find_reader,
    read_reader_options,
)
from reseed.data.sources import Fetched
from reseed.data.store import Prepared


def prepare(
    dataset: Dataset, fetched: Fetched | None = None, folder: Path | None = None
) -> Prepared:
    """Read, check and type a dataset; draw `rows` of its rows if the entry sets a number.

    fetched: its files; None if the reader needs none.
    folder: base of relative paths of official row files (default: the working folder).
    Raises ReseedError with file, column, value and fix.
    """
    where = f"dataset {dataset.name}"
    if errors := find_entry_errors(dataset, has_files=fetched is not None):
        raise ReseedError(f"{where}: " + "; ".join(errors))
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
    target = columns.require_column(where, frame, dataset.target, "target")
    if (empty := int(target.isna().sum())) and empty < len(target):
        raw = _take_rows(
            raw, np.flatnonzero(target.notna()), f"{empty} rows without a target left out"
        )
    raw = _select_classes(where, dataset, options, raw)
    raw = _remove_duplicates(where, dataset, options, raw)
    return _encode(where, dataset, options, raw, fetched)


def _take_rows(raw: Raw, rows: np.ndarray, *notes: str) -> Raw:
    """Return the raw rows with these numbers."""
    return Raw(
        raw.frame.iloc[rows].reset_index(drop=True),
        [*raw.notes, *notes],
        None if raw.images is None else raw.images[rows],
        None if raw.parts is None else raw.parts[rows],
    )


def _select_classes(where: str, dataset: Dataset, options: ReaderOptions, raw: Raw) -> Raw:
    """Return the rows of the configured classes, with merged classes under their new name."""
    if not (options.classes or options.merge):
        return raw
    if dataset.task == "regression":
        raise ReseedError(
            f"{where}: options.classes and merge need classes; the task is regression"
        )
    values = columns.require_column(where, raw.frame, dataset.target, "target")
    labels = values.map(columns.format_label, na_action="ignore")
    groups = options.merge or {one: [one] for one in options.classes or []}
    new_of = {
        columns.format_label(old): columns.format_label(new)
        for new, olds in groups.items()
        for old in olds
    }
    unknown = sorted(set(new_of) - set(labels.dropna()))
    if unknown:
        field = "merge" if options.merge else "classes"
        raise ReseedError(
            f"{where}: options.{field}: {unknown[0]!r} is no class of {dataset.target!r}, which "
            f"has {', '.join(sorted(set(labels.dropna()))[:20])}"
        )
    merged = labels.map(new_of)
    rows = np.flatnonzero(merged.notna())
    left_out = len(labels) - rows.size
    notes = [f"{left_out} rows of other classes left out"] if left_out else []
    raw = _take_rows(raw, rows, *notes)
    raw.frame[dataset.target] = merged.iloc[rows].to_numpy()
    return raw


def _remove_duplicates(where: str, dataset: Dataset, options: ReaderOptions, raw: Raw) -> Raw:
    """Return the first row of each text, or all rows with a note if `duplicates: keep` is set."""
    if dataset.kind != "texts":
        return raw
    for name in dataset.text:
        columns.require_column(where, raw.frame, name, "text")
    is_repeated = raw.frame.duplicated(dataset.text, keep="first").to_numpy()
    if not is_repeated.any():
        return raw
    if getattr(options, "duplicates", None) == "keep":
        note = f"{is_repeated.sum()} rows have the text of an earlier row: a split may part them"
        return replace(raw, notes=[*raw.notes, note])
    pairs = raw.frame.drop_duplicates([*dataset.text, dataset.target])
    disputed = int(pairs.duplicated(dataset.text).sum())
    note = f"{is_repeated.sum()} rows left out that repeat the text of an earlier row"
    note += f" ({disputed} of them under another label)" if disputed else ""
    return _take_rows(raw, np.flatnonzero(~is_repeated), note)


def _encode(
    where: str, dataset: Dataset, options: ReaderOptions, raw: Raw, fetched: Fetched | None
) -> Prepared:
    """Encode targets, groups and inputs, and draw rows."""
    task, group = dataset.task, dataset.group
    values = columns.require_column(where, raw.frame, dataset.target, "target")
    target, classes = columns.encode_target(where, values, task, dataset.positive)
    groups = None
    if group is not None:
        values = columns.require_column(where, raw.frame, group, "group")
        if values.isna().any():
            raise ReseedError(
                f"{where}: group column {group!r} is empty in {values.isna().sum()} of "
                f"{len(values)} rows: give each row its group or remove it"
            )
        groups = pd.factorize(values, sort=True)[0].astype(np.int64)
    times = None
    if dataset.time is not None:
        values = columns.require_column(where, raw.frame, dataset.time, "time")
        times = columns.rank_times(where, values)
    rows = _draw_rows(where, dataset, options, target, raw.parts)
    if rows is not None:
        raw = _take_rows(raw, rows, f"{rows.size} of {len(target)} rows, drawn at random")
        target = target[rows]
        groups = None if groups is None else groups[rows]
        times = None if times is None else times[rows]
        _check_classes_remain(where, dataset, classes, target)
    inputs = _INPUTS[dataset.kind](where, dataset, options, raw)
    info = _describe(dataset, classes, target, fetched, raw.notes)
    info = replace(info, words=_mean_words(inputs))
    return Prepared(inputs, target, groups, raw.parts, info, times)


def _build_table(where: str, dataset: Dataset, options: ReaderOptions, raw: Raw) -> Inputs:
    frame, drop = raw.frame, dataset.drop
    for name in drop:
        columns.require_column(where, frame, name, "drop")
    official = dataset.official and dataset.official.column
    others = [dataset.target, dataset.group, dataset.time, official]
    frame = frame.drop(
        columns=[*drop, *(n for n in set(others) if n is not None and n not in drop)]
    )
    if frame.columns.empty:
        raise ReseedError(f"{where}: no feature is left besides target, group and drop")
    if not (dataset.group or dataset.time or official):
        target = raw.frame[dataset.target]
        leaks = find_leaks(frame, target, dataset.task)
        raw.notes.extend(f"{text}: give it as {field}:." for field, _, text in leaks)
    categorical: list[str] = getattr(options, "categorical", [])
    for name in categorical:
        columns.require_column(where, frame, name, "options.categorical")
    typed = columns.convert_features(where, frame, categorical)
    constant = [str(name) for name, values in typed.items() if values.nunique(dropna=False) == 1]
    if constant:
        raw.notes.append(f"constant columns (kept): {', '.join(constant)}")
    return Table(typed)


def _build_images(where: str, dataset: Dataset, options: ReaderOptions, raw: Raw) -> Inputs:
    if raw.images is None or len(raw.images) != len(raw.frame):
        count = "none" if raw.images is None else str(len(raw.images))
        raise ReseedError(f"{where}: the reader gave {count} images for {len(raw.frame)} rows")
    return Images(raw.images)


def _build_texts(where: str, dataset: Dataset, options: ReaderOptions, raw: Raw) -> Inputs:
    texts = {n: columns.require_column(where, raw.frame, n, "text") for n in dataset.text}
    for name, values in texts.items():
        bad = np.flatnonzero(~values.map(lambda v: isinstance(v, str) and v.strip() != ""))
        if bad.size:
            raise ReseedError(
                f"{where}: text column {name!r} holds {values.iloc[bad[0]]!r} in row {bad[0] + 1} "
                f"({bad.size} rows hold no text): remove these rows, or fill them with a text"
            )
    return Texts(texts)


def _mean_words(inputs: Inputs) -> float | None:
    """Mean number of words of a row of texts, separated by white space; else None."""
    if not isinstance(inputs, Texts):
        return None
    words = sum(len(text.split()) for texts in inputs.columns.values() for text in texts)
    return round(words / len(inputs), 2)


_INPUTS = {"table": _build_table, "images": _build_images, "texts": _build_texts}


def _draw_rows(
    where: str,
    dataset: Dataset,
    options: ReaderOptions,
    target: np.ndarray,
    parts: np.ndarray | None,
) -> np.ndarray | None:
    """Ascending numbers of the drawn rows, stratified by class and official part; None for all."""
    rows = dataset.rows
    if rows is None or rows >= len(target):
        return None
    strata = target if dataset.task != "regression" else None
    if parts is not None:
        code = np.searchsorted(sorted(PARTS), parts)
        strata = code if strata is None else strata * len(PARTS) + code
    try:
        return draws.draw_rows(len(target), rows, options.subsample_seed, strata)
    except ValueError as error:
        raise ReseedError(
            f"{where}: rows: {rows} cannot be drawn from {len(target)}: {error}"
        ) from None


def _check_classes_remain(
    where: str, dataset: Dataset, classes: list[str] | None, target: np.ndarray
) -> None:
    if classes is None:
        return
    absent = sorted(set(range(len(classes))) - set(target.tolist()))
    if absent:
        rows, lost = dataset.rows, classes[absent[0]]
        raise ReseedError(f"{where}: rows: {rows} leave no row of class {lost!r}: use more rows")


def _describe(
    dataset: Dataset,
    classes: list[str] | None,
    target: np.ndarray,
    fetched: Fetched | None,
    notes: list[str],
) -> DatasetDescription:
    counts = None
    if classes is not None:
        sizes = np.bincount(target, minlength=len(classes))
        counts = dict(zip(classes, sizes.tolist(), strict=True))
    reader = {"kind": "reader", "reader": dataset.reader}
    return DatasetDescription(
        name=dataset.name,
        task=dataset.task,
        target=dataset.target,
        group=dataset.group,
        classes=classes,
        positive=classes[1] if classes and dataset.task == "binary" else None,
        class_counts=counts,
        source=fetched.source if fetched else reader,
        attempts=fetched.attempts if fetched else [],
        notes=notes,
    )
