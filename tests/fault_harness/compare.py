"""Compare two results folders: every file bit for bit, except for clocks and machines."""

import hashlib
import json
import re
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

# Compared folders. Logs, downloads and cache entries are not compared.
PARTS = ("data", "weights", "splits", "tuning", "trials", "studies", "examples")
# Facts of the run, which may differ.
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
# The column of a trial file with JSON text.
FACTS = "facts"
# Files with a date, files made of compared parts, and files that a run marked as damaged.
SKIPPED = {".pdf", ".html", ".damaged"}
# Files of the project's studies that show training times, which each run measures again.
TIMED = re.compile(
    r"studies/protocol/(evidence|.+/(folds|kernels|ways|checklist|table3|tables1and2))\."
)


def hash_contents(results: Path) -> dict[str, str]:
    """Map each path below the results folder to a content hash, without clocks and `TIMED`.

    Parquet is compared by rows (file metadata contain machine and commit), JSON by values, all
    other files by bytes.
    """
    hashes = {}
    for part in PARTS:
        for path in sorted((results / part).rglob("*")):
            name = path.relative_to(results)
            hidden = any(part.startswith(".") for part in name.parts)
            skipped = hidden or path.suffix in SKIPPED or TIMED.match(name.as_posix())
            if path.is_file() and not skipped:
                hashes[name.as_posix()] = content_hash(path)
    return hashes


def list_differences(first: dict[str, str], second: dict[str, str]) -> list[str]:
    """Return one line for each path that is missing, unexpected or different."""
    lines = [f"missing: {path}" for path in sorted(first.keys() - second.keys())]
    lines += [f"unexpected: {path}" for path in sorted(second.keys() - first.keys())]
    shared = sorted(first.keys() & second.keys())
    return lines + [f"differs: {path}" for path in shared if first[path] != second[path]]


def content_hash(path: Path) -> str:
    """Return a hash of a file's content without clocks; `damaged: …` for an unreadable file."""
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
    columns = table.select([name for name in table.column_names if name not in CLOCKS])
    if FACTS in columns.column_names:
        texts = [_without_clocks(json.loads(text)) for text in columns[FACTS].to_pylist()]
        facts = pa.array([json.dumps(value, sort_keys=True) for value in texts])
        columns = columns.set_column(columns.column_names.index(FACTS), FACTS, facts)
    sink = pa.BufferOutputStream()
    columns = columns.replace_schema_metadata(None).combine_chunks()
    with pa.ipc.new_stream(sink, columns.schema) as stream:
        stream.write_table(columns)
    return hashlib.sha256(sink.getvalue()).hexdigest()


def _without_clocks(value):
    if isinstance(value, dict):
        return {key: _without_clocks(item) for key, item in value.items() if key not in CLOCKS}
    if isinstance(value, list):
        return [_without_clocks(item) for item in value]
    return value
