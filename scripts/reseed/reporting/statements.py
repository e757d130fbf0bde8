"""Statements of papers as a report shows them: measurement, verdict and limits as text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from reseed.claims.claim import ANY_NUMBER, Estimate, format_estimate
from reseed.claims.formatting import format_number
from reseed.rendering.numbers import NONE, decimals, fixed, from_to, interval_decimals


@dataclass(frozen=True)
class StatementRow:
    """One statement, from the record that `claims.statements.judge_all` writes.

    measured: estimate with its interval, or the range of several estimates. statistic: what was
    estimated. estimates: each with its subject. sentence: the claim. limits: power or smallest
    detectable effect, or why nothing was measured. levels: of the intervals. anchor: of the exhibit
    on the study's page.
    """

    text: str
    source: str
    published: str
    measured: str
    statistic: str
    n: str
    verdict: str
    detail: str
    limits: str
    sentence: str
    estimates: tuple[str, ...]
    levels: tuple[float, ...]
    anchor: str

    @classmethod
    def from_record(cls, record: dict[str, Any], anchor: str, empty: str = "") -> StatementRow:
        """The row of a record in the sidecar of an exhibit.

        anchor: of that exhibit. empty: why it has nothing to show, or empty.
        """
        claim = record["claim"] or {"estimates": [], "n": "", "limits": "", "text": ""}
        found = [Estimate(**fields, bounds=ANY_NUMBER) for fields in claim["estimates"]]
        return cls(
            text=record["text"],
            source=record["source"],
            published=record["published"] or NONE,
            measured=_measured(found),
            statistic=_statistic(claim.get("statistic", ""), found),
            n=claim["n"] or NONE,
            verdict=record["verdict"],
            detail=record["detail"],
            limits=_limits(record, empty),
            sentence=claim["text"],
            estimates=_each(found) if len(found) > 1 else (),
            levels=tuple(sorted({one.level for one in found if one.has_interval})),
            anchor=anchor,
        )

    @property
    def is_measured(self) -> bool:
        """Whether the runs sufficed for an estimate."""
        return self.measured != NONE


def _limits(record: dict[str, Any], empty: str) -> str:
    """Power or precision of a measurement; the reason where there is none."""
    claim = record["claim"]
    if claim is None:
        return f"Not measured. {empty or 'There are too few runs, or none, of these models.'}"
    limits = claim["limits"].replace("; power not computed", "")
    lacks_power = not limits or (limits.startswith("p ") and "power" not in limits)
    return "; ".join(filter(None, [limits, record["precision"] if lacks_power else ""]))


def _decimals(estimates: Sequence[Estimate]) -> int:
    ends = [(e.low * e.factor, e.high * e.factor) for e in estimates if _is_uncertain(e)]
    return interval_decimals(ends, otherwise=[e.value * e.factor for e in estimates])


def _measured(estimates: Sequence[Estimate]) -> str:
    """`3.2 [2.1, 4.4]`; of several `0.5 to 9.0 (25 estimates)`."""
    if not estimates:
        return NONE
    if len(estimates) == 1:
        return _one(estimates[0], _decimals(estimates))
    values = [one.value * one.factor for one in estimates]
    halves = [one.factor * (one.high - one.low) / 2 for one in estimates if _is_uncertain(one)]
    places = decimals(halves, 2, 1, otherwise=values)  # no end of an interval is printed
    return f"{from_to(values, lambda value: fixed(value, places))} ({len(values)} estimates)"


def _statistic(text: str, estimates: Sequence[Estimate]) -> str:
    """What was estimated, with its unit."""
    unit = estimates[0].unit if estimates else ""
    return f"{text}, {unit}" if unit else text


def _each(estimates: Sequence[Estimate]) -> tuple[str, ...]:
    places = _decimals(estimates)
    return tuple(f"{one.subject}: {_one(one, places)}" for one in estimates)


def _is_uncertain(estimate: Estimate) -> bool:
    """Whether chance is involved: what is counted has an interval of the level 1, without error."""
    return estimate.has_interval and estimate.level < 1


def _one(estimate: Estimate, places: int) -> str:
    """`3.2 [2.1, 4.4]`; `at least 3.2` of a bound that is counted, else its value alone."""
    if not estimate.has_interval or _is_uncertain(estimate):
        return format_estimate(estimate, places)
    is_bound = estimate.low == estimate.value < estimate.high
    text = format_number(estimate.value * estimate.factor, places)
    return f"at least {text}" if is_bound else text
