"""A study of imported results: no training, the same tables, figures and verdicts."""

import io

import numpy as np
import pandas as pd
import pytest
import reseed
from reseed.config.defaults import default_analyses_and_exhibits
from reseed.plugins.kinds import built_in_kinds
from scipy import stats

pytestmark = pytest.mark.workflow


@pytest.fixture
def scores(project):
    """Two models on the same ten folds; the first is about two points better."""
    rng = np.random.default_rng(3)
    fold = rng.normal(0, 0.01, 10)
    rows = [
        {"model": model, "dataset": "toy", "fold": number, "metric": "ndcg", "value": value}
        for model, level in (("new", 0.82), ("old", 0.80))
        for number, value in enumerate(level + fold + rng.normal(0, 0.004, 10))
    ]
    frame = pd.DataFrame(rows)
    frame.to_csv(project.folder / "runs.csv", index=False)
    (project.folder / "config" / "studies" / "small.yaml").unlink()
    # Three lines, and a metric that Reseed does not compute itself.
    study = {"name": "mine", "title": "Mine", "results": {"path": "runs.csv"}}
    project.write("studies/mine", study)
    return frame


def test_verdicts_without_training(project, scores):
    project.run("mine")
    folder = project.folder / "results" / "studies" / "mine"
    pair = pd.read_parquet(folder / "statistics" / "pairs.parquet").iloc[0]
    wide = scores.pivot(index="fold", columns="model", values="value")
    difference = wide["new"] - wide["old"]
    assert (pair["model_a"], pair["model_b"]) == ("new", "old")
    assert pair["difference"] == pytest.approx(difference.mean())
    # Nadeau and Bengio's correction by hand: ten folds, 1.5 times test/train 1/9.
    error = np.sqrt((1 / 10 + 1.5 / 9) * difference.var(ddof=1))
    p = 2 * stats.t.sf(abs(difference.mean()) / error, 9)
    assert pair["p_adjusted"] == pytest.approx(p)
    assert "| better |" in (folder / "tables" / "verdicts.md").read_text()
    kinds = built_in_kinds("exhibits")
    for name, entry in default_analyses_and_exhibits()["exhibits"].items():
        form = {"table": "tables", "figure": "figures"}[kinds[entry["kind"]].function]
        assert (folder / form / f"{name}.csv").is_file()
    # The library gives the same numbers.
    comparison = reseed.compare(project.folder / "runs.csv")
    assert {path.stem for path in (folder / "statistics").iterdir()} == set(comparison.analyses)
    for path in (folder / "statistics").glob("*.csv"):
        analysis, expected = path.stem, pd.read_csv(path)
        actual = io.StringIO(comparison.statistics(analysis).to_csv(index=False))
        pd.testing.assert_frame_equal(expected, pd.read_csv(actual))


def test_missing_results_file(project, scores):
    (project.folder / "runs.csv").unlink()
    text = project.run(fails=True)
    assert "mine.yaml: results.path: there is no file or folder runs.csv" in text
