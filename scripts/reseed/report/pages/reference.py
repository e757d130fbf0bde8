"""Reference results: the scores and the evidence of a study, small enough to be committed.

`results/reference/<study>/` holds `trials.parquet` (the table of trials), `evidence.json` (each
statement with what the runs say about it), `about.json` (scale, commits, processors, hours) and
`study.json` (the facts of the study that analyses read). `SHA256SUMS` has the checksum of each
table, as `sha256sum -c` reads it.
Where they are small, `predictions.parquet` (what each trial predicts for its test items: log-odds
of two classes, values, or the predicted class) and `targets.parquet` are kept too. Pages of later
runs show the evidence beside their own.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from itertools import repeat
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from reseed.core.atomic import replace_atomically, write_text
from reseed.core.checked_io import read_json, read_table
from reseed.core.errors import ReseedError
from reseed.core.identifiers import SCALES
from reseed.core.layout import StudyLayout
from reseed.core.schemas import SCORES, TARGETS
from reseed.core.statement import Statement
from reseed.core.study_info import StudyInfo, read_study_info, write_study_info
from reseed.report.rendering.data import drop_shared
from reseed.verdicts.evidence import Evidence

ABOUT, SUMS = "about.json", "SHA256SUMS"
#: Tables of outputs that a reference may keep.
OUTPUTS = {"predictions.parquet": SCORES, "targets.parquet": TARGETS}
#: Bytes of the raw outputs of a study that are kept beside its evidence at most.
MOST_BYTES = 4_000_000
_COMPRESSION: Any = {"compression": "zstd", "compression_level": 19}


def write_reference(layout: StudyLayout) -> None:
    """Write the reference results of a finished study into its own folder.

    Raises:
        ReseedError: the results are imported.
    """
    info, trials = read_study_info(Path(layout.about)), read_table(Path(layout.metrics))
    if info.scale not in SCALES:
        raise ReseedError(f"{layout.folder}: imported results are no reference.")
    made = datetime.fromtimestamp(Path(layout.metrics).stat().st_mtime, UTC)
    about = describe(info, trials, f"{made.day} {made:%B %Y}")
    about_path, evidence, facts, _, table, *outputs = map(Path, layout.reference)
    write_indented(about_path, about)
    statements = read_json(Path(layout.evidence))["statements"]
    write_indented(evidence, {"made": summarise(about), "statements": statements})
    write_study_info(facts, info)
    with replace_atomically(table) as temporary:
        shutil.copyfile(layout.metrics, temporary)
    kept = _keep_outputs(info, layout)
    for path, schema in zip(outputs, OUTPUTS.values(), strict=True):
        with replace_atomically(path) as temporary:
            pq.write_table(kept.get(path.name, schema.empty_table()), temporary, **_COMPRESSION)
    write_sums(about_path.parent)


def copy_references(
    studies: Mapping[str, StudyLayout], root: Path, replace: bool = False
) -> list[Path]:
    """Copy the reference results of studies to be committed; return their folders.

    Args:
        studies: by name; those with reference results in their own folder are copied.
        root: folder of all references.
        replace: also what has more trials or outputs, a higher scale or fewer failures.

    Raises:
        ReseedError: before anything is copied, if no study has any, or `replace` is needed.
    """
    ready = {
        name: [Path(file) for file in one.reference]
        for name, one in studies.items()
        if all(map(os.path.isfile, one.reference))
    }
    if not ready:
        raise ReseedError("No study here has reference results. Run: snakemake references")
    for name, files in ready.items():
        outputs = {file.name for file in files[-2:] if pq.read_metadata(file).num_rows}
        losses = [] if replace else list_losses(root / name, read_json(files[0]), outputs)
        if losses:
            raise ReseedError(
                f"{root / name}: holds more than this run: {'; '.join(losses)}. Nothing is "
                "replaced. Run the study at the scale of the reference, or replace it on purpose: "
                "reseed reference --replace"
            )
    for name, files in ready.items():
        for file in files:
            copy = root / name / file.name
            if file.name in OUTPUTS and not pq.read_metadata(file).num_rows:
                copy.unlink(missing_ok=True)  # no output of an earlier run stays with these trials
                continue
            copy.parent.mkdir(parents=True, exist_ok=True)
            with replace_atomically(copy) as temporary:
                shutil.copyfile(file, temporary)
        write_sums(root / name)
    return [root / name for name in ready]


def list_losses(folder: Path, new: dict[str, Any], outputs: Collection[str]) -> list[str]:
    """What the reference in a folder has that a run lacks. outputs: names of tables it keeps."""
    if not (folder / ABOUT).exists():
        return []
    known, losses = read_json(folder / ABOUT), []
    if SCALES.index(new["scale"]) < SCALES.index(known["scale"]):
        losses.append(f"scale {known['scale']}, not {new['scale']}")
    if new["trials"] < known["trials"]:
        losses.append(f"{known['trials']:,} trials, not {new['trials']:,}")
    if new["failed"] > known["failed"]:
        losses.append(f"{known['failed']:,} failed trials, not {new['failed']:,}")
    return losses + [name for name in OUTPUTS if (folder / name).exists() and name not in outputs]


def update_records(
    statements: Mapping[str, Statement],
    known: Iterable[dict[str, Any]],
    found: Iterable[dict[str, Any]],
) -> list[dict[str, Any]]:
    """A record of each statement: as found, else as known, else that a run judges it."""
    reason = "A reference keeps scores only; a run judges it."
    records = {
        name: {"name": name, "evidence": Evidence(one, "not run", reason=reason).record()}
        for name, one in statements.items()
    }
    records |= {one["name"]: one for one in [*known, *found]}
    return [records[name] for name in statements]


def write_sums(folder: Path) -> None:
    """Write the checksum of each table of a reference."""
    tables = sorted(folder.glob("*.parquet"))
    write_text(folder / SUMS, "".join(f"{_hash_file(path)}  {path.name}\n" for path in tables))


def find_wrong_tables(root: Path) -> Iterator[tuple[Path, str]]:
    """Tables of all references that differ from their checksums, each with what is wrong."""
    for folder in sorted(path.parent for path in root.glob(f"*/{ABOUT}")):
        sums = folder / SUMS
        lines = sums.read_text(encoding="utf-8").splitlines() if sums.exists() else []
        known = {name: checksum for checksum, _, name in (line.partition("  ") for line in lines)}
        for path in sorted({*folder.glob("*.parquet"), *(folder / name for name in known)}):
            if path.name not in known:
                yield path, f"has no checksum in {SUMS}"
            elif not path.exists():
                yield path, f"is missing, and {SUMS} names it"
            elif _hash_file(path) != known[path.name]:
                yield path, f"differs from its checksum in {SUMS}: restore it (git checkout)"


def _hash_file(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _keep_outputs(info: StudyInfo, layout: StudyLayout) -> dict[str, pa.Table]:
    """What the runs predict for test items, and the targets, by file; none if one is large.

    Outputs of two classes and values are kept as float32; of several classes the predicted one.
    """
    kept: dict[str, pa.Table] = {}
    for number, (name, schema) in enumerate(OUTPUTS.items()):
        tables = [
            pq.read_table(paths[number], schema=schema).drop_columns("validation")
            for paths in map(layout.prediction_tables, info.experiments)
            if Path(paths[number]).is_file()
        ]
        if not tables:
            continue
        table = pa.concat_tables(tables)
        classes = table["classes"].to_pylist() if "classes" in table.column_names else repeat(None)
        small = [
            None if row is None else _predicted(np.asarray(row, np.float32), k)
            for row, k in zip(table["test"].to_pylist(), classes, strict=False)
        ]
        at = table.schema.get_field_index("test")
        kept[name] = table.set_column(at, "test", pa.array(small, pa.list_(pa.float32())))
        sink = pa.BufferOutputStream()
        pq.write_table(kept[name], sink, **_COMPRESSION)
        if sink.getvalue().size > MOST_BYTES:
            return {}
    return kept


def _predicted(outputs: np.ndarray, classes: int | None) -> np.ndarray:
    if classes is None or classes < 3:
        return outputs
    return outputs.reshape(-1, classes).argmax(axis=1)


def describe(info: StudyInfo, trials: pd.DataFrame, date: str) -> dict[str, Any]:
    """How the results were made. hours: of training, each trial once. data: hashes of datasets."""
    each = drop_shared(trials)
    return {
        "study": info.study,
        "scale": info.scale,
        "commits": sorted(each["commit"].dropna().unique().tolist()),
        "trials": len(each),
        "failed": int((each["status"] != "ok").sum()),
        "hours": round(float(each["train_seconds"].sum()) / 3600, 2),
        "environments": sorted(each["environment"].dropna().unique().tolist()),
        "machines": [machine.model_dump() for machine in info.machines],
        "data": {name: data.content_sha256 for name, data in info.datasets.items()},
        "date": date,
    }


def summarise(about: dict[str, Any]) -> str:
    """One sentence on how reference results were made."""
    named = (commit.partition("-") for commit in about["commits"])
    commits = ", ".join(f"{name[:8]}{' with edits' if edits else ''}" for name, _, edits in named)
    return (
        f"Reference results: scale {about['scale']}, {about['trials']:,} trials,"
        f" {format_hours(about)}, commit {commits or 'unknown'}."
    )


def format_hours(about: dict[str, Any]) -> str:
    """Hours of training, of a core or of the GPUs that the trials were trained on."""
    gpus = sorted({one["device"] for one in about["machines"]} - {"cpu"})
    return f"{about['hours']:g} {f'hours of {gpus[0]}' if gpus else 'core-hours'}"


def write_indented(path: Path, content: dict[str, Any]) -> None:
    """Write JSON data of a reference, a line a value."""
    write_text(path, json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n")
