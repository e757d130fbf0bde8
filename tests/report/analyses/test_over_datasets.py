"""Effects over datasets: scales, missing datasets, direction, and their exhibits."""

import json
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from reseed.report.analyses import over_datasets
from reseed.report.analyses.shared.data import Data
from reseed.report.exhibits import over_datasets_table
from reseed.report.rendering.data import ExhibitData
from reseed.stats.comparison import nadeau_bengio
from reseed.stats.hierarchical import hierarchical_effect, t_standard_error
from run_kinds import draw, run_analysis
from scipy import stats
from study_frames import about, amended, frame, trial

sys.path.append(str(Path(__file__).parent.parent / "exhibits"))

from readable import check_table

AUC = tuple(f"magic~rows={i}00" for i in range(1, 7))


def study(datasets=AUC, models=("rf", "xgb"), n=10, gain=0.02, seed=0):
    rng = np.random.default_rng(seed)
    rows, found = [], {}
    for d in datasets:
        own = rng.normal(0, 0.005)
        for i, m in enumerate(models):
            loss = "bike" in d
            x = (0.2 - gain * i if loss else 0.85 + (gain + own) * i) + rng.normal(0, 0.004, n)
            found[d, m] = x
            metric = "mse" if loss else "auc"
            rows += [trial(v, data_seed=s, dataset=d, model=m, metric=metric, varied="data",
                           experiment="data_seeds") for s, v in enumerate(x)]  # fmt: skip
    return frame(rows), found, about(datasets, models)


def test_points_by_the_hierarchical_model():
    metrics, found, facts = study()
    table = run_analysis(over_datasets, Data(metrics, facts), rope=0.01)
    pair = table[table["statistic"] == "pair"].iloc[0]
    assert (pair["model_a"], pair["datasets"], pair["scale"]) == ("xgb", 6, "points")
    d = [found[n, "xgb"] - found[n, "rf"] for n in AUC]
    tests = [nadeau_bengio(one, 0.25) for one in d]
    errors = [t_standard_error(float(t.scale), t.df) for t in tests]
    expected = hierarchical_effect([one.mean() for one in d], errors, 0.01)
    assert pair["effect"] == pytest.approx(expected.mean)
    assert pair["new_a_better"] == pytest.approx(expected.new_shares.above)
    means = [one.mean() for one in d]
    assert pair["rank_p"] == pytest.approx(stats.wilcoxon(means).pvalue)
    assert pair["wins"] == sum(m > 0 for m in means)
    single = table[table["statistic"] == "dataset"]
    assert len(single) == 6
    # Shrinking pulls every dataset towards the mean.
    pulled = np.abs(single["effect"] - pair["effect"]) <= np.abs(
        single["observed"] - pair["effect"]
    )
    assert pulled.all()


def test_four_outcomes_and_none_is_equivalent_without_a_region(tmp_path):
    metrics, found, facts = study(gain=0.0, seed=2)
    d = [(found[n, "xgb"] - found[n, "rf"]).mean() for n in AUC]
    plain = run_analysis(over_datasets, Data(metrics, facts)).iloc[0]
    assert plain["outcome"] == "no difference shown"
    assert np.isnan(plain["p_equivalent"])
    assert plain["p_a_better"] + plain["p_b_better"] == pytest.approx(1)
    assert "does not show that they are equal" in plain["verdict"]
    wide = run_analysis(over_datasets, Data(metrics, facts), rope=0.02).iloc[0]
    assert wide["outcome"] == "equivalent"
    assert wide["p_equivalent"] >= 0.95
    assert "equivalent within ±2 points over datasets like these" in wide["verdict"]
    narrow = run_analysis(over_datasets, Data(metrics, facts), rope=0.001).iloc[0]
    assert narrow["outcome"] == "no difference shown"
    assert plain["model_a"] == ("xgb" if np.mean(d) > 0 else "rf")
    better = run_analysis(over_datasets, Data(*study(gain=0.05)[::2])).iloc[0]
    assert (better["outcome"], better["model_a"]) == ("difference", "xgb")
    assert better["verdict"].startswith("xgb beats rf over datasets like these: mean difference ")
    message = re.search(
        r"difference (\S+) points, 95 % interval (\S+) to (\S+)\.", better["verdict"]
    )
    numbers = [100 * better[name] for name in ("effect", "low", "high")]
    assert [float(text) for text in message.groups()] == pytest.approx(numbers, abs=0.05)
    decimals = 1 - int(np.floor(np.log10((numbers[2] - numbers[1]) / 2)))
    assert {len(text.partition(".")[2]) for text in message.groups()} == {decimals}
    worse = run_analysis(over_datasets, Data(*study(gain=-0.05)[::2]), rope=0.2).iloc[0]
    assert (worse["outcome"], worse["model_a"]) == ("difference", "rf")
    assert "smaller than ±20 points" in worse["verdict"]


