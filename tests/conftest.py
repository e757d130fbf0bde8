"""Before any library is loaded: one thread a process, as the pipeline's own jobs have it."""

import os

for _name in ("OMP", "OPENBLAS", "MKL", "NUMEXPR"):
    os.environ.setdefault(f"{_name}_NUM_THREADS", "1")

from hypothesis import settings  # noqa: E402

# A test's outcome is the code's: `pytest --hypothesis-profile=default` draws new examples.
settings.register_profile("same", derandomize=True)
settings.load_profile("same")
