"""Reads item scores from logs of evaluation harnesses as a table.

A harness is an entry of `_HARNESSES`: what recognises its files, what yields their samples, and
what to do about a damaged one. All else is decided here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from reseed.core.errors import ReseedError, suggest_name
from reseed.readers import harnesses, inspect_logs, trec
from reseed.readers.file_sets import FileSet
from reseed.readers.foreign_files import list_files, name_file
from reseed.readers.harnesses import Sample
from reseed.readers.source_table import Layout, SourceTable, join_names

#: Labels of a score in a log.
_LABELS = ["dataset", "model", "seed", "repetition", "item"]
#: Characters at the start of a file by which it is recognised.
_HEAD = 2000


class _Harness(NamedTuple):
    """A harness.

    is_log: whether a file with this start is one of its logs. read: its samples. fix: of a damaged
    log.
    """

    title: str
    is_log: Callable[[Path, str], object]
    read: Callable[[Path], Iterable[Sample]]
    fix: str


_HARNESSES = (
    _Harness(
        "lm-eval samples", harnesses.is_lm_eval_samples, harnesses.read_lm_eval_samples,
        "If a line is cut off, evaluate this task again with --log_samples.",
    ),
    _Harness(
        "Inspect logs", inspect_logs.is_inspect_log, inspect_logs.read_inspect_log,
        "Run the evaluation again, or restore the file. Convert it with `inspect log convert --to "
        "json`, which reads all versions.",
    ),
    _Harness(
        "HELM per-instance stats", harnesses.is_helm_stats, harnesses.read_helm_stats,
        "Run `helm-run` again for it.",
    ),
    _Harness(
        "Every Eval Ever samples", harnesses.is_every_eval_ever, harnesses.read_every_eval_ever,
        "If a line is cut off, convert the log again; check it with its validator.",
    ),
    _Harness(
        "output of trec_eval -q", trec.is_trec_eval, trec.read_trec_eval,
        "Run `trec_eval -q` again.",
    ),
)  # fmt: skip
#: Runs beside the output of trec_eval are those that it scored.
_TREC_RUNS = _Harness(
    "TREC runs", trec.is_trec_run, lambda path: (),
    "A run has six columns (query Q0 document rank score tag), judgements have four.",
)  # fmt: skip


def read_evaluation_logs(files: FileSet) -> SourceTable | None:
    """As `read_evaluation_log`, with what the user says of the files."""
    cluster = files.options.columns.get("cluster")
    metric = next(iter(files.options.metrics), None)
    return read_evaluation_log(files.paths, metric, None if cluster is None else str(cluster))


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
        listed = [file for path in paths for file in ([path] * path.is_file() or list_files(path))]
        files = {file: _read_head(file) for file in listed}
    found = {one: _find_logs(one, files) for one in _HARNESSES}
    found = {one: logs for one, logs in found.items() if logs}
    runs = _find_logs(_TREC_RUNS, files)
    if runs and not any(one.is_log is trec.is_trec_eval for one in found):
        found[_TREC_RUNS] = runs
    if not found:
        return None
    _refuse_several(found)
    ((harness, logs),) = found.items()
    if harness is _TREC_RUNS:
        judgements = [path for path, head in files.items() if trec.is_qrels(path, head)]
        harness = harness._replace(read=partial(trec.read_trec_run, judgements, metric))
    rows = [row for path in logs for row in _read_rows(harness, path, cluster)]
    if not rows:
        raise ReseedError(f"{paths[0]}: the logs hold no sample with a score.")
    frame = _choose_metric(pd.DataFrame(rows), metric)
    _check_inputs(frame)
    return _to_table(paths, frame, f"{harness.title}: {len(logs)} file(s).", harness.title, cluster)


def _read_head(path: Path) -> str:
    with path.open(encoding="utf-8", errors="replace") as file:
        return file.read(_HEAD)


def _find_logs(harness: _Harness, files: dict[Path, str]) -> list[Path]:
    return [path for path, head in files.items() if harness.is_log(path, head)]


def _refuse_several(found: dict[_Harness, list[Path]]) -> None:
    if len(found) > 1:
        counts = ", ".join(f"{one.title} ({len(logs)} files)" for one, logs in found.items())
        examples = " and ".join(str(logs[0]) for logs in [*found.values()][:2])
        raise ReseedError(
            f"The files are logs of several harnesses: {counts}; see {examples}. Their items have "
            "different names, so they are not paired. Give the files, or the folder, of one."
        )


def _read_rows(harness: _Harness, path: Path, cluster: str | None) -> Iterator[dict[str, Any]]:
    """One row a sample and metric of a log."""
    with name_file(path, harness.title, harness.fix):
        samples = list(harness.read(path))
    for sample in samples:
        labels = {name: getattr(sample, name) for name in (*_LABELS, "asked")}
        labels |= {"cluster": _read_cluster(sample, cluster, path), "file": str(path)}
        for metric, value in sample.scores.items():
            greater = sample.greater.get(metric)
            yield labels | {"metric": metric, "value": value, "greater": greater}


def _read_cluster(sample: Sample, cluster: str | None, path: Path) -> str:
    """The cluster of an item by a field of its metadata; empty if no field is requested."""
    if cluster is None:
        return ""
    fields = sample.metadata if isinstance(sample.metadata, dict) else {}
    if fields.get(cluster) is None:
        raise ReseedError(
            f"{path}: item {sample.item} has no field {cluster!r}; it has "
            f"{', '.join(fields) or 'no metadata'}."
        )
    return str(fields[cluster])


def _to_table(
    paths: list[Path], frame: pd.DataFrame, what: str, title: str, cluster: str | None
) -> SourceTable:
    """The scores as a table with Reseed's names of columns, without empty ones."""
    table = frame[[*_LABELS, "cluster", "metric", "value"]].reset_index(drop=True)
    table = table.loc[:, [c for c in table if c == "value" or table[c].ne("").any()]]
    directions = set(frame["greater"].dropna())
    stated = {str(frame["metric"].iloc[0]): directions.pop()} if len(directions) == 1 else {}
    return SourceTable(
        str(paths[0]), table.rename(columns={"cluster": cluster or "cluster"}),
        np.arange(1, len(table) + 1), "sample", Layout(title, is_log=True, directions=stated),
        [f"Read as {what}"],
    )  # fmt: skip


