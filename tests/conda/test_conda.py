"""Every rule's environment is sufficient: the smoke scale, each script in its own environment only.

Some minutes, and a conda that reaches conda-forge: only with RESEED_CONDA_TESTS=1.
"""

import json
import os

import pytest
import yaml
from fault_harness.hosted import HostedProject, host_workflow
from fault_harness.workspace import REPOSITORY, Workspace

SWITCH = "RESEED_CONDA_TESTS"
pytestmark = [
    pytest.mark.workflow,
    pytest.mark.skipif(not os.environ.get(SWITCH), reason=f"needs conda-forge: set {SWITCH}=1"),
]


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    """Where environments are kept, so that they are made once."""
    return str(tmp_path_factory.mktemp("environments"))


@pytest.mark.timeout(3600)  # twenty minutes on a busy machine
def test_the_smoke_scale_in_conda_environments(prefix, tmp_path):
    made = Workspace.own(tmp_path, environment={})
    arguments = ("--sdm", "conda", "--conda-prefix", prefix, "--config", "scale=smoke")
    made.run(*arguments, timeout=3000)
    studies = list((made.results / "studies").iterdir())
    paths = (REPOSITORY / "config" / "studies").glob("*.yaml")
    configured = [yaml.safe_load(path.read_text()) for path in paths]
    without = {one["name"] for one in configured if one.get("scales", {}).get("smoke", {}) is None}
    assert {study.name for study in studies} == {one["name"] for one in configured} - without
    for study in studies:
        about = json.loads((study / "about.json").read_text())
        assert about["trials"]["failed"] == 0
        assert about["trials"]["ok"] > 0


def test_a_package_that_is_not_named_is_missed(prefix, tmp_path):
    made = Workspace.small(tmp_path, environment={})
    path = made.folder / "envs" / "data.yaml"
    entry = yaml.safe_load(path.read_text())
    entry["dependencies"] = [d for d in entry["dependencies"] if not d.startswith("pandas")]
    path.write_text(yaml.safe_dump(entry))
    text = made.run("--sdm", "conda", "--conda-prefix", prefix, fails=True)
    assert "No module named 'pandas'" in text


def test_a_hosted_module_in_conda_environments(prefix, tmp_path):
    (tmp_path / "hosted").mkdir()
    commit = host_workflow(tmp_path / "hosted")
    folder = tmp_path / "project"
    project = HostedProject(folder, tmp_path / "hosted", commit)
    run = project.run("--sdm", "conda", "--conda-prefix", prefix)
    assert run.returncode == 0, run.stdout + run.stderr
    about = json.loads((folder / "results/studies/shapes/about.json").read_text())
    assert about["trials"]["failed"] == 0
    assert about["trials"]["ok"] > 0
