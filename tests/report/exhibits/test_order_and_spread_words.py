"""What the order of models and the spread of scores are said to be, and to how many digits."""

import numpy as np
import pandas as pd
import pytest
from reseed.report.analyses import pairs, ranking, spread
from reseed.report.analyses.shared.data import Data
from reseed.report.exhibits import interval_table, leaderboard_table, ranking_figure
from reseed.report.rendering.data import ExhibitData
from reseed.report.rendering.numbers import fixed, interval, interval_decimals
from run_kinds import draw, run_analysis
from study_frames import about, frame, trial
from test_unusual_study_tables import GAINS, seeds, shown


def test_scores_in_the_hundreds_show_no_unmeasured_decimals():
    rows = seeds({"rf": 0.0, "xgb": -40.0}, base=300.0, sd=20.0, metric="mse",
                 dataset="bike_sharing")  # fmt: skip
    facts = about(("bike_sharing",), tuple(GAINS))
    table = shown(interval_table, spread, frame(rows), facts, {"experiments": ["model_seeds"]})
    median = pd.DataFrame(rows).groupby("model")["mse"].median()
    message = [cell.partition(" ")[0] for cell in table.shown["Median"]]
    assert message == [f"{median[model]:.1f}" for model in GAINS]


def test_spreads_of_few_seeds_are_no_dashes():
    """With two seeds there is no spread; with three, none of their statistics is a dash alone."""
    facts, options = about(("magic",), tuple(GAINS)), {"experiments": ["model_seeds"]}
    empty = shown(interval_table, spread, frame(seeds(n=2)), facts, options).empty
    assert empty == "A spread needs 3 seeds, and every setting has at most 2."
    table = shown(interval_table, spread, frame(seeds(n=3)), facts, options).shown
    assert {"Median", "Range", "SD"} <= set(table.columns)
    assert not (table == "–").all().any()


def test_no_reversal_is_stated_without_a_share():
    data = frame(seeds({"rf": 0.0, "xgb": 0.1}))
    facts = about(("magic",), tuple(GAINS))
    table = run_analysis(ranking, Data(data, facts), {})
    _, drawn = draw(ranking_figure, ExhibitData(table, data, facts, "k", "T"), {})
    assert drawn.headline == "No single run reverses the order of a pair of models"


def test_models_with_other_seeds_are_ordered_on_each_split():
    rows = [
        trial(0.8 + 0.01 * s + 0.005 * (m == "xgb"), seed=s + 100 * (m == "xgb"), data_seed=s,
              dataset="magic", metric="auc", model=m) for m in GAINS for s in range(6)
    ]  # fmt: skip
    data, facts = frame(rows), about(("magic",), tuple(GAINS))
    table = run_analysis(ranking, Data(data, facts), {})
    _, drawn = draw(ranking_figure, ExhibitData(table, data, facts, "k", "T"), {})
    assert drawn.headline == "No single run reverses the order of a pair of models"


@pytest.mark.parametrize("size", [5.1e-7, 2e-5, 0.9, 41.0, 52_000.0, 3e9])
@pytest.mark.parametrize("share", [0.3, 0.01, 1e-4])
def test_printed_scores_equal_the_measured_ones(size, share):
    """Read back, every score is itself within a few hundredths of the SD, whatever its size."""
    rows = seeds({"rf": 0, "xgb": 2 * size * share}, base=size, sd=size * share, metric="mse",
                 dataset="bike_sharing")  # fmt: skip
    facts = about(("bike_sharing",), tuple(GAINS))
    table = shown(leaderboard_table, pairs, frame(rows), facts)
    scores = pd.DataFrame(rows).groupby("model")["mse"]
    for column, expected in (("Mean MSE ↓", scores.mean()), ("SD", scores.std()),
                             ("Lowest", scores.min()), ("Highest", scores.max())):  # fmt: skip
        read = table.shown[column].astype(float).to_numpy()
        titles = [facts.models[name].title for name in expected.index]
        wanted = expected.set_axis(titles)[table.shown["Model"]].to_numpy()
        assert np.abs(read - wanted).max() <= 0.06 * scores.std().min()


def test_a_negative_bound_is_not_printed_as_zero():
    low_high = [(-0.01, 2.01), (0.3, 1.9)]
    assert interval_decimals(low_high) == 2
    assert interval(*low_high[0], 2) == "[-0.01, 2.01]"
    assert fixed(-0.004, 1) == "0.0"
    assert fixed(-0.0, 2) == "0.00"


def test_reversals_of_shown_differences_are_told_from_others():
    """Two models far apart, and one that shares the place of the first: only those swap."""
    models = ("rf", "xgb", "gbm")
    rng = np.random.default_rng(1)
    rows = [
        trial(0.8 + gain + rng.normal(0, 0.01), seed=s, dataset="magic", metric="auc", model=model)
        for model, gain in zip(models, (0.0, 0.1, 0.0), strict=True)
        for s in range(12)
    ]  # fmt: skip
    data, facts = frame(rows), about(("magic",), models)
    table = run_analysis(ranking, Data(data, facts), {})
    _, drawn = draw(ranking_figure, ExhibitData(table, data, facts, "k", "T"), {})
    own = table[(table["statistic"] == "reversal") & (table["m"] == 1)].set_index(
        ["model_a", "model_b"]
    )
    swapped = own.loc[("rf", "gbm"), "value"]
    assert swapped > 0.2
    assert own.drop(index=("rf", "gbm"))["value"].max() == 0
    assert drawn.headline == (
        "No single run reverses a shown difference; other pairs are reversed in up to"
        f" {100 * swapped:.0f} %"
    )
    said = {claim.name: claim.text for claim in drawn.claims}["order_by_pair"]
    assert said.startswith("A difference is shown for 2 of the 3 pairs (adjusted, 12 runs each).")
    assert f"otherwise in {100 * swapped:.0f} % of cases" in said
