"""Metrics that are not means over items: AUC and F1 with seeds and clusters."""

import numpy as np
import pandas as pd
import pytest
import reseed
from reseed import ReseedError, compare, gate
from reseed.stats.crossed_comparison import item_values, seed_item_bootstrap
from reseed.stats.item_model import Factor, item_difference
from sklearn.metrics import f1_score, roc_auc_score


def _predictions(seeds=3, clusters=30, size=6, shift=0.0, rng_seed=0, cluster_sd=0.0):
    rng = np.random.default_rng(rng_seed)
    items = clusters * size
    truth = rng.integers(0, 2, items)
    if cluster_sd:  # one diagnosis a patient
        truth = rng.integers(0, 2, clusters).repeat(size)
    parts = []
    for model, skill in {"a": 1.0 + shift, "b": 1.0}.items():
        own = rng.normal(0, cluster_sd, clusters).repeat(size)
        for seed in range(seeds):
            latent = skill * truth + own + rng.normal(size=items)
            parts.append(
                pd.DataFrame(
                    {"model": model, "seed": seed, "item": np.arange(items),
                     "patient": np.arange(items) // size, "y_true": truth,
                     "y_score": 1 / (1 + np.exp(-latent + 0.5))}
                )
            )  # fmt: skip
    return pd.concat(parts, ignore_index=True)


@pytest.mark.parametrize("metric", ["auc", "f1"])
def test_means_are_those_of_scikit_learn(metric):
    table = _predictions()
    found = reseed.compare(table, metric=metric, cluster="patient")
    board = found.leaderboard.set_index("model")["mean"]
    for model, rows in table.groupby("model"):
        values = [
            roc_auc_score(run["y_true"], run["y_score"])
            if metric == "auc"
            else f1_score(run["y_true"], run["y_score"] >= 0.5)
            for _, run in rows.groupby("seed")
        ]
        assert board[model] == pytest.approx(np.mean(values), abs=1e-12)
    row = found.verdicts.iloc[0]
    assert row["covers"] == "new seeds and new clusters"
    assert row["low"] < row["difference"] < row["high"]


def test_without_clusters_the_auc_has_delongs_components():
    table = _predictions().drop(columns="patient")
    row = compare(table).verdicts.iloc[0]
    sides = [
        table[table["model"] == row[side]].pivot(index="seed", columns="item", values="y_score")
        for side in ("model_a", "model_b")
    ]
    truth = table.drop_duplicates("item")["y_true"].to_numpy()
    values = [item_values("auc", truth, side.to_numpy()) for side in sides]
    expected = item_difference(*values, [Factor("seed", True)])
    assert (row["low"], row["p"]) == pytest.approx((expected.low, expected.p_value))


def test_clusters_widen_the_interval():
    table = _predictions(cluster_sd=1.5, rng_seed=2, seeds=4)
    wide = compare(table, cluster="patient").verdicts.iloc[0]
    narrow = compare(table.drop(columns="patient")).verdicts.iloc[0]
    assert wide["high"] - wide["low"] > 1.3 * (narrow["high"] - narrow["low"])


def test_bootstrap_of_single_clusters_is_that_of_items():
    rng = np.random.default_rng(0)
    y, a, b = rng.integers(0, 2, 60), rng.random((3, 60)), rng.random((3, 60))

    def interval(clusters):
        return seed_item_bootstrap("auc", y, a, b, 200, shared_seeds=True, clusters=clusters,
                                   rng=np.random.default_rng(1))  # fmt: skip

    assert interval(None) == interval(np.arange(60))
    assert interval(np.arange(60) // 6).se != interval(None).se
    with pytest.raises(ValueError, match="each of 60 items"):
        interval(np.arange(30))


def test_metrics_of_another_task_are_refused():
    with pytest.raises(ReseedError, match="'mse' is not computed from predictions of binary"):
        compare(_predictions(), metric="mse")
    with pytest.raises(ReseedError, match="has no column 'doctor'"):
        compare(_predictions(), cluster="doctor")


@pytest.mark.parametrize("metric", ["auc", "f1", "accuracy", "error"])
def test_compare_and_gate_score_predictions(metric):
    table = _predictions(shift=1.0, rng_seed=3).drop(columns="patient")
    found = compare(table, metric=metric)
    pair, board = found.verdicts.iloc[0], found.leaderboard.set_index("model")["mean"]
    size = abs(board["a"] - board["b"])
    assert (board.idxmin() if metric == "error" else board.idxmax()) == pair["model_a"]
    sides = {m: part.drop(columns="model") for m, part in table.groupby("model")}
    decided = gate(sides[pair["model_a"]], sides[pair["model_b"]], 0.5, metric=metric).rows[0]
    assert [size, decided.difference] == pytest.approx([abs(pair["difference"])] * 2, rel=1e-9)
    other = sides["a"].assign(y_true=1 - sides["a"]["y_true"])
    with pytest.raises(ReseedError, match="has several targets"):
        gate(other, sides["b"], 0.5, metric=metric)


def test_rare_class_counts_more_in_the_gate():
    """AUC 1 of both on ten positives in 1,000: nothing varies, and a loss of .05 stays possible."""
    truth = np.arange(1000) < 10
    side = pd.DataFrame({"item": range(1000), "y_true": truth.astype(int), "y_score": truth * 0.8})
    assert gate(side, side, 0.05, metric="auc").decision == "undecided"


def test_zero_is_refused_where_it_is_no_failure():
    table = _predictions()
    table.loc[0, "y_score"] = np.nan
    losses = pd.DataFrame([(m, i, 1.0 + i) for m in "ab" for i in range(9)],
                          columns=["model", "item", "mae"])  # fmt: skip
    losses.loc[0, "mae"] = np.nan
    for frame, options in ((table, {"metric": "auc", "cluster": "patient"}), (losses, {})):
        sides = [part.drop(columns="model") for _, part in frame.groupby("model")]
        for call in (
            lambda failed: compare(frame, failed=failed, **options),  # noqa: B023
            lambda failed: gate(*sides, 0.1, failed=failed, **options),  # noqa: B023
        ):
            with pytest.raises(ReseedError, match=r"'zero' .*Use `failed='drop'`"):
                call("zero")
            with pytest.raises(ReseedError, match="failed='drop'"):
                call("refuse")
            call("drop")


def test_labels_outside_the_targets_are_no_other_targets():
    """Each side has its own table; one predicts a label that sorts first and is no target."""
    truth = ["cat", "dog"] * 60
    side = pd.DataFrame({"item": range(120), "y_true": truth, "y_pred": truth})
    worse = side.assign(y_pred=["ant", *truth[1:60], *truth[59:119]])
    row = gate(side, worse, 0.1, metric="accuracy").rows[0]
    assert row.difference == pytest.approx((worse["y_pred"] != side["y_true"]).mean())
