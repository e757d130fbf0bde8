"""The region of practical equivalence that a study states: there is none unless it does.

How small a difference does not matter is the reader's to say, not the scores': a default would call
pairs equivalent that nobody has judged to be.
"""

from __future__ import annotations

from collections.abc import Mapping

from reseed.core.errors import ReseedError, suggest_name


def region(rope: float | dict[str, float] | None, factors: Mapping[str, float]) -> dict[str, float]:
    """Half-width by metric, of those that have one, in units of the score.

    factors: of each metric that comparisons are made by, what makes a difference one in the unit
    it is told in: 100 for a share, told in points. Raises ReseedError where one number is given for
    several metrics, for another metric, and for a width that no difference of shares exceeds.
    """
    known = list(factors)
    if rope is None or not known:
        return {}
    if not isinstance(rope, dict):
        if len(known) > 1:
            raise ReseedError(
                f"`rope`: one half-width for several metrics ({', '.join(known)}); what does not "
                f"matter differs between them. Give it by metric: {{{known[0]}: {rope:g}}}."
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
                f"`rope` is {width:g} and {metric} a share of 1: no two models differ by more. "
                "Write one point as 0.01."
            )
    return dict(rope)
