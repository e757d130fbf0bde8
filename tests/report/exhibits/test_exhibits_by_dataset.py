"""Exhibits of several datasets: equal names are distinguished, and each dataset is drawn alone."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from papers.raste import heat_maps, range_bars, score_strips
from reseed.report.rendering.arms import arm_title
from reseed.report.rendering.data import ExhibitData
from reseed.report.rendering.panels import name_by_test_ratio
from run_kinds import draw
from study_frames import Study, about, frame, replaced, runs, trial
from text_of import text_of

SEEDS = {"experiments": ["model_seeds"]}
GRID = {"experiment": "grid"}


@pytest.fixture(scope="module")
def ratios():
    """Two test ratios: model seeds move the score more at the first, splits at the second."""
    return Study.of([
        row
        for ratio, base, model_sd, data_sd in ((0.1, 0.95, 0.01, 0.001), (0.4, 0.85, 0.001, 0.01))
        for varied, sd in (("model", model_sd), ("data", data_sd))
        for row in runs({"rf": base}, sd=sd, varied=varied, scheme=f"holdout-{ratio}",
                        test_ratio=ratio)
    ])  # fmt: skip


def test_test_ratios_have_panels_of_their_own(ratios, snapshot):
    figure, drawn = ratios.draw(score_strips, SEEDS)
    both = {"experiments": ["model_seeds", "data_seeds"]}
    assert text_of(figure, drawn, ratios.show(range_bars, both)) == snapshot
    for axis, ratio in zip(figure.axes, (0.1, 0.4), strict=True):
        scores = drawn.frame.query(f"scheme == 'holdout-{ratio}'")["score"]
        assert axis.lines[1].get_ydata() == pytest.approx([scores.median()] * 2)


def grid(score, **place):
    """Trials of a 3 × 3 grid of data and model seeds; `score` of both seeds."""
    where = {"varied": "data+model", "experiment": "grid", "dataset": "magic", "metric": "auc"}
    return [
        trial(score(d, s), seed=s, data_seed=d, **where | place) for d in range(3) for s in range(3)
    ]


FAILED = grid(lambda d, s: None, model="rf")
FLAT = grid(lambda d, s: 0.5, model="xgb")
OF_RATIOS = [
    row
    for ratio in (0.1, 0.4)
    for model, score in (
        ("rf", lambda d, s: 0.9 + 0.01 * d + 0.001 * s),
        ("xgb", lambda d, s: None),
        ("ffnn", lambda d, s: 0.5),
    )
    for row in grid(score, model=model, scheme=f"holdout-{ratio}", test_ratio=ratio)
]
ELSEWHERE = grid(lambda d, s: None, model="rf", dataset="home_mortgage_sim")


@pytest.mark.parametrize(
    "rows",
    [
        pytest.param(OF_RATIOS, id="two ratios, a model failed and one flat"),
        pytest.param(OF_RATIOS + ELSEWHERE, id="a dataset where all failed"),
        pytest.param(FAILED, id="every trial failed"),
        pytest.param(FAILED + FLAT, id="failed or flat"),
    ],
)
def test_heat_maps_name_their_ratio_and_lose_no_model(rows, snapshot):
    assert text_of(Study.of(rows).draw(heat_maps, GRID)) == snapshot


def test_heat_maps_name_datasets_that_are_not_drawn():
    rows = [
        row
        for n in range(1, 8)
        for model in (("rf", "xgb") if n == 1 else ("rf",))
        for row in grid(lambda d, s: 0.9 + 0.01 * d, model=model, dataset=f"magic~rows={n}")
    ]
    footnote = Study.of(rows).draw(heat_maps, GRID)[1].footnote
    _, _, omitted = footnote.partition("Not drawn for want of room, but in the CSV: ")
    assert [f"{n} rows" for n in range(1, 8) if f"{n} rows" in omitted] == ["6 rows", "7 rows"]


def test_schemes_are_named_by_ratio_if_nothing_else_differs():
    place = ["dataset", "scheme"]
    two = pd.DataFrame({"scheme": ["holdout-0.1", "holdout-0.2"], "test_ratio": [0.1, 0.2]})
    assert name_by_test_ratio(two, place) == ["dataset", "test_ratio"]
    folds = pd.DataFrame({"scheme": ["holdout-0.1", "kfold-5"], "test_ratio": [0.1, 0.2]})
    assert name_by_test_ratio(folds, place) == place
    assert name_by_test_ratio(two.assign(test_ratio=[0.1, np.nan]), place) == place
    assert name_by_test_ratio(two.assign(test_ratio=0.1), place) == place


@pytest.mark.parametrize("kind", [score_strips, range_bars])
def test_ranges_and_scores_of_seeds_by_role(kind, snapshot):
    both = ["order", "init"]
    rows = [row for role in both for row in runs({"rf": 0.9}, varied=role, experiment=role)]
    study = Study.of(rows, experiments={role: {"title": role} for role in both})
    assert text_of(study.draw(kind, {"experiments": both})) == snapshot


def test_folds_are_no_seeds(snapshot):
    metrics = frame([
        trial(0.9 + 0.01 * fold + 0.001 * s, seed=s, fold=fold, dataset="magic", metric="auc",
              scheme="kfold-5", test_ratio=np.nan)
        for s in range(3)
        for fold in range(5)
    ])  # fmt: skip
    strips = Study.of(metrics).show(score_strips, SEEDS)
    rows = pd.DataFrame([
        {"experiment": "model_seeds", "varied": "model", "dataset": "magic", "scheme": "kfold-5",
         "arm": "rf", "model": "rf", "hyperparameters_source": "d", "measure": "validation auc",
         "epoch": epoch, "n": 15, "runs": 15, "left_out": 0, "ended": "drop", "mean": 0.9,
         "sd": 0.1 / epoch, "min": 0.8, "max": 0.95}
        for epoch in range(1, 9)
    ])  # fmt: skip
    data = ExhibitData(rows, metrics, about(("magic",), ("rf",)), "k", "T")
    text = text_of(draw("curves_figure", data, {}))
    assert "15 seeds" not in text
    assert text_of(strips, text) == snapshot


NOISE = {
    "experiment": "model_seeds", "scheme": "kfold-3", "hyperparameters_source": "fixed-500",
    "dataset": "magic", "model": "rf", "arm": "rf", "metric": "auc", "primary": True, "n": 8,
    "failed": 0, "data_seed": 0, "repeat": 0, "fold": 0, "items": 40, "level": 0.8, "mean": 0.9,
    "observed_sd": 0.01, "observed_sd_low": 0.006, "observed_sd_high": 0.02, "infinite_sd": 0.005,
    "infinite_sd_low": np.nan, "infinite_sd_high": np.nan, "seed_share": 0.2, "test_set_sd": 0.02,
    "reason": "", "interval_reason": "an interval needs at least 50 test items",
}  # fmt: skip
FOLDS = [NOISE | {"fold": fold} for fold in range(3)]
#: F1 has no SD on an infinite test set: accuracy answers for it, and it alone if need be.
F1 = NOISE | {"metric": "macro_f1", "infinite_sd": np.nan, "seed_share": np.nan,
              "observed_sd": 0.03}  # fmt: skip
#: Equal scores have an SD of 1e-16, which is no variation over seeds.
CONSTANT = NOISE | {"observed_sd": 1.2e-16, "seed_share": 1.0, "dataset": "home_mortgage_sim"}


@pytest.mark.parametrize(
    "rows",
    [
        pytest.param(FOLDS, id="folds"),
        pytest.param([row | {"level": 0.95} for row in FOLDS], id="folds, level 0.95"),
        pytest.param([NOISE | {"metric": "accuracy", "primary": False}, F1], id="F1, accuracy"),
        pytest.param([F1], id="F1 alone"),
        pytest.param([NOISE, CONSTANT], id="one score of all seeds"),
    ],
)
def test_noise_of_seeds_is_told_with_its_limits(rows, snapshot):
    metrics = frame(
        [trial(0.9, dataset="magic", metric="auc", fold=k, scheme="kfold-3") for k in range(3)]
    )
    facts = about(("magic", "home_mortgage_sim"), ("rf",))
    figure, drawn = draw("seed_noise", ExhibitData(pd.DataFrame(rows), metrics, facts), {})
    assert text_of(figure, drawn, drawn.definitions) == snapshot


def test_equal_titles_are_told_apart_by_identifier():
    experiments = ("model_seeds", "grid")
    study = Study.of(
        [row for e, mean in zip(experiments, (0.8, 0.9), strict=True)
         for row in runs({"rf": mean, "xgb": mean}, ("a",), experiment=e)],
        experiments={name: {"title": "Seeds varied"} for name in experiments},
        models={name: {"title": "Boosting"} for name in ("rf", "xgb")},
    )  # fmt: skip
    magic = about(("magic",)).datasets["magic"]
    study = replace(study, info=replaced(study.info, datasets={"a": magic, "b": magic}))
    data = ExhibitData(None, study.metrics, study.info)
    assert data.model("rf") == "Boosting (rf)"
    assert data.dataset("b") == "Magic (b)"
    shown = study.show("spread_table", {"experiments": list(experiments)}).shown
    medians = [float(shown[f"Seeds varied ({e})", "Median"][0]) for e in experiments]
    assert medians == pytest.approx([0.8, 0.9], abs=0.01)
    arms = {"arms": {"one": "Same", "two": "Same"}}
    data = ExhibitData(None, study.metrics, replaced(study.info, experiments={"e": arms}))
    assert arm_title(data, "two", "e") == "Same (two)"
