"""Logs that the harnesses wrote: means equal the aggregates that each log states."""

import json
import shutil
import zipfile
from pathlib import Path

import pytest
from reseed import ReseedError, compare
from reseed.readers.converters.inspect_logs import read_member
from reseed.readers.options import ReadOptions
from reseed.readers.read import read_scores
from reseed.readers.sources import open_source
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, cross_val_score
from sklearn.tree import DecisionTreeClassifier

LOGS = Path(__file__).parent / "logs"


@pytest.mark.parametrize("name", ["a", "b"])
def test_inspect_accuracy_equals_its_results(name):
    """Six questions, two epochs; one sample failed, so Inspect averages the other epoch."""
    path = LOGS / f"inspect_arithmetic_{name}.eval"
    with zipfile.ZipFile(path) as archive:
        header = json.loads(read_member(archive, "header.json"))
    (stated,) = header["results"]["scores"]
    scores = open_source(path).frame["value"]
    assert (scores.size, int(scores.isna().sum())) == (12, 1)
    assert header["results"]["completed_samples"] == 11
    frame = open_source(path).frame
    mean = frame.groupby("item")["value"].mean().mean()
    assert mean == stated["metrics"]["accuracy"]["value"]


def test_inspect_logs_of_two_models_are_compared(tmp_path):
    stated = {}
    for name in "ab":
        shutil.copy(LOGS / f"inspect_arithmetic_{name}.eval", tmp_path)
        with zipfile.ZipFile(LOGS / f"inspect_arithmetic_{name}.eval") as archive:
            header = json.loads(read_member(archive, "header.json"))
        score = header["results"]["scores"][0]
        stated[header["eval"]["model"]] = score["metrics"]["accuracy"]["value"]
    with pytest.raises(ReseedError, match=r"scores are missing \(mockllm/a 1, mockllm/b 1\)"):
        compare(tmp_path)
    result = compare(tmp_path, failed="repeats", cluster="passage")
    assert result.leaderboard.set_index("model")["mean"].to_dict() == stated
    assert "3 clusters" in " ".join(result.notes)


@pytest.mark.parametrize("metric", ["acc", "acc_norm"])
def test_lm_eval_metrics_equal_its_results(metric):
    (results,) = (LOGS / "lm_eval_sums").glob("results_*.json")
    content = json.loads(results.read_text())
    options = ReadOptions(metric=f"{metric},none", columns={"cluster": "passage"})
    scores = read_scores(open_source(LOGS / "lm_eval_sums", options), options)
    rows = scores.items()
    assert rows["score"].mean() == content["results"]["sums"][f"{metric},none"]
    assert rows["model"].unique().tolist() == [content["model_name"]]
    assert rows["cluster"].nunique() == 3


def _helm_runs(folder):
    """Copy both runs of HELM into folders with the names that HELM gives."""
    for name in ("plain", "better"):
        shutil.copytree(LOGS / "helm_parity" / name, folder / f"simple_mcqa:model=local_{name}")


def test_means_of_helm_equal_its_stats(tmp_path):
    """Twelve questions, two draws of the examples in the prompt."""
    _helm_runs(tmp_path)
    stated = {}
    for stats in tmp_path.rglob("stats.json"):
        (mean,) = (
            one["mean"]
            for one in json.loads(stats.read_text())
            if one["name"] == {"name": "exact_match", "split": "test"}
        )
        stated[f"local/{stats.parent.name.rpartition('_')[2]}"] = mean
    result = compare(tmp_path, metric="exact_match")
    board = result.leaderboard.set_index("model")
    assert board["mean"].to_dict() == pytest.approx(stated, rel=1e-15)  # HELM adds in other order
    assert board["n"].tolist() == [2, 2]
    assert "12 items" in " ".join(result.notes)


def test_runs_of_helm_with_other_inputs_are_refused(tmp_path):
    """`helm-run` writes no instances.json: the inputs are in scenario_state.json."""
    _helm_runs(tmp_path)
    path = tmp_path / "simple_mcqa:model=local_plain" / "scenario_state.json"
    path.write_text(path.read_text().replace("Is 70 even or odd?", "Is 71 even or odd?"))
    with pytest.raises(ReseedError, match="item id60 of simple_mcqa has another input"):
        compare(tmp_path, metric="exact_match")


def test_summary_of_skore_equals_scikit_learn():
    X, y = load_breast_cancer(return_X_y=True)
    folds = KFold(5, shuffle=True, random_state=0)
    models = (LogisticRegression(C=0.001, max_iter=1000), DecisionTreeClassifier(random_state=0))
    found = compare(
        LOGS / "skore.csv", metric="accuracy", keep={"data_source": "test", "name": "accuracy"},
        columns={"model": "estimator", "fold": "split", "value": "score"},
    )  # fmt: skip
    means = found.leaderboard.set_index("model")["mean"]
    for model in models:
        expected = cross_val_score(model, X, y, cv=folds).mean()
        assert means[type(model).__name__] == pytest.approx(expected, abs=1e-9)
