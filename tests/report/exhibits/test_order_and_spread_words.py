"""What the order of models and the spread of scores are said to be, and to how many digits."""

import numpy as np
import pandas as pd
import pytest
from reseed.report.rendering.numbers import fixed, interval, interval_decimals
from study_frames import Study, runs, trial
from text_of import text_of

SEEDS = {"experiments": ["model_seeds"]}
MSE = {"metric": "mse", "datasets": ("bike_sharing",)}
#: No single run reverses their order; the seeds of the second are not those of the first.
OTHER_SEEDS = [
    trial(0.8 + 0.01 * s + 0.005 * (m == "xgb"), seed=s + 100 * (m == "xgb"), data_seed=s,
          dataset="magic", metric="auc", model=m)
    for m in ("rf", "xgb") for s in range(6)
]  # fmt: skip


def test_scores_in_the_hundreds_show_no_unmeasured_decimals():
    rows = runs({"rf": 300.0, "xgb": 260.0}, sd=20.0, **MSE)
    table = Study.of(rows).show("interval_table", SEEDS)
    median = pd.DataFrame(rows).groupby("model")["mse"].median()
    message = [cell.partition(" ")[0] for cell in table.shown["Median"]]
    assert message == [f"{median[model]:.1f}" for model in ("rf", "xgb")]


def test_spreads_of_few_seeds_are_no_dashes(snapshot):
    """With two seeds there is no spread; with three, none of their statistics is a dash alone."""
    two, three = (
        Study.of(runs({"rf": 0.8, "xgb": 0.81}, n=n)).show("interval_table", SEEDS) for n in (2, 3)
    )
    assert not (three.shown == "–").all().any()
    assert text_of(two, three) == snapshot


@pytest.mark.parametrize("rows", [runs({"rf": 0.8, "xgb": 0.9}), OTHER_SEEDS])
def test_no_reversal_is_stated_without_a_share(rows):
    drawn = Study.of(rows).show("ranking_figure")
    assert drawn.headline == "No single run reverses the order of a pair of models"


@pytest.mark.parametrize("size", [5.1e-7, 2e-5, 0.9, 41.0, 52_000.0, 3e9])
@pytest.mark.parametrize("share", [0.3, 0.01, 1e-4])
def test_printed_scores_equal_the_measured_ones(size, share):
    """Read back, every score is itself within a few hundredths of the SD, whatever its size."""
    rows = runs({"rf": size, "xgb": size + 2 * size * share}, sd=size * share, **MSE)
    study = Study.of(rows)
    table = study.show("leaderboard_table")
    scores = pd.DataFrame(rows).groupby("model")["mse"]
    for column, expected in (("Mean MSE ↓", scores.mean()), ("SD", scores.std()),
                             ("Lowest", scores.min()), ("Highest", scores.max())):  # fmt: skip
        read = table.shown[column].astype(float).to_numpy()
        titles = [study.info.models[name].title for name in expected.index]
        wanted = expected.set_axis(titles)[table.shown["Model"]].to_numpy()
        assert np.abs(read - wanted).max() <= 0.06 * scores.std().min()


def test_a_negative_bound_is_not_printed_as_zero():
    low_high = [(-0.01, 2.01), (0.3, 1.9)]
    assert interval_decimals(low_high) == 2
    assert interval(*low_high[0], 2) == "[-0.01, 2.01]"
    assert (fixed(-0.004, 1), fixed(-0.0, 2)) == ("0.0", "0.00")


def test_reversals_of_shown_differences_are_told_from_others():
    """Two models far apart, and one that shares the place of the first: only those swap."""
    study = Study.of(runs({"rf": 0.8, "xgb": 0.9, "gbm": 0.8}, n=12, sd=0.01, rng=1))
    data, drawn = study.data("ranking_figure"), study.show("ranking_figure")
    table = data.statistics
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
