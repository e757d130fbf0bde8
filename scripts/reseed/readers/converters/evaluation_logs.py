"""Reads item scores from logs of evaluation harnesses as a table.

A harness is an entry of `_HARNESSES`: what recognises its files, what yields their samples, and
what to do about a damaged one. All else is decided here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from reseed.core.errors import ReseedError
from reseed.readers.converters import harnesses, inspect_logs
from reseed.readers.converters.harnesses import Sample
from reseed.readers.files import FileSet
from reseed.readers.foreign_files import name_file
from reseed.readers.source_table import Layout, SourceTable

#: Labels of a score in a log.
_LABELS = ["dataset", "model", "seed", "repetition", "item"]


class _Harness(NamedTuple):
    """A harness: which files, by their start, are its logs; their samples; how to mend them."""

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
        "output of trec_eval -q", harnesses.is_trec_eval, harnesses.read_trec_eval,
        "Run `trec_eval -q` again.",
    ),
)  # fmt: skip


def read_evaluation_logs(files: FileSet) -> SourceTable | None:
    """Read item scores of logs, with every metric; None if none of the files is a log.

    The cluster that the user maps is a field of the samples' metadata (of lm-eval: of `doc`).

    Raises ReseedError for a damaged or unfinished log, and for items with the same name and another
    input in two logs.
    """
    first = files.paths[0]
    with name_file(first, "a log"):
        listed = [*filter(Path.is_file, files.given), *files.in_folders]
        heads = {path: _read_head(path) for path in listed}
    logs = {
        one: paths
        for one in _HARNESSES
        if (paths := [path for path, head in heads.items() if one.is_log(path, head)])
    }
    if not logs:
        return None
    if len(logs) > 1:
        counts = ", ".join(f"{one.title} ({len(paths)} files)" for one, paths in logs.items())
        examples = " and ".join(str(paths[0]) for paths in [*logs.values()][:2])
        raise ReseedError(
            f"The files are logs of several harnesses: {counts}; see {examples}. Their items have "
            "different names, so they are not paired. Give the files, or the folder, of one."
        )
    ((harness, paths),) = logs.items()
    cluster = str(files.options.columns.get("cluster", ""))
    rows = pd.DataFrame(row for path in paths for row in _read_rows(harness, path, cluster))
    if rows.empty:
        raise ReseedError(f"{first}: the logs hold no sample with a score.")
    _check_inputs(rows)
    stated = rows.dropna(subset="greater").groupby("metric")["greater"].agg(["min", "nunique"])
    directions = {str(name): bool(up) for name, up, count in stated.itertuples() if count == 1}
    names = [*_LABELS, "metric", "value"]
    stated_columns = {name: name for name in names if rows[name].ne("").any()}
    return SourceTable(
        str(first), rows[[*_LABELS, *filter(None, [cluster]), "metric", "value"]],
        rows["sample"].to_numpy(), "sample",
        Layout(harness.title, is_log=True, directions=directions, stated=stated_columns),
        [f"Read as {harness.title}: {len(paths)} file(s)."],
    )  # fmt: skip


def _read_head(path: Path) -> str:
    """The start of a file, by which it is recognised."""
    with path.open(encoding="utf-8", errors="replace") as file:
        return file.read(2000)


def _read_rows(harness: _Harness, path: Path, cluster: str) -> Iterator[dict[str, Any]]:
    """One row a sample and metric of a log."""
    with name_file(path, harness.title, harness.fix):
        samples = list(harness.read(path))
    for number, sample in enumerate(samples, 1):
        labels = {name: getattr(sample, name) for name in (*_LABELS, "asked")}
        fields = sample.metadata if isinstance(sample.metadata, dict) else {}
        if cluster and fields.get(cluster) is None:
            raise ReseedError(
                f"{path}: item {sample.item} has no field {cluster!r}; it has "
                f"{', '.join(fields) or 'no metadata'}."
            )
        labels |= {cluster: str(fields[cluster])} if cluster else {}
        labels |= {"file": str(path), "sample": f"{number} of {path.name}"}
        for metric, value in sample.scores.items():
            greater = sample.greater.get(metric)
            yield labels | {"metric": metric, "value": value, "greater": greater}


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
