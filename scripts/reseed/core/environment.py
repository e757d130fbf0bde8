"""Where a trial was made: versions, processor, device, threads, commit."""

import os
import platform
import subprocess
from functools import cache
from importlib import metadata
from pathlib import Path

from reseed.core.code_hash import SCRIPTS, digest
from reseed.core.random_streams import DETERMINISM_SETTINGS

# Libraries whose arithmetic decides a trial's numbers.
LIBRARIES = (
    *("numpy", "pandas", "scikit-learn", "scipy", "torch", "transformers"),
    *("xgboost-cpu", "xgboost"),
)


def read_library_versions() -> dict[str, str]:
    """Installed versions of the libraries that train."""
    found = {}
    for name in LIBRARIES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


@cache
def read_cpu_name() -> str:
    """The processor's name as the system gives it."""
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def describe_environment(device: str, threads: int) -> dict:
    """What decides the last bits of a number besides its key.

    Args:
        device: `cpu` or `cuda`.
        threads: threads a trial may use.
    """
    name = "cpu"
    if device != "cpu":
        import torch

        name = torch.cuda.get_device_name()
    return {
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
        "cpu": read_cpu_name(),
        "device": name,
        "threads": threads,
        "libraries": read_library_versions(),
        "determinism": DETERMINISM_SETTINGS,
    }


def compute_environment_id(facts: dict) -> str:
    """Short hash by which a trial's record names its environment."""
    return digest(facts)[:12]


@cache
def read_commit() -> str:
    """The checkout's commit, `-dirty` where files differ from it; `unknown` outside one."""
    command = ["git", "-C", str(SCRIPTS), "describe", "--always", "--dirty", "--abbrev=40"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def count_cores() -> int | None:
    """Processor cores of this machine."""
    return os.cpu_count()
