"""Statements of a paper, and whether the measured claims support them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import Literal

from reseed.claims import precision
from reseed.claims.claim import Claim, Estimate
from reseed.claims.precision import ENOUGH_POWER
from reseed.core.statement import Statement

Verdict = Literal["held", "not held", "cannot tell"]


@dataclass(frozen=True)
class Judgement:
    """Whether a statement held, and in how many of the estimates.

    verdict: `held` or `not held` where all estimates decide the same; else `cannot tell`.
    """

    verdict: Verdict
    held: int
    not_held: int
    undecided: int

    @property
    def text(self) -> str:
        """`held`; with several estimates that differ, their numbers."""
        counts = {"held": self.held, "not held": self.not_held, "undecided": self.undecided}
        if sum(map(bool, counts.values())) < 2:
            return self.verdict
        parts = ", ".join(f"{name} in {n}" for name, n in counts.items() if n)
        return f"{self.verdict} ({parts})"


def judge(statement: Statement, claim: Claim) -> Judgement:
    """Compare each interval of the claim with the region of the statement.

    An estimate decides only if its whole interval lies inside or outside the region. An estimate
    without an interval never decides. Where no test of the claim rejects and their power is below
    `ENOUGH_POWER`, nothing counts as not held: such runs could not have shown the effect.
    """
    places = [_compare(statement, estimate) for estimate in claim.estimates]
    if _lacks_power(claim):
        places = ["cannot tell" if place == "not held" else place for place in places]
    held, not_held = places.count("held"), places.count("not held")
    undecided = len(places) - held - not_held
    verdict: Verdict = "cannot tell"
    if places and not undecided and not (held and not_held):
        verdict = "held" if held else "not held"
    return Judgement(verdict, held, not_held, undecided)


def _lacks_power(claim: Claim) -> bool:
    powers = [test.power for test in claim.tests if test.power is not None]
    return (
        bool(powers)
        and max(powers) < ENOUGH_POWER
        and not any(test.rejects for test in claim.tests)
    )


def _compare(statement: Statement, estimate: Estimate) -> Verdict:
    if not estimate.has_interval:
        return "cannot tell"
    above = -inf if statement.above is None else statement.above
    below = inf if statement.below is None else statement.below
    if estimate.low > above and estimate.high < below:
        return "held"
    if estimate.high <= above or estimate.low >= below:
        return "not held"
    return "cannot tell"


def describe_precision(statement: Statement, claim: Claim) -> str:
    """From which true values on the statement would be decided (`reseed.claims.precision`)."""
    return precision.describe(statement, list(claim.estimates), judge(statement, claim).verdict)


def judge_all(statements: Sequence[Statement], claims: Sequence[Claim]) -> list[dict]:
    """One record for each statement, for the sidecar of an exhibit.

    A statement whose claim was not made (too few runs) has no measurement: `cannot tell`.
    """
    by_name = {claim.name: claim for claim in claims}
    records = []
    for statement in statements:
        claim = by_name.get(statement.claim)
        judgement = judge(statement, claim) if claim else Judgement("cannot tell", 0, 0, 0)
        records.append(
            {
                "text": statement.text,
                "source": statement.source,
                "published": statement.published,
                "verdict": judgement.verdict,
                "detail": judgement.text,
                "claim": claim.record() if claim else None,
                "precision": describe_precision(statement, claim) if claim else "",
            }
        )
    return records
