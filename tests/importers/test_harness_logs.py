"""Logs that the harnesses wrote: means equal the aggregates that each log states."""

import json
import shutil
import zipfile
from pathlib import Path

import pytest
from reseed import ReseedError, compare_items
from reseed.importers.evaluation_logs import read_evaluation_log
from reseed.importers.zip_members import read_member

LOGS = Path(__file__).parent / "logs"


@pytest.mark.parametrize("name", ["a", "b"])
def test_inspect_accuracy_equals_its_results(name):
    """Six questions, two epochs; one sample failed, so Inspect averages the other epoch."""
    path = LOGS / f"inspect_arithmetic_{name}.eval"
    with zipfile.ZipFile(path) as archive:
        header = json.loads(read_member(archive, "header.json"))
    (stated,) = header["results"]["scores"]
    scores = read_evaluation_log([path]).frame["score"]
    assert (scores.size, int(scores.isna().sum())) == (12, 1)
    assert header["results"]["completed_samples"] == 11
    frame = read_evaluation_log([path]).frame
    mean = frame.groupby("item")["score"].mean().mean()
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
        compare_items(tmp_path)
    result = compare_items(tmp_path, failed="repeats", cluster="passage")
    assert result.leaderboard.set_index("model")["mean"].to_dict() == stated
    assert result.verdicts["level_cluster"].item() == 3


@pytest.mark.parametrize("metric", ["acc", "acc_norm"])
def test_lm_eval_metrics_equal_its_results(metric):
    (results,) = (LOGS / "lm_eval_sums").glob("results_*.json")
    content = json.loads(results.read_text())
    table = read_evaluation_log([LOGS / "lm_eval_sums"], metric=f"{metric},none", cluster="passage")
    assert table.frame["score"].mean() == content["results"]["sums"][f"{metric},none"]
    assert table.frame["model"].unique().tolist() == [content["model_name"]]
    assert table.frame["cluster"].nunique() == 3
