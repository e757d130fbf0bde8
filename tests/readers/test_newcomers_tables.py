"""Tables that newcomers bring: what would give a wrong answer is refused with a remedy that works.

Each refusal is tested together with its remedy.
"""

from itertools import product

import numpy as np
import pandas as pd
import pytest
import reseed
from reseed import compare
from reseed.core.errors import ReseedError
from scipy import stats
from study_import import read


def grid(**columns):
    return pd.DataFrame(list(product(*columns.values())), columns=list(columns))


def refuse(source, **results):
    with pytest.raises(ReseedError) as refused:
        read(source, **results)
    return str(refused.value)


def tabarena(folds):
    """Errors of three methods as TabArena writes them: `good` has the smallest."""
    table = grid(dataset=["d0", "d1"], fold=range(folds), method=["good", "middle", "bad"])
    error = table["method"].map({"good": 0.1, "middle": 0.2, "bad": 0.3})
    noise = np.random.default_rng(0).normal(0, 0.005, len(table))
    return table.assign(metric="roc_auc", metric_error=error + noise, time_train_s=1.5)


def test_errors_of_tabarena_rank_the_smallest_first():
    for columns in ({}, {"value": "metric_error"}):
        comparison = compare(tabarena(3), columns=columns)
        board = comparison.leaderboard
        assert board["model"].iloc[0] == "good"
        assert comparison.data.info.datasets["d0"].greater_is_better is False


def test_splits_of_tabarena_are_repeats_of_three_folds():
    metrics, info = read(tabarena(9))
    assert sorted(set(zip(metrics["repeat"], metrics["fold"], strict=True))) == list(
        product(range(3), range(3))
    )
    assert set(metrics["scheme"]) == {"kfold-3x3"}
    assert any("repeated cross-validation (3 × 3)" in note for note in info.notes)
    assert set(read(tabarena(3))[0]["scheme"]) == {"kfold-3x1"}


def test_automl_benchmark_has_a_metric_for_each_task():
    table = grid(task=["a", "b"], framework=["x", "y"], fold=range(3))
    is_auc = table["task"] == "a"
    table = table.assign(
        metric=np.where(is_auc, "auc", "neg_logloss"),
        result=np.where(is_auc, 0.8, -0.4) + table["fold"] / 100,
        auc=np.where(is_auc, 0.8, np.nan),
        logloss=np.where(is_auc, np.nan, 0.4),
    )
    metrics, info = read(table)
    assert metrics.loc[metrics["dataset"] == "b", "neg_logloss"].max() == pytest.approx(-0.38)
    assert {name: one.metric for name, one in info.datasets.items()} == {
        "a": "auc",
        "b": "neg_logloss",
    }
    assert all(one.greater_is_better for one in info.datasets.values())


def runs(metric, values):
    table = grid(model=["rf", "xgb"], seed=range(4))
    return table.assign(**{metric: np.resize(values, len(table))})


def test_errors_are_no_scores_of_a_metric():
    table = runs("error", [0.1, 0.2, 0.15]).assign(metric="roc_auc")
    text = refuse(table, columns={"value": "error"})
    assert "'error' seems to hold errors, but more of 'roc_auc' is better" in text
    _, info = read(table, columns={"value": "error"}, greater_is_better=False)
    assert info.datasets["data"].greater_is_better is False
    # Errors of errors are errors, and so are those of scorers.
    squares = runs("error", [1.0, 2.0]).assign(metric="mse")
    assert read(squares, columns={"value": "error"})


def test_an_auc_below_guessing_is_confirmed_first():
    table = runs("auc", [0.1, 0.2, 0.15])
    text = refuse(table)
    assert "below 0.5, which is guessing" in text
    assert "`greater_is_better: false`" in text
    assert read(table, greater_is_better=False)[1].datasets["data"].greater_is_better is False
    assert read(table, greater_is_better=True)[1].datasets["data"].greater_is_better is True
    # Precision-recall curves have another guess, and one weak run is no contradiction.
    assert read(runs("pr_auc", [0.1, 0.2, 0.15]))
    assert read(runs("auc", [0.45, 0.6, 0.7, 0.8]))


def test_a_share_above_one_needs_a_unit():
    text = refuse(runs("accuracy", [1.1, 1.2, 1.3]))
    assert "a share is 0 to 1, or 0 to 100 in percent" in text
    assert "`unit: points`" in text
    assert read(runs("accuracy", [1.1, 1.2, 1.3]), unit="points")
    assert "is 140 here" in refuse(runs("accuracy", [90, 140, 80]))
    assert "is -0.2 here" in refuse(runs("accuracy", [0.9, -0.2, 0.8]))
    assert read(runs("accuracy", [90, 91.5, 80]))


def folds(count, **columns):
    table = grid(model=["rf", "xgb"], fold=range(count)).assign(**columns)
    return table.assign(accuracy=np.random.default_rng(1).uniform(0.7, 0.9, len(table)))


def test_more_than_ten_folds_without_a_repeat_are_refused():
    for count in (11, 20):
        text = refuse(folds(count))
        assert f"has {count} folds on data and no column identifies repeats" in text
        assert "`test_train_ratio`" in text
        assert read(folds(count), test_train_ratio=0.25)


