"""Scores of a judge that people corrected, through `compare` and `gate`."""

import numpy as np
import pandas as pd
import pytest
import reseed
from reseed.core.errors import ReseedError
from reseed.stats.judge import correct_judge
from scipy import stats


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    people = (rng.normal(0.5, 1, 300) + rng.normal(size=(2, 300)) > 0).astype(float)
    judge = np.where(rng.random((2, 300)) < 0.85, people, 1 - people)
    judge[0] = np.maximum(judge[0], rng.random(300) < 0.3)
    people[:, 60:] = np.nan
    model, item = np.indices(people.shape).reshape(2, -1)
    scores = {"score": judge.ravel(), "human": people.ravel()}
    return pd.DataFrame({"model": np.array(["a", "b"])[model], "item": item} | scores)


def test_people_correct_a_judge_that_prefers_a_model(table):
    alone = reseed.compare(table, metric="accuracy", leave_out="human").verdicts.iloc[0]
    assert (alone["model_a"], alone["outcome"]) == ("a", "better")
    found = reseed.compare(table, metric="accuracy", baseline="b")
    row = found.verdicts.iloc[0]
    wide = table.pivot(index="model", columns="item")
    a, b = correct_judge(wide["score"], wide["human"]).values
    d = (a - b) * (1 if row["model_a"] == "a" else -1)
    half = stats.t.isf(0.025, 59) * d.std(ddof=1) / np.sqrt(300)
    assert row["outcome"] == "undecided"
    assert row["difference"] == pytest.approx(d.mean())
    assert (row["low"], row["high"]) == pytest.approx((d.mean() - half, d.mean() + half))
    assert "of 60 of 300 items" in " ".join(found.notes)


def test_a_gate_takes_people_too(table):
    sides = [part.drop(columns="model") for _, part in table.groupby("model")]
    gate = reseed.gate(*sides, margin=0.3, metric="accuracy")
    low = reseed.compare(table, metric="accuracy", baseline="b").verdicts.iloc[0]["low"]
    assert gate.rows[0].low == pytest.approx(low)


def test_people_who_are_no_correction(table, tmp_path):
    few = table.assign(human=table["human"].where(table["item"] < 10))
    with pytest.raises(ReseedError, match=r"people scored 10 items of model a.*`leave_out`"):
        reseed.compare(few, metric="accuracy")
    wide = table.pivot(index="item", columns="model", values="score").assign(human=0.5)
    wide.to_csv(tmp_path / "wide.csv")  # people as a competitor
    found = reseed.compare(tmp_path / "wide.csv", metric="accuracy", columns={"item": "item"})
    assert {*found.leaderboard["model"]} == {"a", "b", "human"}
    folds = pd.concat([table.assign(fold=fold) for fold in range(3)])
    with pytest.raises(ReseedError, match="leave_out"):
        reseed.compare(folds, metric="accuracy")
