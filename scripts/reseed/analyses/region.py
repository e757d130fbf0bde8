"""The region of practical equivalence that a study states: there is none unless it does.

How small a difference does not matter is the reader's to say, not the scores': a default would call
pairs equivalent that nobody has judged to be.
"""

from __future__ import annotations

from collections.abc import Iterable

from reseed.errors import ReseedError, nearest


def region(rope: float | dict[str, float] | None, metrics: Iterable[str]) -> dict[str, float]:
    """Half-width by metric, of those that have one, in units of the score.

    Raises ReseedError where one number is given for several metrics, and for a metric that no
    comparison is made by.
    """
    known = list(dict.fromkeys(metrics))
    if rope is None or not known:
        return {}
    if not isinstance(rope, dict):
        if len(known) > 1:
            raise ReseedError(
                f"`rope`: one half-width for several metrics ({', '.join(known)}); what does not "
                f"matter differs between them. Give it by metric: {{{known[0]}: {rope:g}}}."
            )
        return {known[0]: rope}
    for metric in rope:
        if metric not in known:
            raise ReseedError(
                f"`rope`: nothing is compared by {metric!r}. Metrics: {', '.join(known)}."
                f"{nearest(metric, known)}"
            )
    return dict(rope)
