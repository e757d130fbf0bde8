"""Run jobs again in a copy of the results folder, and compare their files with the existing ones.

`verify` uses it. Trials and searches of the copy are links to the existing ones; everything else is
made again. Every job but training is deterministic, so the
files must be the same bit for bit.
"""

import contextlib
import importlib
import io
import os
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from reseed.core.errors import ReseedError
from reseed.core.file_keys import FileKeys, use_keys
from reseed.core.same_content import has_same_content
from reseed.data.download import SourceError
from reseed.pipeline.runner import Granted, say, spec_class
from reseed.pipeline.spec_files import read_spec
from reseed.planning.relocation import relocate
from reseed.planning.specs import ReplayStep

#: Folders of the results folder that the copy links.
_LINKED = ("weights", "tuning", "trials", "downloads")


@dataclass(frozen=True)
class Finding:
    """A file that differs from what its inputs give.

    path: the file, or the first file of a job that failed.
    text: what differs.
    files: what must be made again, if this does not lie in the machine.
    """

    path: Path
    text: str
    files: tuple[Path, ...] = ()


def find_false_files(
    steps: Sequence[ReplayStep], results: Path, granted: Granted
) -> Iterator[Finding]:
    """Run steps again and yield each existing file that differs.

    A step of which no file exists, and whose files no other step needs, is not run. Steps that
    depend on a step that failed are not run either.
    """
    with tempfile.TemporaryDirectory(prefix="reseed-verify-") as folder:
        copy = Path(folder).resolve()
        for name in _LINKED:
            (copy / name).symlink_to(results / name)
        unknown: set[str] = set()
        for step in needed_steps(steps, results):
            if unknown.intersection(step.inputs):
                unknown.update(step.outputs)
                continue
            try:
                _run(step, results, copy, granted)
            except SourceError as error:
                say(f"{step.outputs[0]}: not prepared again, so not checked. {error}")
                for output in step.outputs:
                    (copy / output).parent.mkdir(parents=True, exist_ok=True)
                    (copy / output).symlink_to(results / output)
                continue
            except Exception as error:  # an error of a user's code is a finding too
                unknown.update(step.outputs)
                yield _failure(results / step.outputs[0], error, results, copy)
                continue
            for output in step.outputs:
                yield from _compare(results / output, copy / output, step)


def needed_steps(steps: Sequence[ReplayStep], results: Path) -> list[ReplayStep]:
    """Steps that made an existing file, and the steps that these depend on, in the same order."""
    needed: list[ReplayStep] = []
    inputs: set[str] = set()
    for step in reversed(steps):
        if inputs.intersection(step.outputs) or any((results / o).exists() for o in step.outputs):
            needed.insert(0, step)
            inputs.update(step.inputs)
    return needed


def _run(step: ReplayStep, results: Path, copy: Path, granted: Granted) -> None:
    body = importlib.import_module(f"reseed.jobs.{step.module}").run
    spec, keys = read_spec(spec_class(body), Path(step.spec))
    with use_keys(FileKeys(keys.own)), contextlib.redirect_stdout(io.StringIO()):
        body(relocate(spec, str(results), str(copy)), granted)


def _failure(path: Path, error: Exception, results: Path, copy: Path) -> Finding:
    """A finding for a step that failed. Files of the copy are named as the existing ones."""
    is_known = isinstance(error, ReseedError)
    text = f"cannot be made again: {error if is_known else f'{type(error).__name__}: {error}'}"
    files = map(str, error.files) if isinstance(error, ReseedError) else ()
    return Finding(
        path,
        text.replace(str(copy), str(results)),
        tuple(Path(file.replace(str(copy), str(results))) for file in files),
    )


def _compare(path: Path, expected: Path, step: ReplayStep) -> Iterator[Finding]:
    if not path.exists():
        return
    if has_same_content(path, expected):
        # Later steps read the same bytes as the jobs that made the existing files.
        temporary = expected.with_name(f".{expected.name}.{os.getpid()}.part")
        temporary.symlink_to(path)
        os.replace(temporary, expected)
    else:
        text = f"differs from what the job `{step.module}` makes of its inputs"
        yield Finding(path, text, (path,))
