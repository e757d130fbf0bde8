"""The workflow as a module from a hosted repository, with the package installed."""

import json

import pytest
from fault_harness.hosted import HostedProject, host_workflow

pytestmark = pytest.mark.workflow
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
    assert "pip install git+https://URL-OF-THE-REPOSITORY@v" in run.stdout + run.stderr


def test_another_version_is_one_clear_error(project):
    file = project.installed / "reseed" / "__init__.py"
    file.write_text(file.read_text().replace('__version__ = "', '__version__ = "9.'))
    run = project.run("-n")
    assert run.returncode != 0
    assert "is installed. Install it from the repository" in run.stdout + run.stderr
    assert "pip install git+https://URL-OF-THE-REPOSITORY@v" in run.stdout + run.stderr
