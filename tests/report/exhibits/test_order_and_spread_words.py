"""What the spread of scores is said to be, and to how many digits."""

import numpy as np
import pandas as pd
import pytest
from reseed.report.rendering.numbers import fixed, interval, interval_decimals
from study_frames import Study, runs
from text_of import text_of

SEEDS = {"experiments": ["model_seeds"]}
MSE = {"metric": "mse", "datasets": ("bike_sharing",)}


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


@pytest.mark.parametrize("size", [5.1e-7, 2e-5, 0.9, 41.0, 52_000.0, 3e9])
@pytest.mark.parametrize("share", [0.3, 0.01, 1e-4])
def test_printed_scores_equal_the_measured_ones(size, share):
    """Read back, every score is itself within a few hundredths of the SD, whatever its size."""
    rows = runs({"rf": size, "xgb": size + 2 * size * share}, sd=size * share, **MSE)
    study = Study.of(rows)
    table = study.show("leaderboard_table")
    scores = pd.DataFrame(rows).groupby("model")["mse"]
    for column, expected in (("Mean MSE ↓", scores.mean()), ("SD", scores.std())):
        read = table.shown[column].astype(float).to_numpy()
        titles = [study.info.models[name].title for name in expected.index]
        wanted = expected.set_axis(titles)[table.shown["Model"]].to_numpy()
        assert np.abs(read - wanted).max() <= 0.06 * scores.std().min()


def test_a_negative_bound_is_not_printed_as_zero():
    low_high = [(-0.01, 2.01), (0.3, 1.9)]
    assert interval_decimals(low_high) == 2
    assert interval(*low_high[0], 2) == "[-0.01, 2.01]"
    assert (fixed(-0.004, 1), fixed(-0.0, 2)) == ("0.0", "0.00")
