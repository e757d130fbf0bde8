"""Verdicts and pairs of studies that are not one metric, one dataset a name and many runs."""

import re
from dataclasses import replace

import numpy as np
import pytest
from reseed.report.analyses import pairs, seeds_needed
from reseed.report.analyses.shared.data import Data
from reseed.report.exhibits import pairs_figure, pairs_table, seeds_figure, verdicts_table
from reseed.report.rendering.data import ExhibitData
from reseed.report.rendering.table_files import markdown
from run_kinds import claims_of, draw, run_analysis
from study_frames import about, amended, frame, trial

BOTH = (verdicts_table, pairs_table)
SIX = tuple(f"magic~rows={i}00" for i in range(1, 7))
SEVEN = (*SIX, "magic~rows=700")


def exhibit(rows, facts, **options):
    metrics = frame(rows)
    found = run_analysis(pairs, Data(metrics, facts), {"n_boot": 50} | options)
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
def test_differences_of_single_runs_keep_their_digits(table):
    scores = {"rf": 0.0412, "xgb": 0.0131, "ffnn": 0.0149}
    rows = [trial(score, model=m) for m, score in scores.items()]
    made = draw(table, exhibit(rows, about(("bike_sharing",))), {})
    shown = dict(zip(made.shown["Pair"], made.shown["Difference"], strict=True))
    assert shown == {"XGB – RF": "0.0281", "FFNN – RF": "0.0263", "XGB – FFNN": "0.0018"}


@pytest.mark.parametrize("table", BOTH)
def test_a_difference_over_datasets_has_its_unit(table):
    """Two models on six datasets of one metric: signed ranks of differences, in points."""
    data = exhibit(splits({"rf": 0.8, "xgb": 0.82}, SIX), about(SIX, ("rf", "xgb")))
    made = draw(table, data, {})
    at = 0 if table is verdicts_table else -1  # verdicts over datasets lead
    assert made.sections[at] == "All datasets, points of AUC"
    assert made.shown["Difference"].iloc[at].startswith("2.")


@pytest.mark.parametrize("table", BOTH)
def test_a_sign_test_has_no_difference(table):
    """AUC and MSE have no unit in common: who is ahead is counted, not by how much."""
    datasets = (*SIX[:3], *(f"bike_sharing~rows={i}00" for i in range(1, 4)))
    rows = splits({"rf": 0.8, "xgb": 0.82}, SIX[:3])
    rows += splits({"rf": 0.4, "xgb": 0.2}, datasets[3:], metric="mse")
    made = draw(table, exhibit(rows, about(datasets, ("rf", "xgb"))), {})
    at = 0 if table is verdicts_table else -1
    assert made.sections[at] == "All datasets"
    assert made.shown["Difference"].iloc[at] == "–"


def test_pairs_shown_over_datasets_are_counted():
    three = {"rf": 0.8, "xgb": 0.82, "ffnn": 0.84}
    drawn = draw(verdicts_table, exhibit(splits(three, SIX), about(SIX)), {})
    shown = claims_of(drawn)["shown_over_datasets"]
    assert shown == "Over 6 datasets a difference is shown for all 3 pairs."


def test_notes_of_all_verdicts_are_said_once():
    table = draw(verdicts_table, exhibit(splits({"rf": 0.8, "xgb": 0.82}, SIX), about(SIX)), {})
    note = "Corrected resampled t test, paired over 6 splits."
    assert note in table.definitions
    assert not any(note in sentence for sentence in table.details)


def test_test_ratios_are_settings_of_one_dataset():
    rows = [
        row
        for ratio in (0.1, 0.4)
        for row in splits({"rf": 0.8, "xgb": 0.82}, scheme=f"holdout-{ratio}", test_ratio=ratio)
    ]
    table = draw(verdicts_table, exhibit(rows, about(("magic",), ("rf", "xgb"))), {})
    assert table.findings[0].startswith("The best mean score on 2 settings: XGB on 2;")
    assert "adjusted over the pairs of a section" in table.definitions[0]
    drawn = draw(pairs_figure, exhibit(rows, about(("magic",), ("rf", "xgb"))), {})[1]
    assert "in both directions over the pairs of a panel" in drawn.definitions[0]


def test_models_that_share_the_best_mean_are_both_named():
    rows = splits({"rf": 0.8, "xgb": 0.8, "ffnn": 0.7}, noise=0)
    table = draw(verdicts_table, exhibit(rows, about(("magic",))), {})
    assert table.findings[0] == "RF and XGB share the best mean score (6 splits a pair)."


@pytest.mark.parametrize(("family", "message"), [("dataset", "pairs of a dataset"),
                                              ("study", "all pairs of the study")])  # fmt: skip
def test_the_stated_family_is_the_configured_one(family, message):
    data = exhibit(
        splits({"rf": 0.8, "xgb": 0.82}), about(("magic",), ("rf", "xgb")), family=family
    )
    assert message in draw(verdicts_table, data, {}).definitions[0]
    assert message in draw(pairs_figure, data, {})[1].definitions[0]


