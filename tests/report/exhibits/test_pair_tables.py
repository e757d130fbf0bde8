"""Verdicts and pairs of studies that are not one metric, one dataset a name and many runs."""

import numpy as np
import pytest
from study_frames import Study, runs, trial
from text_of import text_of

SIX = tuple(f"magic~rows={i}00" for i in range(1, 7))
SEVEN = (*SIX, "magic~rows=700")
TWO, THREE = {"rf": 0.8, "xgb": 0.82}, {"rf": 0.8, "xgb": 0.82, "ffnn": 0.84}


def splits(means, datasets=("magic",), noise=0.002, **place):
    """Trials of {model: mean} on shared splits of each dataset."""
    return runs(means, datasets, sd=noise, step=0.01, varied="data", **place)


def two_metrics():
    """AUC and MSE have no unit in common: who is ahead is counted, not by how much."""
    others = [f"bike_sharing~rows={i}00" for i in range(1, 4)]
    return splits(TWO, SIX[:3]) + splits({"rf": 0.4, "xgb": 0.2}, others, metric="mse")


def one_failed():
    """FFNN failed on one of two datasets: two of six pairs are compared by nobody."""
    rows = splits({"rf": 0.8, "xgb": 0.9, "ffnn": 0.7}, SIX[:2])
    lost = {"status": "failed", "auc": np.nan}
    return [row | lost if (row["model"], row["dataset"]) == ("ffnn", SIX[1]) else row
            for row in rows]  # fmt: skip


def lacking():
    """Two models lack a dataset each: their pair has five left of seven, the others six."""
    lacks = {"rf": SEVEN[0], "ffnn": SEVEN[1]}
    return [row for row in splits(THREE, SEVEN) if lacks.get(row["model"]) != row["dataset"]]


@pytest.mark.parametrize(
    "rows",
    [
        pytest.param(
            [trial(x, model=m) for m, x in (("rf", 0.0412), ("xgb", 0.0131), ("ffnn", 0.0149))],
            id="single runs keep their digits",
        ),
        pytest.param(splits(TWO, SIX), id="two models over datasets, in their unit"),
        pytest.param(splits(THREE, SIX), id="pairs over datasets are counted"),
        pytest.param(two_metrics(), id="a sign test has no difference"),
        pytest.param(one_failed(), id="tables of one analysis count the same pairs"),
        pytest.param(lacking(), id="an untested pair does not hide tested pairs"),
        pytest.param(splits({"rf": 0.8, "xgb": 0.9, "ffnn": 0.7}), id="the best and the next"),
        pytest.param(splits({"rf": 0.8, "xgb": 0.8, "ffnn": 0.7}, noise=0), id="a shared best"),
        pytest.param(splits({"rf": 0.8, "xgb": 0.85}, noise=0), id="constant differences"),
    ],
)
def test_what_tables_of_pairs_say(rows, snapshot):
    assert text_of(Study.of(rows).show("verdicts_table")) == snapshot


def test_test_ratios_are_settings_of_one_dataset(snapshot):
    rows = [
        row
        for ratio in (0.1, 0.4)
        for row in splits(TWO, scheme=f"holdout-{ratio}", test_ratio=ratio)
    ]
    made = [Study.of(rows).show(kind) for kind in ("verdicts_table", "pairs_figure")]
    assert text_of(made, [one.definitions for one in made]) == snapshot


@pytest.mark.parametrize(
    ("family", "message"), [("dataset", "pairs of a dataset"), ("study", "all pairs of the study")]
)
def test_the_stated_family_is_the_configured_one(family, message):
    study = Study.of(splits(TWO))
    for kind in ("verdicts_table", "pairs_figure"):
        assert message in study.show(kind, family=family).definitions[0]


def test_arms_go_by_their_titles(snapshot):
    arms = {"rf:small": "Small forest", "rf:large": "Large forest"}
    means = dict(zip(arms, (0.8, 0.9), strict=True))
    rows = [row | {"model": "rf", "arm": row["model"]} for row in splits(means)]
    study = Study.of(rows, experiments={"data_seeds": {"arms": arms}})
    made = [study.show(kind) for kind in ("verdicts_table", "pairs_figure")]
    assert text_of(made) == snapshot
    assert "rf:" not in text_of(made)
