"""Arms of one model, in experiments and places of their own: counted, named and drawn apart."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from output_frames import study_of, write_outputs
from papers.raste import range_bars, score_strips
from reseed.analyses import item_pairs
from reseed.report.rendering.arms import arm_title
from reseed.report.rendering.data import ExhibitData
from run_kinds import draw, run_analysis
from study_frames import Study, amended, runs, trial
from text_of import text_of

TITLES = {"init": "Initial weights", "order": "Order", "both": "Both"}


@pytest.fixture(scope="module")
def arms():
    """Three arms of one model, twelve seeds each; five seeds of the second failed."""
    rng = np.random.default_rng(0)
    rows = [
        trial(None if arm == "order" and s < 5 else 0.9 + rng.normal(0, 0.01), seed=100 * i + s,
              dataset="magic", metric="auc", model="cnn", arm=arm, experiment="arms")
        for i, arm in enumerate(TITLES)
        for s in range(12)
    ]  # fmt: skip
    experiments = {"arms": {"title": "One source", "arms": TITLES, "varied": "model"}}
    return Study.of(rows, experiments=experiments)


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("leaderboard_table", {}),
        ("interval_table", {"experiments": ["arms"]}),
        ("spread_table", {"experiments": ["arms"]}),
        (range_bars, {"experiments": ["arms"]}),
        (score_strips, {"experiments": ["arms"]}),
    ],
)
def test_arms_are_named_apart_and_failed_trials_are_theirs(arms, kind, options, snapshot):
    assert text_of(arms.draw(kind, options)) == snapshot


def test_failed_trials_of_a_pairs_second_model_are_counted():
    rows = runs({"xgb": 0.95, "ffnn": 0.90}, n=12, sd=0.002)
    lost = {"status": "failed", "auc": np.nan}
    rows = [row | lost if row["model"] == "ffnn" and row["init"] < 3 else row for row in rows]
    note = Study.of(rows).show("verdicts_table").footnote
    assert "Failed trials (left out): 3 of 24." in note


def test_the_marks_of_both_models_of_a_pair_are_explained(snapshot):
    rows = runs({"xgb~depth=3": 0.9, "ffnn~max_epochs=9": 0.89}, sd=0.002)
    assert text_of(Study.of(rows).show("verdicts_table")) == snapshot


def test_an_arms_title_is_that_of_its_experiment():
    """Two experiments call an arm `base`, and mean two things."""
    experiments = {
        name: {"title": name, "arms": {"base": f"Trained {epochs} epochs"}, "varied": "model"}
        for name, epochs in (("a", 45), ("b", 15))
    }
    rows = [row for name in "ab" for row in runs({"rf": 0.9}, arm="base", experiment=name)]
    study = Study.of(rows, experiments=experiments)
    table = study.show("interval_table", {"experiments": ["b"]})
    assert list(table.shown["Algorithm"]) == ["Trained 15 epochs"]
    data = ExhibitData(None, study.metrics, study.info)
    assert arm_title(data, "base", "b") == "Trained 15 epochs"


def test_trials_at_their_limit_are_counted_once():
    rows = runs({"ffnn": 0.9}, n=10) + runs({"ffnn": 0.9}, n=1, experiment="grid")
    study = Study.of(rows)
    limited = study.metrics.assign(
        converged=pd.Series(study.metrics["init"] > 0, dtype="boolean")
    )  # fmt: skip
    assert ExhibitData(None, limited, study.info).limits(["ffnn"]) == []


@pytest.fixture(scope="module")
def outputs(tmp_path_factory):
    """Two arms of one model, the second worse, on a dataset; both on another too."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 300)

    def run(right):
        likely = np.where(rng.random(300) < right, y, 1 - y) * 0.8 + 0.1
        return np.clip(likely + rng.normal(0, 0.03, 300), 0.01, 0.99)

    found = {
        (dataset, arm): (y, [run(right) for _ in range(6)])
        for dataset in ("magic", "home_mortgage_sim")
        for arm, right in (("rf:first", 0.8), ("rf:second", 0.6))
    }
    return study_of(write_outputs(tmp_path_factory.mktemp("o"), found), found)


def test_dataset_without_primary_metric_uses_accuracy(outputs, snapshot):
    facts = amended(
        outputs.info, datasets={"magic": {"metric": "log_loss", "greater_is_better": False}}
    )
    read = replace(outputs, info=facts)
    found = run_analysis(item_pairs, read, {"n_boot": 20, "n_permutations": 20})
    data = ExhibitData(found, read.metrics, facts)
    other = draw("item_pairs_table", data, {"metrics": ["macro_f1"]})
    assert text_of(draw("item_pairs_table", data, {}), other) == snapshot
