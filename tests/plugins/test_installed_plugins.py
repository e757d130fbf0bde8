"""An installed package extends Reseed by entry points, without a change of this library."""

import os
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
import reseed
import yaml
from pydantic import ValidationError
from reseed.config.studies import Analysis, Exhibit, Results
from reseed.core import entry_points
from reseed.core.entry_points import load_plugin, resolve_plugin
from reseed.core.errors import ReseedError

ROOT = Path(__file__).parents[2]
MODULE = '''
import numpy as np
import pandas as pd


def read_log(path):
    """A format of its own: MODEL@SEED=SCORE."""
    rows = [line.replace("@", "=").split("=") for line in open(path).read().split()]
    return pd.DataFrame(rows, columns=["model", "seed", "accuracy"]).astype({"accuracy": float})


def half_right(y_true, y_score):
    return 0.5 * float(np.mean(y_true == y_score.argmax(axis=1)))


half_right.greater_is_better = True


def analyse(data, options):
    return data.metrics.groupby("model", as_index=False).size()
'''
ENTRIES = """[reseed.readers]
outside.log = outside_reseed:read_log
outside.gone = outside_reseed:gone
[reseed.metrics]
outside.half = outside_reseed:half_right
[reseed.analyses]
outside.count = outside_reseed:analyse
"""


@pytest.fixture
def outside(tmp_path, monkeypatch):
    """An installed package of another project."""
    (tmp_path / "outside_reseed.py").write_text(MODULE)
    metadata = tmp_path / "outside_reseed-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: outside-reseed\nVersion: 1.0\n"
    )
    (metadata / "entry_points.txt").write_text(ENTRIES)
    (metadata / "RECORD").write_text("outside_reseed.py,,\n")
    monkeypatch.syspath_prepend(tmp_path)
    entry_points._read_names.cache_clear()
    yield tmp_path
    entry_points._read_names.cache_clear()
    sys.modules.pop("outside_reseed", None)


def test_reader_of_another_package(outside, tmp_path):
    path = tmp_path / "runs.log"
    path.write_text("".join(f"{m}@{s}={v + s * (1 + v) / 99}\n" for m, v in (("a", 0.5), ("b", 0.7))
                            for s in range(6)))  # fmt: skip
    found = reseed.compare(path, format="outside.log", metric="accuracy", seed_draws="training")
    assert found.leaderboard["model"].tolist() == ["b", "a"]
    assert Results(path="runs.log", format="outside.log").format == "outside.log"
    with pytest.raises(ValidationError):
        Results(path="runs.log", format="logs")


def test_metric_of_another_package(outside):
    from sklearn.datasets import load_iris
    from sklearn.naive_bayes import GaussianNB
    from sklearn.tree import DecisionTreeClassifier

    models = {"bayes": GaussianNB(), "stump": DecisionTreeClassifier(max_depth=1)}
    X, y = load_iris(return_X_y=True)
    found = reseed.study(
        models, X, y, splits=2, seeds=1, metric="outside.half", greater_is_better=True,
        progress=False,
    )  # fmt: skip
    assert found.leaderboard["mean"].between(0.2, 0.5).all()


def test_names_become_functions_where_they_are_read(outside):
    assert Analysis(kind="outside.count").kind == "outside_reseed:analyse"
    assert Analysis(kind="spread").kind == "spread"
    assert Analysis(kind="mine:analyse").kind == "mine:analyse"
    assert resolve_plugin("metrics", "papers.own:metric") == "papers.own:metric"


def test_unknown_and_broken_plugins_are_clear_errors(outside):
    with pytest.raises(ReseedError, match=r"reseed\.readers.*Did you mean 'outside\.log'"):
        resolve_plugin("readers", "outside.lg")
    with pytest.raises(ValidationError, match="no installed package declares it"):
        Exhibit(kind="outside.none", title="x")
    with pytest.raises(ReseedError, match="which cannot be imported"):
        load_plugin("readers", "outside.gone")


@pytest.mark.workflow
def test_study_with_an_analysis_of_another_package(outside, tmp_path):
    config = tmp_path / "project" / "config"
    (config / "studies").mkdir(parents=True)
    rows = [(m, s, v + s / 50) for m, v in (("a", 0.5), ("b", 0.7)) for s in range(6)]
    table = config.parent / "runs.csv"
    pd.DataFrame(rows, columns=["model", "seed", "accuracy"]).to_csv(table, index=False)
    study = {
        "name": "mine", "title": "Mine", "results": {"path": "runs.csv", "seed_draws": "training"},
        "analyses": {"counts": {"kind": "outside.count"}},
    }  # fmt: skip
    (config / "studies" / "mine.yaml").write_text(yaml.safe_dump(study))
    (config / "config.yaml").write_text("studies: [mine]\n")
    for name in ("datasets", "models"):
        (config / name).mkdir()
    program = Path(sys.executable).with_name("snakemake")
    run = subprocess.run(
        [program, "--snakefile", ROOT / "Snakefile", "--cores", "1"], cwd=config.parent,
        env={**os.environ, "PYTHONPATH": str(outside)}, capture_output=True, text=True,
    )  # fmt: skip
    assert run.returncode == 0, run.stdout + run.stderr
    counts = pd.read_csv(config.parent / "results/studies/mine/statistics/counts.csv")
    assert counts["size"].tolist() == [6, 6]
