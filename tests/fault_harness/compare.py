"""Whether two results folders hold the same: every file bit by bit, but for clocks and machines."""

import hashlib
import json
import re
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

# What a user reads or builds on. Logs, downloads and the store behind the trials are not compared.
PARTS = ("data", "weights", "splits", "tuning", "trials", "studies", "examples")
# Facts of the run, not of the result.
CLOCKS = {
    "train_seconds",
    "seconds_per_trial",
    "fit_seconds",
    "wall_seconds",
    "seconds",
    "fit_time",
    "machines",
    "commit",
    "mtime_ns",
    "commits",
}
# A trial's column that holds one JSON text.
FACTS = "facts"
# Drawn with a date inside; made of parts that are compared; set aside by a run that noticed damage.
SKIPPED = {".pdf", ".html", ".damaged"}
# What the project's own studies tell of training time is measured anew by each run.
TIMED = re.compile(r"studies/protocol/.+/(folds|kernels|ways|checklist|table3|tables1and2)\.")


def contents(results: Path) -> dict[str, str]:
    """Path below the results folder → hash of what the file says, clocks and `TIMED` left out.

    Parquet is compared by its rows (file metadata tells machine and commit), JSON by its values,
    everything else by its bytes.
    """
    found = {}
    for part in PARTS:
        for path in sorted((results / part).rglob("*")):
            place = path.relative_to(results)
            hidden = any(name.startswith(".") for name in place.parts)
            skipped = hidden or path.suffix in SKIPPED or TIMED.match(place.as_posix())
            if path.is_file() and not skipped:
                found[place.as_posix()] = said(path)
    return found


def differences(first: dict[str, str], second: dict[str, str]) -> list[str]:
    """Paths that only one of two folders has, or that differ, each with which it is."""
    lines = [f"missing: {path}" for path in sorted(first.keys() - second.keys())]
    lines += [f"unexpected: {path}" for path in sorted(second.keys() - first.keys())]
    shared = sorted(first.keys() & second.keys())
    return lines + [f"differs: {path}" for path in shared if first[path] != second[path]]


def said(path: Path) -> str:
    """Hash of what a file says, clocks left out; a word for a file that cannot be read."""
    try:
        if path.suffix == ".parquet":
            return _table_hash(pq.read_table(path))
        if path.suffix == ".json":
            value = _without_clocks(json.loads(path.read_text(encoding="utf-8")))
            return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()
    except (OSError, ValueError) as error:
        return f"damaged: {type(error).__name__}"
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _table_hash(table: pa.Table) -> str:
    kept = table.select([name for name in table.column_names if name not in CLOCKS])
    if FACTS in kept.column_names:
        texts = [_without_clocks(json.loads(text)) for text in kept[FACTS].to_pylist()]
        told = pa.array([json.dumps(value, sort_keys=True) for value in texts])
        kept = kept.set_column(kept.column_names.index(FACTS), FACTS, told)
    sink = pa.BufferOutputStream()
    kept = kept.replace_schema_metadata(None).combine_chunks()
    with pa.ipc.new_stream(sink, kept.schema) as stream:
        stream.write_table(kept)
    return hashlib.sha256(sink.getvalue()).hexdigest()


def _without_clocks(value):
    if isinstance(value, dict):
        return {key: _without_clocks(item) for key, item in value.items() if key not in CLOCKS}
    if isinstance(value, list):
        return [_without_clocks(item) for item in value]
    return value
