"""Shards cover each rung of a search once and take about the requested time."""

import math
from dataclasses import replace

import pytest
from planned_settings import planned_setting
from reseed.config.studies import Hyperparameters
from reseed.core.halving import compute_rung_sizes, count_survivors
from reseed.planning.search_shards import (
    Rung,
    count_shards,
    estimate_rungs,
    fits_shares,
    longest_shard,
    plan_shards,
    search_seconds,
)

WIDE = {"depth": {"low": 1, "high": 1000}}


def planned(trials=500, method="halving", seconds=4.0, rows=16_000, stack=1):
    source = Hyperparameters(mode="fixed", trials=trials, folds=5, method=method)
    setting = planned_setting(
        space=WIDE, rows=rows, seconds_per_trial=seconds, stack={"cpu": stack}
    )
    return replace(setting, source=source)


def test_survivors_are_the_rounded_up_thirds():
    assert [count_survivors(500, rung) for rung in range(7)] == [500, 167, 56, 19, 7, 3, 1]


def test_a_random_search_is_one_rung():
    assert estimate_rungs(planned(10, "random"), 2.0, 1000) == [Rung(50, 1, 10 * 2.0 * 4)]


def test_halving_costs_what_was_measured(monkeypatch):
    # Measured: 60 candidates in four rungs from 450 of 12,150 rows take 55 % of the time of
    # a random search (MAGIC), and 61 % from 489 rows (California).
    monkeypatch.setattr("reseed.core.halving.HALVING_MINIMUM_ROWS", 400)
    halving, random = (
        search_seconds(planned(60, method), 1.0, 12_150 / 0.8) for method in ("halving", "random")
    )
    assert halving / random == pytest.approx(0.56, abs=0.02)


def test_large_data_cost_in_proportion_to_their_rows():
    # 27 / 9 + 9 / 3 + 3 full fits, in three rungs (1e8 / 9 rows, …), and the bound of a fourth.
    rungs = estimate_rungs(planned(27), 1.0, 10**8)
    counts, shares = (27, 9, 3, 1), (1 / 27, 1 / 9, 1 / 3, 1)
    expected = [n * share * 5 * 0.8 for n, share in zip(counts, shares, strict=True)]
    assert [rung.seconds for rung in rungs] == pytest.approx(expected, rel=1e-2)


@pytest.mark.parametrize("trials", [1, 2, 9, 100, 500])
@pytest.mark.parametrize("method", ["random", "halving"])
@pytest.mark.parametrize("shard_seconds", [1e-6, 60, 1800, 1e9])
@pytest.mark.parametrize("stack", [1, 8])
def test_shards_partition_each_rung(trials, method, shard_seconds, stack):
    one, step = planned(trials, method, stack=stack), 5 if stack > 1 else 1
    shards = plan_shards(one, shard_seconds)
    rungs = estimate_rungs(one, one.seconds_per_trial, 16_000)
    assert len(shards) <= len(rungs)
    for (most, together, seconds), ranges in zip(rungs, shards, strict=False):
        assert together == step
        numbers = [n for start, stop in ranges for n in range(start, stop)]
        assert numbers == list(range(most))
        assert all(stop > start for start, stop in ranges)
        assert all(border % step == 0 for one_range in ranges for border in one_range)
        most_fits = max(stop - start for start, stop in ranges)
        assert most_fits == step or most_fits - step <= shard_seconds / (seconds / most)
    assert not shards or len(shards[-1]) > 1
    if shard_seconds == 1e9:
        assert shards == []


@pytest.mark.parametrize(("stack", "fits"), [(1, 1), (8, 5)])
def test_the_longest_job_is_one_pass_or_the_requested_time(stack, fits):
    one = planned(500, stack=stack)
    rungs = estimate_rungs(one, 5_600.0, 16_000)
    assert sum(rung.seconds for rung in rungs) > 500 * 3600
    shards = count_shards(rungs, 1800)
    assert shards[0] > 100
    # A fit on all rows takes 4,480 s: longer than a shard shall; no shard takes more than one pass.
    assert longest_shard(rungs, shards) == pytest.approx(fits * 5_600 * 0.8)


def test_shares_of_the_expected_rungs_add_up_to_one():
    shares = fits_shares(planned(500))
    expected = len(compute_rung_sizes(16_000 * 0.8, 500))
    assert math.isclose(sum(shares[:expected]), 1.0)
