"""What words in headings, cells and folders of a user's results say beside the columns' names."""

from __future__ import annotations

from reseed.importers.columns import unprefixed
from reseed.metrics.names import split_words

#: Parts of the data that a score is of.
TRAINING = {"train", "training"}
EVALUATION = {"validation", "val", "valid", "dev", "eval", "evaluation", "test", "testing"}
SUBSETS = TRAINING | EVALUATION
#: Labels of rows that sum up others.
SUMMARIES = {
    *("mean", "average", "avg", "median", "overall", "total", "all", "macro avg", "micro avg"),
    *("std", "sd", "stdev", "std dev", "se", "sem", "min", "max", "sum", "mean±std", "mean ± std"),
}
#: How far a run has come.
STEPS = {"epoch", "epochs", "step", "steps", "iteration", "iterations", "iter"}
#: What a run took, and when.
TAKEN = {
    *("time", "times", "secs", "seconds", "minutes", "hours", "duration", "runtime", "elapsed"),
    *("wall", "date", "timestamp", "created", "memory"),
}
#: Numbers and no scores: what was set, what a run took, which one it is.
BOOKKEEPING = {
    *(*STEPS, *TAKEN, "gpu", "cpu", "flops", "version", "id", "index", "unnamed", "number", "n"),
    *("num", "count", "size", "rows", "samples", "params", "parameters", "features", "layers"),
    *("hidden", "dim", "depth", "leaf", "batch", "lr", "learning", "decay", "weight", "dropout"),
    *("momentum", "alpha", "gamma", "lambda", "c", "std", "sd", "stderr", "var", "ci"),
}
#: Any of these in a heading: a summary of datasets, and none of them.
_AVERAGES = {"mean", "average", "avg", "overall"}
#: Any of these in a heading: how far scores on a dataset spread, and no dataset.
_SPREADS = {"std", "sd", "stdev", "stddev", "stderr", "se", "sem", "ci", "variance"}
#: Of these alone is the heading of a setting or size, as `learning_rate` or `Params (M)`.
_SIZES = {
    *("n", "num", "number", "count", "size", "rows", "samples", "features", "classes", "labels"),
    *("instances", "attributes", "params", "parameters", "m", "k", "b"),
}
#: Of these alone is the heading of a comparison of two models.
GAPS = {"diff", "difference", "delta", "gap", "margin", "improvement", "gain"}
_RANKS = {"rank", "ranks"}
_SETTINGS = BOOKKEEPING | _SIZES | _RANKS | {"rate", "min", "max"}


def may_be_dataset(column: str) -> bool:
    """Whether a heading may be a dataset's: of no mean, no spread, no setting and no size.

    A single letter (`c`) may be, and what a spread is called by alone: `se` is a language too.
    """
    found = words_of(column)
    spread = len(found) > 1 and found & _SPREADS
    return not (_all_of(column, _SETTINGS) or found & _AVERAGES or spread)


def is_size(column: str) -> bool:
    """Whether a heading is that of a size, as `n_samples`: of no model either."""
    return _all_of(column, _SIZES)


def is_spread_of(column: str, others: list[str]) -> bool:
    """Whether a heading is another one with `std` or the like: `rf_std` beside `rf`."""
    found = words_of(column)
    rest = found - _SPREADS
    return bool(rest) and rest != found and any(words_of(other) == rest for other in others)


def _all_of(heading: str, known: set[str]) -> bool:
    """Whether a heading has these words alone, and one of more than a letter."""
    found = words_of(heading)
    return found <= known and any(len(word) > 1 for word in found)


def is_spread(column: str) -> bool:
    """Whether a heading is that of how far scores spread: `std`, `acc_std`."""
    return bool(words_of(column) & _SPREADS)


def sums_up_datasets(label: str) -> bool:
    """As `sums_up`, of a dataset's place: `Average accuracy` and `Rank` too."""
    return sums_up(label) or bool(words_of(label) & _AVERAGES) or _all_of(label, _RANKS)


def sums_up(label: str) -> bool:
    """Whether a row of this label is called as one that sums up others."""
    return label.lower().strip(".: ") in SUMMARIES


def words_of(column: str) -> set[str]:
    """The words of a heading without a tracker's prefix, in lower case."""
    return set(split_words(unprefixed(column)))
