"""Limit numerical libraries to one thread per process, as the pipeline does for its jobs.

The variables must be set before any library is imported.
"""

import os

for _name in ("OMP", "OPENBLAS", "MKL", "NUMEXPR"):
    os.environ.setdefault(f"{_name}_NUM_THREADS", "1")

from hypothesis import settings  # noqa: E402

# Examples are reproducible; `pytest --hypothesis-profile=default` draws new ones.
settings.register_profile("same", derandomize=True)
settings.load_profile("same")
