"""The workflow as a module from a hosted repository, with the package installed."""

import json
import shutil
import subprocess
import venv

import pytest
from fault_harness.hosted import HostedProject, host_workflow, run_git
from fault_harness.workspace import REPOSITORY

pytestmark = pytest.mark.workflow
INSTALL = "pip install 'reseed[workflow] @ git+https://"
OWN_MODEL = """
from sklearn.tree import DecisionTreeClassifier


def make(task, n_classes, hyperparameters, seeds, device, threads):
    return DecisionTreeClassifier(random_state=seeds["init"], **hyperparameters)
"""
OWN_ENTRY = {
    "name": "mine",
    "title": "Mine",
    "factory": "my_models:make",
    "hyperparameters": {"max_depth": 3, "max_features": 1},
}


@pytest.fixture(scope="module")
def hosted(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hosted")
    return folder, host_workflow(folder)


@pytest.fixture
def project(hosted, tmp_path):
    return HostedProject(tmp_path, *hosted)


def test_a_hosted_module_runs_the_users_project_and_model(project):
    (project.folder / "my_models.py").write_text(OWN_MODEL)
    (project.folder / "config" / "models" / "mine.yaml").write_text(json.dumps(OWN_ENTRY))
    study = project.folder / "config" / "studies" / "shapes.yaml"
    study.write_text(study.read_text().replace("models: [rf, xgb]", "models: [rf, mine]"))
    run = project.run()
    assert run.returncode == 0, run.stdout + run.stderr
    assert (project.folder / "results" / "report" / "index.html").is_file()
    again = project.run("-n")
    assert "Nothing to be done" in again.stdout + again.stderr
    about = json.loads((project.folder / "results/studies/shapes/about.json").read_text())
    assert set(about["models"]) == {"rf", "mine"}
    assert about["trials"]["failed"] == 0


def test_rules_of_a_hosted_module_may_be_renamed(project):
    run = project.run("-n", names=" as seeds_*")
    assert run.returncode == 0, run.stdout + run.stderr


def test_a_missing_package_is_one_clear_error(project):
    run = project.run("-n", is_installed=False)
    assert run.returncode != 0
    assert INSTALL in run.stdout + run.stderr


def test_another_version_is_one_clear_error(project):
    file = project.installed / "reseed" / "__init__.py"
    file.write_text(file.read_text().replace('__version__ = "', '__version__ = "9.'))
    run = project.run("-n")
    assert run.returncode != 0
    assert "is installed. Install it by: pip install" in run.stdout + run.stderr
    assert INSTALL in run.stdout + run.stderr


@pytest.mark.nightly
def test_what_snakedeploy_deploys_runs_the_starter(hosted, tmp_path):
    """Without the package one line says how to install it; with it the starter has a page."""
    repository = tmp_path / "reseed"
    files = run_git("ls-files", "config", "workflow", "LICENSE", folder=REPOSITORY).split("\n")
    for name in files:
        (repository / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(REPOSITORY / name, repository / name)
    run_git("init", "-q", folder=repository)
    run_git("add", "-A", folder=repository)
    run_git("commit", "-qm", "Workflow", folder=repository)
    python = tmp_path / "tools" / "bin" / "python"
    venv.create(tmp_path / "tools", with_pip=True)
    subprocess.run([python, "-m", "pip", "install", "--quiet", "snakedeploy"], check=True)
    deploy = python.with_name("snakedeploy"), "deploy-workflow", repository, tmp_path / "deployed"
    subprocess.run([*deploy, "--branch", "main"], check=True)
    project = HostedProject(tmp_path / "deployed", *hosted)
    for name in ("datasets/shapes", "models/xgb", "studies/shapes"):  # of `.test`
        (project.folder / "config" / f"{name}.yaml").unlink()
    for path in ("config.yaml", "models/rf.yaml"):
        shutil.copy(REPOSITORY / "config" / path, project.folder / "config" / path)
    missing = project.run("-n", is_installed=False)
    assert missing.returncode != 0
    assert INSTALL in (missing.stdout + missing.stderr).strip().split("\n")[-1]
    run = project.run("starter", "--config", "scale=smoke")
    assert run.returncode == 0, run.stdout + run.stderr
    lines = [one for one in (run.stdout + run.stderr).split("\n") if "package papers" in one]
    assert len(set(lines)) == 1
    assert "training_variability" in lines[0]
    assert (project.folder / "results" / "report" / "starter.html").is_file()
