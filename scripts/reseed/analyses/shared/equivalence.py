"""The region of practical equivalence of a study.

It has no default: which difference does not matter cannot be computed from the scores.
"""

from __future__ import annotations

from collections.abc import Mapping

from reseed.core.errors import ReseedError, suggest_name


def rope_by_metric(
    rope: float | dict[str, float] | None, factors: Mapping[str, float]
) -> dict[str, float]:
    """Half-width of the region by metric, in units of the score.

    factors: for each metric that is compared, the factor of its reported unit (100 for a share
    that is reported in points). Raises ReseedError for one number with several metrics, for an
    unknown metric, and for a half-width of 1 or more for shares.
    """
    known = list(factors)
    if rope is None or not known:
        return {}
    if not isinstance(rope, dict):
        if len(known) > 1:
            raise ReseedError(
                f"`rope`: one half-width for several metrics ({', '.join(known)}), which have "
                f"different units. Give it by metric: {{{known[0]}: {rope:g}}}."
            )
        rope = {known[0]: rope}
    for metric, width in rope.items():
        if metric not in known:
            raise ReseedError(
                f"`rope`: nothing is compared by {metric!r}. Metrics: {', '.join(known)}."
                f"{suggest_name(metric, known)}"
            )
        if factors[metric] > 1 and width >= 1:
            raise ReseedError(
                f"`rope` is {width:g}, but {metric} is a share of 1: no two models differ by more. "
                "Write one point as 0.01."
            )
    return dict(rope)
