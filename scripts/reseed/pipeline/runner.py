"""What every script does first and last: thread limits before any heavy import, one clear error."""

import json
import os
import sys
import traceback
from collections.abc import Callable
from pathlib import Path

from reseed.cache.entries import discard, stored_names
from reseed.core.code_hash import digest
from reseed.core.errors import Damaged, ReseedError

# Names the folder with local copies of data sets, for every job of a run.
MIRROR_VARIABLE = "RESEED_DATA_MIRROR"
LOG_BYTES = 1_000_000


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


def read_job(path: str | os.PathLike) -> dict:
    """What a job is told: `reseed.pipeline.specs` wrote it, under its own hash. Raises Damaged."""
    path = Path(path)
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise Damaged(path, f"cannot be read ({error})") from None
    if path.parent.name + path.stem != digest(told):
        raise Damaged(path, "does not say what its name says")
    return told


class Bounded:
    """A text stream that stops after so many bytes: a chatty model must not fill the disk."""

    def __init__(self, stream, limit: int = LOG_BYTES):
        self._stream, self._left = stream, limit

    def write(self, text: str) -> int:
        """Write `text`, or what of it still fits."""
        if self._left > 0:
            self._stream.write(text[: self._left])
            self._left -= len(text)
            if self._left <= 0:
                self._stream.write("\n… the rest of this output is left out\n")
        return len(text)

    def __getattr__(self, name: str):
        return getattr(self._stream, name)


def say(text: str) -> None:
    """Print a line to the job's log at once."""
    print(text, flush=True)


def forget(error: Damaged) -> None:
    """Remove the damaged file, in the store too, so that the next run makes it again."""
    # A prepared file and its meta.json are made together.
    discard(*stored_names(error.path), error.path, error.path.with_name("meta.json"))


def run(main: Callable[[], None]) -> None:
    """Run a script's main; any error becomes one readable message and exit status 1."""
    sys.stdout, sys.stderr = Bounded(sys.stdout), Bounded(sys.stderr)
    try:
        main()
    except Damaged as error:
        forget(error)
        text = str(error)
    except ReseedError as error:
        text = str(error)
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        text = f"{place}{error.strerror or error}. What was finished before is kept: run again."
    except Exception as error:
        traceback.print_exc()
        text = f"{type(error).__name__}: {error}"
    else:
        return
    print(f"Error: {text}", file=sys.__stderr__, flush=True)
    sys.exit(1)
