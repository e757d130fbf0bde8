"""Means, ranks and counts of wins against the same numbers by pandas and by hand."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from reseed.analyses import leaderboard, pairs
from reseed.analyses.shared.data import Data
from reseed.readers import import_results
from reseed.report.exhibits import leaderboard_table
from reseed.report.rendering.data import ExhibitData
from reseed.verdicts.decide import ALL_DATASETS
from run_kinds import draw, run_analysis
from study_frames import about, trial
from study_frames import frame as trials

LEVELS = {"a": 0.9, "b": 0.8, "c": 0.8}


@pytest.fixture(scope="module")
def frame():
    """Three models, three datasets, six seeds; `loss` is better low; `c` lacks one dataset."""
    rng = np.random.default_rng(1)
    rows = [
        (model, dataset, seed, metric, sign * level + rng.normal(0, 0.01))
        for dataset, metric, sign in (("x", "accuracy", 1), ("y", "loss", -1), ("z", "accuracy", 1))
        for model, level in LEVELS.items()
        for seed in range(6)
        if (model, dataset) != ("c", "z")
    ]
    frame = pd.DataFrame(rows, columns=["model", "dataset", "seed", "metric", "value"])
    frame.loc[0, "value"] = np.nan
    return frame


@pytest.fixture(scope="module")
def data(frame):
    return Data(*import_results(frame, {}, {"name": "mine"}))


def exhibit(data, table, kind):
    return ExhibitData(table, data.metrics, data.info, kind=kind, title="T")


def test_means_and_ranks(frame, data):
    table = run_analysis(leaderboard, data)
    own = table[table["dataset"] != ALL_DATASETS].set_index(["dataset", "model"])
    cells = frame.dropna().groupby(["dataset", "model"])["value"]
    for column, expected in (
        ("mean", cells.mean()),
        ("sd", cells.std()),
        ("low", cells.min()),
        ("high", cells.max()),
        ("n", cells.size()),
    ):
        pd.testing.assert_series_equal(
            own[column].astype(float).sort_index(), expected.astype(float), check_names=False
        )
    assert own.loc[("x", "a"), "failed"] == 1
    signed = cells.mean() * pd.Series({"x": 1, "y": -1, "z": 1}).reindex(
        cells.mean().index, level="dataset"
    )
    ranks = signed.groupby("dataset").rank(ascending=False)
    pd.testing.assert_series_equal(own["rank"].sort_index(), ranks, check_names=False)


def test_mean_rank_over_complete_datasets_only(data):
    table = run_analysis(leaderboard, data)
    over = table[table["dataset"] == ALL_DATASETS].set_index("model")
    assert (over["n"] == 2).all()
    assert (over["datasets"] == 3).all()
    own = table[table["dataset"].isin(["x", "y"])].groupby("model")["rank"].mean()
    pd.testing.assert_series_equal(over["mean"].sort_index(), own, check_names=False)
    assert over.loc["a", "firsts"] == 2
    compared = run_analysis(pairs, data)
    shown = draw(leaderboard_table, exhibit(data, compared, "leaderboard_table"), {})
    assert shown.shown["Model"].iloc[0] == "a"
    assert "2 of 3 datasets on which every model" in " ".join(shown.definitions)


def test_ties_share_a_rank():
    rows = [(m, s, v) for m, v in (("a", 0.5), ("b", 0.5), ("c", 0.4)) for s in range(2)]
    frame = pd.DataFrame(rows, columns=["model", "seed", "accuracy"])
    table = run_analysis(leaderboard, Data(*import_results(frame, {}, {"name": "m"})))
    assert table.set_index("model")["rank"].to_dict() == {"a": 1.5, "b": 1.5, "c": 3.0}


def test_the_order_of_adding_breaks_no_tie():
    """Nor does a run that diverged make ties of the others."""
    scores = [0.789, 0.983, 0.405, 0.242, 0.372, 0.493, 0.573]
    other = [0.372, 0.983, 0.789, 0.493, 0.573, 0.242, 0.405]
    assert np.mean(scores) != np.mean(other)
    models = {"a": scores, "b": other, "c": [0.551] * 6 + [0.552], "d": [1e15] * 7}
    rows = [trial(v, seed=s, model=m) for m, values in models.items() for s, v in enumerate(values)]
    table = run_analysis(leaderboard, Data(trials(rows), about())).set_index("model")
    assert table["rank"].to_dict() == {"a": 1.5, "b": 1.5, "c": 3, "d": 4}


def test_a_perfect_run_breaks_no_tie():
    models = {"a": [0.92, 0.98, 0.90, 0.92, 0.98], "b": [1.0, 0.92, 0.90, 0.90, 0.98]}
    rows = [trial(v, seed=s, model=m) for m, values in models.items() for s, v in enumerate(values)]
    table = run_analysis(leaderboard, Data(trials(rows), about()))
    assert list(table["rank"]) == [1.5, 1.5]


def test_one_dataset_in_several_ratios_is_no_three_datasets():
    rows = [
        trial(v, data_seed=s, model=m, dataset="magic", metric="auc", scheme=str(r), test_ratio=r)
        for r in (0.1, 0.2, 0.3)
        for m, v in (("a", 0.9), ("b", 0.8))
        for s in range(3)
    ]
    table = run_analysis(leaderboard, Data(trials(rows), about()))
    assert len(table) == 6
    assert ALL_DATASETS not in set(table["dataset"])
    both = [
        row | {"dataset": d, "mse": row["auc"]} for row in rows for d in ("magic", "bike_sharing")
    ]
    table = run_analysis(leaderboard, Data(trials(both), about()))
    over = table[table["dataset"] == ALL_DATASETS]
    assert (over["datasets"] == 2).all()
    assert over["test_ratio"].tolist() == [0.1, 0.1, 0.2, 0.2, 0.3, 0.3]


def test_arms_with_seeds_of_their_own_are_ranked_together():
    rng = np.random.default_rng(0)
    arms = {"init": 0.9, "order": 0.8, "both": 0.7}
    rows = []
    for dataset, arm in product(("magic", "home_mortgage_sim"), arms):
        for s in range(6):
            seeds = {"init": s * (arm != "order"), "order": s * (arm != "init")}
            varied = "model" if arm == "both" else arm
            rows.append(
                trial(arms[arm] + rng.normal(0, 0.001), dataset=dataset, metric="auc", arm=arm,
                      varied=varied, **seeds)
            )  # fmt: skip
    data = Data(trials(rows), about(("magic", "home_mortgage_sim")))
    table = run_analysis(leaderboard, data)
    over = table[table["dataset"] == ALL_DATASETS].set_index("model")
    assert over["mean"].to_dict() == {"init": 1, "order": 2, "both": 3}
    assert set(table["varied"]) == {"init, order, model"}
    compared = run_analysis(pairs, data)
    own = compared[compared["dataset"] == "magic"]
    assert list(zip(own["model_a"], own["model_b"], strict=True)) == [
        ("init", "order"), ("init", "both"), ("order", "both"),
    ]  # fmt: skip
    assert set(own["design"]) == {"unpaired"}
    assert (own["outcome"] == "better").all()
