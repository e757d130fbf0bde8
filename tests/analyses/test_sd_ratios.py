"""Ratios of SDs over seeds: the analysis, its table, and statements on their average."""

import numpy as np
import pytest
from curve_frames import data_of, seeds
from reseed.analyses import sd_ratios
from reseed.core.statement import Statement
from reseed.report.rendering.data import ExhibitData
from reseed.report.rendering.judged import judge_statement
from reseed.verdicts.averages import MeanLogRatio
from run_kinds import draw, run_analysis, table_options
from study_frames import about


def study(sd, n=24, others=("pretrained",)):
    """Scores of an arm trained from scratch, and of others whose SD is `sd` times as large."""
    rows = seeds(24, "scratch", sd=0.01)[0]
    for i, arm in enumerate(others):
        rows += seeds(n, arm, sd=sd * 0.01, seed=i + 1)[0]
    return data_of(rows, facts=about(("magic",)))


def table_of(data, **options):
    rows = run_analysis(sd_ratios, data, baselines=["scratch"], **options)
    return draw("table", ExhibitData(rows, data.metrics, data.info, "k", "T"), OPTIONS)


OPTIONS = table_options("inherent_randomness", "networks_against_trees")
NARROWER = Statement(
    text="Pretrained networks vary less", exhibit="ratios", value="ratio", scale="log",
    title="ratio of SDs", below=1, pooled=True,
)  # fmt: skip


@pytest.mark.parametrize(
    ("sd", "verdict"), [(0.2, "supported"), (1, "not yet"), (4, "contradicted")]
)
def test_statements_are_judged_by_the_scores(sd, verdict):
    """The interval is not that of the row, but of the mean log ratio of the trials' SDs."""
    data = study(sd)
    rows = run_analysis(sd_ratios, data, baselines=["scratch"])
    evidence = judge_statement(ExhibitData(rows, data.metrics, data.info), NARROWER)
    assert evidence.verdict == verdict
    scores = data.metrics.groupby("arm")["auc"].apply(list)
    cells = [
        ("magic/holdout-0.2", "model", [str(i) for i in range(24)], np.array(scores[arm]))
        for arm in ("pretrained", "scratch")
    ]
    expected = MeanLogRatio(cells, [(0, 1)]).interval([0], 0.95)
    found = evidence.average
    assert (found.value, found.low, found.high) == pytest.approx(expected)
    assert (evidence.n, evidence.settings) == ("24 seeds", ())
    few = judge_statement(ExhibitData(rows, data.metrics.iloc[:3], data.info), NARROWER)
    assert few.average.low == pytest.approx(
        rows["ratio_low"].item()
    )  # without scores that of the row


@pytest.mark.parametrize(
    ("needs", "reason"),
    [
        ({"dataset": ["magic"], "hyperparameters": ["default"], "device": ["gpu"]}, ""),
        ({"dataset": ["bike_sharing"]}, "dataset magic"),
        ({"hyperparameters": ["fixed", "tuned"]}, "hyperparameters default"),
        ({"n_estimators": {"rf": 400}}, "n_estimators 60, not 400"),
        ({"n_estimators": {"gbm": 400}}, ""),
        ({"rows": {"magic": 19000}, "epochs": {"rf": 5}}, "rows 10, not 19000; epochs None, not 5"),
    ],
)
def test_a_setting_votes_if_it_is_the_papers_own(needs, reason):
    data = study(0.2)
    rows = run_analysis(sd_ratios, data, baselines=["scratch"])
    trials = data.metrics.assign(
        hyperparameters='{"n_estimators": 60}', hyperparameters_source="default", environment="e"
    )
    datasets = {"magic": data.info.datasets["magic"].model_copy(update={"rows": 10})}
    info = data.info.model_copy(update={"datasets": datasets})
    statement = NARROWER.model_copy(update={"needs": needs})
    found = judge_statement(ExhibitData(rows, trials, info), statement)
    assert (found.verdict, found.reason) == ("not comparable" if reason else "supported", reason)


def test_the_ratio_is_that_of_the_sds():
    data = study(2)
    sds = data.metrics.groupby("arm")["auc"].std(ddof=1)
    row = run_analysis(sd_ratios, data, baselines=["scratch"]).iloc[0]
    assert row["ratio"] == pytest.approx(sds["pretrained"] / sds["scratch"])
    assert (row["n"], row["n_baseline"], row["same_data"]) == (24, 24, True)


def test_left_out_arms_are_named():
    rows = seeds(24, "scratch")[0] + seeds(24, "a", dataset="home_mortgage_sim")[0]
    rows += seeds(3, "b")[0]
    table = table_of(data_of(rows, facts=about(("magic", "home_mortgage_sim"))))
    assert "Left out: " in table.footnote
    assert len(table.shown) == 1
    few = run_analysis(sd_ratios, study(1, n=3), baselines=["scratch"]).iloc[0]
    assert few["reason"] == "3 seeds are too few, 5 are needed"


def test_many_pairs_are_counted():
    table = table_of(study(0.2, others=tuple("abcde")))
    assert table.sections[0].endswith(", AUC")
    assert table.shown["SD"].map(len).nunique() == 1  # equal digits in a section


def test_an_unknown_baseline_is_named():
    (row,) = run_analysis(sd_ratios, study(1), baselines=["scatch"], arms=["pretrained"]).iloc
    assert row["reason"] == "there is no arm 'scatch'. Did you mean 'scratch'?"
    data = study(0.2)
    rows = run_analysis(sd_ratios, data, baselines=["scratch", "no"], same_data=True)
    table = draw("table", ExhibitData(rows, data.metrics, data.info, "k", "T"), OPTIONS)
    assert "Left out: there is no arm 'no'." in table.footnote
    assert len(table.shown) == 1


def test_without_another_arm_there_is_nothing_to_show():
    assert table_of(data_of(seeds(9, "scratch")[0])).empty
    equal = [row | {"auc": 0.5} for row in seeds(9, "a")[0]]
    assert (
        "all values of a sample are equal"
        in table_of(data_of(equal + seeds(9, "scratch")[0])).empty
    )


def test_variants_of_models_are_compared_on_the_same_data_only():
    rows = [
        row | {"arm": model, "model": model, "dataset": dataset}
        for i, (dataset, model) in enumerate(
            (d, m) for d in ("magic", "home_mortgage_sim") for m in ("ffnn~5399a9f2", "rf~81d6a0db")
        )
        for row in seeds(8, model, sd=0.01, seed=i)[0]
    ]  # fmt: skip
    data = data_of(rows, facts=about(("magic", "home_mortgage_sim")))
    options = {"baselines": ["rf"], "arms": ["ffnn"]}
    assert len(run_analysis(sd_ratios, data, **options)) == 4
    found = run_analysis(sd_ratios, data, same_data=True, **options)
    assert list(found["arm"]) == ["ffnn~5399a9f2"] * 2
    assert (found["dataset"] == found["baseline_dataset"]).all()