def test_arms_go_by_their_titles():
    facts = about(("magic",), ("rf",))
    arms = {"rf:small": "Small forest", "rf:large": "Large forest"}
    facts = amended(facts, experiments={"data_seeds": {"arms": arms}})
    means = dict(zip(arms, (0.8, 0.9), strict=True))
    rows = [row | {"model": "rf", "arm": row["model"]} for row in splits(means)]
    data = exhibit(rows, facts)
    verdicts, (_, drawn) = draw(verdicts_table, data, {}), draw(pairs_figure, data, {})
    assert verdicts.shown["Pair"].tolist() == ["Large forest – Small forest"]
    assert drawn.headline == "Large forest is shown to be better than Small forest"
    assert "rf:" not in " ".join([*verdicts.findings, *verdicts.details])


def test_one_dataset_names_the_best_and_the_next_model():
    data = exhibit(splits({"rf": 0.8, "xgb": 0.9, "ffnn": 0.7}), about(("magic",)))
    assert draw(verdicts_table, data, {}).findings[0] == (
        "XGB has the best mean score; that it beats the next, RF, is shown (6 splits a pair)."
    )


def test_tables_of_one_analysis_count_the_same_pairs():
    """FFNN failed on one of two datasets: two of six pairs are compared by nobody."""
    rows = splits({"rf": 0.8, "xgb": 0.9, "ffnn": 0.7}, SIX[:2])
    for row in rows:
        if row["model"] == "ffnn" and row["dataset"] == SIX[1]:
            row |= {"status": "failed", "auc": np.nan}
    data = exhibit(rows, about(SIX[:2]))
    assert (data.statistics["outcome"] == "difference").sum() == 4
    texts = [t.headline for t in (draw(verdicts_table, data, {}), draw(pairs_table, data, {}))]
    assert all(text.startswith("A difference is shown for 4 of the 6 pairs") for text in texts)


@pytest.mark.parametrize(
    ("models", "said"),
    [
        ({"rf": 0.8, "xgb": 0.9}, "A difference is shown for the only pair ({})"),
        (
            {"rf": 0.8, "xgb": 0.9, "ffnn": 0.7},
            "A difference is shown for all 3 pairs (2 of them {})",
        ),
    ],
)
def test_headlines_say_that_a_few_runs_lie_far_away(models, said):
    """One run of the forest collapses: differences to it rest on that run."""
    rng = np.random.default_rng(0)
    rows = [
        trial(
            mean + rng.normal(0, 0.002) - 0.05 * ((model, seed) == ("rf", 3)),
            seed=seed,
            dataset="magic",
            model=model,
            metric="auc",
        )
        for seed in range(20)
        for model, mean in models.items()
    ]
    drawn = draw(pairs_table, exhibit(rows, about(("magic",), tuple(models))), {})
    assert drawn.headline == said.format("with a few runs far from the others")


def test_constant_differences_have_no_p_value():
    data = exhibit(splits({"rf": 0.8, "xgb": 0.85}, noise=0), about(("magic",), ("rf", "xgb")))
    assert draw(pairs_table, data, {}).shown["p"].tolist() == ["–"]


def test_sentences_below_a_table_name_their_dataset():
    """As text they stand below all rows: `XGB beats RF` alone may be of either dataset."""
    data = exhibit(splits({"rf": 0.8, "xgb": 0.82}, SIX[:2]), about(SIX[:2], ("rf", "xgb")))
    lines = markdown(draw(verdicts_table, data, {})).splitlines()
    message = [line.partition(": XGB beats RF")[0] for line in lines if "XGB beats RF" in line]
    assert message == [f"- Magic, {n}00 rows, points of AUC" for n in (1, 2)]


def test_one_pair_is_described_by_its_runs():
    data = exhibit(splits({"rf": 0.8, "xgb": 0.803}), about(("magic",), ("rf", "xgb")))
    found = run_analysis(seeds_needed, Data(data.metrics, data.info), {})
    _, drawn = draw(seeds_figure, replace(data, statistics=found), {})
    said = r"To show the observed difference takes [\d,]+ runs; 6 splits are available\."
    assert re.fullmatch(said, claims_of(drawn)["enough_runs"])


def test_untested_pair_does_not_hide_tested_pairs():
    """Two models lack a dataset each: their pair has five left of seven, the others six."""
    lacks = {"rf": SEVEN[0], "ffnn": SEVEN[1]}
    rows = [row for row in splits({"rf": 0.8, "xgb": 0.82, "ffnn": 0.84}, SEVEN)
            if lacks.get(row["model"]) != row["dataset"]]  # fmt: skip
    table = draw(verdicts_table, exhibit(rows, about(SEVEN)), {})
    assert "Nothing is tested" not in table.footnote
    assert "Not tested over datasets: 1 pair with comparable runs on 5 or fewer" in table.footnote
    over = claims_of(table)["shown_over_datasets"]
    assert over == "Over 6 datasets a difference is shown for both pairs."


def test_a_plan_needs_runs():
    rows = [row for row in splits({"rf": 0.8, "xgb": 0.803}) if row["data_seed"] < 4]
    data = exhibit(rows, about(("magic",), ("rf", "xgb")))
    found = run_analysis(seeds_needed, Data(data.metrics, data.info), {})
    _, drawn = draw(seeds_figure, replace(data, statistics=found), {})
    assert drawn.empty == "Not drawn, fewer than 5 runs: Magic · XGB – RF (4)."
