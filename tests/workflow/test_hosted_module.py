"""The workflow as a module from a hosted repository, with the package installed."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
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


def git(*arguments, folder):
    command = ["git", "-c", "user.name=a", "-c", "user.email=a@b.c", *arguments]
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    return run.stdout.strip()


@pytest.fixture(scope="module")
def hosted(tmp_path_factory):
    """A repository with the files of this checkout, and its commit."""
    folder = tmp_path_factory.mktemp("hosted")
    for part in ("Snakefile", "workflow", "rules", "envs", "scripts"):
        source = REPOSITORY / part
        ignore = shutil.ignore_patterns("__pycache__")
        if source.is_dir():
            shutil.copytree(source, folder / part, ignore=ignore)
        else:
            shutil.copy(source, folder / part)
    git("init", "-q", folder=folder)
    git("add", "-A", folder=folder)
    git("commit", "-qm", "Workflow", folder=folder)
    return folder, git("rev-parse", "HEAD", folder=folder)


@pytest.fixture
def project(hosted, tmp_path):
    """A user's project, and the package installed without the checkout."""
    repository, commit = hosted
    shutil.copytree(REPOSITORY / ".test", tmp_path, dirs_exist_ok=True)
    installed = tmp_path / "lib" / "site-packages"
    shutil.copytree(REPOSITORY / "scripts" / "reseed", installed / "reseed")

    def run(*arguments, names="", path=installed):
        text = SNAKEFILE.format(repository=repository, commit=commit, names=names)
        (tmp_path / "Snakefile").write_text(text)
        kept = {k: v for k, v in os.environ.items() if not k.startswith("SNAKEMAKE")}
        environment = kept | {
            "PYTHONPATH": str(path),
            "XDG_CACHE_HOME": str(tmp_path / "cache"),
            "RESEED_DATA_MIRROR": "",
        }
        command = [sys.executable, "-m", "snakemake", "--cores", "2", *arguments]
        return subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True
        )

    run.folder = tmp_path
    return run


@pytest.mark.workflow
def test_a_hosted_module_runs_the_users_project(project):
    run = project()
    assert run.returncode == 0, run.stdout + run.stderr
    assert (project.folder / "results" / "report" / "index.html").is_file()
    again = project("-n")
    assert "Nothing to be done" in again.stdout + again.stderr


@pytest.mark.workflow
def test_rules_of_a_hosted_module_may_be_renamed(project):
    run = project("-n", names=" as seeds_*")
    assert run.returncode == 0, run.stdout + run.stderr


@pytest.mark.workflow
def test_a_missing_package_is_one_clear_error(project):
    run = project("-n", path=project.folder)
    text = run.stdout + run.stderr
    assert run.returncode != 0
    assert "pip install reseed==" in text


@pytest.mark.workflow
def test_another_version_is_one_clear_error(project):
    file = project.folder / "lib" / "site-packages" / "reseed" / "__init__.py"
    file.write_text(file.read_text().replace('__version__ = "', '__version__ = "9.'))
    run = project("-n")
    assert run.returncode != 0
    assert "is installed. Install it: pip install reseed==" in run.stdout + run.stderr
