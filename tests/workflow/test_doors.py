"""Elsewhere: another working folder, a moved project, a module of another workflow."""

import shutil
from pathlib import Path

import pytest
from fault_harness.compare import contents, differences
from fault_harness.workspace import MODULE, Workspace

pytestmark = pytest.mark.workflow
USER_FILES = ("config", "table.csv", f"{MODULE}.py")
OUTER = """
module reseed:
    snakefile:
        "{house}/Snakefile"
    config:
        config


use rule * from reseed as reseed_*


rule first:
    default_target: True
    input:
        "results/report/index.html",
"""


def project_elsewhere(made: Workspace, folder: Path) -> Path:
    """A folder with what is a user's own, and nothing of the workflow."""
    folder.mkdir()
    for name in USER_FILES:
        shutil.move(made.folder / name, folder / name)
    return folder


@pytest.fixture(scope="module")
def usual(tmp_path_factory) -> dict[str, str]:
    made = Workspace.small(tmp_path_factory.mktemp("usual"))
    run = made.run()
    assert run.ok, run.text
    return contents(made.results)


def test_another_working_folder(tmp_path, usual):
    made = Workspace.small(tmp_path / "house")
    there = project_elsewhere(made, tmp_path / "there")
    run = made.run("--directory", str(there))
    assert run.ok, run.text
    assert differences(usual, contents(there / "results")) == []
    assert not made.results.exists()


def test_a_module_of_another_workflow(tmp_path, usual):
    made = Workspace.small(tmp_path / "house with a space")
    there = project_elsewhere(made, tmp_path / "there")
    (there / "Snakefile").write_text(OUTER.format(house=made.folder))
    made.folder = there
    run = made.run()
    assert run.ok, run.text
    assert differences(usual, contents(there / "results")) == []


def test_a_moved_project_makes_nothing_again(tmp_path):
    made = Workspace.small(tmp_path / "before")
    assert made.run().ok
    shutil.move(made.folder, tmp_path / "after")
    made.folder = tmp_path / "after"
    run = made.run("-n")
    assert run.ok
    assert "Nothing to be done" in run.text


def test_the_catalogues_door_leads_to_the_same_rules(tmp_path):
    made = Workspace.small(tmp_path)
    shutil.copytree(Path(__file__).parents[2] / "workflow", made.folder / "workflow")
    run = made.run("-n", "--snakefile", "workflow/Snakefile")
    assert run.ok, run.text
    assert "train" in run.text
