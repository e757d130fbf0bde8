"""Exhibits of the study of Raste et al., and their claims."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from papers.raste import (
    published_table,
    range_bars,
    ratio_table,
    repeated_fits,
    same_splits,
    score_gaps,
    tuning_table,
)
from papers.raste.same_splits import choose_cases
from reseed.report.analyses.shared.data import Data
from reseed.report.rendering.data import ExhibitData
from reseed.report.rendering.numbers import ratio
from run_kinds import draw, run_analysis
from scipy import stats
from study_frames import FAST, PUBLISHED, Study, runs, trial
from text_of import text_of

OVER_SPLITS = {"experiment": "data_seeds"}
SPLITS = np.array([0.00, 0.03, -0.04, 0.02, -0.01])
TOGETHER = {"rf": 0.80 + SPLITS, "xgb": 0.81 + SPLITS + [0, 0.001, 0, -0.001, 0]}
LOOSE = {"rf": 0.70 + SPLITS, "xgb": 0.90 + SPLITS[::-1]}
CROSSING = {"rf": [0.8, 0.7, 0.8, 0.7, 0.8], "xgb": [0.7, 0.8, 0.7, 0.8, 0.7]}


def trials(scores, **place):
    """A study of {dataset: {model: scores over splits}}."""
    return Study.of([
        trial(score, dataset=dataset, model=model, data_seed=split, metric="auc",
              experiment="data_seeds", varied="data", **place)
        for dataset, models in scores.items()
        for model, values in models.items()
        for split, score in enumerate(values)
    ])  # fmt: skip


def of_arms(scores, titles):
    """A study of {arm of one model: scores over splits}."""
    rows = trials({"magic": scores}).metrics
    rows = rows.assign(arm=rows["model"], model="rf")
    return Study.of(rows, experiments={"data_seeds": {"arms": titles}})


def with_folds(whole, lost):
    """Scores over splits of two folds each; fold 0 is hard."""
    found = trials({"magic": {"rf": whole, "xgb": lost}}).metrics
    return Study.of(found.assign(data_seed=found["data_seed"] // 2, fold=found["data_seed"] % 2))


SAME = [0.90, 0.91, 0.92, 0.93]
#: Left is where pairing helps most of those always won by one; right is where nobody leads.
STUDIES = {
    "chosen by rule": trials(
        {"magic": LOOSE, "magic~rows=9": TOGETHER, "home_mortgage_sim": CROSSING}
    ),
    "ties are no wins": trials({"magic": {"rf": SAME, "xgb": SAME}}),
    "all are won": trials({"magic": {"rf": [0.80, 0.79, 0.78, 0.77], "xgb": SAME}}),
    # Without its hard fold the model that lost it would look the better one.
    "a failed fold": with_folds(
        [0.71, 0.91, 0.72, 0.92, 0.70, 0.93, 0.74, 0.90, 0.71, 0.92],
        [None, 0.90, None, 0.90, 0.69, 0.92, 0.71, 0.89, 0.70, 0.90],
    ),
    "arms of one model": of_arms(
        {"one": SAME[:3], "two": [0.80, 0.82, 0.81]},
        {"one": "First recipe", "two": "Second recipe"},
    ),
    "not shown": trials({"magic": CROSSING}),
    "no shared splits": trials({"magic": {"rf": [0.5, 0.6], "xgb": [0.4, 0.5]}}),
}


@pytest.mark.parametrize("name", STUDIES)
def test_scores_over_the_same_splits(name, snapshot):
    figure, drawn = STUDIES[name].draw(same_splits, OVER_SPLITS)
    assert text_of(figure, drawn) == snapshot
    assert choose_cases([]) == []
    if name == "a failed fold":
        assert sorted(drawn.frame["data_seed"].unique()) == [2, 3, 4]


def test_shared_and_separate_splits_have_their_sds():
    shown = trials({"magic": TOGETHER}).show(same_splits, OVER_SPLITS)
    paired = np.std(TOGETHER["xgb"] - TOGETHER["rf"], ddof=1)
    apart = np.sqrt(np.var(TOGETHER["xgb"], ddof=1) + np.var(TOGETHER["rf"], ddof=1))
    text = shown.claims[1].text
    assert (
        f"is {paired:.5f} over shared splits; over separate splits it would be {apart:.5f}" in text
    )


def test_agreement_of_models_on_the_order_of_splits():
    study = trials({"magic": CROSSING, "home_mortgage_sim": TOGETHER})
    claim = study.show(same_splits, OVER_SPLITS).claims[-1]
    opposite, together = claim.estimates
    assert (claim.name, opposite.value) == ("split_agreement", -1)
    tau = stats.kendalltau(TOGETHER["rf"], TOGETHER["xgb"]).statistic
    assert together.value == pytest.approx(tau)


def test_gaps_are_in_sds_of_a_score():
    rng = np.random.default_rng(0)
    first, second = rng.normal(0.8, 0.02, (2, 9))
    data = trials({"magic": {"rf~1f3a": first, "xgb": second}}).data(score_gaps)
    gaps = {
        (a, b): draw(score_gaps, data, {"pairs": [[a, b]]}).claims[0].estimates[0]
        for a, b in (("rf", "xgb"), ("xgb", "rf"))
    }
    sd = np.sqrt((first.var(ddof=1) + second.var(ddof=1)) / 2)
    one, other = gaps.values()
    assert one.value == pytest.approx((first.mean() - second.mean()) / sd)
    assert (one.value, one.low, one.high) == (-other.value, -other.high, -other.low)
    pair = data.statistics.iloc[0]
    assert one.high - one.low == pytest.approx((pair["high"] - pair["low"]) / sd)


def test_gaps_of_many_datasets_have_one_unit():
    """Of five datasets with two metrics the claim names the extent, in SDs."""
    rng = np.random.default_rng(1)
    places = [("magic", "auc"), *((f"bike_sharing~{number}", "mse") for number in range(4))]
    rows = [
        trial(score, dataset=dataset, model=model, data_seed=split, metric=metric,
              experiment="data_seeds", varied="data")
        for dataset, metric in places
        for model in ("rf", "xgb")
        for split, score in enumerate(rng.normal(0.8, 0.02, 6))
    ]  # fmt: skip
    data = Study.of(rows).data(score_gaps)
    claim = draw(score_gaps, data, {"pairs": [["rf", "xgb"]]}).claims[0]
    assert len(claim.estimates) == 5
    assert claim.widths.startswith("intervals of ±")


def test_test_ratio_trend_is_counted_over_datasets_and_by_arm():
    rows = [
        row
        for dataset, up in (("magic", True), ("home_mortgage_sim", False))
        for arm in ("one", "two")
        for share in (0.1, 0.5, 0.9)
        for row in runs({"rf": 0.9}, (dataset,), 30, sd=0.01 * (share if up else 1 - share),
                        varied="data", arm=arm, scheme=f"holdout-{share}", test_ratio=share,
                        rng=len(arm + dataset))
    ]  # fmt: skip
    metrics = Study.of(rows).metrics
    table = Study.of(rows).show(ratio_table, {"experiments": ["data_seeds"]})
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
        for arm, mean in (("one", 0.8), ("two", 0.9))
        for row in runs({"rf": mean}, arm=arm, experiment=experiment,
                        hyperparameters_source=source)
    ]  # fmt: skip
    table = Study.of(rows).show(tuning_table, {"fixed": ["model_seeds"], "tuned": ["retuned"]})
    assert list(table.shown["", "Algorithm"]) == ["one", "two"]
    medians = [float(m) for m in table.shown["Tuned for each pair", "Median"]]
    assert medians == pytest.approx([0.8, 0.9], abs=0.005)
    [claim] = table.claims
    assert claim.name == "tuned_over_fixed_model"
    assert claim.sample.text == "6 seeds"
    assert len(claim.estimates) == 2


def test_two_schemes_of_one_test_ratio_have_a_row_each():
    schemes = {"holdout-0.2": 0.2, "grouped-0.2": 0.2, "holdout-0.4": 0.4}
    rows = [row for scheme, share in schemes.items()
            for row in runs({"rf": 0.8}, scheme=scheme, test_ratio=share)]  # fmt: skip
    table = Study.of(rows).show(ratio_table, {"experiments": ["model_seeds"]})
    assert list(table.shown["", "Test ratio"]) == ["0.2 (holdout-0.2)", "0.2 (grouped-0.2)", "0.4"]


@pytest.mark.parametrize("datasets", [1, 3])
def test_the_trend_over_test_ratios_fits_a_heading(datasets):
    names = [f"magic~rows={i}00" for i in range(1, datasets + 1)]
    varied = {"model_seeds": "model", "data_seeds": "data", "grid": "data+model"}
    rows = [
        row
        for experiment, seeds in varied.items()
        for share in (0.1, 0.2, 0.4)
        for row in runs({"rf": 0.8, "xgb": 0.8, "ffnn": 0.8}, names, sd=0.01 * share, varied=seeds,
                        experiment=experiment, test_ratio=share, scheme=f"holdout-{share}")
    ]  # fmt: skip
    study = Study.of(rows)
    data = study.data(ratio_table)
    for number in (1, 2, 3):
        heading = draw(ratio_table, data, {"experiments": list(varied)[:number]}).claims[0].heading
        assert 12 <= len(heading) <= 85, heading


def test_repeated_fits_are_counted(snapshot):
    entries = [
        {"dataset": "magic", "model": m, "same": m != "rf" or s > 0, "text": "metrics differ"}
        for m in ("rf", "xgb")
        for s in range(3)
    ]
    study = Study.of(runs({"rf": 0.8, "xgb": 0.8}))
    data = ExhibitData(None, study.metrics, study.info, repeats=pd.DataFrame(entries))
    whole = replace(data, repeats=data.repeats.assign(same=True))
    nothing = replace(data, repeats=None)
    assert text_of(*(draw(repeated_fits, one) for one in (data, whole, nothing))) == snapshot


def beside_published(rows, files):
    """The table of published numbers beside those of the trials."""
    study = Study.of(rows)
    data = Data(study.metrics, study.info, Path(PUBLISHED))
    found = run_analysis("papers.raste.published:analyse", data, FAST | {"files": files})
    return draw(published_table, ExhibitData(found, study.metrics, study.info, "k", "T"))


def test_published_medians_are_pooled_by_metric():
    """MSE and AUC have no common ratio: a median over both would mean nothing."""
    rows = [
        row
        for dataset, metric, mean in (("bike_sharing", "mse", 0.2), ("magic", "auc", 0.93))
        for row in runs({"xgb": mean}, (dataset,), 8, sd=0, step=0.001, varied="data",
                        metric=metric)
    ]  # fmt: skip
    table = beside_published(rows, ["raste_table3"])
    medians = next(claim for claim in table.claims if claim.name == "published_medians")
    assert "1.87 (1 cell) for MSE and 1.00 (1 cell) for AUC" in medians.text
    assert "95 % would" in medians.text


def test_larger_ranges_come_with_the_intervals_of_sds():
    """The range over splits is larger for both models; an SD ratio shows it for one."""
    sds = {"rf": (0.02, 0.001), "xgb": (0.011, 0.01)}
    rows = [
        row
        for number, (model, both) in enumerate(sds.items())
        for varied, sd in zip(("data", "model"), both, strict=True)
        for row in runs({model: 0.8}, n=20, sd=sd, varied=varied, rng=number + 10 * len(varied))
    ]
    drawn = Study.of(rows).show(range_bars, {"experiments": ["model_seeds", "data_seeds"]})
    [claim] = drawn.claims
    assert "lies above one for 1 of the 2 settings and below one for neither setting" in claim.text
    by_model = {e.subject.rpartition(", ")[2]: e for e in claim.estimates}
    assert by_model["RF"].low > 1 > by_model["XGB"].low


def test_the_claim_counts_the_rows_of_the_table():
    """Tables 3 and 4 print other numbers for one cell: each is a row, and each is counted."""
    models = dict.fromkeys(("ffnn", "rf", "gbm", "xgb"), 0.22)
    rows = [
        row
        for share, experiment in ((0.2, "data_seeds"), (0.1, "ratios_data_seeds"),
                                  (0.2, "ratios_data_seeds"))
        for row in runs(models, ("california_housing",), 8, sd=0, step=0.004, metric="mse",
                        scheme=f"holdout-{share}", test_ratio=share, varied="data",
                        experiment=experiment)
    ]  # fmt: skip
    table = beside_published(rows, ["raste_table3", "raste_table4"])
    claims = {claim.name: claim for claim in table.claims}
    for name, column in (("published_ranges", "Range"), ("published_medians", "Median")):
        inside = table.shown[column, "Inside"]
        yes, judged = (inside == "yes").sum(), inside.isin(["yes", "no"]).sum()
        counted = claims[name].phrases["inside"]
        assert len(counted.rows) == judged
        assert counted.text.startswith(
            "none" if yes == 0 else "all" if yes == judged else f"{yes} of"
        )