def test_mixed_metrics_are_relative_losses():
    datasets = (*AUC[:3], "bike_sharing")
    metrics, found, facts = study(datasets)
    table = run_analysis(over_datasets, Data(metrics, facts))
    assert set(table["scale"]) == {"relative"}
    row = table[table["dataset"] == "bike_sharing"].iloc[0]
    log = {m: -np.log(found["bike_sharing", m]) for m in ("rf", "xgb")}
    assert row["observed"] == pytest.approx((log["xgb"] - log["rf"]).mean())
    row = table[table["dataset"] == AUC[0]].iloc[0]
    log = {m: -np.log(1 - found[AUC[0], m]) for m in ("rf", "xgb")}
    assert row["observed"] == pytest.approx((log["xgb"] - log["rf"]).mean())


def test_a_dataset_without_runs_of_both_is_told():
    metrics, _, facts = study()
    lost = (metrics["dataset"] == AUC[2]) & (metrics["model"] == "rf") & (metrics["data_seed"] > 1)
    metrics.loc[lost, ["status", "auc"]] = ["failed", np.nan]
    table = run_analysis(over_datasets, Data(metrics, facts))
    assert set(table["left_out"]) == {AUC[2]}
    assert table["datasets"].iloc[0] == 5
    few, _, facts = study(AUC[:2])
    assert "fewer than 3" in run_analysis(over_datasets, Data(few, facts))["reason"].item()


def test_independent_seeds_use_welchs_error():
    rng = np.random.default_rng(1)
    rows, effects, errors = [], [], []
    for d in AUC[:3]:
        a, b = rng.normal(0.9, 0.01, 6), rng.normal(0.88, 0.02, 8)
        for m, x, start in (("rf", a, 0), ("xgb", b, 50)):
            rows += [trial(v, seed=start + s, dataset=d, model=m, metric="auc")
                     for s, v in enumerate(x)]  # fmt: skip
        welch = stats.ttest_ind(a, b, equal_var=False)
        se = (a.mean() - b.mean()) / welch.statistic
        effects.append(a.mean() - b.mean())
        errors.append(t_standard_error(abs(se), welch.df))
    table = run_analysis(over_datasets, Data(frame(rows), about(AUC[:3], ("rf", "xgb"))))
    expected = hierarchical_effect(effects, errors)
    assert table["effect"].iloc[0] == pytest.approx(expected.mean)


def splits(dataset, gain=0.02, n=8, metric="auc", seed=0, models=("rf", "xgb"), turn=None, **place):
    """Runs of models, each better than the one before, on a dataset split in one way."""
    rng = np.random.default_rng(seed)
    turn = turn or (lambda x: x)
    return [
        trial(turn(0.8 + gain * i + rng.normal(0, 0.003)), dataset=dataset, model=m, data_seed=s,
              metric=metric, varied="data", experiment="e", **place)
        for i, m in enumerate(models) for s in range(n)
    ]  # fmt: skip


def test_shared_seeds_of_one_split_use_the_plain_paired_error():
    rng = np.random.default_rng(3)
    rows, effects, errors = [], [], []
    for d in AUC[:3]:
        a, b = rng.normal(0.9, 0.01, 8), rng.normal(0.88, 0.01, 8)
        for m, x in (("rf", a), ("xgb", b)):
            rows += [trial(v, seed=s, dataset=d, model=m, metric="auc") for s, v in enumerate(x)]
        effects.append((a - b).mean())
        errors.append(t_standard_error(stats.sem(a - b), 7))
    pair = run_analysis(over_datasets, Data(frame(rows), about(AUC[:3], ("rf", "xgb")))).iloc[0]
    expected = hierarchical_effect(effects, errors)
    found = abs(pair["effect"]), pair["high"] - pair["low"]
    assert found == pytest.approx((abs(expected.mean), expected.high - expected.low))


