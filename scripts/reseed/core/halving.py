"""Rungs of successive halving and shards of rungs, for planning and training."""

from __future__ import annotations

from dataclasses import dataclass

#: Successive halving keeps the best third of the configurations and triples the rows.
HALVING_FACTOR = 3
#: No rung of successive halving trains on fewer rows than this.
HALVING_MINIMUM_ROWS = 500


def compute_rung_sizes(rows: float, configurations: int) -> list[int]:
    """Number of training rows of each rung; the last one has all `rows`."""
    rungs = 1
    while (
        HALVING_FACTOR**rungs <= configurations
        and rows / HALVING_FACTOR**rungs >= HALVING_MINIMUM_ROWS
    ):
        rungs += 1
    return [int(rows // HALVING_FACTOR**k) for k in reversed(range(rungs))]


def count_survivors(configurations: int, rung: int) -> int:
    """Most configurations that a rung compares."""
    for _ in range(rung):
        configurations = -(-configurations // HALVING_FACTOR)
    return configurations


@dataclass(frozen=True)
class SearchShard:
    """The fits from `start` to `stop` of a rung of a search.

    Fit `c * folds + f` is that of fold f and of configuration c among those that the rung compares.
    output: file that says that the fits are finished.
    """

    rung: int
    start: int
    stop: int
    output: str
