"""Training curves of unequal length, and the standing of a score among seeds."""

import numpy as np
import pandas as pd
import pytest
from curve_frames import RAGGED, curve_rows, data_of, seeds
from reseed.core.errors import ReseedError
from reseed.core.schemas import SEED_COLUMNS
from reseed.report.analyses import curves, standing
from reseed.report.analyses.shared.training_curves import _stack
from run_kinds import run_analysis


def test_percent_is_not_placed_among_shares():
    """91.4 among accuracies of 0.9 would beat them all by thousands of SDs."""
    given = {"arm": "rf", "score": 91.4, "source": "a paper"}
    table = run_analysis(standing, data_of(seeds()[0]), scores=[given, given | {"score": 0.9}])
    assert list(table["percentile"].isna()) == [True, False]
    assert table["reason"][0] == "91.4 is no share of 1, as the seeds' scores are"
    percent = [row | {"auc": 100 * row["auc"]} for row in seeds()[0]]
    assert run_analysis(standing, data_of(percent), scores=[given])["reason"].item() == ""


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


def test_a_published_score_among_its_seeds():
    rows, x = seeds(100)
    given = [
        {"arm": "rf", "score": float(np.sort(x)[92]) + 1e-9, "source": "Table 2"},
        {"arm": "other", "score": 1.0},
    ]
    table = run_analysis(standing, data_of(rows), scores=given)
    assert table["percentile"][0] == pytest.approx(0.93)
    assert table["percentile_low"][0] < 0.93 < table["percentile_high"][0]
    assert table["best_of"][0] == 14
    assert table["reason"][1] == "no run of this arm"
    with pytest.raises(ValueError, match=r"scores\.0"):
        standing.Options(scores=[{"arm": "rf"}])


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
