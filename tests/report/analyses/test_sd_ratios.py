"""Ratios of SDs over seeds: the analysis, its table and its claim."""

import pytest
from curve_frames import data_of, seeds
from reseed.comparison.claims.evidence import judge
from reseed.core.statement import Statement
from reseed.report.analyses import sd_ratios
from reseed.report.exhibits import sd_ratios_table
from reseed.report.rendering.data import ExhibitData
from run_kinds import draw, run_analysis
from study_frames import about

NARROWER = Statement("Pretrained networks vary less", "sd_ratio", below=1)


def study(sd, n=24, others=("pretrained",)):
    """Scores of an arm trained from scratch, and of others whose SD is `sd` times as large."""
    rows = seeds(24, "scratch", sd=0.01)[0]
    for i, arm in enumerate(others):
        rows += seeds(n, arm, sd=sd * 0.01, seed=i + 1)[0]
    return data_of(rows, facts=about(("magic",)))


def table_of(data, **options):
    rows = run_analysis(sd_ratios, data, baselines=["scratch"], **options)
    return draw(sd_ratios_table, ExhibitData(rows, data.metrics, data.info, "k", "T"))


@pytest.mark.parametrize(
    ("sd", "verdict"), [(0.2, "supported"), (1, "not yet"), (4, "contradicted")]
)
def test_a_ratio_of_sds_answers_a_statement(sd, verdict):
    (claim,) = table_of(study(sd)).claims
    assert judge(NARROWER, [claim]).verdict == verdict
    assert ("power 80 % against a ratio of" in claim.limits) == (verdict == "not yet")


def test_the_ratio_is_that_of_the_sds():
    data = study(2)
    sds = data.metrics.groupby("arm")["auc"].std(ddof=1)
    row = run_analysis(sd_ratios, data, baselines=["scratch"]).iloc[0]
    assert row["ratio"] == pytest.approx(sds["pretrained"] / sds["scratch"])
    assert (row["n"], row["n_baseline"], row["same_data"]) == (24, 24, True)


def test_other_data_and_left_out_arms_are_named():
    rows = seeds(24, "scratch")[0] + seeds(24, "a", dataset="home_mortgage_sim")[0]
    rows += seeds(3, "b")[0]
    table = table_of(data_of(rows, facts=about(("magic", "home_mortgage_sim"))))
    assert "differ in data and test set" in table.footnote
    assert table.findings[0].endswith(" Data and test sets of a pair differ, too.")
    assert "Left out: " in table.footnote
    assert len(table.shown) == 1
    few = run_analysis(sd_ratios, study(1, n=3), baselines=["scratch"]).iloc[0]
    assert few["reason"] == "3 seeds are too few, 5 are needed"


def test_many_pairs_are_counted():
    table = table_of(study(0.2, others=tuple("abcde")))
    assert table.headline == (
        "SD of AUC over seeds: smaller in all 5 pairs, greater in none of the 5 pairs"
    )
    assert table.sections[0].endswith(", AUC")
    assert table.shown["SD"].map(len).nunique() == 1  # equal digits in a section
    assert table.findings[0].endswith(" (5 pairs, 24 seeds each).")  # and no intervals


def test_an_unknown_baseline_is_named():
    (row,) = run_analysis(sd_ratios, study(1), baselines=["scatch"], arms=["pretrained"]).iloc
    assert row["reason"] == "there is no arm 'scatch'. Did you mean 'scratch'?"
    data = study(0.2)
    rows = run_analysis(sd_ratios, data, baselines=["scratch", "no"], same_data=True)
    table = draw(sd_ratios_table, ExhibitData(rows, data.metrics, data.info, "k", "T"))
    assert "Left out: there is no arm 'no'." in table.footnote
    assert len(table.shown) == 1


def test_without_another_arm_there_is_nothing_to_show():
    assert table_of(data_of(seeds(9, "scratch")[0])).empty
    equal = [row | {"auc": 0.5} for row in seeds(9, "a")[0]]
    assert "No SD ratio" in table_of(data_of(equal + seeds(9, "scratch")[0])).empty


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