def _choose_metric(frame: pd.DataFrame, metric: str | None) -> pd.DataFrame:
    present = list(dict.fromkeys(frame["metric"].dropna().astype(str)))
    if not present:
        raise ReseedError("The logs name no metric: give those that hold scores.")
    if metric is None and len(present) > 1:
        raise ReseedError(
            f"The logs hold several metrics ({join_names(present, 20)}). Name one: `metric`."
        )
    chosen = present[0] if metric is None else metric
    name, _, filter_name = chosen.partition(",")  # as in the results of lm-eval
    if chosen not in present and filter_name:
        chosen = harnesses.name_filtered(name, filter_name)
    if chosen not in present:
        raise ReseedError(
            f"The logs hold no metric {chosen!r}; they have {join_names(present, 20)}."
            + suggest_name(chosen, present)
        )
    return frame[frame["metric"] == chosen]


def _check_inputs(frame: pd.DataFrame) -> None:
    """Raise ReseedError if an item has another input in another log."""
    known = frame[frame["asked"] != ""]
    count = known.groupby(["dataset", "item"])["asked"].nunique()
    if (count > 1).any():
        dataset, item = count.index[count > 1][0]
        part = known[(known["dataset"] == dataset) & (known["item"] == item)]
        first, second = list(part.drop_duplicates("asked")["file"])[:2]
        raise ReseedError(
            f"item {item} of {dataset} has another input in {first} than in {second} "
            f"({int((count > 1).sum())} such items): the models were not asked the same. Evaluate "
            "them on the same version and order of the dataset."
        )
