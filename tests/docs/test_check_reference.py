"""Trials of reference results that are trained again: which, and what counts as different."""

from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from check_reference import ROOT, Difference, compare, draw
from reseed.trials.trial_records import TrialRecord

RESULTS = Path("build/other")


@pytest.fixture(scope="module")
def rows():
    return pd.read_parquet(ROOT / "results/reference/protocol/trials.parquet")


def test_trials_of_different_settings_are_drawn_first(rows):
    drawn = draw("protocol", rows, 7, RESULTS)
    assert len({one.path for one in drawn}) == 7
    assert len({tuple(one.row[["dataset", "model"]]) for one in drawn}) >= 6
    assert {one.path.parts[:3] for one in drawn} == {("build", "other", "trials")}
    digits = next(one for one in drawn if one.row["dataset"] == "digits")
    assert digits.path.parts[-2].startswith(f"fold-{digits.row['fold']:.0f}")


def test_a_difference_is_in_sds_over_the_runs_of_the_model(rows):
    [one] = draw("protocol", rows, 1, RESULTS)
    row = one.row
    metrics = {"accuracy": row["accuracy"], "brier": row["brier"]}
    record = TrialRecord("k", {}, "{}", "ok", "e", "c", metrics=metrics)
    assert compare(one, replace(record, fingerprint=row["fingerprint"])) == Difference(True, 0.0)
    of_model = rows[(rows["dataset"] == row["dataset"]) & (rows["model"] == row["model"])]
    sd = of_model.drop_duplicates(["data_seed", "fold", "init"])["brier"].std()
    metrics["brier"] += 0.5 * sd
    assert compare(one, record) == (False, pytest.approx(0.5, rel=0.01))


def test_trials_with_searched_hyperparameters_are_left_out(rows):
    searched = rows.assign(hyperparameters_source="fixed-100")
    assert draw("protocol", searched, 5, RESULTS) == []
