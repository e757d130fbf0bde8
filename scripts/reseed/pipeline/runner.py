"""How every job runs: thread limits first, then its body, and one readable error.

A job is `python -m reseed.jobs.NAME SPEC [--gpus N] [--threads N]`. It reads its spec as
the class that planning built, and deletes damaged files that a rule makes again.
"""

import argparse
import os
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_type_hints

from reseed.core.errors import ReseedError
from reseed.core.file_keys import use_keys
from reseed.core.ownership import delete
from reseed.core.plain_text import describe_error, print_any_text
from reseed.core.source_guard import SourceGuard
from reseed.pipeline.device_locks import claim
from reseed.pipeline.parent_watch import end_with_parent
from reseed.pipeline.spec_files import read_spec

LOG_BYTES = 1_000_000


@dataclass(frozen=True)
class Granted:
    """Resources that Snakemake granted to this job."""

    gpus: int = 0
    threads: int = 1


def limit_threads(count: int) -> None:
    """Size the OpenMP and BLAS pools of this process; call before numpy or torch is imported."""
    for name in ("OMP", "OPENBLAS", "MKL", "VECLIB_MAXIMUM", "NUMEXPR"):
        os.environ[f"{name}_NUM_THREADS"] = str(count)


def pick_device(allowed: str, gpus: int) -> str:
    """`cuda` or `cpu`, from what the model allows (cpu | gpu | auto) and the GPUs granted.

    Raises ReseedError if the model needs a GPU and there is none.
    """
    if allowed == "cpu" or (allowed == "auto" and gpus == 0):
        return "cpu"
    import torch

    if gpus > 0 and torch.cuda.is_available():
        return "cuda"
    if allowed == "gpu":
        raise ReseedError(
            f"this model has device: gpu, but the job was granted {gpus} GPUs and PyTorch sees "
            f"{torch.cuda.device_count()}. Use a profile with a GPU, or set device: auto."
        )
    return "cpu"


def spec_class(body: Callable[[Any, Granted], None]) -> type[Any]:
    """Class of the spec of a job, by the annotation of its body."""
    return get_type_hints(body)["spec"]


def run_job(body: Callable[[Any, Granted], None], limit: bool = True) -> None:
    """Run the body of a job with its spec, on the GPUs that it claims.

    Args:
        body: the job. It imports heavy libraries itself, after thread limits are set.
        limit: one thread a process, whatever is granted (the job starts processes instead).
    """

    def main() -> None:
        parser = argparse.ArgumentParser(description=sys.modules[body.__module__].__doc__)
        parser.add_argument("spec", type=Path, help="the job's spec, a JSON file")
        parser.add_argument("--gpus", type=int, default=0, help="GPUs granted to this job")
        parser.add_argument("--threads", type=int, default=1, help="threads granted to this job")
        arguments = parser.parse_args()
        limit_threads(1 if limit else arguments.threads)
        end_with_parent()
        claim(arguments.gpus, report=say)
        spec, keys = read_spec(spec_class(body), arguments.spec)
        sources = getattr(spec, "sources", "")
        guard = SourceGuard.read(sources) if sources else SourceGuard({})
        guard.refuse_edits()
        try:
            with use_keys(keys):
                body(spec, Granted(arguments.gpus, arguments.threads))
        except ReseedError as error:
            if not error.files:
                raise
            raise ReseedError(f"{error}\n{delete(error.files, spec.results)}") from None
        guard.refuse_edits()

    run(main)


class Bounded:
    """A text stream that ends after some bytes: the output of a model must not fill the disk."""

    def __init__(self, stream: Any, limit: int = LOG_BYTES):
        self._stream, self._left = stream, limit

    def write(self, text: str) -> int:
        """Write `text`, or what of it still fits."""
        if self._left > 0:
            self._stream.write(text[: self._left])
            self._left -= len(text)
            if self._left <= 0:
                self._stream.write("\n… the rest of this output is left out\n")
        return len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def say(text: str) -> None:
    """Print a line to the job's log at once."""
    print(text, flush=True)


def run(main: Callable[[], None]) -> None:
    """Run a main function. Any error becomes one readable message and exit status 1."""
    print_any_text()
    sys.stdout, sys.stderr = Bounded(sys.stdout), Bounded(sys.stderr)  # type: ignore[assignment]
    try:
        main()
    except ReseedError as error:
        text = str(error)
    except OSError as error:
        path = f"{error.filename}: " if error.filename else ""
        text = f"{path}{error.strerror or error}. What was finished before is kept: run again."
    except Exception as error:
        traceback.print_exc()
        text = describe_error(error)
    else:
        return
    print(f"Error: {text}", file=sys.__stderr__, flush=True)
    sys.exit(1)