def test_one_dataset_counts_once_however_often_it_is_split():
    ratios = (0.1, 0.2, 0.3)
    one = [
        row
        for r in ratios
        for row in splits("magic", scheme=f"holdout-{r}", test_ratio=r, seed=int(10 * r))
    ]
    table = run_analysis(over_datasets, Data(frame(one), about(("magic",))))
    assert table["datasets"].tolist() == [1, 1, 1]
    assert table["test_ratio"].tolist() == list(ratios)
    assert table["reason"].str.startswith("fewer than 3 datasets").all()
    each = [
        row
        for r in ratios
        for number, d in enumerate(AUC[:4])
        for row in splits(d, scheme=f"holdout-{r}", test_ratio=r, seed=number)
    ]
    table = run_analysis(over_datasets, Data(frame(each), about(AUC[:4])))
    pairs = table[table["statistic"] == "pair"]
    assert pairs["datasets"].tolist() == [4, 4, 4]
    assert pairs["scheme"].tolist() == [f"holdout-{r}" for r in ratios]
    assert (table["statistic"] == "dataset").sum() == 12


def test_datasets_need_not_be_split_in_the_same_sizes():
    ratios = (0.25, 0.2508, 0.2491, 0.25)
    rows = [
        row
        for d, r in zip(AUC, ratios, strict=False)
        for row in splits(d, scheme=f"kfold-{4 if r > 0.25 else 5}x2", test_ratio=r)
    ]
    table = run_analysis(over_datasets, Data(frame(rows), about(AUC[:4])))
    pair = table[table["statistic"] == "pair"]
    assert pair["datasets"].tolist() == [4]
    assert np.isnan(pair["test_ratio"].item())
    assert pair["scheme"].item() == "kfold-5x2, kfold-4x2"


@pytest.mark.parametrize(
    ("metric", "turn", "loss"),
    [
        ("neg_mean_squared_error", lambda x: x - 1, lambda s: -s),
        ("r2", lambda x: x, lambda s: 1 - s),
        ("r2", lambda x: x - 2, lambda s: 1 - s),  # worse than the mean: not a negated loss
        ("cohen_kappa", lambda x: x, lambda s: 1 - s),
        ("accuracy", lambda x: 100 * x, lambda s: 100 - s),
    ],
)
def test_the_loss_of_a_score_where_greater_is_better(metric, turn, loss):
    names = ("a", "b", "c")
    rows = [
        row
        for number, d in enumerate(names)
        for row in splits(d, metric=metric, turn=turn, seed=number)
    ]
    facts = about(names, ("rf", "xgb"))
    judged = {"metric": metric, "greater_is_better": True}
    facts = amended(facts, datasets=dict.fromkeys(names, judged))
    table = run_analysis(over_datasets, Data(frame(rows), facts), scale="relative")
    first = frame(rows)[lambda t: t["dataset"] == "a"].groupby("model")[metric]
    logs = first.apply(lambda s: np.log(loss(s)).mean())
    row = table[table["dataset"] == "a"].iloc[0]
    assert row["model_a"] == "xgb"
    assert row["observed"] == pytest.approx(logs["rf"] - logs["xgb"])


def test_a_score_without_a_loss_says_so():
    rows = [row for d in "abc" for row in splits(d, metric="return", turn=lambda x: 100 * x)]
    facts = about(tuple("abc"), ("rf", "xgb"))
    judged = {"metric": "return", "greater_is_better": True}
    facts = amended(facts, datasets=dict.fromkeys("abc", judged))
    table = run_analysis(over_datasets, Data(frame(rows), facts))
    assert "a, b, c: return has no loss" in table["reason"].item()
    assert "runs of both" not in table["reason"].item()


