"""Shards of a hyper-parameter search: which job makes which fits.

A shard is a range of the fits of a rung. Their greatest number is known while planning; which
configurations they have is known when the earlier rungs are finished. A model that stacks trains
the folds of a configuration in one pass, so one shard has all of them.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import NamedTuple

from reseed.core.halving import compute_rung_sizes, count_survivors
from reseed.planning.plan import HINT_ROWS, PlannedSetting

# The part of a fit that does not depend on the rows costs as much as this many rows. So halving
# from 450 of 12,150 rows takes 55 % of the time of a random search, as measured.
FIXED_ROWS = 5_200
_MANY_ROWS = 1e18
_ROUNDING = 1e-9


class Rung(NamedTuple):
    """Cost of a rung of a search.

    fits: the most that it has.
    in_one_pass: fits that no shard separates.
    seconds: of all fits.
    """

    fits: int
    in_one_pass: int
    seconds: float

    @property
    def passes(self) -> int:
        """The most passes that shards may share."""
        return self.fits // self.in_one_pass


def estimate_rungs(planned: PlannedSetting, seconds: float, rows: int) -> list[Rung]:
    """The most rungs that a search can have, by the seconds of one trial on all rows.

    The number of rungs depends on the training rows, which are known once the data are prepared.
    Rungs beyond the estimated number count as fits on all training rows.
    """
    folds, candidates = planned.source.folds, planned.candidates
    in_one_pass = folds if planned.stack_width > 1 else 1
    fold_share = 1 - 1 / folds
    whole = seconds * fold_share * folds
    if planned.source.method == "random":
        return [Rung(candidates * folds, in_one_pass, candidates * whole)]
    train_rows = rows * fold_share
    sizes = compute_rung_sizes(train_rows, candidates)
    most = len(compute_rung_sizes(_MANY_ROWS, candidates))
    shares = [(size + FIXED_ROWS) / (train_rows + FIXED_ROWS) for size in sizes]
    shares += [1.0] * (most - len(sizes))
    counts = [count_survivors(candidates, rung) for rung in range(most)]
    return [
        Rung(n * folds, in_one_pass, n * whole * share)
        for n, share in zip(counts, shares, strict=True)
    ]


def search_seconds(planned: PlannedSetting, seconds: float, rows: int) -> float:
    """Seconds of all fits of one search, of trials that take so many seconds on all rows."""
    rungs = estimate_rungs(planned, seconds, rows)
    expected = len(compute_rung_sizes(rows * (1 - 1 / planned.source.folds), planned.candidates))
    return sum(rung.seconds for rung in rungs[:expected])


def count_shards(rungs: list[Rung], shard_seconds: float) -> list[int]:
    """Number of shards of each rung; empty where one job makes all fits.

    The last rungs that need one shard each are left to the job that chooses the winner.
    """
    shards = [
        min(rung.passes, max(1, math.ceil(rung.seconds / shard_seconds - _ROUNDING)))
        for rung in rungs
    ]
    while shards and shards[-1] == 1:
        shards.pop()
    return shards


def plan_shards(planned: PlannedSetting, shard_seconds: float) -> list[list[tuple[int, int]]]:
    """(start, stop) of each shard, by rung, by the model's cost hint (see `SearchShard`)."""
    rows = planned.dataset.rows or HINT_ROWS
    rungs = estimate_rungs(planned, planned.seconds_per_trial, rows)
    return [
        _divide(rung, shards)
        for rung, shards in zip(rungs, count_shards(rungs, shard_seconds), strict=False)
    ]


def fits_shares(planned: PlannedSetting) -> list[float]:
    """Share of each rung in the seconds of a search, by the model's cost hint."""
    rungs = estimate_rungs(planned, 1.0, planned.dataset.rows or HINT_ROWS)
    total = search_seconds(planned, 1.0, planned.dataset.rows or HINT_ROWS)
    return [rung.seconds / total for rung in rungs]


def _divide(rung: Rung, shards: int) -> list[tuple[int, int]]:
    """Neighbouring ranges of about equal size."""
    borders = [rung.passes * k // shards * rung.in_one_pass for k in range(shards + 1)]
    return list(pairwise(borders))


def longest_shard(rungs: list[Rung], shards: list[int]) -> float:
    """Seconds of the longest job of a search, by the estimates of its rungs.

    shards: their number in each of the first rungs (`plan_shards`).
    """
    whole = [
        rung.seconds / rung.passes * math.ceil(rung.passes / n)
        for rung, n in zip(rungs, shards, strict=False)
    ]
    return max([*whole, sum(rung.seconds for rung in rungs[len(shards) :])])
