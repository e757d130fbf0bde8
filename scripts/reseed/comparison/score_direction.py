"""Whether more of a score is better."""

from __future__ import annotations

from reseed.metrics.names import infer_direction

#: Names of scores of which more is better, beside those of metrics.
_GREATER_IS_BETTER = ("correct", "is_correct", "passed", "reward")


def choose_direction(metric: str, greater_is_better: bool | None) -> bool | None:
    """Whether more of a score is better; None if neither the user nor its name says so."""
    if greater_is_better is not None:
        return greater_is_better
    return True if metric.lower() in _GREATER_IS_BETTER else infer_direction(metric)
