"""What every script does first and last: thread limits before any heavy import, one clear error."""

import os
import sys
from collections.abc import Callable

from reseed.errors import ReseedError


def limit_threads(count: int) -> None:
    """Size the OpenMP and BLAS pools of this process; call before numpy or torch is imported."""
    for name in ("OMP", "OPENBLAS", "MKL", "VECLIB_MAXIMUM", "NUMEXPR"):
        os.environ[f"{name}_NUM_THREADS"] = str(count)


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
