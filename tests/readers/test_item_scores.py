"""Scores of single items, such as the nDCG of each query: means of runs, and analyses of items."""

import numpy as np
import pandas as pd
import pytest
import reseed
from reseed.analyses import item_pairs
from reseed.core.errors import ReseedError
from reseed.readers.study_tables import import_predictions
from run_kinds import run_analysis
from scipy import stats
from study_import import read

SYSTEMS, SEEDS, QUERIES = ["bm25", "dense"], 6, 40
RNG = np.random.default_rng(5)
_HARD = RNG.normal(0, 0.15, QUERIES)
#: (system, seed, query) → nDCG; queries differ more than systems, and those more than seeds.
NDCG = np.clip(
    0.5
    + np.array([0.0, 0.04])[:, None, None]
    + RNG.normal(0, 0.01, (2, SEEDS, 1))
    + _HARD
    + RNG.normal(0, 0.03, (2, SEEDS, QUERIES)),
    0,
    1,
)


def table(**columns) -> pd.DataFrame:
    rows = [
        (SYSTEMS[m], s, f"q{q}", NDCG[m, s, q])
        for m in range(2)
        for s in range(SEEDS)
        for q in range(QUERIES)
    ]
    frame = pd.DataFrame(rows, columns=["system", "seed", "qid", "ndcg"])
    return frame.sample(frac=1, random_state=0, ignore_index=True).assign(**columns)


def test_a_run_is_the_mean_over_its_items():
    metrics, about = read(table())
    for (model, seed), runs in metrics.groupby(["model", "init"]):
        assert runs["ndcg"].item() == pytest.approx(NDCG[SYSTEMS.index(model), seed].mean())
    assert any("mean over its items (40 a run)" in note for note in about.notes)
    long = table().rename(columns={"ndcg": "value"}).assign(metric="ndcg")
    assert read(long)[0]["ndcg"].to_numpy() == pytest.approx(metrics["ndcg"].to_numpy())


def test_requested_metric_is_chosen_of_several():
    both = table(mrr=lambda f: f["ndcg"] / 2)
    metrics, _ = read(both, metric="mrr")
    assert metrics["mrr"].mean() == pytest.approx(NDCG.mean() / 2)
    scores, targets = import_predictions(both, {"metric": "mrr"}, {"name": "mine"})
    assert len(scores) == 2 * SEEDS
    assert len(targets) == 1
    kept = {(r["model"], r["init"]): r["test"] for r in scores.to_pylist()}
    order = sorted(range(QUERIES), key=lambda q: f"q{q}")
    assert kept["dense", 3] == pytest.approx(NDCG[1, 3, order] / 2)


def test_noise_of_seeds_and_of_queries_is_separated():
    found = reseed.compare(table())
    noise = found.statistics("noise").set_index("model")
    for m, model in enumerate(SYSTEMS):
        row, scores = noise.loc[model], NDCG[m]
        assert row["metric"] == "ndcg"
        assert row["observed_sd"] == pytest.approx(scores.mean(axis=1).std(ddof=1))
        # Of resampled queries: the standard error of a mean, as the closed form has it.
        closed = np.sqrt(np.mean(scores.var(axis=1) / QUERIES))
        assert row["test_set_sd"] == pytest.approx(closed, rel=0.15)


def test_pairs_over_seeds_and_queries():
    data = reseed.compare(table()).data  # whose folder lives on
    row = run_analysis(item_pairs, data, n_boot=0, rope=0.2).iloc[0]
    assert (row["metric"], row["arm_a"], row["unit"]) == ("ndcg", "dense", "points")
    assert row["difference"] == pytest.approx((NDCG[1] - NDCG[0]).mean())
    assert row["outcome"] == "better"
    one = stats.ttest_rel(NDCG[1, 0], NDCG[0, 0]).pvalue
    p = [stats.ttest_rel(NDCG[1, s], NDCG[0, s]).pvalue for s in range(SEEDS)]
    assert row["single_p_median"] == pytest.approx(np.median([one, *p[1:]]))
    other = run_analysis(item_pairs, data, n_boot=0, metrics=["mse"]).iloc[0]
    assert "mse cannot be computed" in other["reason"]


