"""Words in headings, labels and folder names that say what a column, row or folder holds."""

from __future__ import annotations

import re
from collections.abc import Iterable

from reseed.metrics.names import split_words
from reseed.readers.columns import strip_tracker_prefix

#: Parts of the data that a score is computed on.
TRAINING = {"train", "training"}
EVALUATION = {"validation", "val", "valid", "dev", "eval", "evaluation", "test", "testing"}
SUBSETS = TRAINING | EVALUATION
#: Labels of these words alone, or of a sign, are of rows that summarise others; so may a label be
#: of poolings or baselines alone.
_POOLINGS = {"mean", "median", "min", "max", "sum", "all"}
SUMMARIES = _POOLINGS | {
    *("average", "avg", "overall", "total", "std", "sd", "stdev", "stddev", "se", "sem"),
    *("rank", "ranks", "wins"),
}
_SUMMARY_SIGNS = {"±", "+/-", "σ", "µ", "μ", "ø", "∅", "Σ"}
_KINDS_OF_MEAN = {"macro", "micro", "weighted", "geometric", "dev"}
_BRACKETS = re.compile(r"\(.*?\)|\[.*?\]")
#: Words of columns that count training steps.
STEPS = {
    *("epoch", "epochs", "step", "steps", "iteration", "iterations", "iter", "iters"),
    *("timestep", "timesteps", "frames"),
}
#: Words of columns that count repeats of a test case; Inspect calls them epochs.
REPEATS = {"epoch", "repeat", "repetition", "attempt", "trial", "sample"}
#: Words of columns that hold the cost or the date of a run.
COSTS = {
    *("time", "times", "secs", "seconds", "minutes", "hours", "duration", "runtime", "elapsed"),
    *("wall", "date", "timestamp", "created", "memory"),
}
#: Words of columns that hold numbers but no scores: settings, costs, identifiers.
BOOKKEEPING = {
    *(*STEPS, *COSTS, "gpu", "cpu", "flops", "version", "id", "index", "unnamed", "number", "n"),
    *("num", "count", "size", "rows", "samples", "params", "parameters", "features", "layers"),
    *("hidden", "dim", "depth", "leaf", "batch", "lr", "learning", "decay", "weight", "dropout"),
    *("momentum", "alpha", "gamma", "lambda", "c", "std", "sd", "stderr", "var", "ci"),
    "rank",
}
#: A heading with any of these summarises datasets.
_AVERAGES = {"mean", "average", "avg", "overall"}
#: A heading with any of these holds a spread of scores.
_SPREADS = {"std", "sd", "stdev", "stddev", "stderr", "se", "sem", "ci", "variance"}
#: A heading of these words alone is a size, such as `Params (M)`.
_SIZES = {
    *("n", "num", "number", "count", "size", "rows", "samples", "features", "classes", "labels"),
    *("instances", "attributes", "params", "parameters", "m", "k", "b"),
}
#: Words of which any two are the size of a test case: `ref_words`, `text_length`.
_LENGTHS = {
    *("words", "tokens", "chars", "characters", "length", "len", "duration", "sec", "ms"),
    *("ref", "reference", "text", "input", "output", "audio", "sentence", "prompt"),
    *("num", "n", "number", "count"),
}
#: A heading of these words alone is a comparison of two models.
DIFFERENCES = {"diff", "difference", "delta", "gap", "margin", "improvement", "gain"}
#: Words of columns that name test cases.
_ITEMS = {
    *("item", "items", "id", "ids", "uid", "uuid", "idx", "index", "doc", "docid", "document"),
    *("image", "img", "example", "sample", "instance", "question", "query", "problem", "sentence"),
    *("prompt", "row", "file", "filename", "path", "url", "case", "segment", "utterance", "series"),
    *("input", "subject", "patient", "participant", "user", "speaker", "scan", "video", "clip"),
}
#: Words of columns that name a time, which is no seed.
TIMES = {"year", "month", "week", "quarter", "day", "date", "hour", "timestamp", "cutoff"}
#: Words of columns that name who judged a test case.
RATERS = {"rater", "raters", "annotator", "judge", "evaluator", "assessor", "reviewer"}
#: Words of columns that name or count runs.
RUN_WORDS = {"run", "runs", "trial", "trials", "rep", "reps", "replicate", "seed", "fold", "split"}
#: Words of columns that count things, and words of those that number resamples of one test set.
_COUNTED = {"size", "sizes", "count", "counts", "number", "num", "n", "samples"}
#: Words of columns of identifiers that are of no test case.
_OF_RUNS = {"eval", "evaluation", "experiment", "job"}
RESAMPLES = {"bootstrap", "bootstraps", "boot"}
#: A heading that ends with one of these holds errors, whatever the metric.
_ERROR_WORDS = {"error", "err", "loss", "regret"}
#: Counts of a table of confusion, whose headings consist of them alone.
_CONFUSION = {*("tp", "fp", "fn", "tn", "true", "false", "positives", "negatives", "support")}
_SETTINGS = BOOKKEEPING | _SIZES | _CONFUSION | {"rank", "ranks", "wins", "rate", "min", "max"}
#: Any of these words in a heading says that its numbers are a cost or a size, not a score.
_COST_WORDS = COSTS | {
    *("cost", "costs", "price", "co2", "carbon", "emissions", "energy", "kwh", "watts", "vram"),
    *("flops", "gflops", "tflops", "macs", "params", "parameters", "latency", "tokens", "context"),
    *("gpu", "gpus", "ram", "mb", "gb", "usd", "dollars", "speed", "throughput", "dims"),
    *("dimensions", "downloads", "likes", "votes", "year", "release", "license"),
}


