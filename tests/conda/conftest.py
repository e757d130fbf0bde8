"""A conda command: the real one if it reaches conda-forge, otherwise the replacement."""

import os
import shutil
import subprocess
import venv
from dataclasses import dataclass
from pathlib import Path

import pytest
from channel import INTERPRETER, build_channel, dependencies
from fault_harness.workspace import REPOSITORY

SWITCH = "RESEED_CONDA_TESTS"
RATTLER = "py-rattler==0.28.0"
STANDIN = Path(__file__).with_name("conda.py")
ACTIVATE = 'export CONDA_PREFIX="$1"\nexport PATH="$1/bin:$PATH"\n'


@dataclass(frozen=True)
class Conda:
    """Environment variables for a conda command, and whether it is the real one."""

    environment: dict[str, str]
    real: bool


def has_real_conda() -> bool:
    """Whether a real conda is installed and reaches conda-forge."""
    if not shutil.which("conda"):
        return False
    search = ["conda", "search", "--override-channels", "-c", "conda-forge", "python=3.11"]
    try:
        return subprocess.run(search, capture_output=True, timeout=120).returncode == 0
    except subprocess.TimeoutExpired:
        return False


@pytest.fixture(scope="session")
def conda(tmp_path_factory) -> Conda:
    if not os.environ.get(SWITCH):
        pytest.skip(f"creates conda environments, some minutes: set {SWITCH}=1")
    if has_real_conda():
        return Conda({}, real=True)
    folder = tmp_path_factory.mktemp("conda")
    venv.create(folder / "rattler", with_pip=True)
    python = folder / "rattler" / "bin" / "python"
    command = [python, "-m", "pip", "install", "--quiet", RATTLER, "pyyaml"]
    run = subprocess.run(command, capture_output=True, text=True, timeout=300)
    if run.returncode:
        pytest.fail(f"{RATTLER} cannot be installed: {run.stderr.strip()[-200:]}")
    if not INTERPRETER.exists():
        pytest.fail(f"there is no interpreter to pack at {INTERPRETER}")
    names = {name for path in (REPOSITORY / "envs").glob("*.yaml") for name in dependencies(path)}
    channel = folder / "channels" / "conda-forge"
    build_channel(channel, sorted(names - {"python"}))
    index = [python, STANDIN, "index", channel]
    if subprocess.run(index).returncode:  # it crashed once on a busy machine
        subprocess.run(index, check=True)
    (folder / "bin").mkdir()
    (folder / "bin" / "activate").write_text(ACTIVATE)
    command = folder / "bin" / "conda"
    command.write_text(f'#!/bin/sh\nexec "{python}" "{STANDIN}" "$@"\n')
    command.chmod(0o755)
    environment = {
        "PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "CONDA_STANDIN": str(folder),
        "CONDA_CHANNEL_ALIAS": f"file://{folder / 'channels'}/",
        "CONDA_PKGS_DIRS": str(folder / "packages"),
        # Else each job compiles all that it imports: the channel's packages hold no bytecode.
        "PYTHONDONTWRITEBYTECODE": "",
    }
    return Conda(environment, real=False)
