"""Tables as people have them: each is read rightly, or asks one question with a working answer."""

import json
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


def test_rows_of_one_run_name_their_columns():
    table = grid(model=["a", "b"], dataset=[*"uvwxyz"], seed=range(3), lr=[0.1, 0.01])
    with pytest.raises(
        ReseedError, match=r"'lr' is a setting.*`columns=\{'model': \['model', 'lr'"
    ):
        reseed.compare(table)


def test_sizes_of_training_sets_may_name_models():
    table = grid(model=["a", "b"], n_train=[100, 1000], seed=range(5))
    assert "columns={'model': ['model', 'n_train']}" in refuse(table)


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


def test_rows_of_metrics_with_a_model_and_seed_a_column(tmp_path):
    head = ",".join(["metric", *(f"{m} seed {s}" for m in ("mlp", "cnn") for s in range(3))])
    (tmp_path / "t.csv").write_text(f"{head}\nauc,.8,.9,.7,.6,.5,.4\nf1,.8,.9,.7,.6,.5,.4\n")
    found = read(tmp_path / "t.csv", metric="f1")
    assert (found.models, found.frame["seed"].nunique()) == (["mlp", "cnn"], 3)


@pytest.mark.parametrize(("last", "models"), [("* on two GPUs,,", 2), ("(*) tuned,.9,", 3)])
def test_a_footnote_below_a_table_is_no_model(tmp_path, last, models):
    rows = ["model,seed 0,seed 1", "a,0.1,0.2", "b,0.3,0.4", ",,", last]
    (tmp_path / "t.csv").write_text("\n".join(rows))
    assert len(read(tmp_path / "t.csv", metric="accuracy").models) == models


def test_runs_that_a_record_lists_are_rows():
    folds = [{"fold": f, "auc": 0.5 + f / 10} for f in range(3)]
    found = read([{"model": m, "folds": folds, "log": [{"loss": 1}]} for m in "ab"])
    assert (len(found.frame), found.frame["fold"].nunique()) == (6, 3)


@pytest.mark.parametrize(
    ("name", "cell", "said"),
    [
        ("cv", "0.78 (0.74–0.82)", "An interval ('0.78 (0.74–0.82)') is of one test set"),
        ("auc", "0.82 [0.79, 0.86]", "which is not a number. An interval"),
        ("auc", "10,171", "holds '10,171', which is 10171 or 10.171."),
        ("cv", "[0.8, 0.9]", "is a list. Give one row a run"),
    ],
)
def test_cells_that_are_no_score_of_a_run(name, cell, said):
    table = grid(model=["a", "b"], seed=[1, 2]).drop(columns="accuracy")
    assert said in refuse(table.assign(**{name: cell}))


def test_steps_of_an_environment_are_steps():
    table = grid(model=["a", "b"], seed=[1, 2], timesteps=[100, 200])
    assert "`rows='step'`" in refuse(table)


def test_columns_with_a_shared_word_may_be_models():
    table = pd.DataFrame({"src": [*"xyz"], "a_comet": [0.1, 0.2, 0.3], "b_comet": [0.3, 0.2, 0.2]})
    assert "models: `headings='model'`" in refuse(table)
    assert "headings" not in refuse(table.rename(columns={"b_comet": "b"}))


def test_a_column_of_0_and_1_next_to_shares_may_be_the_target():
    n = np.arange(40)
    table = pd.DataFrame({"case": n, "outcome": n % 2, "rf": n / 80, "svm": 1 - n / 50})
    assert "`columns={'y_true': 'outcome'}`" in refuse(table)
    assert read(table, columns={"y_true": "outcome"}).models == ["rf", "svm"]
    assert len(read(table, headings="model", rows="item", metric="mse").models) == 3


PIVOTED = {
    "seed,0,1,0,1\nsst2,1,2,3,4\nrte,5,6,7,8": "`rows='dataset'`",
    "seed,0,1,0,1\ndataset,,,,\nsst2,1,2,3,4\nrte,5,6,7,8": "`metric='accuracy'`",
    "depth,0,1,0,1\nsst2,1,2,3,4\nrte,5,6,7,8": "'bert' more than once",
}


@pytest.mark.parametrize("below", PIVOTED)
def test_numbers_of_runs_below_names_of_models(tmp_path, below):
    (tmp_path / "t.csv").write_text(f",bert,bert,gpt,gpt\n{below}\n")
    assert PIVOTED[below] in refuse(tmp_path / "t.csv", headings="model")


def test_two_lines_of_headings_over_two_columns_of_an_index(tmp_path):
    head = ",,acc,acc\n,,mean,std\nmodel,dataset,,\n"
    (tmp_path / "t.csv").write_text(head + "a,x,0.8,0.1\nb,x,0.9,0.1\n")
    found = reseed.compare(tmp_path / "t.csv", runs=9, metric="accuracy")
    assert found.leaderboard["model"].tolist() == ["b", "a"]


def test_dicts_of_the_api_of_wandb_are_columns(tmp_path):
    rows = [
        {"summary": f"{{'acc': 0.{s}, 'f': nan}}", "config": f"{{'model': '{m}', 'seed': {s}}}"}
        for m, s in product("ab", range(3))
    ]
    pd.DataFrame(rows).assign(name="x").to_csv(tmp_path / "project.csv")
    found = read(tmp_path / "project.csv")
    assert (found.models, found.metric, len(found.frame)) == (["a", "b"], "acc", 6)


def test_a_file_of_one_list_of_records(tmp_path):
    runs = [{"model": m, "seed": s, "auc": 0.5} for m, s in product("ab", range(3))]
    (tmp_path / "r.json").write_text(json.dumps({"date": "today", "results": runs}))
    assert read(tmp_path / "r.json").models == ["a", "b"]


def test_seeds_around_models_and_their_metrics_are_seeds():
    scores = {f"seed_{s}": {m: {"acc": s / 9, "f1": 0.1} for m in "ab"} for s in range(3)}
    found = read(scores, metric="acc")
    assert (found.models, found.frame["seed"].nunique()) == (["a", "b"], 3)


def test_links_of_markdown_are_their_texts(tmp_path):
    (tmp_path / "t.md").write_text("|model|seed|acc|\n|--|--|--|\n|[a](b.c)|1|1|\n|**[d]**|1|1|\n")
    assert read(tmp_path / "t.md").models == ["a", "[d]"]


def test_out_of_fold_predictions_and_reports_by_class():
    table = pd.DataFrame({"id": range(9), "target": 1, "oof_a": 0.5, "oof_b": 0.6})
    assert read(table.assign(target=table["id"] % 2)).models == ["a", "b"]
    report = pd.DataFrame({"class": ["cat", "dog"], "precision": [0.1, 0.2]})
    assert "'model': 'class'" not in refuse(report)


def test_numbered_columns_next_to_metrics_are_asked_for():
    table = pd.DataFrame({"model": ["a", "a", "b", "b"], "metric": ["acc", "f1"] * 2})
    assert "`headings='seed'`" in refuse(table.assign(s1=0.1, s2=0.2, s3=0.3))
