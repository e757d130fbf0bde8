"""Arms of one model, in experiments and places of their own: counted, named and drawn apart."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from output_frames import study_of, write_outputs
from papers.picard import extremes, extremes_table
from papers.raste import range_bars, score_strips
from reseed.report.analyses import item_pairs, pairs, seed_choice, spread, stopping
from reseed.report.analyses.shared.data import Data
from reseed.report.exhibits import (
    interval_table,
    item_pairs_table,
    leaderboard_table,
    pairs_table,
    seed_choice_figure,
    seed_choice_table,
    spread_table,
    stopping_table,
)
from reseed.report.rendering.arms import arm_title
from reseed.report.rendering.data import ExhibitData
from run_kinds import draw, is_table, run_analysis
from study_frames import about, amended, frame, replaced, trial

FAST = {"n_boot": 50, "n_sim": 50}
TITLES = {"init": "Initial weights", "order": "Order", "both": "Both"}


def shown(kind, analysis, metrics, facts, options=None, measured=FAST):
    """The table, or what is drawn, of one exhibit over one analysis (None: trials alone)."""
    known = analysis and run_analysis(analysis, Data(metrics, facts), measured)
    data = ExhibitData(known, metrics, facts, "k", "Title")
    drawn = draw(kind, data, options)
    return drawn if is_table(kind) else drawn[1]


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
    facts = about(("magic",), ("cnn",))
    experiments = {"arms": {"title": "One source", "arms": TITLES, "varied": "model"}}
    return frame(rows), replaced(facts, experiments=experiments)


@pytest.mark.parametrize(
    ("kind", "analysis", "options", "failed"),
    [
        (extremes_table, extremes, {"arms": ["order"]}, "5 of 12"),
        (leaderboard_table, pairs, {}, "5 of 36"),
        (stopping_table, stopping, {}, "5 of 36"),
    ],
)
def test_failed_trials_are_those_of_the_arms_shown(arms, kind, analysis, options, failed):
    found = shown(kind, analysis, *arms, options)
    assert f"Failed trials (left out): {failed}." in found.footnote


def test_failed_trials_of_a_pairs_second_model_are_counted():
    rng = np.random.default_rng(0)
    metrics = frame([
        trial(None if model == "ffnn" and s < 3 else mean + rng.normal(0, 0.002), seed=s,
              dataset="magic", metric="auc", model=model)
        for model, mean in (("xgb", 0.95), ("ffnn", 0.90))
        for s in range(12)
    ])  # fmt: skip
    found = shown(stopping_table, stopping, metrics, about(("magic",), ("xgb", "ffnn")))
    assert "Failed trials (left out): 3 of 24." in found.footnote


def test_the_marks_of_both_models_of_a_pair_are_explained():
    rng = np.random.default_rng(0)
    models = ("xgb~depth=3", "ffnn~max_epochs=9")
    metrics = frame([
        trial(0.9 - 0.01 * i + rng.normal(0, 0.002), seed=s, dataset="magic", metric="auc",
              model=model)
        for i, model in enumerate(models)
        for s in range(6)
    ])  # fmt: skip
    found = shown(pairs_table, pairs, metrics, about(("magic",), models))
    assert found.shown["Pair"][0] == "XGB† – FFNN†"
    assert "† XGB: depth=3; FFNN: max_epochs=9." in found.footnote


def test_an_arms_title_is_that_of_its_experiment():
    """Two experiments call an arm `base`, and mean two things."""
    rng = np.random.default_rng(0)
    facts = about(("magic",), ("rf",))
    experiments = {
        name: {"title": name, "arms": {"base": f"Trained {epochs} epochs"}, "varied": "model"}
        for name, epochs in (("a", 45), ("b", 15))
    }
    facts = replaced(facts, experiments=experiments)
    metrics = frame([
        trial(0.9 + rng.normal(0, 0.01), seed=s, dataset="magic", metric="auc", model="rf",
              arm="base", experiment=name)
        for name in "ab"
        for s in range(6)
    ])  # fmt: skip
    table = shown(extremes_table, extremes, metrics, facts, {"experiments": ["b"]})
    assert list(table.shown["Arm"]) == ["Trained 15 epochs"]
    table = shown(extremes_table, extremes, metrics, facts)
    assert list(table.shown["Arm"]) == ["Trained 45 epochs, a", "Trained 15 epochs, b"]
    assert arm_title(ExhibitData(None, metrics, facts), "base", "b") == "Trained 15 epochs"


def test_trials_at_their_limit_are_counted_once():
    metrics = frame([
        trial(0.9, seed=s, dataset="magic", metric="auc", model="ffnn", experiment=experiment)
        for experiment in ("model_seeds", "grid")
        for s in range(10 if experiment == "model_seeds" else 1)
    ])  # fmt: skip
    metrics["converged"] = pd.Series(metrics["init"] > 0, dtype="boolean")
    assert ExhibitData(None, metrics, about(("magic",), ("ffnn",))).limits(["ffnn"]) == []


def test_arms_of_one_model_get_separate_rows_and_columns(arms):
    options = {"experiments": ["arms"]}
    table = shown(interval_table, spread, *arms, options)
    assert list(table.shown["Algorithm"]) == list(TITLES.values())
    table = shown(spread_table, spread, *arms, options)
    assert list(table.shown["", "Algorithm"]) == list(TITLES.values())
    assert list(table.shown["One source", "n"]) == ["12", "7 (5 failed)", "12"]
    for kind, analysis in ((score_strips, None), (range_bars, spread)):
        drawn = shown(kind, analysis, *arms, options)
        assert "Seeds per cell: 7–12" in drawn.footnote
        assert count_panel_columns(kind, analysis, *arms, options) == [list(TITLES.values())]


def count_panel_columns(kind, analysis, metrics, facts, options):
    """Names under the columns of each panel that is seen."""
    known = analysis and run_analysis(analysis, Data(metrics, facts), FAST)
    figure, _ = draw(kind, ExhibitData(known, metrics, facts, "k", "T"), options)
    return [[t.get_text() for t in a.get_xticklabels()] for a in figure.axes if a.get_visible()]


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


def test_a_choice_of_seeds_is_made_within_an_arm(outputs):
    options = {"n_bootstrap": 3, "n_halves": 10}
    data = ExhibitData(run_analysis(seed_choice, outputs, options), outputs.metrics, outputs.info)
    table = draw(seed_choice_table, data, {})
    assert list(table.shown["", "Algorithm"]) == ["rf:first", "rf:second"] * 2
    assert set(table.shown["", "n"]) == {"6"}
    first, second = table.shown["Accuracy", "Mean seed"].astype(float)[:2]
    assert first > second + 0.1
    far = data.statistics.assign(alpha_hat=0.04)
    figure, _ = draw(seed_choice_figure, replace(data, statistics=far), {})
    texts = [text.get_text() for text in figure.legends[0].get_texts()]
    assert texts[:2] == ["rf:first", "rf:second"]


def test_dataset_without_primary_metric_uses_accuracy(outputs):
    facts = amended(
        outputs.info, datasets={"magic": {"metric": "log_loss", "greater_is_better": False}}
    )
    read = replace(outputs, info=facts)
    found = run_analysis(item_pairs, read, {"n_boot": 20, "n_permutations": 20})
    data = ExhibitData(found, read.metrics, facts)
    table = draw(item_pairs_table, data, {})
    assert table.sections == ["Magic, accuracy", "Home Mortgage Sim*, AUC"]
    assert table.findings[0].startswith("On 2 test sets, over seeds and items")
    table = draw(item_pairs_table, data, {"metrics": ["macro_f1"]})
    assert table.empty.endswith("on the same test set, compared by macro_f1.")
