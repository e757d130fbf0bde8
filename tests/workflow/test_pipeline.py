"""The pipeline from raw data to the report."""

import json
from collections import Counter

import pandas as pd
import pytest
from fault_harness.blocks import read_all
from fault_harness.workspace import FOREST, TRAINED

pytestmark = pytest.mark.workflow


def test_from_raw_data_to_the_report(project):
    text = project.run()
    assert "results/report/index.html" in text
    assert len(project.trials()) == TRAINED
    study = project.folder / "results" / "studies" / "small"
    metrics = pd.read_parquet(study / "metrics.parquet")
    assert len(metrics) == 2 * (4 + 3)
    assert (metrics["status"] == "ok").all()
    spread = pd.read_parquet(study / "statistics" / "spread.parquet")
    cell = metrics[(metrics["experiment"] == "model_seeds") & (metrics["model"] == "forest")]
    row = spread[(spread["experiment"] == "model_seeds") & (spread["model"] == "forest")]
    assert row["median"].item() == cell["auc"].median()
    for file in ("tables/scores.tex", "tables/scores.md", "figures/bars.pdf", "figures/bars.png"):
        assert (study / file).stat().st_size > 0
    assert not project.planned()


def test_tuned_once_and_tuned_for_each_pair(project):
    project.study["exhibits"] = {}
    project.study["experiments"] = {
        "fixed": {
            "hyperparameters": {"mode": "fixed", "trials": 2, "folds": 2},
            "seeds": {"model": {"count": 2}},
        },
        "tuned": {
            "hyperparameters": {"mode": "tuned", "trials": 2, "folds": 2, "method": "random"},
            "seeds": {"model": {"count": 2}},
        },
    }
    project.study["models"] = ["forest", "plain"]
    project.write("models/plain", FOREST | {"name": "plain", "search_space": {}})
    project.write("studies/small", project.study)
    project.train()
    searches = sorted((project.folder / "results" / "tuning").rglob("*.json"))
    assert len(searches) == 1 + 2
    assert all("forest" in str(path) for path in searches)  # plain has nothing to choose
    assert len([p for p in project.trials() if "plain" in p and "tuned" in p]) == 2
    for path in searches:
        best = json.loads(path.read_text())
        log = pd.read_parquet(path.with_suffix(".parquet"))
        assert best["best"]["max_depth"] in (2, 3, 4)
        assert len(log) == 4
        mean = log.groupby("configuration")["score"].mean()
        assert best["best_score"] == pytest.approx(mean.max())
    records = read_all(project.folder / "results")
    trial = next(record for name, record in records.items() if "forest/fixed-" in name)
    best = next(p for p in searches if "fixed-" in str(p))
    winner = json.loads(best.read_text())["best"]
    assert json.loads(trial.hyperparameters)["max_depth"] == winner["max_depth"]


def test_ten_thousand_seeds_are_planned(project):
    project.study["models"] = ["boost"]
    project.study["experiments"] = {"many": {"seeds": {"model": {"count": 10000}}}}
    project.study["analyses"], project.study["exhibits"] = {}, {}
    project.write("studies/small", project.study)
    jobs = project.planned("--config", "seeds_per_job=100")
    assert sum(count for name, count in jobs.items() if name.startswith("train")) == 100


def test_arms_compare_a_model_with_itself_under_other_seeds(project):
    arms = {
        "first": {"model": "forest", "seeds": {"data": {"count": 4}, "model": 0}},
        "again": {"model": "forest", "seeds": {"data": {"count": 4}, "model": 7}},
    }
    project.change(
        experiments={"aa": {"arms": arms}}, analyses={"pairs": {"kind": "pairs"}}, exhibits={}
    )
    project.run("results/studies/small/statistics/pairs.parquet")
    assert set(project.metrics()["arm"]) == {"first", "again"}
    pairs = pd.read_parquet(project.folder / "results/studies/small/statistics/pairs.parquet")
    row = pairs.iloc[0]
    assert {row["model_a"], row["model_b"]} == {"first", "again"}
    assert row["n"] == 4


COLOURS = """
import numpy as np
from PIL import Image

rng = np.random.default_rng(0)
for name, place in (("red", 0), ("blue", 2)):
    for number in range(30):
        pixels = rng.integers(0, 120, (8, 8, 3), dtype=np.uint8)
        pixels[..., place] += 100
        Image.fromarray(pixels).save(f"{name}/{number}.png")
"""
MEAN_COLOUR = """
from sklearn.linear_model import LogisticRegression

class MeanColour:
    uses_validation = False

    def __init__(self, seed):
        self.model = LogisticRegression(random_state=seed)

    def fit(self, X, y, X_validation=None, y_validation=None):
        self.model.fit(X.reshape(len(X), -1, X.shape[-1]).mean(axis=1), y)

    def predict(self, X):
        return self.model.decision_function(X.reshape(len(X), -1, X.shape[-1]).mean(axis=1))

def make(task, n_classes, hyperparameters, seeds, device, threads):
    return MeanColour(seeds["init"])
"""


def test_user_images_and_model_run_through_a_whole_study(project):
    for name in ("red", "blue"):
        (project.folder / "pictures" / name).mkdir(parents=True)
    exec(COLOURS.replace('f"{name}', f'f"{project.folder}/pictures/{{name}}'))
    entry = {"name": "pictures", "title": "Pictures", "task": "binary", "kind": "images"}
    entry |= {"reader": "image_folder", "target": "class"}
    project.write("datasets/pictures", entry | {"sources": [{"kind": "file", "path": "pictures"}]})
    (project.folder / "my_images.py").write_text(MEAN_COLOUR)
    model = {"name": "colour", "title": "Colour", "factory": "my_images:make"}
    project.write("models/colour", model)
    project.change(datasets=["pictures"], models=["colour"])
    project.run()
    assert (project.metrics()["accuracy"] > 0.9).all()
    assert (project.folder / "results/studies/small/figures/bars.png").exists()


def test_snakemake_report_contains_tables_and_figures(finished):
    finished.run("--report", "own.html")
    text = (finished.folder / "own.html").read_text()
    read = json.JSONDecoder().raw_decode

    def read_variable(name):
        return read(text, text.index(f"var {name} = {{") + len(f"var {name} = "))[0]

    study = finished.study["title"]
    assert {group: len(files) for group, files in read_variable("categories")[study].items()} == {
        "Page": 1,
        "Further exhibits": 2,
    }
    shown = read_variable("results").values()
    captions = {(entry["labels"] or {}).get("title"): entry["caption"] for entry in shown}
    assert captions.keys() == {None, "Scores", "Ranges"}
    assert study in captions[None]
    forms = Counter((entry["labels"] or {}).get("form") for entry in shown)
    assert forms == {None: 1, "table": 1, "figure": 1}
    for form in ("tables", "figures"):
        (path,) = (finished.folder / "results/studies/small" / form).glob("*.json")
        sidecar = json.loads(path.read_text())
        assert sidecar["footnote"].partition(".")[0] in captions[sidecar["title"]]
