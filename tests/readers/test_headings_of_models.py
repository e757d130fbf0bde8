"""Headings and labels that say more than a model: its metric, or its run."""

import numpy as np
import pandas as pd
import pytest
import reseed
from reseed.core.errors import ReseedError
from reseed.readers.metric_headings import split_metric_headings
from reseed.readers.options import ReadOptions
from reseed.readers.read import read_scores

RNG = np.random.default_rng(0)
DATASETS = [f"data{n}" for n in "abcdefgh"]


def long_table(models=("ant", "bee"), seeds=5, datasets=("data",)):
    rows = [(m, d, s) for m in models for d in datasets for s in range(seeds)]
    frame = pd.DataFrame(rows, columns=["model", "dataset", "seed"])
    return frame.assign(
        accuracy=0.7 + 0.1 * frame["model"].eq("bee") + RNG.normal(0, 0.05, len(rows))
    )


@pytest.mark.parametrize(
    ("headings", "expected"),
    [
        ("rf_acc gbm_acc", "rf acc, gbm acc"),
        ("acc_rf acc_gbm", "rf acc, gbm acc"),
        ("gpt-4_acc llama-3_acc", "gpt-4 acc, llama-3 acc"),
        ("rf_acc rf_f1 gbm_acc gbm_f1", "rf acc, rf f1, gbm acc, gbm f1"),
        ("a.comet a.bleu b.comet b.bleu", "a comet, a bleu, b comet, b bleu"),
        ("a_correct b_correct", ""),
        ("rf_macro_f1 gbm_macro_f1", "rf macro_f1, gbm macro_f1"),
        (
            "rf_train_acc rf_test_acc gbm_train_acc gbm_test_acc",
            "rf train_acc, rf test_acc, gbm train_acc, gbm test_acc",
        ),
        ("train_acc test_acc", ""),
        ("val_loss val_acc", ""),
        ("macro_f1 micro_f1", ""),
        ("hits_1 hits_10", ""),
        ("acc@1 acc@5", ""),
        ("rf_acc gbm_f1", ""),
        ("rf_acc rf_f1", ""),
        ("rf_acc gbm_acc other", ""),
        ("rf_acc gbm_acc rf_f1 svm_f1", ""),
    ],
)
def test_a_model_and_its_metric_in_headings(headings, expected):
    found = split_metric_headings(headings.split())
    assert ", ".join(f"{one.model} {one.metric}" for one in found.values()) == expected


def test_a_metric_in_brackets():
    found = split_metric_headings(["RF (accuracy)", "GBM (accuracy)"])
    assert [tuple(one) for one in found.values()] == [("RF", "accuracy"), ("GBM", "accuracy")]


def test_headings_of_models_and_metrics_are_asked_for_and_read(tmp_path):
    table = long_table()
    wide = table.pivot(index="seed", columns="model", values="accuracy").add_suffix("_accuracy")
    both = wide.join(1 - wide.rename(columns=lambda c: c.replace("accuracy", "error")))
    both.to_csv(tmp_path / "wide.csv")
    with pytest.raises(ReseedError, match=r"scores of models \(ant, bee\): `headings='model'`"):
        reseed.compare(tmp_path / "wide.csv")
    with pytest.raises(ReseedError, match=r"mixes several metrics.*`metric='accuracy'`"):
        reseed.compare(tmp_path / "wide.csv", headings="model")
    found = reseed.compare(tmp_path / "wide.csv", headings="model", metric="accuracy")
    pd.testing.assert_frame_equal(found.verdicts, reseed.compare(table).verdicts)


def test_numbers_of_segments_are_no_model():
    wide = pd.DataFrame({"seg_id": range(20)} | {m: RNG.normal(size=20) for m in "ab"})
    headings = {"a": "a.comet", "b": "b.comet"}
    table = wide.rename(columns=headings).assign(**{"a.bleu": 20.0, "b.bleu": 21.0})
    with pytest.raises(ReseedError, match=r"scores of models \(a, b\): `headings='model'`"):
        reseed.compare(table)
    options = ReadOptions(headings="model", rows="item", metric="comet")
    for source in (table, wide):
        assert read_scores(source, options)[0].models == ["a", "b"]


