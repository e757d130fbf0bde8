"""Headings of a model and its metric: `rf_acc, rf_f1, gbm_acc, gbm_f1`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from reseed.metrics.directions import infer_direction, is_metric_name
from reseed.readers.vocabulary import SUBSETS, SUMMARIES, split_heading

#: Words that belong to the name of a metric, so that they are no part of a model's name.
_OF_METRICS = SUBSETS | SUMMARIES
_OF_METRICS |= {"macro", "micro", "weighted", "balanced", "top", "best", "worst", "last", "final"}
_BETWEEN = re.compile(r"[\s_\-/|:.]+\(?|\(")


class ModelMetric(NamedTuple):
    """What a heading says: whose scores its column holds, and of which metric."""

    model: str
    metric: str


def split_metric_headings(columns: Sequence[str]) -> dict[str, ModelMetric]:
    """The model and metric of each column; empty unless each of several models has each metric.

    The metric stands behind the model in all headings, or before it. Of two metrics that fit, as
    `val_acc` and `acc`, the longer one is taken.
    """
    for is_behind in (True, False):
        parts = {column: [*_split(column, is_behind)] for column in columns}
        counts = Counter(one.metric for names in parts.values() for one in names)
        most = max(counts.values(), default=None)
        split = {
            column: max(shared, key=lambda one: len(one.metric))
            for column, names in parts.items()
            if (shared := [one for one in names if counts[one.metric] == most])
        }
        if len(split) == len(columns) and _is_crossed(split.values()):
            return split
    return {}


def _split(heading: str, is_behind: bool) -> Iterator[ModelMetric]:
    for match in _BETWEEN.finditer(heading):
        before, after = heading[: match.start()], heading[match.end() :].strip()
        after = after.removesuffix(")") if "(" in match[0] else after
        model, metric = (before, after) if is_behind else (after, before)
        words = split_heading(model)
        is_model = bool(words) and not words & _OF_METRICS and not all(map(str.isdigit, words))
        if is_model and infer_direction(metric) is not None:
            yield ModelMetric(model.strip("() "), metric.strip())


def _is_crossed(split: Iterable[ModelMetric]) -> bool:
    """Whether each of several models has each metric once, and one is a metric beyond doubt."""
    pairs = [*split]
    models, metrics = {one.model for one in pairs}, {one.metric for one in pairs}
    is_full = len({*pairs}) == len(pairs) == len(models) * len(metrics)
    return len(models) > 1 and is_full and any(map(is_metric_name, metrics))
