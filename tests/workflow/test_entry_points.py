"""Other entry points: a working folder, and the printed commands of jobs."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from fault_harness.compare import hash_contents, list_differences
from fault_harness.workspace import MODULE, Workspace

pytestmark = pytest.mark.workflow
USER_FILES = ("config", "table.csv", f"{MODULE}.py")


def move_user_files(workspace: Workspace, folder: Path) -> Path:
    """Move the user's files to a folder without the workflow."""
    folder.mkdir()
    for name in USER_FILES:
        shutil.move(workspace.folder / name, folder / name)
    return folder


@pytest.mark.nightly
def test_printed_commands_work_when_pasted(tmp_path):
    workspace = Workspace.small(tmp_path)
    printed = workspace.run("-p", "--quiet", "host")
    expected = hash_contents(workspace.results)
    for folder in ("data", "splits", "trials", "studies", "report"):
        for file in (workspace.results / folder).rglob("*"):
            if file.is_file():
                file.unlink()
    commands = re.findall(r"^Shell command: (python -P -m reseed.jobs.*)", printed, re.M)
    assert len(commands) == 12
    bin_folder = Path(sys.executable).parent
    paste = f"export PYTHONPATH=scripts PATH={bin_folder}:$PATH; set -e\n" + "\n".join(commands)
    subprocess.run(["bash", "-c", paste], check=True, cwd=workspace.folder)
    assert all(" results/plan/" in command for command in commands)
    assert list_differences(expected, hash_contents(workspace.results)) == []


def test_run_from_another_working_folder(tmp_path):
    usual = Workspace.small(tmp_path / "usual")
    usual.run()
    workspace = Workspace.small(tmp_path / "pipeline")
    user_folder = move_user_files(workspace, tmp_path / "there")
    workspace.run("--directory", str(user_folder))
    assert (
        list_differences(hash_contents(usual.results), hash_contents(user_folder / "results")) == []
    )
    assert not workspace.results.exists()
