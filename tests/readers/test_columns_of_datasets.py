"""Tables with a column of scores for each dataset, as papers print them."""

import numpy as np
import pandas as pd
import pytest
from reseed.core.errors import ReseedError
from study_import import read

DATASETS = ["cola", "sst2", "mrpc", "rte", "mnli", "qnli"]
MODELS = ["small", "large"]
SCORES = {
    (model, dataset, seed): 0.6 + 0.1 * m + 0.03 * d + 0.001 * seed
    for m, model in enumerate(MODELS)
    for d, dataset in enumerate(DATASETS)
    for seed in range(3)
}


def wide(seeds=(0, 1, 2)) -> pd.DataFrame:
    return pd.DataFrame(
        {"model": m, "seed": s} | {d: SCORES[m, d, s] for d in DATASETS}
        for m in MODELS
        for s in seeds
    )


def scores(metrics, metric="accuracy"):
    rows = metrics[["model", "dataset", "init", metric]]
    return {(m, d, s): v for m, d, s, v in rows.itertuples(index=False) if v == v}


def test_dataset_columns_are_read_and_their_mean_is_left_out():
    frame = wide()
    frame["avg"] = frame[DATASETS].mean(axis=1)
    metrics, about = read(frame, metric="accuracy")
    assert scores(metrics) == SCORES
    assert "Left out: avg, which by their names are no datasets." in about.notes


def test_a_spread_of_scores_is_no_dataset():
    frame = wide().assign(**{f"{name}_std": 0.01 for name in DATASETS})
    assert scores(read(frame, metric="accuracy")[0]) == SCORES


def test_datasets_may_differ_in_their_metric():
    wanted = {"cola": "mcc", "sst2": "accuracy", "rte": "accuracy"}
    metrics, about = read(wide(), metric=wanted)
    assert {name: entry.metric for name, entry in about.datasets.items()} == wanted
    both = scores(metrics, "mcc") | scores(metrics)
    assert both == {key: value for key, value in SCORES.items() if key[1] in wanted}
    with pytest.raises(ReseedError, match="names the dataset 'stsb'"):
        read(wide(), metric=wanted | {"stsb": "accuracy"})


def test_one_row_a_model_over_six_datasets():
    metrics, _ = read(wide([0]).drop(columns="seed"), metric="accuracy")
    assert len(metrics) == len(MODELS) * len(DATASETS)
    with pytest.raises(ReseedError, match="one run of each model"):
        read(wide([0])[["model", *DATASETS[:5]]], metric="accuracy")


def test_lists_by_dataset_of_each_model():
    given = {
        model: {d: [SCORES[model, d, s] for s in range(3)] for d in DATASETS} for model in MODELS
    }
    with pytest.raises(ReseedError, match=r"and nothing says which are models"):
        read(given, metric="accuracy")
    metrics, _ = read(given, metric="accuracy", headings="dataset", columns={"seed": "fold"})
    assert scores(metrics) == SCORES


def test_column_outside_the_range_of_a_share_is_refused():
    with pytest.raises(ReseedError, match=r"read as a dataset, but chars cannot be accuracy"):
        read(wide().assign(chars=np.arange(6) * 1000), metric="accuracy")


@pytest.mark.parametrize("metric", ["acuracy", "hairiness"])
def test_unknown_metric_does_not_make_columns_datasets(metric):
    with pytest.raises(ReseedError, match=f"no column for the metric '{metric}'"):
        read(wide(), metric=metric)


def test_error_without_a_metric_names_both_interpretations():
    with pytest.raises(ReseedError, match=r"may be the score: .*Where each is a dataset"):
        read(wide())


@pytest.mark.parametrize("name", ["run", "trial_id", "replicate"])
def test_error_suggests_a_column_that_identifies_runs(name):
    frame = wide().rename(columns={"seed": name, "rte": "accuracy"})[["model", name, "accuracy"]]
    for runs in (frame, frame.assign(**{name: range(6)})):  # also where models share none
        with pytest.raises(ReseedError, match=f"'{name}' .*: `columns: {{seed: {name}}}`"):
            read(runs)


def test_settings_sizes_and_averages_are_no_datasets():
    extra = {
        "lr": 1e-3,
        "dropout": 0.1,
        "Params (M)": 0.5,
        "GLUE avg": 0.7,
        "average score": 0.7,
    }
    metrics, about = read(wide().assign(**extra), metric="accuracy")
    assert scores(metrics) == SCORES
    message = next(note for note in about.notes if note.startswith("Left out"))
    assert all(name in message for name in extra)
    # A word of a setting within a dataset's name, and one letter, do not make a setting of it.
    metrics, _ = read(wide().rename(columns={"cola": "cpu_act", "rte": "c"}), metric="accuracy")
    assert set(metrics["dataset"]) == {"cpu_act", "c", *DATASETS} - {"cola", "rte"}


def test_named_columns_are_datasets_and_others_are_reported():
    wanted = {"time": "accuracy", "sst2": "accuracy"}
    metrics, about = read(wide().rename(columns={"cola": "time"}), metric=wanted)
    assert set(metrics["dataset"]) == {*wanted}
    assert "Left out: mrpc, rte, mnli, qnli, for which no `metric` is named." in about.notes


@pytest.mark.parametrize("label", ["Avg. rank", "Average accuracy", "Mean", "Rank"])
def test_summary_row_below_the_datasets_is_refused(label):
    frame = pd.DataFrame({"dataset": [*DATASETS, label], "small": 0.5, "large": 0.6})
    with pytest.raises(ReseedError, match=f"holds '{label}': a row that summarises"):
        read(frame, metric="accuracy")


def test_size_column_is_no_model_but_lr_is():
    sizes = {"n_samples": 90, "n_classes": 2, "Instances": 90, "ref_words": 7}
    frame = pd.DataFrame({"dataset": DATASETS, **sizes, "lr": 0.4, "rf": 0.3})
    metrics, about = read(frame, metric="rmse")
    assert set(metrics["model"]) == {"lr", "rf"}
    message = "Left out: n_samples, n_classes, Instances, ref_words, which by their names are no "
    assert message + "models." in about.notes


def test_a_model_named_mean_is_read_if_headings_are_models():
    frame = pd.DataFrame({"dataset": DATASETS, "Mean": 0.5, "lr": 0.4, "rf": 0.3})
    metrics, about = read(frame, metric="rmse")
    assert any("(if Mean is one: `headings: model`)" in note for note in about.notes)
    assert "Mean" not in set(metrics["model"])
    assert "Mean" in set(read(frame, metric="rmse", headings="model")[0]["model"])
