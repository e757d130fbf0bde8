"""Peak memory of `reseed compare` with a page, in a process of its own: many runs, rows, models."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from reseed.core.module_finder import SCRIPTS

_PEAK = (
    "import resource, sys; from reseed.cli import main; main(sys.argv[1:]);"
    "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)"
)


def cross(**levels):
    """A table of every combination, with a score that depends on the first column a little."""
    index = np.indices([*levels.values()]).reshape(len(levels), -1)
    table = pd.DataFrame({name: index[k] for k, name in enumerate(levels)})
    noise = np.random.default_rng(0).normal(0, 0.01, len(table))
    table["model"] = table["model"].map("m{:03d}".format)
    return table.assign(accuracy=0.7 + 0.1 * index[0] / index[0].max() + noise)


def right(**levels):
    """The same of items, each right or wrong."""
    table = cross(**levels)
    return table.assign(accuracy=(table["accuracy"] > 0.75).astype(int))


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("table", "most"),
    [
        (lambda: cross(model=3, seed=50_000), 450),
        (lambda: right(model=10, seed=5, item=20_000), 700),
        (lambda: cross(model=500, seed=5), 550),
    ],
    ids=["3 x 50,000 runs", "1,000,000 rows", "500 models"],
)
@pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss is in kB on Linux")
def test_peak_memory_in_mb(tmp_path, table, most):
    """Measured: 250, 500 and 430 MB."""
    table().to_csv(tmp_path / "runs.csv", index=False)
    run = subprocess.run(
        [sys.executable, "-c", _PEAK, "compare", "runs.csv", "--html", "page.html", "--quiet"],
        cwd=tmp_path, env={"PYTHONPATH": str(SCRIPTS), "OMP_NUM_THREADS": "1"},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert int(run.stdout.split()[-1]) < most
