"""Training curves of unequal length."""

import numpy as np
import pandas as pd
import pytest
from curve_frames import RAGGED, curve_rows, data_of, seeds
from reseed.analyses import curves
from reseed.analyses.shared.training_curves import _stack
from reseed.core.errors import ReseedError
from reseed.core.schemas import SEED_COLUMNS
from run_kinds import run_analysis


def test_bands_of_runs_that_end_at_different_epochs(tmp_path):
    data = data_of(seeds(3)[0], curve_rows(RAGGED), tmp_path)
    drop = run_analysis(curves, data)
    assert list(drop["epoch"]) == [1, 2, 3, 4]
    assert list(drop["n"]) == [3, 3, 2, 1]
    assert drop["mean"][2] == pytest.approx(0.81)
    assert set(drop["runs"]) == {3}
    assert set(drop["measure"]) == {"validation accuracy"}  # whatever the dataset is judged by
    assert len(run_analysis(curves, data, ended="cut")) == 2
    carry = run_analysis(curves, data, ended="carry")
    assert carry["mean"][3] == pytest.approx(np.mean([0.81, 0.7, 0.82]))


def test_broken_curves_are_left_out_and_counted(tmp_path):
    runs = [[0.5, 0.6], [np.nan, 0.6], [0.5, np.inf]]
    data = data_of(seeds(3)[0], curve_rows(runs), tmp_path)
    table = run_analysis(curves, data)
    assert set(table["left_out"]) == {2}
    assert set(table["runs"]) == {1}
    with pytest.raises(ReseedError, match="'test_metric' is not in the training curves"):
        run_analysis(curves, data, column="test_metric")


def test_many_crossed_seeds_build_no_full_combination_table():
    n, epochs = 400, 3
    seeds = {role: np.repeat(np.arange(n), epochs) for role in SEED_COLUMNS}
    rows = pd.DataFrame(
        seeds | {"repeat": 0, "fold": 0, "epoch": np.tile(np.arange(epochs), n)}
    ).assign(test_metric=np.arange(n * epochs, dtype=float))
    runs, found, values, left_out = _stack(rows, "test_metric")
    assert left_out == 0
    assert list(found) == [1, 2, 3]
    assert np.array_equal(values, np.arange(n * epochs).reshape(n, epochs))
    assert list(runs["init"]) == list(range(n))