def test_models_may_be_named_like_poolings():
    table = pd.DataFrame({name: RNG.random(5) for name in ("Mean", "Max", "GAT")})
    table.insert(0, "seed", range(5))
    with pytest.raises(ReseedError, match="Where Mean, Max, GAT are models: `headings='model'`"):
        reseed.compare(table)
    options = ReadOptions(headings="model", metric="f1")
    assert read_scores(table, options)[0].models == ["Mean", "Max", "GAT"]
    with pytest.raises(ReseedError, match="'Mean' is no model: it holds the Mean of the other"):
        read_scores(table.assign(GCN=0.5, Mean=table["GAT"] / 2 + 0.25), options)


def test_seeds_in_the_names_of_models_are_seeds(tmp_path):
    table = long_table()
    names = table["model"] + "_seed" + table["seed"].astype(str)
    found = reseed.compare(table[["dataset", "accuracy"]].assign(model=names))
    pd.testing.assert_frame_equal(found.verdicts, reseed.compare(table).verdicts)
    assert any("ant_seed0, ant_seed1, …" in note for note in found.notes)


def test_two_seeds_in_names_are_enough():
    table = long_table(seeds=2)
    names = table["model"] + "_seed" + table["seed"].astype(str)
    found = reseed.compare(table[["dataset", "accuracy"]].assign(model=names))
    assert {*found.leaderboard["model"]} == {"ant", "bee"}


def test_a_row_a_dataset_and_a_column_a_model_and_seed(tmp_path):
    table = long_table(datasets=DATASETS)
    wide = table.pivot(index="dataset", columns=["model", "seed"], values="accuracy")
    wide.columns = [f"{model} seed {seed}" for model, seed in wide.columns]
    wide.to_csv(tmp_path / "wide.csv")
    found = reseed.compare(tmp_path / "wide.csv", metric="accuracy")
    expected = reseed.compare(table).verdicts
    pd.testing.assert_frame_equal(found.verdicts, expected)


@pytest.mark.parametrize(
    "names",
    [
        ("ant_cv5", "ant_cv10", "bee_cv5", "bee_cv10"),  # numbers of folds
        (
            "ant_training100",
            "ant_training10",
            "bee_training100",
            "bee_training10",
        ),  # per cent of rows
        ("ant_run1", "bee_run1"),  # one run each: part of the name
        ("ant_run1", "ant_run2", "bee"),  # one name without
    ],
)
def test_other_numbers_in_names_of_models_stay_names(names):
    rows = [(m, s, 0.8 + RNG.normal(0, 0.01)) for m in names for s in range(4)]
    found = reseed.compare(pd.DataFrame(rows, columns=["model", "fold", "accuracy"]))
    assert set(found.leaderboard["model"]) == set(names)


def test_a_column_of_the_same_run_goes_first():
    table = long_table(seeds=4)
    names = table["model"] + "_seed" + (table["seed"] % 2).astype(str)
    found = reseed.compare(table.assign(model=names))
    assert set(found.leaderboard["model"]) == {"ant_seed0", "ant_seed1", "bee_seed0", "bee_seed1"}


def test_numbers_behind_models_in_a_column_are_asked():
    labels = ["rf_1", "rf_2", "svm_1", "svm_2"]
    table = pd.DataFrame(
        [(model, seed, 0.8 + seed / 99) for model in labels for seed in range(5)],
        columns=["model", "seed", "accuracy"],
    )
    with pytest.raises(ReseedError, match=r"nothing says what they count.*model"):
        reseed.compare(table)
    mapped, reading = read_scores(table, ReadOptions(columns={"model": "model"}))
    assert mapped.models == labels
    assert "Each was read as a model" in " ".join(reading.notes)


@pytest.mark.parametrize(
    "labels",
    [["gpt-4", "gpt-3.5"], ["resnet18", "resnet50"], ["v1", "v2"], ["llama-3-8b", "llama-3-70b"],
     ["rf, C=1", "rf, C=2", "svm, C=1"]],
)  # fmt: skip
def test_numbers_that_are_part_of_models_are_not_asked(labels):
    rows = [(model, seed, 0.8) for model in labels for seed in range(5)]
    table = pd.DataFrame(rows, columns=["model", "seed", "accuracy"])
    assert read_scores(table, ReadOptions())[0].models == labels
