"""Tables of Weka, mlr3 and Nixtla's libraries; proposals for columns that no name explains."""

import ast
import re

import numpy as np
import pandas as pd
import pytest
import reseed
from reseed.core.errors import ReseedError

RNG = np.random.default_rng(0)


def grid(score, **columns):
    index = pd.MultiIndex.from_product(columns.values(), names=[*columns])
    frame = index.to_frame(index=False)
    return frame.assign(**{score: RNG.normal(0.8, 0.02, len(frame))})


def same_as(found, table):
    pd.testing.assert_frame_equal(found.verdicts, reseed.compare(table).verdicts)


def test_results_of_wekas_experimenter(tmp_path):
    table = grid("Percent_correct", model=["J48", "ZeroR"], repeat=range(1, 4), fold=range(1, 11))
    names = {"repeat": "Key_Run", "fold": "Key_Fold"}
    weka = table.rename(columns=names).assign(
        Key_Dataset="iris", Key_Scheme="weka.classifiers." + table["model"], Key_Scheme_version_ID=1
    )
    weka.drop(columns="model").to_csv(tmp_path / "weka.csv", index=False)
    same_as(reseed.compare(tmp_path / "weka.csv"), table.assign(dataset="iris"))


def test_schemes_of_weka_with_other_options_are_models():
    table = grid("Percent_correct", Key_Scheme_options=["-K 1", "-K 5"], Key_Run=[1],
                 Key_Fold=range(1, 11))  # fmt: skip
    found = reseed.compare(table.assign(Key_Scheme="weka.lazy.IBk", Key_Dataset="iris"))
    assert {*found.leaderboard["model"]} == {"IBk -K 1", "IBk -K 5"}


def test_scores_of_mlr3():
    table = grid("classif.acc", dataset=["spam", "sonar"], model=["rpart", "ranger"], fold=range(5))
    names = {"dataset": "task_id", "model": "learner_id", "fold": "iteration"}
    same_as(reseed.compare(table.rename(columns=names).assign(resampling_id="cv")), table)
    means = table.rename(columns=names).groupby(["task_id", "learner_id"])["classif.acc"].mean()
    with pytest.raises(ReseedError, match="one run of each model on each of 2 datasets"):
        reseed.compare(means.reset_index().assign(nr=range(4), resampling_id="cv", iters=5))


def test_forecasts_of_nixtlas_libraries():
    table = grid("y", unique_id=["a", "b", "c", "d"], ds=pd.date_range("2024-01-01", periods=6))
    wide = table.assign(**{"ETS": table["y"] + 0.1, "Naive": table["y"] + 0.3, "ETS-lo-90": 0.0})
    found = reseed.compare(wide)
    scores = dict(zip(found.leaderboard["model"], found.leaderboard["mean"], strict=True))
    assert scores == {"ETS": pytest.approx(0.01), "Naive": pytest.approx(0.09)}
    assert any("items nested in 4 clusters" in note for note in found.notes)


TABLES = {
    "condition": (
        grid("accuracy", condition=["control", "new"], seed=range(5)),
        "`columns={'model': 'condition'}`",
    ),
    "learning rates": (
        grid("accuracy", lr=[0.1, 0.01], seed=range(5)),
        "`columns={'model': 'lr'}`",
    ),
    "language": (
        grid("accuracy", model=["a", "b"], language=["en", "de", "fr", "nl", "it", "es"]),
        "`columns={'dataset': 'language'}`",
    ),
    "subject": (
        grid("accuracy", model=["a", "b"], subject=range(9)),
        "`columns={'item': 'subject'}`",
    ),
    "rater": (
        grid("accuracy", model=["a", "b"], item=range(20), rater=["r1", "r2"]),
        "`columns={'repetition': 'rater'}`",
    ),
    "run": (
        grid("accuracy", model=["a", "b"], run=["0-0", "0-1", "1-0"]),
        "`columns={'seed': 'run'}`",
    ),
    "group of the data": (
        grid("accuracy", model=["a", "b"], seed=range(3), region=["north", "south"]),
        "`columns={'dataset': 'region'}`",
    ),
    "setting": (
        grid("accuracy", model=["a", "b"], seed=range(3), layers=[2, 4]),
        "`columns={'model': ['model', 'layers']}`",
    ),
    "trial": (
        grid("accuracy", model=["a", "b"], trial=range(9)),
        "`columns={'repetition': 'trial'}` where it counts evaluations",
    ),
}