def test_up_to_ten_folds_without_a_repeat_are_noted():
    note = "No column identifies repeats: 9 folds were taken as one cross-validation"
    assert any(note in one for one in read(folds(9))[1].notes)
    assert not any("repeats" in one for one in read(folds(9), test_train_ratio=0.5)[1].notes)
    repeated = folds(9)
    repeated = repeated.assign(repeat=repeated["fold"] // 3, fold=repeated["fold"] % 3)
    assert not any("repeats" in one for one in read(repeated)[1].notes)


@pytest.mark.parametrize("column", ["doc", "id", "idx", "index", "image", "case_number"])
def test_items_are_proposed_as_items(column):
    table = grid(model=["a", "b"], **{column: range(200)})
    table = table.assign(accuracy=np.resize([0, 1, 1], len(table)))
    text = refuse(table)
    assert f"`columns: {{item: {column}}}`" in text
    assert "seed: " not in text.split("It has")[1]


def test_numbered_runs_are_proposed_as_seed():
    table = grid(model=["a", "b"], attempt=range(6)).assign(accuracy=np.linspace(0.7, 0.9, 12))
    assert "`columns: {seed: attempt}`" in refuse(table)


def test_tested_on_is_proposed_as_dataset():
    table = grid(domain=["chess", "go", "poker"], algorithm=["dqn", "ppo"], seed=range(3))
    table = table.assign(score=np.linspace(1, 9, len(table)))
    text = refuse(table, greater_is_better=True)
    assert "`columns: {dataset: domain}`" in text
    assert "model: [" not in text
    metrics, _ = read(table, greater_is_better=True, columns={"dataset": "domain"})
    assert metrics.groupby("dataset")["model"].nunique().tolist() == [2, 2, 2]
    games = table.rename(columns={"domain": "game"})
    assert read(games, greater_is_better=True)[0]["dataset"].nunique() == 3


def test_the_column_of_an_unknown_metric_is_proposed():
    table = runs("points", [0.7, 0.8, 0.75])
    assert "`metric: accuracy`" not in refuse(table)
    assert "`columns: {value: points}`" in refuse(table, metric="accuracy")
    metrics, _ = read(table, metric="accuracy", columns={"value": "points"})
    assert metrics["accuracy"].max() == 0.8


def test_a_column_of_hits_a_model_is_read():
    table = grid(task_id=[f"HumanEval/{i}" for i in range(40)])
    table = table.assign(gpt=np.resize([1, 0], 40), llama=np.resize([1, 0, 0], 40))
    assert any("40 items" in note for note in reseed.compare(table).notes)


def test_exports_of_other_tools_are_named():
    chart = pd.DataFrame({"Step": [1, 2], "run-1 - val/acc": 0.5, "run-2 - val/acc": 0.6})
    assert "chart of Weights & Biases" in refuse(chart)
    named = pd.DataFrame({"Name": ["a", "b"], "val_acc": [0.5, 0.6]})
    assert "`format: wandb`" in refuse(named)
    samples = pd.DataFrame({"log": "x", "id": [1, 2], "epoch": 1, "score_choice": "C"})
    assert "`reseed compare logs/`" in refuse(samples)
    lm_eval = pd.DataFrame({"doc_id": [0, 1], "resps": "[]", "exact_match": [0.0, 1.0]})
    assert "`reseed compare folder/`" in refuse(lm_eval)


def test_means_with_spreads_name_the_option_for_them():
    cells = pd.DataFrame({"model": ["a", "b"], "MRPC": ["88.1 ± 0.5", "90.2 ± 0.4"]})
    assert "state the number of runs: `runs`" in refuse(cells)
    columns = pd.DataFrame({"model": ["a", "b"], "accuracy_mean": [0.9, 0.8], "accuracy_std": 0.1})
    assert "state the number of runs: `runs`" in refuse(columns)


def fixed_baseline():
    """`bm25` has one run; `dense` has six seeds around 0.44."""
    dense = [0.43, 0.44, 0.45, 0.44, 0.435, 0.445]
    rows = [("bm25", 0, 0.41), *(("dense", seed, score) for seed, score in enumerate(dense))]
    return pd.DataFrame(rows, columns=["model", "seed", "ndcg"])


def test_a_deterministic_baseline_is_a_constant():
    table = fixed_baseline()
    noted = compare(table, baseline="bm25")
    assert noted.verdicts["reason"].tolist() == ["too few runs"]
    assert any("`deterministic: [bm25]`" in note for note in noted.notes)
    row = compare(table, baseline="bm25", deterministic="bm25").verdicts.iloc[0]
    scores = table.loc[table["model"] == "dense", "ndcg"]
    assert row["p"] == pytest.approx(stats.ttest_1samp(scores, 0.41).pvalue, rel=1e-9)
    assert (row["outcome"], row["n"]) == ("better", 6)


def test_a_fixed_baseline_needs_no_seed():
    table, numbered = fixed_baseline().astype({"seed": object}), fixed_baseline()
    table.loc[table["model"] == "bm25", "seed"] = None
    options = {"baseline": "bm25", "deterministic": "bm25"}
    found, known = (compare(one, **options).verdicts for one in (table, numbered))
    pd.testing.assert_frame_equal(found, known)
    assert any("bm25: no seed" in note for note in compare(table).notes)
    twice = pd.concat([table, table.iloc[:1].assign(ndcg=0.3)], ignore_index=True)
    assert "column 'seed' is empty" in refuse(twice)


def test_accuracy_is_not_proposed_for_other_numbers():
    table = grid(model=["a", "b"], seed=range(5)).assign(score=[*range(10)])
    assert "`metric: accuracy`" in refuse(table)
    assert "`metric: accuracy`" not in refuse(table.assign(score=table["score"] * 50))


def test_a_deterministic_model_has_one_run_on_a_split():
    assert "'bm52', which has no run" in refuse(fixed_baseline(), deterministic=["bm52"])
    text = refuse(fixed_baseline(), deterministic=["dense"])
    assert "several runs on one split" in text