def may_be_dataset(column: str) -> bool:
    """Whether a heading may name a dataset: no mean, no spread, no setting and no size.

    A single letter (`c`) may, and so may a word for a spread alone: `se` is also a language.
    """
    words = split_heading(column)
    is_part_spread = len(words) > 1 and bool(words & _SPREADS)
    is_part_cost = (len(words) > 1 and bool(words & _COST_WORDS)) or column.startswith("#")
    if is_part_cost or words <= _COST_WORDS:
        return False
    return not (_has_only(column, _SETTINGS) or words & _AVERAGES or is_part_spread)


def is_size(column: str) -> bool:
    """Whether a heading is a size, such as `n_samples` or `ref_words`."""
    is_length = split_heading(column) <= _LENGTHS and len(split_heading(column)) > 1
    return is_length or _has_only(column, _SIZES)


def is_spread_of(column: str, others: Iterable[str]) -> bool:
    """Whether a heading is another one with `std` or the like: `rf_std` next to `rf`."""
    words = split_heading(column)
    rest = words - _SPREADS
    return bool(rest) and rest != words and any(split_heading(other) == rest for other in others)


def _has_only(heading: str, words: set[str]) -> bool:
    """Whether a heading consists of these words, at least one longer than a letter."""
    heading_words = split_heading(heading)
    return heading_words <= words and any(len(word) > 1 for word in heading_words)


def is_spread(column: str) -> bool:
    """Whether a heading is a spread of scores: `std`, `acc_std`."""
    return bool(split_heading(column) & _SPREADS)


def may_be_item(column: str) -> bool:
    """Whether a heading may name test cases (`doc_id`, `image`), and no runs (`run_id`)."""
    words = split_heading(column)
    return bool(words & _ITEMS) and not words & (RUN_WORDS | _OF_RUNS | _COUNTED | RESAMPLES)


def is_summary(label: str, noun: str = "") -> bool:
    """Whether a label is of a row or column that summarises others: `Std. Dev.`, `±`, `Avg rank`.

    noun: what it would name else. Of runs and datasets, any word for an average says so. A model
    may be named like a pooling or a baseline: `mean`.
    """
    plain = label.strip().lower()
    if noun == "model" and split_heading(plain) <= _POOLINGS:
        return plain in _SUMMARY_SIGNS
    words = split_heading(_BRACKETS.sub("", plain))
    if noun in ("run", "dataset") and words & _AVERAGES:
        return True
    is_name = bool(words & SUMMARIES) and words <= SUMMARIES | _KINDS_OF_MEAN
    return is_name or plain in _SUMMARY_SIGNS


def split_heading(column: str) -> set[str]:
    """The words of a heading without a tracker's prefix, in lower case."""
    return set(split_words(strip_tracker_prefix(column)))


def is_error_heading(column: str) -> bool:
    """Whether a heading says that its numbers are errors: `metric_error`, `error`, `accuracy_err`.

    `error_free_rate` and `accuracy` are none.
    """
    words = split_words(column)
    return bool(words) and words[-1] in _ERROR_WORDS
