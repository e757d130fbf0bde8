"""The spread of each cell: known answers, failed trials, slices of a grid, published numbers."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import reseed
from reseed.analyses import spread
from reseed.analyses.shared.data import Data, cells, number_data_seeds, read_data
from reseed.core.study_info import write_study_info
from run_kinds import run_analysis
from study_frames import PUBLISHED, about, frame, study, trial

FAST = {"n_boot": 100, "n_sim": 100}


def analyse(rows, facts=None, published=None, **options):
    return run_analysis(spread, Data(frame(rows), facts or about(), published), FAST | options)


def test_the_four_numbers_of_table_3_against_numpy():
    x = np.random.default_rng(1).normal(0.12, 0.01, 11)
    row = analyse([trial(v, seed=s) for s, v in enumerate(x)]).iloc[0]
    low, high = np.percentile(x, [25, 75])
    assert row["n"] == 11
    assert row["failed"] == 0
    assert row["median"] == pytest.approx(np.median(x), rel=1e-12)
    assert row["iqr"] == pytest.approx(high - low, rel=1e-12)
    assert row["range"] == pytest.approx(x.max() - x.min(), rel=1e-12)
    assert row["relative_variation"] == pytest.approx(np.ptp(x) / np.median(x), rel=1e-12)
    assert row["median_low"] < row["median"] < row["median_high"]
    assert "range_high" not in row  # a resample cannot reach beyond: no interval
    assert row["tail"] in ("as Gaussian", "heavier", "lighter")


def test_failed_trials_are_left_out_and_counted():
    row = analyse([trial(v, seed=s) for s, v in enumerate([1.0, None, 3.0, None, 5.0])]).iloc[0]
    assert (row["n"], row["failed"], row["median"], row["range"]) == (3, 2, 3.0, 4.0)


def test_a_cell_without_any_score_is_a_row_with_its_counts():
    table = analyse(
        [trial(None, seed=s) for s in range(3)] + [trial(0.9, metric="auc", dataset="magic")]
    )
    lost, single = table.iloc[0], table.iloc[1]
    assert (lost["n"], lost["failed"]) == (0, 3)
    assert np.isnan(lost["median"])
    assert (single["n"], single["median"], single["range"]) == (1, 0.9, 0.0)
    assert np.isnan(single["median_low"])


def test_equal_scores_have_no_spread_and_no_verdict():
    row = analyse([trial(0.5, seed=s) for s in range(6)]).iloc[0]
    assert (row["range"], row["sd"], row["tail"]) == (0.0, 0.0, "")


def test_folds_average_within_seed_and_skip_incomplete_seeds():
    rows = [
        trial(score, seed=s, fold=f)
        for s, scores in enumerate([(1.0, 3.0), (4.0, None), (5.0, 7.0)])
        for f, score in enumerate(scores)
    ]
    row = analyse(rows).iloc[0]
    assert (row["n"], row["failed"], row["min"], row["max"]) == (2, 1, 2.0, 6.0)


def test_folds_of_one_repeat_are_no_runs_of_their_own():
    """Five folds under two data seeds: two independent scores, not ten."""
    folds = np.random.default_rng(5).normal(0.9, 0.01, (2, 5))
    place = {"experiment": "data_seeds", "varied": "data", "scheme": "kfold-5", "test_ratio": None}
    rows = [trial(folds[d, f], data_seed=d, fold=f, **place) for d, f in np.ndindex(2, 5)]
    row = analyse(rows).iloc[0]
    assert row["n"] == 2
    assert row["range"] == pytest.approx(np.ptp(folds.mean(axis=1)))
    assert row["sd"] == pytest.approx(folds.mean(axis=1).std(ddof=1))
    one = analyse(rows[:5]).iloc[0]  # a single repeat has no spread at all
    assert one["n"] == 1
    assert np.isnan(one["sd"])
    assert np.isnan(one["median_low"])


def test_repeats_of_given_results_are_data_seeds():
    """Five repeats of five folds are five scores, and a failed fold costs its own repeat."""
    scores = np.random.default_rng(3).normal(0.1, 0.01, (5, 5))
    rows = [
        trial(scores[r, f], repeat=r, fold=f, varied="data", scheme="kfold-5x5")
        for r in range(5) for f in range(5)
    ]  # fmt: skip
    row = analyse(rows).iloc[0]
    assert (row["n"], row["failed"]) == (5, 0)
    assert row["sd"] == pytest.approx(scores.mean(axis=1).std(ddof=1))
    assert np.isfinite(row["sd_low"])
    rows[7] |= {"status": "failed", "mse": np.nan}
    row = analyse(rows).iloc[0]
    assert (row["n"], row["failed"]) == (4, 1)
    assert row["median"] == pytest.approx(np.median(scores.mean(axis=1)[[0, 2, 3, 4]]))
    (cell,) = cells(Data(frame(rows), about()))
    assert cell.scores["data_seed"].tolist() == [0, 2, 3, 4]
    rows[7] |= {"status": "ok", "mse": np.inf}  # a score that is none, whatever the trial says
    row = analyse(rows).iloc[0]
    assert (row["n"], row["failed"]) == (4, 1)


def test_data_seeds_keep_their_numbers_and_may_be_repeated():
    rows = [trial(0.1, data_seed=d) for d in (7, 42)]
    assert number_data_seeds(frame(rows)).tolist() == [7, 42]
    rows = [trial(0.1, data_seed=d, repeat=r) for d in (7, 8) for r in (0, 1)]
    assert number_data_seeds(frame(rows)).nunique() == 4


def test_grid_is_cut_at_first_seeds_and_pool_has_no_interval():
    grid = np.random.default_rng(2).normal(0.9, 0.01, (4, 5))  # data seeds × model seeds
    rows = [
        trial(grid[d, m], seed=m, data_seed=d, experiment="grid", varied="data+model")
        for d in range(4)
        for m in range(5)
    ]
    table = analyse(rows).set_index("varied")
    assert list(table["held"]) == ["", "data seed 0", "model seed 0"]
    assert table.loc["data+model", "n"] == 20
    assert np.isnan(table.loc["data+model", "median_low"])
    assert table.loc["model", "range"] == pytest.approx(np.ptp(grid[0]))
    assert table.loc["data", "range"] == pytest.approx(np.ptp(grid[:, 0]))
    assert table.loc["data", "n"] == 4


def test_slice_with_two_crossed_roles_has_no_interval():
    """Data seeds × init × order: under one data seed, init and order are crossed."""
    grid = np.random.default_rng(6).normal(0.9, 0.01, (12, 3, 5))
    place = {"experiment": "grid", "varied": "data+init+order"}
    rows = [
        trial(grid[d, i, o], seed=0, data_seed=d, **place) | {"init": i, "order": o}
        for d, i, o in np.ndindex(*grid.shape)
    ]
    table = analyse(rows).set_index("varied")
    assert list(table.index) == ["data+init+order", "init+order", "data"]
    crossed = table.loc["init+order"]
    assert (crossed["n"], crossed["held"]) == (15, "data seed 0")
    assert crossed["range"] == pytest.approx(np.ptp(grid[0]))
    assert crossed[["median_low", "sd_low", "range_p_value"]].isna().all()
    assert np.isfinite(table.loc["data", "sd_low"])


def test_a_cell_does_not_depend_on_the_cells_beside_it():
    mine = [trial(v, seed=s) for s, v in enumerate(np.random.default_rng(3).normal(0, 1, 9))]
    other = [trial(v, seed=s, model="xgb") for s, v in enumerate(range(7))]
    alone, with_other = analyse(mine), analyse(other + mine)
    pd.testing.assert_series_equal(alone.iloc[0], with_other.iloc[1], check_names=False)


def test_the_next_range_covers_as_it_says():
    rng = np.random.default_rng(4)
    n, n_next, repeats = 8, 20, 4000
    sd = rng.normal(size=(repeats, n)).std(axis=1, ddof=1)
    new = np.ptp(rng.normal(size=(repeats, n_next)), axis=1)
    low, high = spread.next_range(1.0, n, n_next)
    inside = np.mean((sd * low <= new) & (new <= sd * high))
    assert inside == pytest.approx(0.95, abs=4 * np.sqrt(0.95 * 0.05 / repeats))


def test_published_numbers_match_by_base_name_and_stand_in():
    rows = [
        trial(
            v, seed=s, dataset="home_mortgage_sim~rows=500", model="rf~n_estimators=9", metric="auc"
        )
        for s, v in enumerate([0.84, 0.85, 0.86, 0.87])
    ]
    facts = about(("home_mortgage_sim~rows=500",), ("rf~n_estimators=9",))
    options = {"files": ["raste_table3"], "stand_ins": {"home_mortgage": "home_mortgage_sim"}}
    row = analyse(rows, facts, Path(PUBLISHED), **options).iloc[0]
    assert row["published_range"] == 0.0011  # Table 3, Home Mortgage, RF, model seeds
    assert row["published_median"] == 0.8511


def test_a_study_is_read_from_its_folder_and_restricted(tmp_path):
    metrics, facts = study()
    metrics.to_parquet(tmp_path / "metrics.parquet")
    write_study_info(tmp_path / "about.json", facts)
    data = read_data(tmp_path, ["grid"], None)
    assert set(data.metrics["experiment"]) == {"grid"}
    assert data.predictions is None
    assert len(read_data(tmp_path, None, None).metrics) == len(metrics)


def test_a_held_data_seed_is_called_as_the_results_call_it():
    rng = np.random.default_rng(0)
    rows = [
        {"model": model, "data_seed": seed, "repeat": repeat, "seed": run, "auc": rng.uniform()}
        for model in "ab"
        for seed in (7, 8)
        for repeat in range(3)
        for run in range(2)
    ]
    found = reseed.compare(pd.DataFrame(rows), metric="auc", test_train_ratio=0.25)
    held = set(found.statistics("spread")["held"])
    assert held == {"", "data seed 7, repeat 0", "model seed 0"}
