"""Verdicts and pairs of studies that are not one metric, one dataset a name and many runs."""

import numpy as np
import pytest
from reseed.analyses import pairs
from reseed.analyses.data import Data
from reseed.exhibits import pairs_figure, pairs_table, verdicts_table
from reseed.rendering.data import ExhibitData
from study_frames import about, frame, trial

BOTH = (verdicts_table.table, pairs_table.table)
SIX = tuple(f"magic~rows={i}00" for i in range(1, 7))


def exhibit(rows, facts, **options):
    metrics = frame(rows)
    found = pairs.analyse(Data(metrics, facts), {"n_boot": 50} | options)
    return ExhibitData(found, metrics, facts, title="T")


def splits(means, datasets=("magic",), n=6, noise=0.002, **place):
    """Trials of {model: mean} on shared splits of each dataset."""
    rng = np.random.default_rng(0)
    place = {"metric": "auc", "experiment": "data_seeds", "varied": "data"} | place
    return [
        trial(mean + 0.01 * s + rng.normal(0, noise), data_seed=s, dataset=d, model=m, **place)
        for d in datasets
        for s in range(n)
        for m, mean in means.items()
    ]


@pytest.mark.parametrize("table", BOTH)
def test_differences_of_single_runs_are_not_all_nought(table):
    scores = {"rf": 0.0412, "xgb": 0.0131, "ffnn": 0.0149}
    rows = [trial(score, model=m) for m, score in scores.items()]
    made = table(exhibit(rows, about(("bike_sharing",))), {})
    shown = dict(zip(made.shown["Pair"], made.shown["Difference"], strict=True))
    assert shown == {"XGB – RF": "0.0281", "FFNN – RF": "0.0263", "XGB – FFNN": "0.0018"}


@pytest.mark.parametrize("table", BOTH)
def test_a_difference_over_datasets_has_its_unit(table):
    """Two models on six datasets of one metric: signed ranks of differences, in points."""
    data = exhibit(splits({"rf": 0.8, "xgb": 0.82}, SIX), about(SIX, ("rf", "xgb")))
    made = table(data, {})
    assert made.sections[-1] == "All datasets, points of AUC"
    assert made.shown["Difference"].iloc[-1].startswith("2.")


@pytest.mark.parametrize("table", BOTH)
def test_a_sign_test_has_no_size(table):
    """AUC and MSE have no unit in common: who is ahead is counted, not by how much."""
    datasets = (*SIX[:3], *(f"bike_sharing~rows={i}00" for i in range(1, 4)))
    rows = splits({"rf": 0.8, "xgb": 0.82}, SIX[:3])
    rows += splits({"rf": 0.4, "xgb": 0.2}, datasets[3:], metric="mse")
    made = table(exhibit(rows, about(datasets, ("rf", "xgb"))), {})
    assert made.sections[-1] == "All datasets"
    assert made.shown["Difference"].iloc[-1] == "–"


def test_only_a_test_of_ranks_is_told_as_one():
    two = verdicts_table.table(
        exhibit(splits({"rf": 0.8, "xgb": 0.82}, SIX), about(SIX, ("rf", "xgb"))), {}
    )
    assert two.findings[1] == "Over 6 datasets a difference is shown for 1 of 1 pair."
    three = {"rf": 0.8, "xgb": 0.82, "ffnn": 0.84}
    ranked = verdicts_table.table(exhibit(splits(three, SIX), about(SIX)), {})
    assert "a difference of average ranks is shown" in ranked.findings[1]


def test_test_ratios_are_settings_of_one_dataset():
    rows = [
        row
        for ratio in (0.1, 0.4)
        for row in splits({"rf": 0.8, "xgb": 0.82}, scheme=f"holdout-{ratio}", test_ratio=ratio)
    ]
    table = verdicts_table.table(exhibit(rows, about(("magic",), ("rf", "xgb"))), {})
    assert table.findings[0].startswith("The best mean score on 2 settings: XGB on 2;")
    assert "adjusted over the pairs of a section" in table.definitions[0]
    drawn = pairs_figure.figure(exhibit(rows, about(("magic",), ("rf", "xgb"))), {})[1]
    assert "adjusted over the pairs of a panel" in drawn.definitions[0]


def test_who_shares_the_best_mean_is_named_with_the_other():
    rows = splits({"rf": 0.8, "xgb": 0.8, "ffnn": 0.7}, noise=0)
    table = verdicts_table.table(exhibit(rows, about(("magic",))), {})
    assert table.findings[0].startswith("The best mean score on 1 dataset: RF and XGB (tied) on 1;")


@pytest.mark.parametrize(("family", "told"), [("dataset", "pairs of a dataset"),
                                              ("study", "all pairs of the study")])  # fmt: skip
def test_what_is_adjusted_over_is_what_was_configured(family, told):
    data = exhibit(
        splits({"rf": 0.8, "xgb": 0.82}), about(("magic",), ("rf", "xgb")), family=family
    )
    assert told in verdicts_table.table(data, {}).definitions[0]
    assert told in pairs_figure.figure(data, {})[1].definitions[0]


def test_arms_go_by_their_titles():
    facts = about(("magic",), ("rf",))
    arms = {"rf:small": "Small forest", "rf:large": "Large forest"}
    facts["experiments"]["data_seeds"]["arms"] = arms
    means = dict(zip(arms, (0.8, 0.9), strict=True))
    rows = [row | {"model": "rf", "arm": row["model"]} for row in splits(means)]
    data = exhibit(rows, facts)
    verdicts, (_, drawn) = verdicts_table.table(data, {}), pairs_figure.figure(data, {})
    assert verdicts.shown["Pair"].tolist() == ["Large forest – Small forest"]
    assert drawn.headline == "Large forest is shown to be better than Small forest"
    assert "rf:" not in " ".join([*verdicts.findings, *verdicts.details])
