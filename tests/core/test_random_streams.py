"""Named random streams and determinism settings."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from reseed.core import random_streams as seeds

SCRIPTS = Path(seeds.__file__).parents[2]


def test_stream_is_defined_by_sha256_and_numpy():
    entropy = int.from_bytes(hashlib.sha256(b"7:order").digest(), "little")
    expected = np.random.Generator(np.random.PCG64(np.random.SeedSequence(entropy)))
    assert (seeds.stream(7, "order").random(100) == expected.random(100)).all()
    assert seeds.derive_seed(7, "order") == entropy % 2**32


@pytest.mark.parametrize("seed", [-1, 1.5])
def test_bad_seeds_are_refused(seed):
    with pytest.raises(ValueError, match="a seed is a whole number"):
        seeds.stream(seed, "init")


@pytest.mark.parametrize("first", ["", pytest.param("import torch; ", marks=pytest.mark.nightly)])
def test_determinism_applies_to_late_pytorch_imports(first, tmp_path):
    (tmp_path / "late.py").write_text("def fit():\n    import torch.nn\n")
    code = (
        "import os, sys;"
        " from reseed.core.random_streams import DETERMINISM_SETTINGS, ensure_deterministic; "
        + first
        + "ensure_deterministic(); ensure_deterministic(); import late; late.fit();"
        " import torch; found = {"
        "  'deterministic_algorithms': torch.are_deterministic_algorithms_enabled(),"
        "  'cudnn_deterministic': torch.backends.cudnn.deterministic,"
        "  'cudnn_benchmark': torch.backends.cudnn.benchmark,"
        "  'allow_tf32': torch.backends.cuda.matmul.allow_tf32,"
        "  'cublas_workspace_config': os.environ['CUBLAS_WORKSPACE_CONFIG']};"
        " assert found == DETERMINISM_SETTINGS, found;"
        " assert torch.backends.cudnn.allow_tf32 == DETERMINISM_SETTINGS['allow_tf32']"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"PYTHONPATH": f"{SCRIPTS}{os.pathsep}{tmp_path}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
