"""A study of given results: no training, the same tables, figures and verdicts."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

pytestmark = pytest.mark.workflow


@pytest.fixture
def scores(project):
    """Two models on the same ten folds; the first is better by about two points."""
    rng = np.random.default_rng(3)
    fold = rng.normal(0, 0.01, 10)
    rows = [
        {"model": model, "dataset": "toy", "fold": number, "metric": "accuracy", "value": value}
        for model, level in (("new", 0.82), ("old", 0.80))
        for number, value in enumerate(level + fold + rng.normal(0, 0.004, 10))
    ]
    frame = pd.DataFrame(rows)
    frame.to_csv(project.folder / "runs.csv", index=False)
    (project.folder / "config" / "studies" / "small.yaml").unlink()
    study = {
        "name": "mine",
        "title": "Mine",
        "results": {"path": "runs.csv"},
        "analyses": {"pairs": {"kind": "pairs"}},
        "exhibits": {"verdicts": {"kind": "verdicts_table", "title": "V", "analysis": "pairs"}},
    }
    project.write("studies/mine", study)
    return frame


def test_verdicts_without_training(project, scores):
    project.run()
    folder = project.folder / "results" / "studies" / "mine"
    pair = pd.read_parquet(folder / "statistics" / "pairs.parquet").iloc[0]
    wide = scores.pivot(index="fold", columns="model", values="value")
    difference = wide["new"] - wide["old"]
    assert (pair["model_a"], pair["model_b"]) == ("new", "old")
    assert pair["difference"] == pytest.approx(difference.mean())
    # Nadeau and Bengio's correction by hand: ten folds, test/train 1/9.
    error = np.sqrt((1 / 10 + 1 / 9) * difference.var(ddof=1))
    p = 2 * stats.t.sf(abs(difference.mean()) / error, 9)
    assert pair["p_holm"] == pytest.approx(p)
    assert "new beats old" in (folder / "tables" / "verdicts.md").read_text()
    assert "new beats old" in (project.folder / "results/report/index.html").read_text()


def test_a_file_that_is_not_there(project, scores):
    (project.folder / "runs.csv").unlink()
    assert "runs.csv" in project.run(fails=True)
