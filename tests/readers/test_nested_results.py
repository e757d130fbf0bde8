"""Dicts and frames of several levels: what each level is, by its labels or a question."""

import numpy as np
import pandas as pd
import pytest
import reseed
from reseed.core.errors import ReseedError

RNG = np.random.default_rng(0)
SCORES = pd.DataFrame(
    [
        (m, s, 0.7 + 0.1 * (m == "svm") + RNG.normal(0, 0.02))
        for m in ("rf", "svm")
        for s in range(6)
    ],
    columns=["model", "seed", "accuracy"],
)
WIDE = SCORES.pivot(index="seed", columns="model", values="accuracy")
EXPECTED = reseed.compare(SCORES).verdicts
DATASETS = ["iris", "wine", "glass", "car", "bank", "adult", "digits"]


def verdicts(results, **options):
    return reseed.compare(results, metric="accuracy", **options).verdicts


def by_labels(outer, inner, score=lambda model, seed: float(WIDE.loc[seed, model])):
    """A dict of dicts by labels: `model` or how to write a seed."""
    names = {"model": {m: m for m in WIDE}, "seed": {s: f"seed_{s}" for s in WIDE.index}}
    pairs = {True: lambda a, b: (a, b), False: lambda a, b: (b, a)}[outer == "model"]
    return {
        names[outer][a]: {names[inner][b]: score(*pairs(a, b)) for b in names[inner]}
        for a in names[outer]
    }


@pytest.mark.parametrize(
    "results",
    [
        by_labels("model", "seed"),
        by_labels("seed", "model"),
        by_labels("model", "seed", lambda m, s: {"accuracy": WIDE.loc[s, m], "f1": RNG.random()}),
        WIDE.rename(index=lambda seed: f"seed {seed}").rename_axis(None).rename_axis(columns=None),
    ],
    ids=["models of seeds", "seeds of models", "models of seeds of metrics", "frame"],
)
def test_labels_of_seeds_are_seeds_at_any_level(results):
    pd.testing.assert_frame_equal(verdicts(results), EXPECTED)


def test_numbers_of_runs_are_no_models():
    results = {int(seed): dict(WIDE.loc[seed]) for seed in WIDE.index}
    assert {*reseed.compare(results, metric="accuracy").leaderboard["model"]} == {"rf", "svm"}


@pytest.mark.parametrize("kind", ["dict", "series", "frame", "file"])
def test_names_of_rows_are_asked_for(kind, tmp_path):
    frame = pd.DataFrame(RNG.random((7, 2)), columns=["rf", "svm"], index=DATASETS)
    frame.to_csv(tmp_path / "scores.csv")
    results = {
        "dict": {model: dict(frame[model]) for model in frame},
        "series": {model: frame[model] for model in frame},
        "frame": frame,
        "file": tmp_path / "scores.csv",
    }[kind]
    question = r"what the names of its rows are \(iris, wine, glass, …\).*`rows='dataset'`"
    with pytest.raises(ReseedError, match=question):
        verdicts(results)
    long = frame.rename_axis(index="dataset").reset_index().melt("dataset", var_name="model")
    expected = verdicts(long.rename(columns={"value": "accuracy"}))
    pd.testing.assert_frame_equal(verdicts(results, rows="dataset"), expected)


def test_a_first_column_of_models_is_mapped(tmp_path):
    pd.DataFrame(RNG.random((3, 7)), index=list("abc"), columns=DATASETS).to_csv(tmp_path / "t.csv")
    with pytest.raises(ReseedError, match=r"row is a model: `columns=\{'model': 'Unnamed: 0'\}`"):
        verdicts(tmp_path / "t.csv")
    found = reseed.compare(tmp_path / "t.csv", metric="accuracy", columns={"model": "Unnamed: 0"})
    assert {*found.verdicts["dataset"]} >= {*DATASETS}
    assert {*found.leaderboard["model"]} == {*"abc"}


def test_headings_of_several_levels_with_names_are_read():
    both = SCORES.assign(f1=RNG.random(len(SCORES))).pivot(index="seed", columns="model")
    pd.testing.assert_frame_equal(verdicts(both), EXPECTED)
    named = both.rename_axis(columns=["metric", "model"])
    pd.testing.assert_frame_equal(verdicts(named), EXPECTED)


def test_complex_numbers_are_no_scores():
    with pytest.raises(ReseedError, match=r"no column of scores|not a number"):
        verdicts(SCORES.assign(accuracy=SCORES["accuracy"] + 0j))
