"""What the leaderboard says of the best model, of decimals, and of what its rows stand for."""

import re

import numpy as np
import pytest
from reseed.report.analyses import pairs
from reseed.report.analyses.shared.data import Data
from reseed.report.exhibits import leaderboard_table
from reseed.report.rendering.data import ExhibitData
from run_kinds import claims_of, draw, run_analysis
from study_frames import about, amended, frame, trial


def board(rows, facts):
    metrics = frame(rows)
    found = run_analysis(pairs, Data(metrics, facts), {"n_boot": 50})
    return draw(leaderboard_table, ExhibitData(found, metrics, facts, title="T"), {})


def splits(means, n=8, dataset="magic", experiment="data_seeds", **place):
    """Trials of {model: mean} over shared splits."""
    rng = np.random.default_rng(0)
    steps = rng.normal(0, 0.01, n)
    return [
        trial(mean + steps[s] + rng.normal(0, 0.001), data_seed=s, dataset=dataset, metric="auc",
              model=model, experiment=experiment, varied="data", **place)
        for s in range(n)
        for model, mean in means.items()
    ]  # fmt: skip


def test_model_without_finished_runs_is_not_inconclusive():
    failed = [
        trial(None, data_seed=s, dataset="magic", metric="auc", model="gbm",
              experiment="data_seeds", varied="data")
        for s in range(8)
    ]  # fmt: skip
    facts = about(("magic",), ("rf", "xgb", "gbm"))
    near = board(splits({"rf": 0.9, "xgb": 0.9001}) + failed, facts)
    assert near.findings[0].endswith("; inconclusive against RF; GBM has no finished run.")
    apart = board(splits({"rf": 0.8, "xgb": 0.9}) + failed, facts)
    assert apart.findings[0].endswith("than every other model; GBM has no finished run.")


def test_the_best_by_its_own_runs_may_lose_on_those_it_shares():
    """RF alone was also run on six easy splits; where both were run XGB always wins."""
    easy = [
        trial(0.99, data_seed=s, dataset="magic", metric="auc", model="rf",
              experiment="data_seeds", varied="data")
        for s in range(8, 14)
    ]  # fmt: skip
    table = board(splits({"rf": 0.89, "xgb": 0.9}) + easy, about(("magic",), ("rf", "xgb")))
    assert table.shown["Model"].iloc[0] == "RF"
    assert table.findings[0].endswith("; on shared runs XGB is significantly better than it.")
    assert table.headline == "RF has the best mean, but not on the runs it shares with XGB"


@pytest.mark.parametrize(
    ("scores", "means"),
    [
        ({"rf": [0.934], "xgb": [0.851], "ffnn": [0.949]}, ["0.949", "0.934", "0.851"]),
        ({"rf": [0.934] * 3, "xgb": [0.851] * 3}, ["0.934", "0.851"]),
        ({"rf": [0.934]}, ["0.93"]),
    ],
)
def test_scores_without_spread_are_still_told_apart(scores, means):
    rows = [
        trial(score, seed=s, dataset="magic", metric="auc", model=model)
        for model, values in scores.items()
        for s, score in enumerate(values)
    ]
    table = board(rows, about(("magic",), tuple(scores)))
    assert list(table.shown["Mean AUC ↑"]) == means


def test_test_ratios_are_not_counted_as_datasets():
    facts = about(("magic", "home_mortgage_sim"))
    rows = [
        row
        for dataset in facts.datasets
        for ratio in (0.1, 0.4)
        for row in splits({"rf": 0.8, "xgb": 0.83, "ffnn": 0.81}, dataset=dataset,
                          scheme=f"holdout-{ratio}", test_ratio=ratio)
    ]  # fmt: skip
    table = board(rows, facts)
    assert table.headline == ""
    said = claims_of(table)
    for ratio in ("holdout-0.1", "holdout-0.4"):
        ranks = said[f"mean_ranks · {ratio}"]
        assert ranks.startswith(f"{ratio}, best mean ranks over 2 datasets: 1.00 for XGB")
        assert said[f"shown_differences · {ratio}"] == (
            f"{ratio}: a difference is shown for all 6 comparisons (8 splits each)."
        )
    assert list(table.sections) == ["holdout-0.1"] * 3 + ["holdout-0.4"] * 3


def test_two_experiments_have_own_sentences_and_no_headline():
    facts = about(("magic", "home_mortgage_sim"))
    first, second = {"rf": 0.8, "xgb": 0.83, "ffnn": 0.81}, {"rf": 0.83, "xgb": 0.8, "ffnn": 0.81}
    rows = [
        row
        for dataset in facts.datasets
        for experiment, means in (("data_seeds", first), ("grid", second))
        for row in splits(means, dataset=dataset, experiment=experiment)
    ]
    table = board(rows, facts)
    assert table.headline == ""
    ranks = [text for name, text in claims_of(table).items() if name.startswith("mean_ranks")]
    assert [text.partition(",")[0] for text in ranks] == [
        "Data seeds varied",
        "Model seeds × data seeds",
    ]
    assert [re.search(r": 1\.00 for (\w+)", text)[1] for text in ranks] == ["XGB", "RF"]


def test_arms_go_by_their_titles():
    facts = about(("magic",), ("rf",))
    arms = {"rf:small": "Small forest", "rf:large": "Large forest"}
    facts = amended(facts, experiments={"data_seeds": {"arms": arms}})
    rows = [row | {"model": "rf", "arm": row["model"]} for row in splits(dict.fromkeys(arms, 0.8))]
    table = board(rows, facts)
    assert set(table.shown["Model"]) == set(arms.values())
    assert "rf:" not in " ".join(table.findings)


def test_one_model_is_not_the_best():
    assert board(splits({"rf": 0.9}), about(("magic",), ("rf",))).headline == ""


def test_equal_scores_have_an_sd_of_zero():
    """0.95 and 0.7 are not exact, and their plain SD is 1e-16."""
    rows = [
        trial(score, seed=s, dataset="magic", metric="auc", model=model)
        for model, score in (("rf", 0.95), ("xgb", 0.7))
        for s in range(6)
    ]
    table = board(rows, about(("magic",), ("rf", "xgb")))
    assert set(table.shown["SD"].astype(float)) == {0.0}
    assert table.shown["Mean AUC ↑"].tolist() == ["0.95", "0.70"]


def test_a_mean_rank_states_its_number_of_datasets():
    """A model lacks a dataset: the heading says over how many each of its numbers is."""
    both = ("magic", "magic~rows=9")
    rows = [row for d in both for row in splits({"rf": 0.7, "xgb": 0.9, "ffnn": 0.5}, dataset=d)]
    rows = [row for row in rows if (row["model"], row["dataset"]) != ("ffnn", both[1])]
    table = board(rows, about(both))
    assert table.headline == (
        "XGB has the best mean rank over 1 of the 2 datasets; shown to beat all others on both"
        " datasets"
    )
    assert "over 1 dataset:" in claims_of(table)["mean_ranks"]
