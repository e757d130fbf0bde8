"""Exhibits of several datasets: equal names are distinguished, and each dataset is drawn alone."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from papers.raste import heat_maps, range_bars, score_strips
from reseed.report.analyses import spread
from reseed.report.analyses.shared.data import Data
from reseed.report.exhibits import curves_figure, seed_noise, spread_table
from reseed.report.rendering.arms import arm_title
from reseed.report.rendering.data import ExhibitData
from reseed.report.rendering.panels import name_by_test_ratio
from run_kinds import claims_of, draw, run_analysis
from study_frames import about, amended, frame, replaced, trial
from test_exhibits_of_arms import shown

SEEDS = {"experiments": ["model_seeds"]}


@pytest.fixture(scope="module")
def ratios():
    """Two test ratios: model seeds move the score more at the first, splits at the second."""
    rng = np.random.default_rng(0)
    rows = []
    for ratio, base, model_sd, data_sd in ((0.1, 0.95, 0.01, 0.001), (0.4, 0.85, 0.001, 0.01)):
        where = {"dataset": "magic", "metric": "auc", "model": "rf"}
        where |= {"scheme": f"holdout-{ratio}", "test_ratio": ratio}
        for s in range(6):
            rows.append(trial(base + rng.normal(0, model_sd), seed=s, **where))
            varied = {"experiment": "data_seeds", "varied": "data", "data_seed": s}
            rows.append(trial(base + rng.normal(0, data_sd), **varied, **where))
    return frame(rows), about(("magic",), ("rf",))


def test_test_ratios_have_panels_of_their_own(ratios):
    figure, drawn = draw(score_strips, ExhibitData(None, *ratios, "k", "T"), SEEDS)
    titles = [axis.get_title("left") for axis in figure.axes]
    assert titles == ["Magic, test ratio 0.1", "Magic, test ratio 0.4"]
    for axis, ratio in zip(figure.axes, (0.1, 0.4), strict=True):
        scores = drawn.frame.query(f"scheme == 'holdout-{ratio}'")["score"]
        assert axis.lines[1].get_ydata() == pytest.approx([scores.median()] * 2)
    both = {"experiments": ["model_seeds", "data_seeds"]}
    [claim] = shown(range_bars, spread, *ratios, both).claims
    assert claim.heading.endswith("in 1 of the 2 settings")


def grid(score, **place):
    """Trials of a 3 × 3 grid of data and model seeds; `score` of both seeds."""
    where = {"varied": "data+model", "experiment": "grid", "dataset": "magic", "metric": "auc"}
    return [
        trial(score(d, s), seed=s, data_seed=d, **where | place) for d in range(3) for s in range(3)
    ]


def test_heat_maps_name_their_ratio_and_lose_no_model():
    rows = [
        row
        for ratio in (0.1, 0.4)
        for model, score in (
            ("rf", lambda d, s: 0.9 + 0.01 * d + 0.001 * s),
            ("xgb", lambda d, s: None),
            ("ffnn", lambda d, s: 0.5),
        )
        for row in grid(score, model=model, scheme=f"holdout-{ratio}", test_ratio=ratio)
    ]
    data = ExhibitData(None, frame(rows), about(("magic", "home_mortgage_sim")), "k", "T")
    figure, drawn = draw(heat_maps, data, {"experiment": "grid"})
    titles = [axis.get_title("left").replace("\n", " ") for axis in figure.axes]
    assert [title for title in titles if title] == [
        "RF, holdout-0.1, median 0.911", "XGB, holdout-0.1, median –",
        "RF, holdout-0.4, median 0.911", "XGB, holdout-0.4, median –",
    ]  # fmt: skip
    assert "every score is the same: FFNN, holdout-0.1 (Magic) and FFNN" in drawn.footnote
    other = frame([*rows, *grid(lambda d, s: None, model="rf", dataset="home_mortgage_sim")])
    figure, _ = draw(heat_maps, replace(data, metrics=other), {"experiment": "grid"})
    assert "RF, median –" in [axis.get_title("left") for axis in figure.axes]


def test_failure_of_every_trial_is_the_reason_given():
    failed = frame(grid(lambda d, s: None, model="rf"))
    facts = about(("magic",), ("rf", "xgb"))
    drawn = shown(heat_maps, None, failed, facts, {"experiment": "grid"})
    assert drawn.empty == "Every trial failed."
    flat = frame([*grid(lambda d, s: None, model="rf"), *grid(lambda d, s: 0.5, model="xgb")])
    drawn = shown(heat_maps, None, flat, facts, {"experiment": "grid"})
    assert "every score is the same: XGB (Magic). Every other trial failed." in drawn.empty


def test_schemes_are_named_by_ratio_if_nothing_else_differs():
    place = ["dataset", "scheme"]
    two = pd.DataFrame({"scheme": ["holdout-0.1", "holdout-0.2"], "test_ratio": [0.1, 0.2]})
    assert name_by_test_ratio(two, place) == ["dataset", "test_ratio"]
    folds = pd.DataFrame({"scheme": ["holdout-0.1", "kfold-5"], "test_ratio": [0.1, 0.2]})
    assert name_by_test_ratio(folds, place) == place
    assert name_by_test_ratio(two.assign(test_ratio=[0.1, np.nan]), place) == place
    assert name_by_test_ratio(two.assign(test_ratio=0.1), place) == place


def test_ranges_and_scores_of_seeds_by_role():
    metrics = frame([
        trial(0.9 + 0.01 * s, seed=s, varied=role, experiment=role, dataset="magic", metric="auc",
              model="rf", scheme="holdout-0.2", test_ratio=0.2)
        for role in ("order", "init")
        for s in range(6)
    ])  # fmt: skip
    facts, both = about(("magic",), ("rf",)), {"experiments": ["order", "init"]}
    facts = amended(facts, experiments={role: {"title": role} for role in ("order", "init")})
    data = ExhibitData(run_analysis(spread, Data(metrics, facts), {}), metrics, facts, "k", "T")
    for module in (score_strips, range_bars):
        figure, _ = draw(module, data, both)
        legend = [text.get_text() for text in figure.legends[0].get_texts()]
        assert legend[:2] == ["Order varied", "Init varied"]


def test_folds_are_no_seeds():
    metrics = frame([
        trial(0.9 + 0.01 * fold + 0.001 * s, seed=s, fold=fold, dataset="magic", metric="auc",
              model="rf", scheme="kfold-5", test_ratio=np.nan)
        for s in range(3)
        for fold in range(5)
    ])  # fmt: skip
    drawn = shown(score_strips, None, metrics, about(("magic",), ("rf",)), SEEDS)
    assert "Seeds per cell: 3." in drawn.footnote
    assert drawn.claims[0].heading.startswith("15 scores")
    rows = pd.DataFrame([
        {"experiment": "model_seeds", "varied": "model", "dataset": "magic", "scheme": "kfold-5",
         "arm": "rf", "model": "rf", "hyperparameters_source": "d", "measure": "validation auc",
         "epoch": epoch, "n": 15, "runs": 15, "left_out": 0, "ended": "drop", "mean": 0.9,
         "sd": 0.1 / epoch, "min": 0.8, "max": 0.95}
        for epoch in range(1, 9)
    ])  # fmt: skip
    data = ExhibitData(rows, metrics, about(("magic",), ("rf",)), "k", "T")
    figure, drawn = draw(curves_figure, data, {})
    assert figure.axes[0].get_title("left") == "RF (15 runs)"
    assert "Runs per arm: 15." in drawn.footnote
    message = " ".join([drawn.headline, drawn.footnote, *drawn.findings])
    assert "15 runs" in message
    assert "15 seeds" not in message


NOISE = {
    "experiment": "model_seeds", "scheme": "kfold-3", "hyperparameters_source": "fixed-500",
    "dataset": "magic", "model": "rf", "arm": "rf", "metric": "auc", "primary": True, "n": 8,
    "failed": 0, "data_seed": 0, "repeat": 0, "items": 40, "level": 0.8, "mean": 0.9,
    "observed_sd": 0.01, "observed_sd_low": 0.006, "observed_sd_high": 0.02, "infinite_sd": 0.005,
    "infinite_sd_low": np.nan, "infinite_sd_high": np.nan, "seed_share": 0.2, "test_set_sd": 0.02,
    "reason": "", "interval_reason": "an interval needs at least 50 test items",
}  # fmt: skip
FOLDS = frame([
    trial(0.9, dataset="magic", metric="auc", model="rf", fold=k, scheme="kfold-3")
    for k in range(3)
])  # fmt: skip


def test_noise_on_several_test_sets_has_labels_and_level():
    rows = pd.DataFrame([NOISE | {"fold": fold} for fold in range(3)])
    data = ExhibitData(rows, FOLDS, about(("magic",), ("rf",)))
    figure, drawn = draw(seed_noise, data, {})
    labels = [text.get_text() for text in figure.axes[0].get_yticklabels()]
    assert labels == ["RF, fold 0", "RF, fold 1", "RF, fold 2"]
    assert "3 without an interval: an interval needs at least 50 test items." in drawn.footnote
    assert "in all 3 settings (8 seeds each)" in drawn.findings[0]
    legend = " ".join(text.get_text() for text in figure.legends[0].get_texts())
    assert "80 % interval" in legend
    assert "covers" not in " ".join(drawn.definitions)
    drawn = draw(seed_noise, replace(data, statistics=rows.assign(level=0.95)), {})[1]
    assert "covers 94 to 100 %" in " ".join(drawn.definitions)


def test_noise_of_a_metric_that_is_no_mean():
    """F1 has no SD on an infinite test set: accuracy answers for it, and it alone if need be."""
    f1 = NOISE | {"metric": "macro_f1", "infinite_sd": np.nan, "seed_share": np.nan,
                  "observed_sd": 0.03}  # fmt: skip
    rows = pd.DataFrame([NOISE | {"metric": "accuracy", "primary": False}, f1])
    data = ExhibitData(rows, FOLDS, about(("magic",), ("rf",)))
    figure, drawn = draw(seed_noise, data, {})
    assert [axis.get_xlabel() for axis in figure.axes] == ["SD of accuracy"]
    assert "in the CSV only: F1, mean over classes." in drawn.footnote
    assert all("(accuracy)" in found for found in drawn.findings)
    assert drawn.headline.endswith("shown for no setting (accuracy)")
    figure, drawn = draw(seed_noise, replace(data, statistics=pd.DataFrame([f1])), {})
    assert [axis.get_xlabel() for axis in figure.axes] == ["SD of F1, mean over classes"]
    assert "it has none: F1, mean over classes." in drawn.definitions[0]
    assert "(F1, mean over classes)" in drawn.findings[0]


def test_noise_of_seeds_with_one_score_is_in_no_ratio():
    """Equal scores have an SD of 1e-16, which is no variation over seeds."""
    constant = NOISE | {"observed_sd": 1.2e-16, "seed_share": 1.0, "dataset": "home_mortgage_sim"}
    rows = pd.DataFrame([NOISE, constant])
    data = ExhibitData(rows, FOLDS, about(("magic", "home_mortgage_sim"), ("rf",)))
    _, drawn = draw(seed_noise, data, {})
    said = claims_of(drawn)
    assert said["seed_over_test_set"].endswith(
        "is 0.50 (1 pair). The 80 % interval of the ratio of the SDs lies above one for no setting"
        " and below one for no setting."
    )
    assert "is 20 % (1 pair of dataset and algorithm)" in said["infinite_test_set"]
    assert "1 without variation over seeds: not in the ratios of SDs." in drawn.footnote
    ratio = drawn.claims[0].estimates[0]
    assert ratio.low < 0.5 < ratio.high


def test_equal_titles_are_told_apart_by_identifier():
    facts = about(("magic",), ("rf", "xgb"))
    facts = replaced(
        facts,
        models={name: {"title": "Boosting"} for name in ("rf", "xgb")},
        datasets={name: facts.datasets["magic"] for name in ("a", "b")},
    )
    same = {name: {"title": "Seeds varied"} for name in facts.experiments}
    facts = amended(facts, experiments=same)
    metrics = frame([
        trial(0.8 + 0.1 * (e == "grid") + 0.01 * s, seed=s, dataset="a", metric="auc", model=model,
              experiment=e)
        for e in ("model_seeds", "grid")
        for model in ("rf", "xgb")
        for s in range(6)
    ])  # fmt: skip
    data = ExhibitData(None, metrics, facts)
    assert data.model("rf") == "Boosting (rf)"
    assert data.dataset("b") == "Magic (b)"
    table = shown(spread_table, spread, metrics, facts, {"experiments": ["model_seeds", "grid"]})
    assert [float(table.shown[f"Seeds varied ({e})", "Median"][0]) for e in ("model_seeds", "grid")
            ] == pytest.approx([0.825, 0.925])  # fmt: skip
    arms = {"arms": {"one": "Same", "two": "Same"}}
    data = ExhibitData(None, metrics, replaced(facts, experiments={"e": arms}))
    assert arm_title(data, "two", "e") == "Same (two)"
