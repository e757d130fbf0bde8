"""Exhibits of the study of Raste et al., and their claims."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from papers.raste import (
    published,
    published_table,
    range_bars,
    ratio_table,
    repeated_fits,
    same_splits,
    score_gaps,
    tuning_table,
)
from papers.raste.same_splits import choose
from reseed.report.analyses import pairs, spread
from reseed.report.analyses.shared.data import Data
from reseed.report.rendering.data import ExhibitData
from reseed.report.rendering.numbers import ratio
from run_kinds import draw, run_analysis
from scipy import stats
from study_frames import PUBLISHED, about, amended, frame, trial

FAST = {"n_boot": 30, "n_sim": 20}


def shown(module, metrics, facts, options):
    """The table of a module from the spread of these trials."""
    rows = run_analysis(spread, Data(metrics, facts), FAST)
    return draw(module, ExhibitData(rows, metrics, facts, "k", "T"), options)


def seeds(n=6, base=0.8, model="rf", dataset="magic", metric="auc", sd=0.01, **more):
    """Trials over n seeds."""
    rng = np.random.default_rng(int(1000 * base))
    where = {"dataset": dataset, "metric": metric, "model": model} | more
    return [trial(base + rng.normal(0, sd), seed=s, **where) for s in range(n)]


SPLITS = np.array([0.00, 0.03, -0.04, 0.02, -0.01])
TOGETHER = {"rf": 0.80 + SPLITS, "xgb": 0.81 + SPLITS + [0, 0.001, 0, -0.001, 0]}
LOOSE = {"rf": 0.70 + SPLITS, "xgb": 0.90 + SPLITS[::-1]}
CROSSING = {"rf": [0.8, 0.7, 0.8, 0.7, 0.8], "xgb": [0.7, 0.8, 0.7, 0.8, 0.7]}


def trials(scores):
    """Trials of {dataset: {model: scores over splits}}."""
    return frame(
        [
            trial(score, dataset=dataset, model=model, data_seed=split, metric="auc",
                  experiment="data_seeds", varied="data")
            for dataset, models in scores.items()
            for model, values in models.items()
            for split, score in enumerate(values)
        ]
    )  # fmt: skip


def drawn(scores):
    facts = about(("magic", "home_mortgage_sim", "magic~rows=9"), ("rf", "xgb"))
    data = ExhibitData(None, trials(scores), facts, title="T")
    return draw(same_splits, data, {"experiment": "data_seeds"})


def test_panels_are_chosen_by_rule():
    """Left where pairing helps most of those always won by one; right where nobody leads."""
    figure, shown = drawn({"magic": LOOSE, "magic~rows=9": TOGETHER, "home_mortgage_sim": CROSSING})
    titles = [axis.get_title(loc="left") for axis in figure.axes]
    assert titles[0].startswith("Magic, 9 rows")
    assert "XGB wins 5 of 5" in titles[0].replace("\n", " ")
    assert titles[1].startswith("Home Mortgage Sim")
    assert "RF wins 3 of 5" in titles[1].replace("\n", " ")
    assert shown.claims[0].heading == (
        "The model with the best mean wins 5 of 5 splits on one dataset and 3 of 5 on another"
    )
    assert "1 other dataset not drawn" in shown.footnote


def test_shared_and_separate_splits_have_their_sds():
    _, shown = drawn({"magic": TOGETHER})
    paired = np.std(TOGETHER["xgb"] - TOGETHER["rf"], ddof=1)
    apart = np.sqrt(np.var(TOGETHER["xgb"], ddof=1) + np.var(TOGETHER["rf"], ddof=1))
    text = shown.claims[1].text
    assert (
        f"is {paired:.5f} over shared splits; over separate splits it would be {apart:.5f}" in text
    )


def test_no_figure_without_shared_splits():
    assert drawn({"magic": {"rf": [0.5, 0.6], "xgb": [0.4, 0.5]}})[1].empty
    assert choose([]) == []


def splits(scores, arms=None, folds=1):
    """What `same_splits` shows of {arm: scores over splits and folds}, arms of one model or not."""
    metrics = frame([
        trial(score, dataset="magic", metric="auc", model="rf" if arms else arm, arm=arm,
              data_seed=i // folds, fold=i % folds, varied="data", experiment="data_seeds")
        for arm, values in scores.items()
        for i, score in enumerate(values)
    ])  # fmt: skip
    facts = about(("magic",), ("rf",) if arms else tuple(scores))
    facts = amended(facts, experiments={"data_seeds": {"arms": arms or {}}})
    data = ExhibitData(None, metrics, facts, "k", "T")
    return draw(same_splits, data, {"experiment": "data_seeds"})[1]


def test_agreement_of_models_on_the_order_of_splits():
    claim = drawn({"magic": CROSSING, "home_mortgage_sim": TOGETHER})[1].claims[-1]
    opposite, together = claim.estimates
    assert (claim.name, opposite.value) == ("split_agreement", -1)
    tau = stats.kendalltau(TOGETHER["rf"], TOGETHER["xgb"]).statistic
    assert together.value == pytest.approx(tau)


def test_gaps_are_in_sds_of_a_score():
    rng = np.random.default_rng(0)
    first, second = rng.normal(0.8, 0.02, (2, 9))
    metrics = trials({"magic": {"rf~1f3a": first, "xgb": second}})
    facts = about(("magic",), ("rf~1f3a", "xgb"))
    rows = run_analysis(pairs, Data(metrics, facts), FAST)
    data = ExhibitData(rows, metrics, facts, "k", "T")
    gaps = {
        (a, b): draw(score_gaps, data, {"pairs": [[a, b]]}).claims[0].estimates[0]
        for a, b in (("rf", "xgb"), ("xgb", "rf"))
    }
    sd = np.sqrt((first.var(ddof=1) + second.var(ddof=1)) / 2)
    one, other = gaps.values()
    assert one.value == pytest.approx((first.mean() - second.mean()) / sd)
    assert (one.value, one.low, one.high) == (-other.value, -other.high, -other.low)
    pair = rows.iloc[0]
    assert one.high - one.low == pytest.approx((pair["high"] - pair["low"]) / sd)


def test_a_tie_is_no_win():
    same = [0.90, 0.91, 0.92, 0.93]
    drawn = splits({"rf": same, "xgb": same})
    assert drawn.claims[0].heading == "The model with the best mean wins 0 of 4 splits"
    assert "RF wins 0 of 4 splits; 4 of the splits are tied" in drawn.claims[1].text


def test_a_model_that_wins_every_split():
    drawn = splits({"rf": [0.80, 0.79, 0.78, 0.77], "xgb": [0.95, 0.96, 0.97, 0.98]})
    assert drawn.claims[0].heading == "The model with the best mean wins 4 of 4 splits"


def test_a_split_with_a_failed_fold_is_left_out():
    """Fold 0 is hard: without it the model that lost it would look the better one."""
    whole = [0.71, 0.91] * 5
    lost = [None, 0.9] * 2 + [0.7, 0.9] * 3
    drawn = splits({"rf": whole, "xgb": lost}, folds=2)
    assert sorted(drawn.frame["data_seed"].unique()) == [2, 3, 4]
    assert "RF wins 3 of 3 splits" in drawn.claims[1].text


def test_arms_of_one_model_have_a_line_each():
    titles = {"one": "First recipe", "two": "Second recipe"}
    drawn = splits({"one": [0.90, 0.91, 0.92], "two": [0.80, 0.82, 0.81]}, titles)
    text = drawn.claims[1].text
    assert "First recipe wins 3 of 3 splits. The SD of its difference to Second recipe" in text


def test_test_ratio_trend_is_counted_over_datasets_and_by_arm():
    rng = np.random.default_rng(0)
    metrics = frame([
        trial(0.9 + rng.normal(0, 0.01 * (ratio if up else 1 - ratio)), data_seed=s, varied="data",
              experiment="data_seeds", dataset=dataset, metric="auc", model="rf", arm=arm,
              scheme=f"holdout-{ratio}", test_ratio=ratio)
        for dataset, up in (("magic", True), ("home_mortgage_sim", False))
        for arm in ("one", "two")
        for ratio in (0.1, 0.5, 0.9)
        for s in range(30)
    ])  # fmt: skip
    facts = about(("magic", "home_mortgage_sim"), ("rf",))
    table = shown(ratio_table, metrics, facts, {"experiments": ["data_seeds"]})
    [claim] = table.claims
    assert "falls for 2 of the 4 settings, without a test of that" in claim.text
    first = claim.estimates[0]
    shown_first = f"{ratio(first.value)} [{ratio(first.low)}, {ratio(first.high)}]"
    assert f"{shown_first} for {first.subject}" in claim.text
    assert claim.heading.startswith("Test ratio 0.9 against 0.1: ")
    sds = metrics.groupby(["dataset", "arm", "test_ratio"])["auc"].std().unstack()
    factors = (sds[0.9] / sds[0.1]).to_numpy()
    assert sorted(e.value for e in claim.estimates) == pytest.approx(sorted(factors))
    assert all(e.low < e.value < e.high for e in claim.estimates)
    assert ("one", "Median") in table.shown.columns
    assert ("two", "Median") in table.shown.columns


def test_arms_of_one_model_have_a_row_each():
    rows = [
        row
        for experiment, source in (("model_seeds", "fixed-500"), ("retuned", "tuned-500"))
        for arm, base in (("one", 0.8), ("two", 0.9))
        for row in seeds(base=base, arm=arm, experiment=experiment,
                         hyperparameters_source=source)
    ]  # fmt: skip
    options = {"fixed": ["model_seeds"], "tuned": ["retuned"]}
    table = shown(tuning_table, frame(rows), about(("magic",), ("rf",)), options)
    assert list(table.shown["", "Algorithm"]) == ["one", "two"]
    medians = [float(m) for m in table.shown["Tuned for each pair", "Median"]]
    assert medians == pytest.approx([0.8, 0.9], abs=0.005)
    [claim] = table.claims
    assert claim.name == "tuned_over_fixed_model"
    assert claim.sample.text == "6 seeds"
    assert len(claim.estimates) == 2


def test_two_schemes_of_one_test_ratio_have_a_row_each():
    rows = [
        row
        for scheme, share in (("holdout-0.2", 0.2), ("grouped-0.2", 0.2), ("holdout-0.4", 0.4))
        for row in seeds(scheme=scheme, test_ratio=share)
    ]
    options = {"experiments": ["model_seeds"]}
    table = shown(ratio_table, frame(rows), about(("magic",)), options)
    assert list(table.shown["", "Test ratio"]) == ["0.2 (holdout-0.2)", "0.2 (grouped-0.2)", "0.4"]


@pytest.mark.parametrize("datasets", [1, 3])
def test_the_trend_over_test_ratios_fits_a_heading(datasets):
    names = tuple(f"magic~rows={i}00" for i in range(1, datasets + 1))
    rng, rows = np.random.default_rng(0), []
    for number, (varied, title) in enumerate((("model", "model_seeds"), ("data", "data_seeds"),
                                              ("data+model", "grid"))):  # fmt: skip
        for name in names:
            for share in (0.1, 0.2, 0.4):
                rows += [
                    trial(0.8 + rng.normal(0, 0.01 * share), seed=s, data_seed=s, dataset=name,
                          metric="auc", model=m, varied=varied, experiment=title, test_ratio=share,
                          scheme=f"holdout-{share}")
                    for m in ("rf", "xgb", "ffnn") for s in range(6)
                ]  # fmt: skip
        done = {"experiments": ["model_seeds", "data_seeds", "grid"][: number + 1]}
        table = shown(ratio_table, frame(rows), about(names), done)
        heading = table.claims[0].heading
        assert 12 <= len(heading) <= 85, heading


def test_repeated_fits_are_counted():
    entries = [
        {"dataset": "magic", "model": m, "same": m != "rf" or s > 0, "text": "metrics differ"}
        for m in ("rf", "xgb")
        for s in range(3)
    ]
    data = ExhibitData(None, frame(seeds()), about(("magic",)), repeats=pd.DataFrame(entries))
    table = draw(repeated_fits, data)
    assert list(table.shown["Bitwise the same"]) == ["2", "3"]
    assert list(table.shown["What differs"]) == ["metrics differ", "nothing"]
    [claim] = table.claims
    assert claim.heading == "Bitwise equal when trained again: 5 of the 6 trials"
    assert "on this machine more than the seeds changes the others" in claim.text
    whole = replace(data, repeats=data.repeats.assign(same=True))
    assert "nothing but the seeds" in draw(repeated_fits, whole).claims[0].text
    assert draw(repeated_fits, replace(data, repeats=None)).empty.startswith("No trial was trained")


def test_published_medians_are_pooled_by_metric():
    """MSE and AUC have no common ratio: a median over both would mean nothing."""
    where = {"varied": "data", "experiment": "data_seeds", "model": "xgb"}
    rows = [
        trial(0.2 + 0.001 * s, data_seed=s, dataset="bike_sharing", metric="mse", **where)
        for s in range(8)
    ]
    rows += [
        trial(0.93 + 0.001 * s, data_seed=s, dataset="magic", metric="auc", **where)
        for s in range(8)
    ]
    metrics, facts = frame(rows), about(("bike_sharing", "magic"), ("xgb",))
    found = run_analysis(
        published, Data(metrics, facts, Path(PUBLISHED)), FAST | {"files": ["raste_table3"]}
    )
    table = draw(published_table, ExhibitData(found, metrics, facts, "k", "T"))
    medians = next(claim for claim in table.claims if claim.name == "published_medians")
    assert "1.87 (1 cell) for MSE and 1.00 (1 cell) for AUC" in medians.text
    assert "95 % would" in medians.text


def test_larger_ranges_come_with_the_intervals_of_sds():
    """The range over splits is larger for both models; an SD ratio shows it for one."""
    rng = np.random.default_rng(3)
    sds = {"rf": (0.02, 0.001), "xgb": (0.011, 0.01)}
    rows = [
        trial(0.8 + rng.normal(0, sd), dataset="magic", metric="auc", model=model,
              **{"data": {"data_seed": s, "varied": "data", "experiment": "data_seeds"},
                 "model": {"seed": s, "varied": "model", "experiment": "model_seeds"}}[varied])
        for model, both in sds.items()
        for varied, sd in zip(("data", "model"), both, strict=True)
        for s in range(20)
    ]  # fmt: skip
    options = {"experiments": ["model_seeds", "data_seeds"]}
    _, drawn = shown(range_bars, frame(rows), about(("magic",), ("rf", "xgb")), options)
    [claim] = drawn.claims
    assert "lies above one for 1 of the 2 settings and below one for neither setting" in claim.text
    by_model = {e.subject.rpartition(", ")[2]: e for e in claim.estimates}
    assert by_model["RF"].low > 1 > by_model["XGB"].low


def test_a_difference_that_is_not_shown_has_its_detectable_size():
    metrics, facts = trials({"magic": CROSSING}), about(("magic",), ("rf", "xgb"))
    rows = run_analysis(pairs, Data(metrics, facts), FAST)
    data = ExhibitData(rows, metrics, facts, "k", "T")
    claim = draw(same_splits, data, {"experiment": "data_seeds"})[1].claims[1]
    assert claim.text.endswith("No difference is shown.")
    assert claim.limits == f"a difference of {rows['detectable'].item():.2f} would be found in 80 %"


def test_the_claim_counts_the_rows_of_the_table():
    """Tables 3 and 4 print other numbers for one cell: each is a row, and each is counted."""
    rows = [
        trial(0.22 + 0.004 * s, dataset="california_housing", metric="mse", model=model,
              scheme=f"holdout-{ratio}", test_ratio=ratio, data_seed=s, varied="data",
              experiment=experiment)
        for model in ("ffnn", "rf", "gbm", "xgb")
        for ratio, experiment in ((0.2, "data_seeds"), (0.1, "ratios_data_seeds"),
                                  (0.2, "ratios_data_seeds"))
        for s in range(8)
    ]  # fmt: skip
    metrics, facts = frame(rows), about(("california_housing",), ("ffnn", "rf", "gbm", "xgb"))
    files = {"files": ["raste_table3", "raste_table4"]}
    found = run_analysis(published, Data(metrics, facts, Path(PUBLISHED)), FAST | files)
    table = draw(published_table, ExhibitData(found, metrics, facts, "k", "T"))
    claims = {claim.name: claim for claim in table.claims}
    for name, column in (("published_ranges", "Range"), ("published_medians", "Median")):
        inside = table.shown[column, "Inside"]
        yes, judged = (inside == "yes").sum(), inside.isin(["yes", "no"]).sum()
        counted = claims[name].phrases["inside"]
        assert len(counted.rows) == judged
        assert counted.text.startswith(
            "none" if yes == 0 else "all" if yes == judged else f"{yes} of"
        )
