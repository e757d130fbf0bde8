"""Before any library is loaded: one thread a process, as the pipeline's own jobs have it."""

import os

for _name in ("OMP", "OPENBLAS", "MKL", "NUMEXPR"):
    os.environ.setdefault(f"{_name}_NUM_THREADS", "1")
