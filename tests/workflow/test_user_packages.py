"""Imports of a user's factory: an installed package, an editable install, a compiled module."""

import json
import py_compile
import shutil

import pytest
from fault_harness.inputs import SITE, SITE_START
from projects import FOREST, TRAINED

pytestmark = pytest.mark.workflow

MODEL = """import solver
from sklearn.dummy import DummyClassifier

def make(task, classes, hyperparameters, seeds, device, threads):
    return DummyClassifier(strategy=solver.STRATEGY, random_state=seeds["init"])
"""


def install(project, version: str, strategy: str) -> None:
    """Install a package of one module, or another version of it."""
    site = project.folder / "lib" / "site-packages"
    shutil.rmtree(site, ignore_errors=True)
    info = site / f"solver-{version}.dist-info"
    info.mkdir(parents=True)
    (site / "solver.py").write_text(f"STRATEGY = {strategy!r}\n")
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: solver\nVersion: {version}\n")
    (info / "RECORD").write_text(f"solver.py,sha256={version},30\n")
    project.environment["PYTHONPATH"] = str(site)


@pytest.mark.nightly
def test_upgraded_package_is_reported_and_retrained(project):
    (project.folder / "my_models.py").write_text(MODEL)
    project.write("models/boost", FOREST | {"name": "boost", "factory": "my_models:make"})
    install(project, "1.0", "uniform")
    project.train()
    before = project.metrics()
    # Models with other imports have other environments; no model has two.
    assert before.groupby("model")["environment"].nunique().max() == 1
    assert before["environment"].nunique() == 2

    install(project, "2.0", "stratified")
    project.forget_logs()
    project.study["experiments"]["model_seeds"]["seeds"]["model"]["count"] = 5
    project.change()
    project.run()
    mixed = project.metrics().groupby("model")["environment"].nunique()
    assert mixed.to_dict() == {"boost": 2, "forest": 1}
    page = (project.folder / "results" / "report" / "small.html").read_text()
    assert "Pooled over environments" in page
    about = json.loads((project.folder / "results/studies/small/about.json").read_text())
    versions = {
        machine["packages"].get("solver", "").split(" ")[0] for machine in about["machines"]
    }
    assert versions == {"", "1.0", "2.0"}

    project.forget_logs()
    project.train("--config", "mixed=retrain")
    after = project.metrics()
    assert after.groupby("model")["environment"].nunique().max() == 1
    assert project.trained() == TRAINED // 2
    project.forget_logs()
    project.train("--config", "mixed=retrain")
    assert project.trained() == 0


LEAVES = """import depth
import leaves
from sklearn.tree import DecisionTreeClassifier

def make(task, classes, hyperparameters, seeds, device, threads):
    return DecisionTreeClassifier(
        max_depth=depth.MOST, min_samples_leaf=leaves.LEAST, splitter="random",
        random_state=seeds["init"],
    )
"""


def compile_module(project, number: int) -> None:
    """Write a compiled module without its source into the project's folder."""
    source = project.folder / "depth.txt"
    source.write_text(f"MOST = {number}\n")
    py_compile.compile(
        str(source),
        cfile=str(project.folder / "depth.pyc"),
        doraise=True,
        invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH,  # holds no time
    )


def test_edits_of_editable_and_compiled_modules_are_followed(project):
    site, checkout = project.folder / SITE, project.folder / "checkout"
    site.mkdir(parents=True)
    checkout.mkdir()
    (site / "sitecustomize.py").write_text(SITE_START)
    (site / "__editable__.leaves.pth").write_text(f"{checkout}\n")
    project.environment["PYTHONPATH"] = str(site)
    (checkout / "leaves.py").write_text("LEAST = 1\n")
    compile_module(project, 5)
    (project.folder / "my_models.py").write_text(LEAVES)
    mine = FOREST | {"name": "boost", "factory": "my_models:make", "hyperparameters": {}}
    project.write("models/boost", mine)

    def retrain() -> tuple[int, list[float]]:
        """Number of trained trials of a run, and the scores of the user's model."""
        project.forget_logs()
        project.train()
        scores = project.metrics().query("model == 'boost'")["auc"]
        return project.trained(), scores.tolist()

    count, first = retrain()
    assert count == TRAINED
    (checkout / "leaves.py").write_text("LEAST = 20\n")
    count, edited = retrain()
    assert (count, edited == first) == (TRAINED // 2, False)
    compile_module(project, 1)
    count, compiled = retrain()
    assert (count, compiled == edited) == (TRAINED // 2, False)
    (checkout / "leaves.py").write_text("LEAST = 1\n")
    compile_module(project, 5)
    assert retrain() == (0, first)
