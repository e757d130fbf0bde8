"""Reads TensorBoard's event files without TensorBoard: the last value of each scalar of a run.

A file is a sequence of TFRecords (length, checksum of it, bytes, checksum of them). Each is an
`Event` in protocol-buffer encoding (tensorflow/core/util/event.proto): field 2 `step`, field 5
`summary`, whose field 1 `value` holds 1 `tag` and 2 `simple_value`, or 8 `tensor`. TF 2 and PyTorch
write scalars either way.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from reseed.core.errors import ReseedError
from reseed.readers.files import FileSet
from reseed.readers.foreign_files import name_file
from reseed.readers.names import PARTS
from reseed.readers.run_paths import find_common_folder, identify_files
from reseed.readers.source_table import Layout, SourceTable

_EXPORT = (
    "Export the scalars as CSV (`tbparse.SummaryReader(folder, pivot=True).scalars.to_csv(…)`) and "
    "give that."
)
_EVENT_FILE = "events.out.tfevents"
#: A folder that `add_hparams` names after the time.
_TIME = re.compile(r"\d{9,}(\.\d+)?")
_VARINT, _EIGHT, _BYTES, _FOUR = 0, 1, 2, 5
_FLOAT, _DOUBLE = 1, 2


def read_events(files: FileSet) -> SourceTable | None:
    """One row a folder that holds event files, one column a tag with the value at its last step.

    None without event files. The path names the run. A folder in a run's folder that is named after
    a time, as `SummaryWriter.add_hparams` makes, belongs to it. Parts of the data (`train`, `val`)
    in folders of their own become a column.
    """
    events = [path for path in (*files.given, *files.in_folders) if _EVENT_FILE in path.name]
    if not events and files.options.format == "auto":
        return None
    last: dict[Path, dict[str, tuple[int, float]]] = {}
    for path in events:
        run = path.absolute().parent
        if _TIME.fullmatch(run.name):
            run = run.parent
        tags = last.setdefault(run, {})
        with name_file(path, "a TensorBoard event file", _EXPORT):
            for step, tag, value in read_scalars(path):
                if tag not in tags or step >= tags[tag][0]:
                    tags[tag] = (step, value)
    runs = {run: tags for run, tags in last.items() if tags}
    folder = files.paths[0]
    if not runs:
        raise ReseedError(f"{folder}: its event files hold no scalars.")
    own = {run: run.parent if run.name.lower() in PARTS else run for run in runs}
    columns = dict.fromkeys(tag for tags in runs.values() for tag in tags)
    named = identify_files([run / "run" for run in own.values()], files.options, columns)
    rows = [
        one | ({"part": run.name} if own[run] != run else {})
        | {tag: value for tag, (_, value) in tags.items()}
        for one, (run, tags) in zip(named.rows, runs.items(), strict=True)
    ]  # fmt: skip
    common = find_common_folder([run / "run" for run in runs])
    row_labels = np.array([run.relative_to(common).as_posix() for run in runs])
    layout = Layout(
        "tensorboard", derived="a folder of event files a run, named by its path",
        stated=named.stated, files=len(runs), parts=named.parts,
    )  # fmt: skip
    notes = ["The value of each tag at its last step was read; no best step was chosen."]
    return SourceTable(str(folder), pd.DataFrame(rows), row_labels, "run", layout, notes)


def read_scalars(path: Path) -> Iterator[tuple[int, str, float]]:
    """(step, tag, value) of every scalar in one file; a truncated last record is ignored.

    Any exception means that the file does not consist of such records.
    """
    data = path.read_bytes()
    at = 0
    while at + 12 <= len(data):
        (length,) = struct.unpack_from("<Q", data, at)
        record = data[at + 12 : at + 12 + length]
        if len(record) < length:
            if at == 0:
                raise ValueError("its first record is cut off")
            return
        at += 12 + length + 4
        yield from _parse_event(record)


def _parse_event(record: bytes) -> Iterator[tuple[int, str, float]]:
    fields = list(_parse_fields(record))
    step = next((value for number, value in fields if number == 2 and isinstance(value, int)), 0)
    for number, summary in fields:
        if number != 5 or not isinstance(summary, bytes):
            continue
        entries = (entry for one, entry in _parse_fields(summary) if one == 1)
        for own in (dict(_parse_fields(one)) for one in entries if isinstance(one, bytes)):
            tag, simple, tensor = own.get(1), own.get(2), own.get(8)
            scalar = _parse_tensor(tensor) if isinstance(tensor, bytes) else None
            if isinstance(simple, bytes) and len(simple) == 4:
                scalar = struct.unpack("<f", simple)[0]
            if scalar is not None and isinstance(tag, bytes):
                yield step, tag.decode(), scalar


def _parse_tensor(data: bytes) -> float | None:
    """The one number of a `TensorProto` without dimensions; None for any other tensor."""
    fields = dict(_parse_fields(data))
    code, shape = fields.get(1), fields.get(2, b"")
    if code not in (_FLOAT, _DOUBLE) or shape:
        return None
    content = fields.get(4) or fields.get(5 if code == _FLOAT else 6) or b""
    width, letter = (4, "<f") if code == _FLOAT else (8, "<d")
    if not isinstance(content, bytes) or len(content) != width:
        return None
    return struct.unpack(letter, content)[0]


def _parse_fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    """(number, value) of each field of a message: a whole number, or bytes."""
    at = 0
    while at < len(data):
        key, at = _parse_varint(data, at)
        number, wire_type = key >> 3, key & 7
        value: int | bytes
        if wire_type == _VARINT:
            value, at = _parse_varint(data, at)
        elif wire_type == _BYTES:
            length, at = _parse_varint(data, at)
            value, at = data[at : at + length], at + length
        elif wire_type in (_EIGHT, _FOUR):
            width = 8 if wire_type == _EIGHT else 4
            value, at = data[at : at + width], at + width
        else:
            raise IndexError(f"wire type {wire_type}")
        if at > len(data):
            raise IndexError("a field is truncated")
        yield number, value


def _parse_varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at
