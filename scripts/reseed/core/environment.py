"""The environment of a trial: versions, processor, device, threads, commit."""

import platform
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from reseed.core.code_hash import digest
from reseed.core.distributions import read_package_versions
from reseed.core.module_finder import SCRIPTS
from reseed.core.random_streams import DETERMINISM_SETTINGS

#: Libraries whose arithmetic affects the results of a trial.
LIBRARIES = (
    *("numpy", "pandas", "scikit-learn", "scipy", "torch", "transformers"),
    *("xgboost-cpu", "xgboost"),
)


@cache
def read_library_versions() -> dict[str, str]:
    """Return the installed versions of `LIBRARIES` by name."""
    versions = {}
    for name in LIBRARIES:
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return versions


@cache
def read_cpu_name() -> str:
    """Return the name of the processor as the operating system reports it."""
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def describe_interpreter() -> dict[str, Any]:
    """Return the flags of Python that can change what code does, from arguments or variables."""
    return {
        "optimize": sys.flags.optimize,
        "dev_mode": sys.flags.dev_mode,
        "utf8_mode": bool(sys.flags.utf8_mode),
        "warnings": list(sys.warnoptions),
    }


@dataclass(frozen=True)
class Environment:
    """Facts outside the cache key that can change the last bits of a result."""

    facts: dict[str, Any]

    @property
    def identifier(self) -> str:
        """Return the short hash that identifies the environment in trial records."""
        return digest(self.facts)[:12]


def describe_environment(device: str, threads: int, packages: Iterable[str] = ()) -> Environment:
    """Return the environment of trials that this process makes.

    Args:
        device: `cpu` or `cuda`.
        threads: number of threads of a trial.
        packages: top-level names of installed packages that the user's code imports.
    """
    name = "cpu"
    if device != "cpu":
        import torch

        name = torch.cuda.get_device_name()
    return Environment(
        {
            "python": platform.python_version(),
            "platform": f"{platform.system()} {platform.machine()}",
            "cpu": read_cpu_name(),
            "device": name,
            "threads": threads,
            "interpreter": describe_interpreter(),
            "libraries": read_library_versions(),
            "packages": read_package_versions(packages),
            "determinism": DETERMINISM_SETTINGS,
        }
    )


@cache
def read_commit() -> str:
    """Return the commit of the checkout, with `-dirty` if files differ; `unknown` without git."""
    command = ["git", "-C", str(SCRIPTS), "describe", "--always", "--dirty", "--abbrev=40"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
