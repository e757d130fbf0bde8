"""What the leaderboard says of the best model, of decimals, and of what its rows stand for."""

import pytest
from study_frames import Study, runs, trial
from text_of import text_of

BOTH = ("magic", "home_mortgage_sim")
SEVEN = tuple(f"magic~rows={i}00" for i in range(1, 8))
PAIR = {"rf": 0.8, "xgb": 0.9}


def splits(means, datasets=("magic",), n=8, **place):
    """Trials over shared splits, which move all models alike."""
    return runs(means, datasets, n, sd=0.001, step=0.01, varied="data", **place)


def board(rows, **fields):
    return Study.of(rows, **fields).show("leaderboard_table")


def at_ratios():
    return [
        row
        for ratio in (0.1, 0.4)
        for row in splits({"rf": 0.8, "xgb": 0.83, "ffnn": 0.81}, BOTH, scheme=f"holdout-{ratio}",
                          test_ratio=ratio)
    ]  # fmt: skip


def of_two_experiments():
    """Model by model the best of one experiment is not that of the other."""
    first, second = {"rf": 0.8, "xgb": 0.83, "ffnn": 0.81}, {"rf": 0.83, "xgb": 0.8, "ffnn": 0.81}
    return splits(first, BOTH) + splits(second, BOTH, experiment="grid")


def failed(means):
    """Splits of two models, and a third none of whose runs finished."""
    lost = [row | {"status": "failed", "auc": None} for row in splits({"gbm": 0.0})]
    return splits(means) + lost


def easy():
    """RF alone was also run on six easy splits; where both were run XGB always wins."""
    more = [row | {"data_seed": row["data_seed"] + 8} for row in splits({"rf": 0.97}, n=6)]
    return splits({"rf": 0.89, "xgb": 0.9}) + more


def lacking():
    """A model lacks a dataset: the heading says over how many each of its numbers is."""
    rows = splits({"rf": 0.7, "xgb": 0.9, "ffnn": 0.5}, ("magic", "magic~rows=9"))
    return [row for row in rows if (row["model"], row["dataset"]) != ("ffnn", "magic~rows=9")]


def arms():
    return [
        row | {"model": "rf", "arm": row["model"]}
        for row in splits(dict.fromkeys(("rf:small", "rf:large"), 0.8))
    ]


@pytest.mark.parametrize(
    "rows",
    [
        pytest.param(failed({"rf": 0.9, "xgb": 0.9001}), id="no finished run, others close"),
        pytest.param(failed({"rf": 0.8, "xgb": 0.9}), id="no finished run, others apart"),
        pytest.param(easy(), id="the best by its own runs loses on those it shares"),
        pytest.param(at_ratios(), id="test ratios are no datasets"),
        pytest.param(of_two_experiments(), id="two experiments, no headline"),
        pytest.param(splits({"rf": 0.9}), id="one model is not the best"),
        pytest.param(splits({"rf": 0.8, "xgb": 0.9, "ffnn": 0.8}), id="two models after the best"),
        pytest.param(splits(PAIR, SEVEN[:6], n=5), id="six datasets"),
        pytest.param(splits(PAIR, SEVEN, n=5), id="seven datasets"),
        pytest.param(
            splits(PAIR) + splits({"ffnn": 0.8, "gbm": 0.9}, BOTH[1:]), id="no model on both"
        ),
        pytest.param(lacking(), id="a mean rank states its number of datasets"),
    ],
)
def test_what_the_leaderboard_says(rows, snapshot):
    assert text_of(board(rows)) == snapshot


def test_arms_go_by_their_titles(snapshot):
    titles = {"rf:small": "Small forest", "rf:large": "Large forest"}
    table = board(arms(), experiments={"data_seeds": {"arms": titles}})
    assert text_of(table) == snapshot
    assert "rf:" not in text_of(table)


@pytest.mark.parametrize(
    ("scores", "means"),
    [
        ({"rf": [0.934], "xgb": [0.851], "ffnn": [0.949]}, ["0.949", "0.934", "0.851"]),
        ({"rf": [0.934] * 3, "xgb": [0.851] * 3}, ["0.934", "0.851"]),
        ({"rf": [0.934]}, ["0.93"]),
        ({"rf": [0.95] * 6, "xgb": [0.7] * 6}, ["0.95", "0.70"]),  # their plain SD is 1e-16
    ],
)
def test_scores_without_spread_are_still_told_apart(scores, means):
    rows = [
        trial(score, seed=s, dataset="magic", metric="auc", model=model)
        for model, values in scores.items()
        for s, score in enumerate(values)
    ]
    table = board(rows)
    assert list(table.shown["Mean AUC ↑"]) == means
    if len(rows) > 3:
        assert set(table.shown["SD"].astype(float)) == {0.0}
