"""Named random streams and determinism settings."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from reseed.core import random_streams as seeds
from reseed.core.coordinates import ROLES

SCRIPTS = Path(seeds.__file__).parents[2]


def test_stream_is_defined_by_sha256_and_numpy():
    entropy = int.from_bytes(hashlib.sha256(b"7:order").digest(), "little")
    expected = np.random.Generator(np.random.PCG64(np.random.SeedSequence(entropy)))
    assert (seeds.stream(7, "order").random(100) == expected.random(100)).all()
    assert seeds.derive_seed(7, "order") == entropy % 2**32


def test_streams_of_all_pairs_differ_and_are_uncorrelated():
    names = [*ROLES, "search"]
    draws = np.array([seeds.stream(s, n).standard_normal(4000) for s in range(12) for n in names])
    correlation = np.corrcoef(draws) - np.eye(len(draws))
    # 1,770 correlations of SD 1/sqrt(4000): 5 SD is exceeded with probability 0.001.
    assert np.abs(correlation).max() < 5 / np.sqrt(4000)
    assert len({seeds.derive_seed(s, n) for s in range(1000) for n in names}) > 4990


def test_stream_is_equal_in_other_processes():
    code = "from reseed.core.random_streams import stream; print(stream(3, 'init').random().hex())"
    runs = {
        subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | {"PYTHONPATH": str(SCRIPTS), "PYTHONHASHSEED": hash_seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for hash_seed in ("1", "2")
    }
    assert runs == {seeds.stream(3, "init").random().hex()}


@pytest.mark.parametrize("seed", [-1, 1.5])
def test_bad_seeds_are_refused(seed):
    with pytest.raises(ValueError, match="a seed is a whole number"):
        seeds.stream(seed, "init")


def test_importing_random_streams_loads_no_torch_or_reseed():
    code = (
        "import sys, reseed.core.random_streams;"
        " loaded = [m for m in sys.modules if m.split('.')[0] == 'torch'"
        " or m.startswith('reseed.') and m not in ('reseed.core', 'reseed.core.random_streams')];"
        " sys.exit(str(loaded) if loaded else 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"PYTHONPATH": str(SCRIPTS)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


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


def test_pytorch_is_not_loaded_without_an_import():
    code = (
        "import sys; from reseed.core.random_streams import ensure_deterministic;"
        " ensure_deterministic(); import json.tool;"
        " sys.exit('torch' in sys.modules)"
    )
    environment = os.environ | {"PYTHONPATH": str(SCRIPTS)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, check=False)
    assert done.returncode == 0
