"""Reference results: the scores and the evidence of a study, small enough to be committed.

`results/reference/<study>/` holds `trials.parquet` (the table of trials), `evidence.json` (each
statement with what the runs say about it) and `about.json` (scale, commits, processors, hours).
`SHA256SUMS` has the checksum of each table, as `sha256sum -c` reads it.
Where they are small, `predictions.parquet` (what each trial predicts for its test items: log-odds
of two classes, values, or the predicted class) and `targets.parquet` are kept too. Pages of later
runs show the evidence beside their own.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Collection, Iterator, Mapping
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
from reseed.core.layout import EVIDENCE, StudyLayout
from reseed.core.schemas import SCORES, TARGETS
from reseed.report.pages.studies import StudyReport, read_study
from reseed.report.rendering.data import drop_shared

ABOUT, SUMS = "about.json", "SHA256SUMS"
#: Tables of outputs that a reference may keep.
OUTPUTS = {"predictions.parquet": SCORES, "targets.parquet": TARGETS}
#: Bytes of the raw outputs of a study that are kept beside its evidence at most.
MOST_BYTES = 4_000_000


def write_references(
    exhibits: Mapping[StudyLayout, list[str]], root: Path, replace: bool = False
) -> list[Path]:
    """Write the reference results of each study that tests statements; return their folders.

    Args:
        exhibits: names of each study's exhibits; files of others may be left from an earlier run.
        root: folder of all references.
        replace: also what has more trials or outputs, a higher scale or fewer failures.

    Raises:
        ReseedError: before anything is written, if no study does, one was not trained at a scale,
            or `replace` is needed.
    """
    ready: list[tuple[StudyReport, StudyLayout, dict[str, Any], dict[str, pa.Buffer]]] = []
    for layout, names in exhibits.items():
        study = read_study(Path(layout.folder), names, stated=True)
        if not study.statements:
            continue
        if study.info.scale not in SCALES:
            raise ReseedError(f"{layout.folder}: imported results are no reference.")
        about = describe(study, read_table(Path(layout.metrics)))
        outputs, folder = _keep_outputs(study, layout), root / study.name
        losses = [] if replace else list_losses(folder, about, outputs)
        if losses:
            raise ReseedError(
                f"{folder}: holds more than this run: {'; '.join(losses)}. Nothing is "
                "replaced. Run the study at the scale of the reference, or replace it on purpose: "
                "snakemake reference --config replace_references=true"
            )
        ready.append((study, layout, about, outputs))
    if not ready:
        raise ReseedError("No study here tests a statement, so there is no reference to write.")
    return [_write(*one, root / one[0].name) for one in ready]


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


def _write(
    study: StudyReport,
    layout: StudyLayout,
    about: dict[str, Any],
    outputs: Mapping[str, pa.Buffer],
    folder: Path,
) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    with replace_atomically(folder / "trials.parquet") as temporary:
        shutil.copyfile(layout.metrics, temporary)
    for name in OUTPUTS:
        if name in outputs:
            with replace_atomically(folder / name) as temporary:
                temporary.write_bytes(outputs[name])
        else:  # no output of an earlier run stays with these trials
            (folder / name).unlink(missing_ok=True)
    _write_json(folder / EVIDENCE, {"made": summarise(about), "statements": list(study.evidence)})
    _write_json(folder / ABOUT, about)
    write_sums(folder)
    return folder


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


def _keep_outputs(study: StudyReport, layout: StudyLayout) -> dict[str, pa.Buffer]:
    """What the runs predict for test items, and the targets, as files; none if one is large.

    Outputs of two classes and values are kept as float32; of several classes the predicted one.
    """
    files: dict[str, pa.Buffer] = {}
    for number, (name, schema) in enumerate(OUTPUTS.items()):
        tables = [
            pq.read_table(paths[number], schema=schema).drop_columns("validation")
            for paths in map(layout.prediction_tables, study.info.experiments)
            if Path(paths[number]).is_file()
        ]
        if not tables:
            continue
        table = pa.concat_tables(tables)
        classes = table["classes"].to_pylist() if "classes" in table.column_names else repeat(None)
        kept = [
            None if row is None else _predicted(np.asarray(row, np.float32), k)
            for row, k in zip(table["test"].to_pylist(), classes, strict=False)
        ]
        at = table.schema.get_field_index("test")
        table = table.set_column(at, "test", pa.array(kept, pa.list_(pa.float32())))
        sink = pa.BufferOutputStream()
        pq.write_table(table, sink, compression="zstd", compression_level=19)
        files[name] = sink.getvalue()
        if files[name].size > MOST_BYTES:
            return {}
    return files


def _predicted(outputs: np.ndarray, classes: int | None) -> np.ndarray:
    if classes is None or classes < 3:
        return outputs
    return outputs.reshape(-1, classes).argmax(axis=1)


def describe(study: StudyReport, trials: pd.DataFrame) -> dict[str, Any]:
    """How the results were made. hours: of training, each trial once. data: hashes of datasets."""
    info, each = study.info, drop_shared(trials)
    return {
        "study": study.name,
        "scale": info.scale,
        "commits": sorted(each["commit"].dropna().unique().tolist()),
        "trials": len(each),
        "failed": int((each["status"] != "ok").sum()),
        "hours": round(float(each["train_seconds"].sum()) / 3600, 2),
        "environments": sorted(each["environment"].dropna().unique().tolist()),
        "machines": [machine.model_dump() for machine in info.machines],
        "data": {name: data.content_sha256 for name, data in info.datasets.items()},
        "date": study.date,
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


def _write_json(path: Path, content: dict[str, Any]) -> None:
    write_text(path, json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n")
