"""Tables as people have them: each is read rightly, or asks one question with a working answer."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
import reseed
from reseed.core.errors import ReseedError
from reseed.readers.options import ReadOptions
from reseed.readers.proposals import Option, Problem, TableError, propose
from reseed.readers.read import read_scores

RNG = np.random.default_rng(4)


def grid(**columns):
    rows = pd.DataFrame(list(product(*columns.values())), columns=list(columns))
    return rows.assign(accuracy=RNG.uniform(0.6, 0.9, len(rows)).round(4))


def read(table, **options):
    return read_scores(table, ReadOptions(**options))[0]


def refuse(table, **options):
    with pytest.raises(ReseedError) as error:
        reseed.compare(table, **options)
    return str(error.value)


PASSED = [f"{'[PASS]' if i % 4 else '[FAIL]'} answer\n{i}" for i in range(40)]
OTHER = [f"{'[FAIL]' if i % 3 else '[PASS]'} {i}" for i in range(40)]


def test_marks_before_the_texts_of_promptfoo():
    table = pd.DataFrame({"question": [f"q{i}" for i in range(40)], "gpt": PASSED, "pi": OTHER})
    assert reseed.compare(table).leaderboard["mean"].tolist() == pytest.approx([0.75, 0.35])
    failed = table.assign(pi=["[ERROR] timeout", *OTHER[1:]])
    assert read(failed).frame["value"].isna().sum() == 1


def test_repeated_headings_belong_to_the_one_before(tmp_path):
    head = "question,gpt,Grader Reason,Comment,pi,Grader Reason,Comment"
    rows = [f'q{i},"{a}",ok,,"{b}",ok,' for i, (a, b) in enumerate(zip(PASSED, OTHER, strict=True))]
    (tmp_path / "evals.csv").write_text("\n".join([head, *rows]))
    found = read(tmp_path / "evals.csv")
    assert found.models == ["gpt", "pi"]
    assert "Headings that are repeated were named after the one before them." in found.notes


def test_a_metric_that_occurs_twice_is_a_mistake(tmp_path):
    (tmp_path / "runs.csv").write_text("model,seed,acc,f1,acc\na,0,0.8,0.7,0.8\nb,0,0.7,0.6,0.7\n")
    assert "has the column 'acc' more than once" in refuse(tmp_path / "runs.csv")


@pytest.mark.parametrize("first", ["Tester:     weka.experiment.PairedCorrectedTTester", ""])
def test_the_printed_table_of_weka_is_named(tmp_path, first):
    text = f"{first}\nDataset      (1) rules.Ze | (2) trees\niris   (100)   33.33 |   92.53 v\n"
    (tmp_path / "out.txt").write_text(text)
    assert "Give the CSV file of the experiment" in refuse(tmp_path / "out.txt")


def test_a_failed_repeat_is_proposed_where_it_helps():
    table = grid(model=["a", "b"], item=range(20), repeat=range(2))
    table.loc[3, "accuracy"] = np.nan
    assert "failed='repeats'" in refuse(table)
    assert reseed.compare(table, failed="repeats").leaderboard["model"].nunique() == 2
    table.loc[2, "accuracy"] = np.nan
    for failed in ("refuse", "repeats"):
        text = refuse(table, failed=failed)
        assert "failed='drop'" in text
        assert "failed='repeats'" not in text


@pytest.mark.parametrize("door", [reseed.compare, reseed.rank_models])
def test_rows_of_one_run_name_their_columns(door):
    table = grid(model=["a", "b"], dataset=[*"uvwxyz"], seed=range(3), lr=[0.1, 0.01])
    with pytest.raises(
        ReseedError, match=r"'lr' is a setting.*`columns=\{'model': \['model', 'lr'"
    ):
        door(table)


def test_sizes_of_training_sets_may_name_models():
    table = grid(model=["a", "b"], n_train=[100, 1000], seed=range(5))
    assert "columns={'model': ['model', 'n_train']}" in refuse(table)


def test_ranks_average_the_folds_of_a_task():
    table = grid(model=["a", "b", "c"], dataset=[*"uvwxyz"], fold=range(5))
    means = table.groupby(["model", "dataset"], as_index=False)["accuracy"].mean()
    ranking, expected = reseed.rank_models(table), reseed.rank_models(means)
    assert ranking.sources == "5 splits"
    columns = ["model", "mean", "rank", "low_new", "high_new"]
    pd.testing.assert_frame_equal(ranking.table[columns], expected.table[columns])
    table.loc[0, "accuracy"] = np.nan
    with pytest.raises(ReseedError, match=r"scores are missing \(a 1\)"):
        reseed.rank_models(table)
    dropped = reseed.rank_models(table, failed="drop")
    assert "Runs left out, as not all models have one on their split: 2." in dropped.notes


def test_labels_of_resamples_next_to_columns_of_models():
    labels = [(f"Repeat{r}", f"Fold{f}") for r in (1, 2) for f in range(1, 6)]
    table = pd.DataFrame(labels, columns=["id", "id2"]).assign(rf=RNG.random(10), svm=0.5)
    found = read(table, metric="accuracy")
    assert found.models == ["rf", "svm"]
    assert {"repeat", "fold"} <= found.named
    assert not found.has_items


def test_means_of_groups_are_no_datasets_of_opencompass():
    rows = [("mmlu", "naive_average"), *((f"mmlu_{c}", "accuracy") for c in "abcdef")]
    table = pd.DataFrame(rows, columns=["dataset", "metric"]).assign(version=1, mode="gen")
    table = table[["dataset", "version", "metric", "mode"]].assign(gpt=RNG.random(7), pi=0.5)
    assert "mmlu" not in read(table).metrics
    assert "mmlu" in read(table.iloc[:1]).metrics


def test_years_next_to_columns_of_models_are_no_model():
    table = pd.DataFrame({"Year": range(2010, 2020), "ARIMA": RNG.random(10), "LSTM": 0.5})
    assert "rows='item'" in refuse(table, metric="mae")
    assert read(table, metric="mae", rows="item").models == ["ARIMA", "LSTM"]


def test_costs_next_to_headings_of_models_and_metrics():
    table = pd.DataFrame({"utt_id": [f"u{i}" for i in range(30)], "wer_a": RNG.random(30)})
    table = table.assign(**{"wer_b": RNG.random(30), "duration (s)": 3.5})
    assert "headings='model'" in refuse(table)
    assert read(table, headings="model").models == ["a", "b"]


def test_units_in_brackets_stay_in_the_name_of_a_metric():
    table = pd.DataFrame({"U-Net Dice (%)": [88.0, 87.5], "ViT Dice (%)": [90.0, 91.5]})
    assert {*read(table.assign(fold=[0, 1]), headings="model").metrics.values()} == {"Dice (%)"}


def test_words_for_a_failed_run_are_missing_scores():
    table = grid(method=["a", "b"], seed=range(5)).assign(latency_ms=10.5)
    table["accuracy"] = table["accuracy"].astype(str)
    table.loc[[0, 7], "accuracy"] = ["diverged", "#DIV/0!"]
    found = read(table)
    assert {*found.metrics.values()} == {"accuracy"}
    assert found.frame["value"].isna().sum() == 2


def test_overrides_of_hydra_name_models_and_seeds():
    labels = [f"model={m},seed={s}" for m in ("cnn", "vit") for s in range(5)]
    table = pd.DataFrame({"override": labels, "test_acc": RNG.random(10)})
    assert "columns={'model': 'override'}" in refuse(table)
    assert len(read(table, columns={"model": "override"}).models) == 2


def test_settings_that_name_models_are_proposed_for_single_runs():
    table = grid(kind=["rf", "svm"], seed=range(5)).assign(model=[f"run {c}" for c in "abcdefghij"])
    assert "columns={'model': 'kind'}" in refuse(table)
    found = reseed.compare(table, columns={"model": "kind"})
    assert {*found.leaderboard["model"]} == {"rf", "svm"}


def test_summaries_among_folds_do_not_hide_what_columns_are():
    table = pd.DataFrame({"Fold": [*range(5), "Mean"], "A AUC": 0.8, "B AUC": 0.7})
    assert "headings='model'" in refuse(table)
    assert "Remove these rows" in refuse(table, headings="model")


def test_problems_are_numbered_if_there_are_several():
    one = Problem("has no score", ("Add one.",))
    assert str(TableError("a.csv", [one])) == "a.csv: has no score. Add one."
    assert str(TableError("a.csv", [one, one])).splitlines()[:2] == [
        "a.csv has 2 errors:", "  1. has no score. Add one.",
    ]  # fmt: skip


def test_four_columns_are_proposed_at_most():
    changes = [{"metric": name} for name in "abcdef"]
    assert propose("Choose: ", *changes).options == tuple(map(Option, changes[:4]))
