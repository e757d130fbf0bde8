"""One running Slurm, and an interpreter with Snakemake's plug-ins."""

import os
import signal
import subprocess
import sysconfig
import venv
from pathlib import Path

import pytest
from slurm_cluster import SWITCH, SlurmCluster, find_obstacle

PLUGINS = ("snakemake-executor-plugin-slurm==2.8.0", "snakemake-storage-plugin-fs==1.1.3")


@pytest.fixture(scope="session")
def slurm_python(tmp_path_factory) -> str:
    """An interpreter with the plug-ins that shares the packages of this one."""
    if not os.environ.get(SWITCH):
        pytest.skip(f"installs packages and starts daemons: set {SWITCH}=1")
    folder = tmp_path_factory.mktemp("plugin")
    venv.create(folder, with_pip=True)
    site = next(folder.glob("lib/python*/site-packages"))
    (site / "borrowed.pth").write_text(sysconfig.get_path("purelib") + "\n")
    python = folder / "bin" / "python"
    command = [python, "-m", "pip", "install", "--quiet", *PLUGINS]
    run = subprocess.run(command, capture_output=True, text=True, timeout=300)
    if run.returncode:
        pytest.fail(f"{PLUGINS} cannot be installed: {run.stderr.strip()[-200:]}")
    return str(python)


@pytest.fixture(scope="session")
def slurm(slurm_python, tmp_path_factory):
    """A cluster of two nodes, of which the first has two fake GPUs."""
    reason = find_obstacle()
    if reason:
        pytest.fail(reason)
    # On SIGTERM behave as on Ctrl-C, so that the daemons are stopped first.
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    with SlurmCluster(Path(tmp_path_factory.mktemp("slurm"))) as node:
        yield node
    signal.signal(signal.SIGTERM, before)
