"""Layouts and questions of people who compare models: one right reading each, or one question.

Expected numbers were worked out with scipy and statsmodels, here or by hand.
"""

import json

import numpy as np
import pandas as pd
import pytest
import reseed
from scipy import stats
from statsmodels.stats.multitest import multipletests
from two_models import corrected_t, make_folds

# --- what a row is -------------------------------------------------------------------------------


@pytest.mark.parametrize("with_index", [False, True])
def test_rows_that_nothing_names_are_a_question(run, tmp_path, with_index):
    scores = make_folds(("ada", "bag", "tree"))
    pd.DataFrame(scores).to_csv(tmp_path / "t.csv", index=with_index)
    error = run("compare", "t.csv", "--metric", "accuracy")
    assert "nothing says what a row is" in error
    assert "--rows fold" in error
    answer = json.loads(run("compare", "t.csv", "--metric", "accuracy", "--rows", "fold", "--json"))
    row = next(v for v in answer["verdicts"] if {v["model_a"], v["model_b"]} == {"ada", "bag"})
    assert row["p"] == pytest.approx(corrected_t(scores["ada"] - scores["bag"], 1 / 9), rel=1e-6)
    if with_index:
        by_index = run("compare", "t.csv", "--metric", "accuracy", "--column", "fold=Unnamed: 0",
                       "--json")  # fmt: skip
        assert json.loads(by_index)["verdicts"] == answer["verdicts"]


def test_a_column_of_splits_is_found_or_proposed(run, tmp_path):
    scores = {name: -values for name, values in make_folds(("m1", "m2", "m3"), gap=0.1).items()}
    table = pd.DataFrame({"CV_split": range(10)} | scores)
    table.to_csv(tmp_path / "t.csv", index=False)
    assert "--column fold=CV_split" in run("compare", "t.csv", "--metric", "neg_rmse")
    options = ("--metric", "neg_rmse", "--column", "fold=CV_split")
    assert len(json.loads(run("compare", "t.csv", *options, "--json"))["verdicts"]) == 3


def test_equal_models_share_the_lead_over_datasets(run, tmp_path):
    rows = [(m, f"d{d}", 20 + d - 0.5 * (m == "c")) for d in range(8) for m in "abc"]
    pd.DataFrame(rows, columns=["model", "dataset", "score"]).to_csv(tmp_path / "t.csv")
    answer = run("compare", "t.csv", "--greater-is-better", "--quiet")
    assert "a and b share the best mean rank, 1.50" in answer
    assert "nan" not in answer.lower()


def test_too_few_datasets_are_named_as_the_reason(run, tmp_path):
    table = pd.DataFrame(
        {"dataset": ["A", "B"]} | {f"Clf{i}": [0.9, 0.8 + i / 99] for i in range(5)}
    )
    table.to_csv(tmp_path / "t.csv", index=False)
    error = run("compare", "t.csv", "--metric", "accuracy")
    assert "2 datasets, which are too few" in error
    assert "6 datasets or more" in error
    assert "--column model" not in error


# --- headings ------------------------------------------------------------------------------------

STYLES = [
    *("repeat{r}_fold{f}", "Fold{f:02d}.Rep{r}", "r{r}f{f}", "seed{r}_fold{f}", "fold_{i}"),
    *("{i} fold", "run ({i})", "random_state_{i}", "seed={i}", "Resample{i:02d}", "score_{i}"),
    *("auc{i}", "x{i}", "Fold {i} (test)", "split {i}/10", "auc@seed={i}", "year 20{i:02d}"),
]


