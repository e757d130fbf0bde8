"""A/A comparisons: nominal on independent seeds, and their table."""

import sys
from pathlib import Path

import numpy as np
import pytest
from reseed.analyses import false_alarms
from reseed.analyses.data import Data
from reseed.exhibits import false_alarms_table
from reseed.exhibits.data import ExhibitData
from study_frames import about, frame, trial

sys.path.append(str(Path(__file__).parent.parent / "exhibits"))

from readable import check_table

FAST = {"experiments_drawn": 1000}


def test_seeds_of_one_split_are_near_the_nominal_level(tmp_path):
    x = np.random.default_rng(0).normal(0.9, 0.01, 200)
    metrics = frame([trial(v, seed=s, dataset="magic", metric="auc") for s, v in enumerate(x)])
    table = false_alarms.analyse(Data(metrics, about()), FAST)
    assert set(table["procedure"]) == {"paired t", "signed-rank"}
    assert set(table["design"]) == {"seeds"}
    assert (table["runs"] == 10).all()
    assert table["rate"].to_numpy() == pytest.approx(0.05, abs=0.03)
    shown = check_table(
        false_alarms_table.table(ExhibitData(table, metrics, about(), "k", "T"), {}), tmp_path
    )
    assert shown.shown["Compared"][0] == "10 against 10 seeds"


def test_a_seed_that_moves_all_splits_is_a_false_alarm():
    """One seed is better on every split by more than the splits' noise: a paired test claims it."""
    rng = np.random.default_rng(1)
    own = rng.normal(0, 0.02, 12)
    rows = [
        trial(0.9 + own[m] + rng.normal(0, 0.005), seed=m, data_seed=d, dataset="magic",
              metric="auc", varied="data+model", experiment="grid")
        for m in range(12)
        for d in range(8)
    ]  # fmt: skip
    table = false_alarms.analyse(Data(frame(rows), about()), FAST).set_index("procedure")
    assert table.loc["paired t", "rate"] > 0.5
    assert table.loc["corrected t", "rate"] < table.loc["paired t", "rate"]
    assert (table["folds"] == 8).all()


def test_few_seeds_and_failures_have_a_reason():
    rows = [trial(None if s == 1 else 0.9, seed=s, dataset="magic", metric="auc") for s in range(4)]
    table = false_alarms.analyse(Data(frame(rows), about()), FAST)
    assert "four model seeds" in table["reason"].item()
    assert table["failed"].item() == 1
    empty = false_alarms_table.table(ExhibitData(table, frame(rows), about(), "k", "T"), {})
    assert "four model seeds" in empty.shown.iloc[0, 0]