def test_scores_in_percent_are_not_rescaled():
    found = reseed.compare(table(accuracy=lambda f: f["ndcg"] * 100).drop(columns="ndcg"))
    row = run_analysis(item_pairs, found.data, n_boot=0).iloc[0]
    assert row["difference"] * row["factor"] == pytest.approx(100 * (NDCG[1] - NDCG[0]).mean())


def test_a_run_with_an_item_without_a_score_has_failed():
    frame = table()
    lost = (frame["system"] == "bm25") & (frame["seed"] == 2) & (frame["qid"] == "q7")
    frame.loc[lost, "ndcg"] = None
    metrics, _ = read(frame)
    failed = metrics[metrics["status"] == "failed"]
    assert list(zip(failed["model"], failed["init"], strict=True)) == [("bm25", 2)]
    found = reseed.compare(frame)
    groups = {group.key["model"]: group for group in found.data.predictions.read_groups()}
    assert groups["bm25"].scores.shape == (SEEDS - 1, QUERIES)
    assert groups["bm25"].failed == 1


@pytest.mark.parametrize(
    ("frame", "words"),
    [
        (table().iloc[1:], "has 39 of the 40 items"),
        (table(qid=lambda f: f["qid"].replace("q3", None)), "column 'qid' is empty"),
        (pd.concat([table(prompt=one) for one in "ab"]), "Give the scores of one prompt"),
    ],
)
def test_invalid_input_is_refused(frame, words):
    with pytest.raises(ReseedError, match=words):
        read(frame)


def test_item_column_that_counts_runs_is_no_item():
    runs = pd.DataFrame({"model": list("aabb"), "seed": [0, 1] * 2, "sample": range(4), "auc": 0.5})
    metrics, about = read(runs)
    assert len(metrics) == 4
    assert about.datasets["data"].task is None


def test_metrics_in_rows_over_datasets_need_no_run_column():
    rows = [(m, d, "auc", 0.7 + 0.01 * i) for i, m in enumerate("ab") for d in "uvwxyz"]
    metrics, _ = read(pd.DataFrame(rows, columns=["model", "dataset", "metric", "value"]))
    assert len(metrics) == 12


def test_a_run_with_an_item_that_did_not_finish_has_failed():
    frame = table(status="finished")
    lost = (frame["system"] == "dense") & (frame["seed"] == 4) & (frame["qid"] == "q9")
    metrics, _ = read(frame.assign(status=frame["status"].mask(lost, "crashed")))
    failed = metrics[metrics["status"] == "failed"]
    assert list(zip(failed["model"], failed["init"], strict=True)) == [("dense", 4)]


def test_one_column_for_each_system():
    wide = table().pivot(index=["seed", "qid"], columns="system", values="ndcg").reset_index()
    wide = wide.rename_axis(columns=None).rename(columns={"qid": "topic"})
    metrics, about = read(wide, metric="ndcg")
    assert about.datasets["data"].task == "scored"
    for (model, seed), runs in metrics.groupby(["model", "init"]):
        assert runs["ndcg"].item() == pytest.approx(NDCG[SYSTEMS.index(model), seed].mean())


def test_right_or_wrong_as_a_frame_and_as_a_file(tmp_path):
    frame = table(accuracy=lambda f: f["ndcg"] > 0.5).drop(columns="ndcg")
    path = tmp_path / "items.csv"
    frame.to_csv(path, index=False)
    assert set(pd.read_csv(path, dtype=str)["accuracy"]) == {"True", "False"}
    for source in (frame, frame.astype({"accuracy": "bool[pyarrow]"}), path):
        metrics, _ = read(source)
        for (model, seed), runs in metrics.groupby(["model", "init"]):
            right = NDCG[SYSTEMS.index(model), seed] > 0.5
            assert runs["accuracy"].item() == pytest.approx(right.mean())