@pytest.mark.parametrize("name", TABLES)
def test_a_proposal_leads_to_a_comparison(name):
    table, proposed = TABLES[name]
    with pytest.raises(ReseedError, match=re.escape(proposed)):
        reseed.compare(table)
    columns = ast.literal_eval(re.findall(r"columns=(\{.*\})`", proposed)[0])
    assert reseed.compare(table, columns=columns).answer


def test_patients_next_to_seeds_are_test_cases():
    table = grid("dice", model=["a", "b"], seed=range(3), patient=range(9))
    proposed = re.escape("If 'patient' names test cases: `columns={'item': 'patient'}`")
    with pytest.raises(ReseedError, match=proposed):
        reseed.compare(table)
    assert reseed.compare(table, columns={"item": "patient"}).answer


@pytest.mark.parametrize(("name", "values"), [("year", range(2010, 2020)), ("month", range(1, 13))])
def test_a_time_is_no_seed(name, values):
    with pytest.raises(ReseedError) as raised:
        reseed.compare(grid("mae", **{"model": ["a", "b"], name: values}))
    assert f"{name}'}}" not in str(raised.value)


def test_questions_in_columns_are_items():
    wide = pd.DataFrame(RNG.integers(0, 2, (3, 30)), columns=[f"q{n}" for n in range(30)])
    table = wide.assign(model=["x", "y", "z"])
    with pytest.raises(ReseedError, match="`headings='item'`"):
        reseed.compare(table)
    found = reseed.compare(table, headings="item")
    long = table.melt("model", var_name="item", value_name="correct")
    columns = ["model_a", "model_b", "p", "outcome"]
    expected = reseed.compare(long).verdicts[columns]
    pd.testing.assert_frame_equal(found.verdicts[columns], expected)


def test_models_in_columns_next_to_a_column_of_metrics():
    table = grid("value", unique_id=[f"s{n}" for n in range(20)], metric=["mae", "rmse"],
                 model=["ETS", "Naive"])  # fmt: skip
    wide = table.pivot(index=["unique_id", "metric"], columns="model", values="value")
    found = reseed.compare(wide.reset_index().rename_axis(columns=None), metric="mae")
    part = table[table["metric"] == "mae"].rename(columns={"value": "mae", "unique_id": "item"})
    same_as(found, part.drop(columns="metric"))


def test_labels_of_runs_under_any_heading_are_runs():
    table = grid("accuracy", model=["rf", "svm"], repeat=range(2), fold=range(5))
    labels = "rep" + table["repeat"].astype(str) + "_fold" + table["fold"].astype(str)
    same_as(reseed.compare(table[["model", "accuracy"]].assign(cv=labels)), table)


NO_RUNS = {
    "bootstrap": "seems to number resamples of one test set, which are no runs",
    "samples": "no column identifies the runs",
    "num_fewshot": "no column identifies the runs",
}


@pytest.mark.parametrize("name", NO_RUNS)
def test_counts_and_resamples_are_not_proposed_as_seeds(name):
    with pytest.raises(ReseedError, match=NO_RUNS[name]) as raised:
        reseed.compare(grid("accuracy", **{"model": ["a", "b"], name: range(1, 11)}))
    assert f"'{name}'}}" not in str(raised.value)


@pytest.mark.parametrize("name", ["inner_fold", "init_seed"])
def test_a_second_column_of_runs_is_no_setting_and_no_dataset(name):
    table = grid("accuracy", model=["a", "b"], seed=range(3), fold=range(3), other=range(2))
    with pytest.raises(ReseedError, match="are the same run") as raised:
        reseed.compare(table.rename(columns={"other": name}))
    assert f"'{name}'}}" not in str(raised.value)
    assert f", '{name}']" not in str(raised.value)
