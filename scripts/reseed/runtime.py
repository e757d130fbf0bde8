"""What every script does first and last: thread limits before any heavy import, one clear error."""

import os
import sys
from collections.abc import Callable

from reseed.errors import ReseedError

# Names the folder with local copies of data sets, for every job of a run.
MIRROR_VARIABLE = "RESEED_DATA_MIRROR"


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


def say(text: str) -> None:
    """Print a line to the job's log at once."""
    print(text, flush=True)


def run(main: Callable[[], None]) -> None:
    """Run a script's main; a `ReseedError` becomes one readable message and exit status 1."""
    try:
        main()
    except ReseedError as error:
        print(f"Error: {error}", file=sys.stderr, flush=True)
        sys.exit(1)