def test_a_perfect_run_is_not_told_as_a_lack_of_runs():
    metrics, _, facts = study(AUC[:4])
    metrics.loc[metrics.index[metrics["dataset"] == AUC[1]][0], "auc"] = 1.0
    table = run_analysis(over_datasets, Data(metrics, facts), scale="relative")
    assert table["datasets"].iloc[0] == 3
    why = json.loads(table["left_out_why"].iloc[0])
    assert why == {"a run has a loss of 0 or less, which has no logarithm": [AUC[1]]}


def test_points_of_unlike_scores_are_not_added():
    metrics, _, facts = study((*AUC[:3], "bike_sharing"))
    table = run_analysis(over_datasets, Data(metrics, facts), scale="points")
    assert table["statistic"].tolist() == ["pair"]
    assert "points of different metrics (auc, mse)" in table["reason"].item()


def test_exhibits(tmp_path):
    metrics, _, facts = study(models=("ffnn", "rf", "xgb"))
    table = run_analysis(over_datasets, Data(metrics, facts))
    data = ExhibitData(table, metrics, facts, "k", "Title")
    shown = check_table(draw(over_datasets_table, data, {}), tmp_path)
    assert len(shown.shown) == 3
    assert shown.shown["Better on"][0] == "6"
    assert shown.findings[0].startswith("Over 6 datasets a mean difference is shown for")
    assert "would be better with probability" in shown.findings[1]
    empty = ExhibitData(table.assign(reason="few"), metrics, facts, "k", "T")
    assert "three datasets" in draw(over_datasets_table, empty, {}).shown.iloc[0, 0]


def test_dataset_of_failed_runs_does_not_affect_the_scale():
    metrics, _, facts = study()
    expected = run_analysis(over_datasets, Data(metrics[metrics["dataset"] != AUC[0]], facts))
    lost = metrics["dataset"] == AUC[0]
    failed = metrics.assign(
        auc=metrics["auc"].mask(lost), status=metrics["status"].mask(lost, "failed")
    )
    table = run_analysis(over_datasets, Data(failed, facts))
    shown = ["scale", "factor", "unit", "effect", "verdict"]
    assert table[shown].equals(expected[shown])
    assert table["left_out"].iloc[0] == AUC[0]


def test_what_has_no_standard_error_is_told_in_words():
    metrics, _, facts = study()
    same = metrics["dataset"] == AUC[0]
    metrics.loc[same, "auc"] = np.where(metrics["model"][same] == "rf", 0.75, 0.5)
    pair = run_analysis(over_datasets, Data(metrics, facts)).iloc[0]
    assert (pair["datasets"], pair["left_out"]) == (5, AUC[0])
    (why,) = json.loads(pair["left_out_why"])
    assert why.endswith("same difference, which has no standard error")


def test_a_share_by_its_name_alone_has_no_loss():
    metrics, _, facts = study()
    far = metrics.assign(auc=metrics["auc"] * 250)  # neither shares nor percent
    pair = run_analysis(over_datasets, Data(far, facts)).iloc[0]
    assert pair["scale"] == "relative"
    assert "auc has no loss" in pair["reason"]


def test_a_dataset_of_equal_means_is_no_win():
    """Its differences are +1, +2, −3, +1, −1 and 0 points."""
    rng = np.random.default_rng(3)
    a = np.array([85, 87, 80, 86, 82, 84]) / 100
    even = dict(zip(("rf", "xgb"), (a - np.array([1, 2, -3, 1, -1, 0]) / 100, a), strict=True))
    clear = [{"rf": a, "xgb": a + 0.02 + rng.normal(0, 0.004, 6)} for _ in range(3)]
    rows = [
        trial(v, data_seed=s, dataset=d, model=m, metric="auc", varied="data")
        for d, models in zip(AUC, [even, *clear], strict=False)
        for m, values in models.items()
        for s, v in enumerate(values)
    ]
    table = run_analysis(over_datasets, Data(frame(rows), about(AUC[:4], ("rf", "xgb"))))
    pair = table[table["statistic"] == "pair"].iloc[0]
    assert (pair["wins"], pair["losses"], pair["rank_p"]) == (3, 0, 0.25)
