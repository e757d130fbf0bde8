"""Turns whatever a damaged file raises in a parser into one error that names the file."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from reseed.core.errors import ReseedError

#: Suffixes of files with a JSON value a line.
JSON_LINES = (".jsonl", ".ndjson")
#: Files of a folder that is read; one of programs has more.
MOST_FILES = 20_000
#: Half of the pair that writes a character beyond `\uffff`, alone.
_SURROGATE = re.compile(
    r"(?<!\\)\\ud[89ab][0-9a-f]{2}(?!\\ud[c-f])|(?<!\\ud[89ab][0-9a-f]{2})\\ud[c-f][0-9a-f]{2}",
    re.I,
)
#: Kinds of files that are not read, and what to do about each.
_UNREAD = (
    (".xls .ods", "is a spreadsheet of another format than `.xlsx`. Save its sheet as `.xlsx` or "
        "`CSV UTF-8`."),
    (".bz2 .xz .zst .zip", "is compressed: unpack it, or pass the result of "
        "`pandas.read_csv`."),
    (".npy .npz .mat .h5 .hdf5", "holds arrays, which name no models. In Python give them by "
        "model, `reseed.compare({'rf': scores, …})`."),
    (".yaml .yml .toml .ini", "holds settings, no table."),
    (".wandb", "is a log of Weights & Biases, which holds no table. Export the table of runs as "
        "CSV, or give a row a run: `reseed.compare([{**run.config, **run.summary}, …])`."),
    (".html .htm .xml", "is a web page. Write its table as CSV, for example by "
        "`pandas.read_html(file)[0].to_csv(…)`."),
    (".docx .doc .odt .pdf .pptx .png .jpg .jpeg", "is a document. Copy its table into a "
        "spreadsheet and save it as `CSV UTF-8`."),
    (".pkl .pickle .joblib .pt .pth .ckpt .safetensors .rds .rdata", "holds objects of a program, "
        "which are not opened. Write its scores as CSV there."),
    (".db .sqlite .sqlite3 .duckdb .feather .sav .dta", "is a data base or a table of another "
        "program. Export it as CSV."),
)  # fmt: skip
_READ = "Files that are read: CSV, TSV, Parquet, JSON, JSON lines, Markdown, LaTeX, `.xlsx`."
#: Characters of a reason that a message shows.
_MOST_SHOWN = 200
Result = TypeVar("Result")


@contextmanager
def name_file(path: object, kind: str = "a table", fix: str = "Repair the file.") -> Iterator[None]:
    """Raise ReseedError with the file's name, and the fix, for anything that reading it raises."""
    try:
        yield
    except ReseedError:
        raise
    except MemoryError:
        raise ReseedError(
            f"{path}: does not fit into memory as {kind}. Keep the columns of model, run and score "
            "alone, write it as Parquet, or give it in parts."
        ) from None
    except RecursionError:
        raise ReseedError(
            f"{path}: is nested too deeply. Give a table: one row a run, with its score."
        ) from None
    except Exception as error:  # any that a parser raises for damaged content
        text = f"no field {error}" if isinstance(error, KeyError) else str(error)
        reason = text.strip().rstrip(".").encode("utf-8", "replace").decode()
        short = reason.partition("\n")[0][:_MOST_SHOWN] or type(error).__name__
        raise ReseedError(f"{path}: cannot be read as {kind} ({short}). {fix}") from None


def refuse_kind(path: Path) -> None:
    """Raise ReseedError for a file of a kind that is not read, by its suffix."""
    for suffixes, why in _UNREAD:
        if path.suffix.lower() in suffixes.split():
            raise ReseedError(f"{path}: {why} {_READ}")


def parse_lines(path: Path, parse: Callable[[str], Result]) -> Iterator[Result]:
    """What `parse` returns for each line that is not empty; ValueError with the line's number."""
    for number, line in enumerate(path.read_text(encoding="utf-8-sig").splitlines(), 1):
        if line.strip():
            try:
                yield parse(line)
            except (ValueError, TypeError, AttributeError) as error:
                raise ValueError(f"line {number}: {getattr(error, 'msg', error)}") from None
            except KeyError as error:
                raise ValueError(f"line {number}: no field {error}") from None


def parse_json(text: str | bytes) -> Any:
    """The value of a JSON text, with `?` for half a character, which no table can hold."""
    plain = text.decode("utf-8-sig") if isinstance(text, bytes) else text
    if "\\ud" in plain.lower():
        plain = _SURROGATE.sub("?", plain)
    return json.loads(plain)


def load_json(path: Path) -> Any:
    """The content of a JSON file; of JSON lines, the list of them. ValueError for damage."""
    if path.suffix.lower() in JSON_LINES:
        return list(parse_lines(path, parse_json))
    return parse_json(path.read_text(encoding="utf-8-sig"))


def load_beside(path: Path, missing: Any) -> Any:
    """The content of a JSON file beside the one that is read; `missing` if there is none."""
    if not path.exists():
        return missing
    with name_file(path, "JSON"):
        return load_json(path)


def list_files(folder: Path) -> list[Path]:
    """The files in a folder and its subfolders, without hidden ones, sorted."""
    found: list[Path] = []
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        paths = (Path(place, name) for name in names if not name.startswith("."))
        found += (path for path in paths if path.is_file())
        if len(found) > MOST_FILES:
            raise ReseedError(
                f"{folder}: holds more than {MOST_FILES:,} files, which are hardly all results. "
                "Name the folder of the results, or its files."
            )
    return sorted(found)
