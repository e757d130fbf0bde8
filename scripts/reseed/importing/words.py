"""What words in headings, cells and folders of a user's results say beside the columns' names."""

from __future__ import annotations

from reseed.importing.columns import unprefixed
from reseed.metric_names import words

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


def words_of(column: str) -> set[str]:
    """The words of a heading without a tracker's prefix, in lower case."""
    return set(words(unprefixed(column)))