@pytest.mark.parametrize("style", STYLES)
def test_numbered_headings_are_runs_or_a_question(run, tmp_path, style):
    """No style is read as datasets: over 10 of them a small gap would be significant."""
    rng = np.random.default_rng(1)
    names = [style.format(r=i // 5 + 1, f=i % 5 + 1, i=i + 1) for i in range(10)]
    level = rng.normal(0.8, 0.02, 10)
    scores = [level + 0.004 * k + rng.normal(0, 0.01, 10) for k in range(2)]
    pd.DataFrame(scores, columns=names).assign(model=["a", "b"]).to_csv(tmp_path / "w.csv")
    answer = run("compare", "w.csv", "--metric", "auc")
    if answer.startswith("Error"):
        assert "--headings" in answer or "--test-train-ratio" in answer
    else:
        assert "datasets" not in answer.partition("\n")[0]
    by_heading = run("compare", "w.csv", "--metric", "auc", "--headings", "seed", "--json")
    d = scores[1] - scores[0]
    (row,) = json.loads(by_heading)["verdicts"]
    assert row["p"] == pytest.approx(stats.ttest_rel(*scores).pvalue, rel=1e-6)
    assert abs(row["difference"]) == pytest.approx(abs(d.mean()))


def test_ten_folds_five_times_are_no_fifty_datasets(run, tmp_path):
    rng = np.random.default_rng(30)
    level = rng.normal(0.85, 0.03, 50)
    scores = np.stack([level + rng.normal(0, 0.012, 50) + gap for gap in (0.007, 0)])
    names = [f"repeat{r}_fold{f}" for r in range(1, 6) for f in range(1, 11)]
    table = pd.DataFrame(scores, columns=names)
    table.insert(0, "model", ["gbm", "rf"])
    table.to_csv(tmp_path / "wide.csv", index=False)
    (row,) = json.loads(run("compare", "wide.csv", "--metric", "auc", "--json"))["verdicts"]
    assert row["p"] == pytest.approx(corrected_t(scores[0] - scores[1], 1 / 9), rel=1e-6)
    assert row["outcome"] == "undecided"
    assert stats.wilcoxon(scores[0] - scores[1]).pvalue < 0.05  # what datasets would have shown


def test_labels_of_runs_are_numbers_however_they_are_written():
    scores = make_folds()
    frames = [
        pd.DataFrame({"model": "rf", "fold": [f"Fold{i:02d}" for i in range(1, 11)],
                      "accuracy": scores["rf"]}),
        pd.DataFrame({"model": "svm", "fold": [f"fold {i}" for i in range(1, 11)],
                      "accuracy": scores["svm"]}),
    ]  # fmt: skip
    (row,) = reseed.compare(pd.concat(frames)).verdicts.to_dict("records")
    assert row["p"] == pytest.approx(corrected_t(scores["rf"] - scores["svm"], 1 / 9))
    words = [frame.assign(fold=frame["fold"].map(lambda x: x[-2:].strip())) for frame in frames]
    assert reseed.compare(pd.concat(words)).verdicts["n"].tolist() == [10]


# --- which is better -----------------------------------------------------------------------------

ITEMS = pd.DataFrame(
    [(m, i, level + (i * step % 10) / 20) for m, level, step in (("good", 1.0, 7), ("mid", 2.0, 3),
     ("bad", 4.0, 9)) for i in range(30)], columns=["model", "item", "deviation"],
)  # fmt: skip


def test_an_unknown_direction_is_a_question(run, tmp_path):
    ITEMS.to_csv(tmp_path / "i.csv", index=False)
    asked = run("compare", "i.csv", "--metric", "deviation")
    assert "more or less of 'deviation' is better is not known" in asked
    assert "--lower-is-better" in asked
    answer = run("compare", "i.csv", "--metric", "deviation", "--lower-is-better")
    assert answer.startswith("good has the best mean deviation, 1.2")


def test_gate_and_means_ask_too(run, tmp_path):
    for name, part in ITEMS.groupby("model"):
        part.drop(columns="model").to_csv(tmp_path / f"{name}.csv", index=False)
    gate = ["gate", "good.csv", "--baseline", "bad.csv", "--margin", "0.1", "--metric", "deviation"]
    assert "is better is not known" in run(*gate)
    assert "BETTER" in run(*gate, "--lower-is-better")
    (tmp_path / "m.csv").write_text("model,drift\na,1.0 ± 0.1\nb,2.0 ± 0.1\n", encoding="utf-8")
    assert "is better is not known" in run("compare", "m.csv", "--runs", "5")
    assert "better than b" in run("compare", "m.csv", "--runs", "5", "--direction", "drift=less")


@pytest.mark.parametrize(
    ("heading", "best"), [("RMSE ↓", "b"), ("Acc ↑", "a"), ("drift (↓)", "b"), ("drift ⬆️", "a")]
)
def test_an_arrow_in_a_heading_decides(run, tmp_path, heading, best):
    table = f"model,{heading}\na,2.0 ± 0.1\nb,1.0 ± 0.1\n"
    (tmp_path / "m.csv").write_text(table, encoding="utf-8")
    assert run("compare", "m.csv", "--runs", "9", "--metric", "accuracy").startswith(f"{best} has")
    rows = pd.DataFrame({"model": np.repeat(["a", "b"], 6), "seed": [*range(6)] * 2})
    rows[heading] = np.r_[np.linspace(2, 2.1, 6) ** 2, np.linspace(1, 1.1, 6)]
    found = reseed.compare(rows)
    assert found.verdicts["model_a"].tolist() == [best]


def test_a_direction_against_a_name_is_said_first(run, tmp_path):
    scores = make_folds(gap=0.1)
    rows = [(m, i, x) for m, values in scores.items() for i, x in enumerate(values)]
    pd.DataFrame(rows, columns=["model", "seed", "accuracy"]).to_csv(tmp_path / "t.csv")
    answer = run("compare", "t.csv", "--lower-is-better", "--quiet")
    assert answer.startswith("Against its name, less of 'accuracy' is taken as better")


@pytest.mark.parametrize("options", [(), ("--metric", "r2")])
def test_a_metric_does_not_turn_another_one_around(run, tmp_path, options):
    table = "model,metric,mean,std_err,n\nlm,rmse,3.1,0.08,10\nlm,r2,0.62,0.02,10\n"
    table += "rf,rmse,2.2,0.08,10\nrf,r2,0.81,0.02,10\n"
    (tmp_path / "m.csv").write_text(table)
    answer = json.loads(run("compare", "m.csv", "--runs", "10", *options, "--json"))["verdicts"]
    assert [row["metric"] for row in answer] == (["r2"] if options else ["rmse", "r2"])
    assert {(row["outcome"], row["model_a"]) for row in answer} == {("better", "rf")}
    cells = "Method,Accuracy,RMSE\nlm,0.80 ± 0.02,3.1 ± 0.2\nrf,0.86 ± 0.02,2.2 ± 0.2\n"
    (tmp_path / "c.csv").write_text(cells, encoding="utf-8")
    options = ("--runs", "5", "--spread", "sd", "--metric", "accuracy")
    wide = run("compare", "c.csv", *options, "--json")
    assert {row["model_a"] for row in json.loads(wide)["verdicts"]} == {"rf"}


# --- designs -------------------------------------------------------------------------------------


def test_a_dataset_with_one_item_has_no_verdict(run, tmp_path):
    rng = np.random.default_rng(27)
    rows = [(m, d, i, s, hit) for m, p in (("a", 0.9), ("b", 0.4)) for s in range(3)
            for d, n in (("big", 80), ("tiny", 1)) for i in range(n)
            for hit in [float(rng.random() < p)]]  # fmt: skip
    table = pd.DataFrame(rows, columns=["model", "dataset", "item", "seed", "accuracy"])
    table.to_csv(tmp_path / "t.csv", index=False)
    compared = json.loads(run("compare", "t.csv", "--json"))["verdicts"]
    outcomes = {row["dataset"]: (row["outcome"], row["reason"]) for row in compared}
    assert outcomes["big"] == ("better", "")
    assert outcomes["tiny"][0] == "not tested"
    one = (
        table[table["dataset"] == "tiny"].drop(columns=["dataset", "seed"]).drop_duplicates("model")
    )
    one.to_csv(tmp_path / "one.csv", index=False)
    assert "too few items" in run("compare", "one.csv")


def test_samples_of_models_with_their_own_seeds(run, tmp_path):
    rng = np.random.default_rng(28)
    rows = [(m, s, i, int(rng.random() < p)) for m, p, seeds in (("A", 0.7, range(11, 16)),
            ("B", 0.55, range(21, 26))) for s in seeds for i in range(100)]  # fmt: skip
    table = pd.DataFrame(rows, columns=["model", "seed", "sample_id", "correct"])
    table.to_csv(tmp_path / "s.csv", index=False)
    (row,) = reseed.compare(tmp_path / "s.csv").verdicts.to_dict("records")
    assert (row["outcome"], row["n"]) == ("undecided", 5)


def test_repetitions_of_an_evaluation_are_independent(run, tmp_path):
    rng = np.random.default_rng(44)
    a, b = rng.normal(0.21, 0.02, 10), rng.normal(0.10, 0.02, 10)
    rows = [(m, i + 1, x) for m, values in (("base", a), ("mini", b)) for i, x in enumerate(values)]
    table = pd.DataFrame(rows, columns=["model", "repetition", "accuracy"])
    table.to_csv(tmp_path / "t.csv", index=False)
    (row,) = json.loads(run("compare", "t.csv", "--json"))["verdicts"]
    assert row["p"] == pytest.approx(stats.ttest_ind(a, b, equal_var=False).pvalue, rel=1e-6)
    table.rename(columns={"repetition": "repeat"}).to_csv(tmp_path / "r.csv", index=False)
    error = run("compare", "r.csv")
    assert "--column repetition=repeat" in error
    mapped = json.loads(run("compare", "r.csv", "--column", "repetition=repeat", "--json"))
    assert mapped["verdicts"][0]["p"] == pytest.approx(row["p"])


def test_new_data_in_each_run_needs_no_correction():
    scores = make_folds(gap=0.01)
    rows = [(m, i, x) for m, values in scores.items() for i, x in enumerate(values)]
    table = pd.DataFrame(rows, columns=["model", "data_seed", "accuracy"])
    (row,) = reseed.compare(table, test_train_ratio=0).verdicts.to_dict("records")
    assert row["p"] == pytest.approx(stats.ttest_rel(*scores.values()).pvalue)


def test_folds_repeated_ten_times():
    rng = np.random.default_rng(18)
    level = rng.normal(0.8, 0.03, 100)
    scores = {m: level + rng.normal(g, 0.03, 100) for m, g in (("rbf", 0), ("lin", -0.01),
                                                               ("poly", -0.03))}  # fmt: skip
    rows = [(m, i // 10, i % 10, x) for m, v in scores.items() for i, x in enumerate(v)]
    table = pd.DataFrame(rows, columns=["model", "repeat", "fold", "roc_auc"])
    found = reseed.compare(table).statistics("pairs")
    expected = [
        corrected_t(scores[a] - scores[b], 1 / 9)
        for a, b in found[["model_a", "model_b"]].itertuples(index=False)
    ]
    assert found["p"].tolist() == pytest.approx(expected)
    adjusted = multipletests(expected, method="bonferroni")[1]
    assert found["p_adjusted"].tolist() == pytest.approx(adjusted.tolist())
