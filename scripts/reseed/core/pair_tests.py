"""Options of the test of a pair: of the analysis `pairs`, and as flags of the command line.

The command line needs them before pydantic and the analyses are imported, which takes a second.
"""

from typing import Any, NamedTuple

#: Fewest datasets for a statement beyond them: with fewer, all of one sign has a p of 1/16.
MIN_DATASETS = 6


class PairTest(NamedTuple):
    """An option with its default, its meaning, and its values if they are few."""

    default: Any
    help: str
    choices: tuple[str, ...] | None = None


PAIR_TESTS = {
    "alpha": PairTest(
        0.05, "size of the tests, and 1 minus the level of the intervals, for all pairs at once"
    ),
    "min_runs": PairTest(
        5, "fewest runs for a verdict; 2 where seeds and items are compared together"
    ),
    "target_power": PairTest(0.8, "power of the smallest detectable difference"),
    "family": PairTest(
        "dataset",
        "the pairs that hold at once: those of a `dataset`, or of the whole `study`",
        ("dataset", "study"),
    ),
    "seeds": PairTest(
        "shared",
        "whether equal seeds of two models are `shared`, so that their runs on one test set are "
        "paired, or each model's `own`: numbers that share nothing",
        ("shared", "own"),
    ),
}
