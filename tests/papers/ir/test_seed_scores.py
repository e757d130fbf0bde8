"""Scores over seeds: against scikit-learn, by hand, and with runs that are no runs of their own."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import yaml
from output_frames import study_of, write_outputs
from papers.ir import seed_scores
from papers.ir.seed_scores import box
from run_kinds import run_analysis
from sklearn.metrics import f1_score, precision_score
from study_frames import about, amended


@pytest.fixture
def result(tmp_path):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 300)
    y[:60] = 1  # class 1 is the commonest
    good = [np.clip(y * 0.4 + 0.3 + rng.normal(0, 0.25, 300), 0.01, 0.99) for _ in range(6)]
    collapsed = np.full(300, 0.9)
    arms = {("magic", "net"): (y, [*good, collapsed, None]), ("magic", "bayes"): (y, [good[0]] * 4)}
    predictions = write_outputs(tmp_path, arms)
    table = run_analysis(seed_scores, study_of(predictions, arms), seed=2, n_boot=400)
    return y, good, table.set_index(["arm", "metric"])


def test_scores_are_those_of_scikit_learn(result):
    y, good, table = result
    runs = [*(g > 0.5 for g in good), np.ones(300)]
    for metric, score in (("macro_f1", f1_score), ("macro_precision", precision_score)):
        expected = [score(y, r, average="macro", zero_division=0) for r in runs]
        row = table.loc[("net", metric)]
        assert row["mean"] == pytest.approx(np.mean(expected))
        assert row["sd"] == pytest.approx(np.std(expected, ddof=1))
        assert row["majority"] == pytest.approx(expected[-1])


def test_runs_that_are_none_are_counted(result):
    _, _, table = result
    net, bayes = (table.loc[(arm, "accuracy")] for arm in ("net", "bayes"))
    assert (net["n"], net["failed"], net["collapsed"], net["distinct"]) == (7, 1, 1, 7)
    assert net["diverged"] == 2 / 8
    assert (bayes["collapsed"], bayes["distinct"], bayes["sd"]) == (0, 1, 0)


def test_the_bootstrap_of_accuracy_is_the_binomial_one(result):
    y, good, table = result
    row = table.loc[("bayes", "accuracy")]
    accuracy = np.mean((good[0] > 0.5) == y)
    assert row["bootstrap_sd"] == pytest.approx(np.sqrt(accuracy * (1 - accuracy) / 300), rel=0.15)


def test_the_percentile_of_one_seed(result):
    y, good, table = result
    scores = np.array([*(np.mean((g > 0.5) == y) for g in good), np.mean(y == 1)])
    others = np.delete(scores, 2)
    row = table.loc[("net", "accuracy")]
    expected = np.mean(others < scores[2]) + np.mean(others == scores[2]) / 2
    assert row["seed_percentile"] == pytest.approx(expected)
    assert np.isnan(table.loc[("bayes", "accuracy"), "seed_percentile"])  # all score the same


def test_the_paper_of_two_classes_stands_beside_no_six(tmp_path):
    """Its scores on LIAR are those of a task of two classes: none belong beside six."""
    study = yaml.safe_load(Path("config/studies/ir_consistency.yaml").read_text("utf-8"))
    y = np.arange(40) % 2
    arms = {(name, "linear_svm"): (y, [y * 0.8 + 0.1]) for name in ("liar", "liar_binary")}
    facts = about(("liar", "liar_binary"), ("linear_svm",))
    judged = {"task": "binary", "metric": "auc"}
    facts = amended(facts, datasets=dict.fromkeys(facts.datasets, judged))
    data = study_of(write_outputs(tmp_path, arms), arms, facts)
    data = replace(data, published=Path("config/published"))
    table = run_analysis(seed_scores, data, study["analyses"]["scores"]["options"])
    known = table[table["published_mean"].notna()]
    assert list(known["dataset"].unique()) == ["liar_binary"]
    assert known.set_index("metric").loc["accuracy", "published_mean"] == 0.66


def test_a_box_by_hand():
    found = box(np.array([0.1, 0.5, 0.52, 0.54, 0.56, 0.58, 0.99]))
    assert json.loads(found["outliers"]) == [0.1, 0.99]
    assert (found["low_whisker"], found["high_whisker"]) == (0.5, 0.58)
