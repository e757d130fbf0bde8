"""What several families of tests show together: false claims to expect among equal models."""

from __future__ import annotations

from reseed.verdicts.formatting import format_share

_CHOICE = " `family: study` adjusts over all."


def expected_false_claims(families: int, alpha: float) -> tuple[float, float]:
    """Greatest expected number of families with a false claim, and probability of any.

    Each of the independent families has a false claim with probability `alpha`
    at most.
    """
    return families * alpha, 1 - (1 - alpha) ** families


def describe_families(families: int, alpha: float, has_choice: bool = True) -> str:
    """The family of the tests and its false claims; empty for one family.

    has_choice: whether the option `family` applies.
    """
    if families < 2:
        return ""
    count, anywhere = expected_false_claims(families, alpha)
    return (
        f"Intervals and p hold for the pairs of each of {families} datasets, not over all: if "
        f"all models were equal, a false difference is expected on up to {count:.2g} datasets, "
        f"and somewhere in up to {format_share(anywhere)} of such studies."
        + (_CHOICE if has_choice else "")
    )
