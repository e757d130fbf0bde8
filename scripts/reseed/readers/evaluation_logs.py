"""Reads item scores from logs of evaluation harnesses as a table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from reseed.core.errors import ReseedError, suggest_name
from reseed.readers.every_eval_ever import is_every_eval_ever, read_every_eval_ever
from reseed.readers.foreign_files import name_file
from reseed.readers.helm_stats import is_helm_stats, read_helm_stats
from reseed.readers.inspect_logs import is_inspect_log, read_inspect_log
from reseed.readers.lm_eval_samples import is_lm_eval_samples, read_lm_eval_samples
from reseed.readers.log_rows import LogRow
from reseed.readers.source_table import Layout, SourceTable, join_names
from reseed.readers.trec import (
    is_qrels,
    is_trec_eval,
    is_trec_run,
    read_run_files,
    read_trec_eval,
)

#: Labels of a score in a log.
LABELS = ("dataset", "model", "seed", "prompt", "repeat", "item", "cluster")


@dataclass(frozen=True)
class _Harness:
    """A harness: which files are its logs, and how they are read.

    `read(files, metric, cluster)` gives the rows; `cluster` is a field of the samples' metadata.
    """

    title: str
    is_log: Callable[[Path], bool]
    read: Callable[[list[Path], str | None, str | None], list[LogRow]]


def _one_by_one(
    read: Callable[[Path, str | None], list[LogRow]],
) -> Callable[[list[Path], str | None, str | None], list[LogRow]]:
    """Reads files that do not depend on each other."""
    return lambda files, _, cluster: [row for path in files for row in read(path, cluster)]


_HARNESSES = (
    _Harness("lm-eval samples", is_lm_eval_samples, _one_by_one(read_lm_eval_samples)),
    _Harness("Inspect logs", is_inspect_log, _one_by_one(read_inspect_log)),
    _Harness("HELM per-instance stats", is_helm_stats, _one_by_one(read_helm_stats)),
    _Harness("Every Eval Ever samples", is_every_eval_ever, _one_by_one(read_every_eval_ever)),
    _Harness("output of trec_eval -q", is_trec_eval, _one_by_one(read_trec_eval)),
    _Harness("TREC runs", is_trec_run, read_run_files),
)


@dataclass
class _Found:
    harness: _Harness
    files: list[Path] = field(default_factory=list)


def read_evaluation_log(
    paths: list[Path], metric: str | None = None, cluster: str | None = None
) -> SourceTable | None:
    """Read item scores of logs, or return None if none of the files is a log.

    Args:
        paths: files, or folders that are searched.
        metric: the score, if there are several; lm-eval's filters are part of the name:
            `exact_match (strict-match)`.
        cluster: field of the samples' metadata (of lm-eval: of `doc`) that names the cluster.

    Raises:
        ReseedError: for a damaged or unfinished log, several metrics, and items with the same name
            and another input in two logs.
    """
    with name_file(paths[0], "a log"):
        found = _find_logs(paths)
    if found is None:
        return None
    with name_file(found.files[0], found.harness.title):
        rows = found.harness.read(found.files, metric, cluster)
    if not rows:
        raise ReseedError(f"{paths[0]}: the logs hold no sample with a score.")
    frame = pd.DataFrame([vars(row) for row in rows])
    frame = _choose_metric(frame, metric)
    _check_inputs(frame)
    return _to_table(paths, frame.reset_index(drop=True), found, cluster)


def _to_table(
    paths: list[Path], frame: pd.DataFrame, found: _Found, cluster: str | None
) -> SourceTable:
    """The scores as a table with Reseed's names of columns, without empty ones."""
    names = {"score": "value", "repeat": "repetition", "cluster": cluster or "cluster"}
    table = frame[[*LABELS, "metric", "score"]].rename(columns=names)
    table = table.loc[:, [c for c in table if c == "value" or table[c].ne("").any()]]
    directions = set(frame["greater_is_better"].dropna())
    stated = {str(frame["metric"].iloc[0]): directions.pop()} if len(directions) == 1 else {}
    layout = Layout(found.harness.title, is_log=True, directions=stated)
    note = f"Read as {found.harness.title}: {len(found.files)} file(s)."
    rows = np.arange(1, len(table) + 1)
    return SourceTable(str(paths[0]), table, rows, "sample", layout, [note])


def _find_logs(paths: list[Path]) -> _Found | None:
    files = [
        file
        for path in paths
        for file in ([path] if path.is_file() else sorted(path.rglob("*")) if path.is_dir() else [])
        if file.is_file()
    ]
    found: list[_Found] = []
    rest = files
    for harness in _HARNESSES:
        logs = [file for file in rest if harness.is_log(file)]
        rest = [file for file in rest if file not in logs]
        if logs:
            found.append(_Found(harness, logs))
    # Runs beside the output of trec_eval are those that it scored.
    if len(found) > 1 and found[-1].harness.is_log is is_trec_run:
        del found[1 if found[0].harness.is_log is is_trec_eval else len(found) :]
    if len(found) > 1:
        counts = ", ".join(f"{one.harness.title} ({len(one.files)} files)" for one in found)
        examples = " and ".join(str(one.files[0]) for one in found[:2])
        raise ReseedError(
            f"The files are logs of several harnesses: {counts}; see {examples}. Their items have "
            "different names, so they are not paired. Give the files, or the folder, of one."
        )
    if found and found[0].harness.is_log is is_trec_run:
        found[0].files.extend(file for file in files if is_qrels(file))
    return found[0] if found else None


def _choose_metric(frame: pd.DataFrame, metric: str | None) -> pd.DataFrame:
    present = list(dict.fromkeys(frame["metric"]))
    if metric is None and len(present) > 1:
        raise ReseedError(
            f"The logs hold several metrics ({join_names(present, 20)}). Name one: `metric`."
        )
    chosen = present[0] if metric is None else metric
    name, _, filter_name = chosen.partition(",")  # as in the results of lm-eval
    if chosen not in present and filter_name:
        chosen = name if filter_name == "none" else f"{name} ({filter_name})"
    if chosen not in present:
        raise ReseedError(
            f"The logs hold no metric {chosen!r}; they have {join_names(present, 20)}."
            + suggest_name(chosen, present)
        )
    return frame[frame["metric"] == chosen]


def _check_inputs(frame: pd.DataFrame) -> None:
    """Raise ReseedError if an item has another input in another log."""
    known = frame[frame["input_hash"] != ""]
    count = known.groupby(["dataset", "item"])["input_hash"].nunique()
    if (count > 1).any():
        dataset, item = count.index[count > 1][0]
        part = known[(known["dataset"] == dataset) & (known["item"] == item)]
        files: list[Any] = list(part.drop_duplicates("input_hash")["file"])
        raise ReseedError(
            f"item {item} of {dataset} has another input in {files[0]} than in {files[1]} "
            f"({int((count > 1).sum())} such items): the models were not asked the same. Evaluate "
            "them on the same version and order of the dataset."
        )
