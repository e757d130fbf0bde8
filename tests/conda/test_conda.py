"""Every rule's environment is sufficient: the smoke scale, each script in its own environment only.

About six minutes: only with RESEED_CONDA_TESTS=1. The real conda where it reaches conda-forge, else
a stand-in whose channel is made of the packages installed here (conftest.py).
"""

import json
import subprocess
from pathlib import Path

import pytest
import yaml
from channel import closure, dependencies, normal
from fault_harness.hosted import HostedProject, host_workflow
from fault_harness.workspace import REPOSITORY, Workspace

pytestmark = pytest.mark.workflow
LISTING = (
    "import json, sys; from importlib import metadata;"
    "print(json.dumps([sys.prefix, [d.metadata['Name'] for d in metadata.distributions()]]))"
)


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    """Where environments are kept, so that they are made once."""
    return str(tmp_path_factory.mktemp("environments"))


@pytest.mark.timeout(3600)  # twenty minutes on a busy machine
def test_the_smoke_scale_in_conda_environments(conda, prefix, tmp_path):
    made = Workspace.own(tmp_path, environment=conda.environment)
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


def test_an_environment_holds_what_it_names_and_what_that_needs(conda, prefix, tmp_path):
    if conda.real:
        pytest.skip("what a channel's packages need is the channel's to say")
    made = Workspace.small(tmp_path, environment=conda.environment)
    arguments = ("--sdm", "conda", "--conda-prefix", prefix, "--conda-create-envs-only")
    made.run(*arguments)
    expected = {
        path.read_text(): set(closure(dependencies(path)))
        for path in (REPOSITORY / "envs").glob("*.yaml")
    }
    copies = list(Path(prefix).glob("*_.yaml"))
    assert len(copies) >= 3
    for copy in copies:
        python = copy.with_suffix("") / "bin" / "python"
        run = subprocess.run([python, "-c", LISTING], capture_output=True, text=True, check=True)
        place, names = json.loads(run.stdout)
        assert place == str(python.parent.parent)
        assert {normal(name) for name in names} == expected[copy.read_text()]


def test_a_package_that_is_not_named_is_missed(conda, prefix, tmp_path):
    made = Workspace.small(tmp_path, environment=conda.environment)
    path = made.folder / "envs" / "data.yaml"
    entry = yaml.safe_load(path.read_text())
    entry["dependencies"] = [d for d in entry["dependencies"] if not d.startswith("pandas")]
    path.write_text(yaml.safe_dump(entry))
    text = made.run("--sdm", "conda", "--conda-prefix", prefix, fails=True)
    assert "No module named 'pandas'" in text


def test_a_hosted_module_in_conda_environments(conda, prefix, tmp_path):
    (tmp_path / "hosted").mkdir()
    commit = host_workflow(tmp_path / "hosted")
    folder = tmp_path / "project"
    project = HostedProject(folder, tmp_path / "hosted", commit, conda.environment)
    run = project.run("--sdm", "conda", "--conda-prefix", prefix)
    assert run.returncode == 0, run.stdout + run.stderr
    about = json.loads((folder / "results/studies/shapes/about.json").read_text())
    assert about["trials"]["failed"] == 0
    assert about["trials"]["ok"] > 0
