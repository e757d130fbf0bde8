"""A hosted repository of the workflow, and a user's project that uses it as a module."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from fault_harness.workspace import REPOSITORY, compile_library

PARTS = ("Snakefile", "workflow", "rules", "envs", "scripts")
#: Part of a Snakefile that calls the handlers of the module `reseed`.
HANDLERS = """
onstart:
    reseed.onstart()

onsuccess:
    reseed.onsuccess()

onerror:
    reseed.onerror()
"""
SNAKEFILE = """
module reseed:
    snakefile:
        gitfile("{repository}", path="workflow/Snakefile", commit="{commit}")
    config:
        config

use rule * from reseed{names}

rule mine:
    default_target: True
    input:
        "results/report/index.html",
"""


def run_git(*arguments: str, folder: Path) -> str:
    """Run git in a folder and return what it printed."""
    command = ["git", "-c", "user.name=a", "-c", "user.email=a@b.c", *arguments]
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    return run.stdout.strip()


def host_workflow(folder: Path) -> str:
    """Commit the files of this checkout to a repository in `folder`; return the commit."""
    for part in PARTS:
        source = REPOSITORY / part
        if source.is_dir():
            ignore = shutil.ignore_patterns("__pycache__")
            shutil.copytree(source, folder / part, ignore=ignore)
        else:
            shutil.copy(source, folder / part)
    run_git("init", "-q", folder=folder)
    run_git("add", "-A", folder=folder)
    run_git("commit", "-qm", "Workflow", folder=folder)
    return run_git("rev-parse", "HEAD", folder=folder)


@dataclass
class HostedProject:
    """A copy of `.test` that uses a hosted workflow, with the package installed for it.

    repository, commit: of the workflow.
    """

    folder: Path
    repository: Path
    commit: str

    def __post_init__(self) -> None:
        compile_library()
        shutil.copytree(REPOSITORY / ".test", self.folder, dirs_exist_ok=True)
        shutil.copytree(REPOSITORY / "scripts" / "reseed", self.installed / "reseed")

    @property
    def installed(self) -> Path:
        """Folder of the installed package."""
        return self.folder / "lib" / "site-packages"

    def run(self, *arguments: str, names: str = "", is_installed: bool = True):
        """Run snakemake; names: how rules of the module are renamed."""
        text = SNAKEFILE.format(repository=self.repository, commit=self.commit, names=names)
        (self.folder / "Snakefile").write_text(text + HANDLERS)
        kept = {k: v for k, v in os.environ.items() if not k.startswith("SNAKEMAKE")}
        environment = kept | {
            "PYTHONPATH": str(self.installed if is_installed else self.folder),
            "XDG_CACHE_HOME": str(self.folder / "cache"),
            "RESEED_DATA_MIRROR": "",
        }
        return subprocess.run(
            [sys.executable, "-m", "snakemake", "--cores", "2", *arguments],
            cwd=self.folder,
            env=environment,
            capture_output=True,
            text=True,
        )
