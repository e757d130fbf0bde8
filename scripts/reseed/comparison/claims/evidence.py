"""What runs say about a statement of a paper: one record, with one verdict."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from math import inf, isfinite, nan
from typing import Any, Literal

from reseed.comparison.claims.averages import POWER, Average, AverageOfEnds
from reseed.comparison.claims.claim import Claim
from reseed.comparison.claims.estimates import Estimate, Sample
from reseed.core.statement import Statement

Verdict = Literal["supported", "contradicted", "mixed", "not yet", "not comparable", "not run"]
#: In the order of pages: decided first.
VERDICTS: tuple[Verdict, ...] = (
    "supported", "contradicted", "mixed", "not yet", "not comparable", "not run",
)  # fmt: skip
#: Level of the interval of an average.
LEVEL = 0.95
_BLIND = "So few runs could not have shown it: the power of the test is below 80 %."
#: (positions of settings, level) → interval of their average.
Interval = Callable[[tuple[int, ...], float], tuple[float, float]]


@dataclass(frozen=True)
class ValueInUnit:
    """A value with its interval. Ends are NaN where there is none.

    subject: the setting; empty for the average over settings.
    """

    value: float
    low: float = nan
    high: float = nan
    subject: str = ""


@dataclass(frozen=True)
class Evidence:
    """A statement and what one set of runs says about it; numbers are in the unit that is shown.

    statement: as configured.
    ratio: whether 1 is the natural null and the axis is logarithmic.
    average: over the settings.
    settings: each with an interval of its own.
    inside, outside: numbers of settings shown in and out of the region.
    n: the sample, as text.
    needed: size of the sample with which the average would be decided, about; None if not known.
    reason: why the verdict is not one of the decided ones.
    sentence: of the claim.
    """

    statement: Statement
    verdict: Verdict
    statistic: str = ""
    unit: str = ""
    ratio: bool = False
    factor: float = 1.0
    average: ValueInUnit | None = None
    settings: tuple[ValueInUnit, ...] = ()
    inside: int = 0
    outside: int = 0
    n: str = ""
    noun: str = ""
    needed: int | None = None
    reason: str = ""
    sentence: str = ""
    limits: str = ""

    def record(self) -> dict[str, Any]:
        """The evidence as JSON data, in which NaN is null; `read_evidence` reads it."""
        record = asdict(self)
        for one in (record["average"], *record["settings"]):
            for end in ("low", "high") if one else ():
                one[end] = one[end] if isfinite(one[end]) else None
        return record


def read_evidence(record: dict[str, Any]) -> Evidence:
    """The evidence of `Evidence.record`, also after a round trip through JSON."""
    given = dict(record)
    statement = dict(given.pop("statement"))
    statement["paper"] = tuple(statement["paper"])
    statement["only"] = tuple((column, tuple(values)) for column, values in statement["only"])
    average = given.pop("average")
    settings = tuple(_read_value(one) for one in given.pop("settings"))
    return Evidence(
        statement=Statement(**statement),
        average=None if average is None else _read_value(average),
        settings=settings,
        **given,
    )


def _read_value(record: dict[str, Any]) -> ValueInUnit:
    """Ends that JSON wrote as null are NaN."""
    low, high = (nan if record[end] is None else float(record[end]) for end in ("low", "high"))
    return ValueInUnit(float(record["value"]), low, high, record["subject"])


def judge(statement: Statement, claims: Sequence[Claim]) -> Evidence:
    """The evidence of an exhibit's claims on a statement; claims of its name speak together.

    The order of tests: not run, not comparable, mixed, supported or contradicted, not yet.

    - supported, contradicted: the 95 % interval of the average over settings lies in, or out of,
      the region. Settings are fixed, so nothing is said about others.
    - mixed: settings are shown on both sides, each by its own one-sided interval at 5 % / number
      of settings.
    - A statement is not contradicted by tests without the power to support it.
    - A statement about each setting is supported if every 95 % interval lies in the region (an
      intersection-union test), and contradicted if one setting is shown out of it, as for mixed.
    """
    relevant = _RelevantClaims.of(statement, [one for one in claims if one.name == statement.claim])
    if relevant is None:
        reason = "These runs have too few seeds, or none, of what it speaks about."
        return Evidence(statement, "not run", reason=reason)
    first, sample = relevant.claims[0], relevant.sample
    bare = Evidence(
        statement,
        "not comparable",
        statistic=first.statistic,
        unit=relevant.estimates[relevant.chosen[0]].unit,
        ratio=first.null == "ratio 1",
        factor=relevant.estimates[relevant.chosen[0]].factor,
        n=sample.text,
        noun=sample.plural or f"{sample.unit}s",
        sentence=" ".join(claim.text for claim in relevant.claims),
        limits="; ".join(dict.fromkeys(claim.limits for claim in relevant.claims if claim.limits)),
    )
    return _measure(bare, statement, relevant)


@dataclass(frozen=True)
class _RelevantClaims:
    """What claims of one name, each about other settings, say about a statement.

    chosen: positions of the estimates that the statement speaks about.
    """

    claims: Sequence[Claim]
    estimates: Sequence[Estimate]
    chosen: tuple[int, ...]

    @classmethod
    def of(cls, statement: Statement, claims: Sequence[Claim]) -> _RelevantClaims | None:
        """None where no estimate is one that the statement speaks about."""
        about: list[Claim] = []
        chosen: list[int] = []
        estimates: list[Estimate] = []
        for claim in claims:
            if positions := _find_positions(statement, claim):
                about.append(claim)
                chosen += [len(estimates) + i for i in positions]
                estimates += claim.estimates
        return cls(about, estimates, tuple(chosen)) if chosen else None

    @property
    def average(self) -> Average:
        """The claim's own; several claims have none of their own."""
        own = self.claims[0].average if len(self.claims) == 1 else None
        return own or AverageOfEnds(self.estimates)

    @property
    def sample(self) -> Sample:
        samples = [claim.sample for claim in self.claims]
        low, high = min(one.low for one in samples), max(one.high for one in samples)
        return Sample(low, high, samples[0].unit, samples[0].plural)

    @property
    def lacks_power(self) -> bool:
        """Whether no test rejects, and none could have been expected to."""
        tests = [test for claim in self.claims for test in claim.tests]
        powers = [test.power for test in tests if test.power is not None]
        return bool(powers) and max(powers) < POWER and not any(one.rejects for one in tests)


def _measure(bare: Evidence, statement: Statement, relevant: _RelevantClaims) -> Evidence:
    average, chosen = relevant.average, relevant.chosen
    region = _region(statement)

    def interval(positions: tuple[int, ...], level: float) -> tuple[float, float]:
        return average.interval(positions, level)[1:]

    settings = tuple(
        _in_unit(average.interval((i,), LEVEL), bare.factor, relevant.estimates[i].subject)
        for i in chosen
    )
    inside, outside = count_sides(interval, chosen, region)
    verdict: Verdict = "not comparable"
    if not statement.not_comparable:
        rule = decide_each if statement.each else decide
        verdict = rule(interval, chosen, region, LEVEL)
    blind = verdict == "contradicted" and relevant.lacks_power
    verdict = "not yet" if blind else verdict
    whole = average.interval(chosen, LEVEL)
    needed = None
    if verdict == "not yet" and not blind:
        parts = [(i,) for i in chosen] if statement.each else [chosen]
        needed = _needed(average, parts, region, relevant.sample.high)
    return replace(
        bare,
        verdict=verdict,
        average=_in_unit(whole, bare.factor),
        settings=settings if len(settings) > 1 else (),
        inside=inside,
        outside=outside,
        needed=needed,
        reason=statement.not_comparable
        or (_BLIND if blind else _reason(verdict, whole, needed, bare.noun)),
    )


def _needed(
    average: Average, parts: Sequence[tuple[int, ...]], region: tuple[float, float], n: int
) -> int | None:
    """Size of the sample that decides the last of `parts`, each some positions of estimates."""
    sizes = []
    for part in parts:
        value, low, high = average.interval(part, LEVEL)
        if not region[0] <= low <= high <= region[1]:
            sizes.append(average.needed(part, _nearest(value, region), n))
    return None if None in sizes else max(filter(None, sizes), default=None)


def _find_positions(statement: Statement, claim: Claim) -> tuple[int, ...]:
    """Positions of the estimates that the statement speaks about."""
    everything = range(len(claim.estimates))
    if not statement.only or len(claim.rows) != len(claim.estimates):
        return tuple(everything)
    rows = claim.rows.reset_index(drop=True)
    keep = rows.index == rows.index
    for column, values in statement.only:
        names = rows[column].astype(str).str.partition("~")[0]
        keep &= names.isin(values)
    return tuple(i for i in everything if keep[i])


def decide(
    interval: Interval, chosen: tuple[int, ...], region: tuple[float, float], level: float
) -> Verdict:
    """The verdict on the average over settings: mixed, supported, contradicted or not yet.

    region: (above, below) on the scale of the interval; ±∞ for no end.
    """
    inside, outside = count_sides(interval, chosen, region)
    if inside and outside:
        return "mixed"
    return _VERDICT[_side(interval(chosen, level), region)]


def decide_each(
    interval: Interval, chosen: tuple[int, ...], region: tuple[float, float], level: float
) -> Verdict:
    """The verdict on a statement about every setting: supported, contradicted or not yet."""
    if count_sides(interval, chosen, region)[1]:
        return "contradicted"
    sides = [_side(interval((i,), level), region) for i in chosen]
    return "supported" if all(side > 0 for side in sides) else "not yet"


def count_sides(
    interval: Interval, chosen: tuple[int, ...], region: tuple[float, float]
) -> tuple[int, int]:
    """Numbers of settings shown inside and outside, each one-sided at 5 % / number of settings."""
    level = 1 - 2 * (1 - LEVEL) / len(chosen)
    sides = [_side(interval((i,), level), region) for i in chosen]
    return sum(side > 0 for side in sides), sum(side < 0 for side in sides)


_VERDICT: dict[int, Verdict] = {1: "supported", -1: "contradicted", 0: "not yet"}


def _side(ends: tuple[float, float], region: tuple[float, float]) -> int:
    """1 for an interval inside the region, −1 outside it, else 0."""
    low, high = ends
    above, below = region
    if not (low == low and high == high):
        return 0
    if low > above and high < below:
        return 1
    return -1 if high <= above or low >= below else 0


def _region(statement: Statement) -> tuple[float, float]:
    above = -inf if statement.above is None else statement.above
    return above, inf if statement.below is None else statement.below


def _nearest(value: float, region: tuple[float, float]) -> float:
    """The end of the region that is nearer to the value."""
    ends = [end for end in region if isfinite(end)]
    return min(ends, key=lambda end: abs(end - value))


def _in_unit(estimate: tuple[float, float, float], factor: float, subject: str = "") -> ValueInUnit:
    value, low, high = (x * factor for x in estimate)
    return ValueInUnit(value, low, high, subject)


def _reason(
    verdict: Verdict, whole: tuple[float, float, float], needed: int | None, noun: str
) -> str:
    if verdict != "not yet":
        return ""
    if not (isfinite(whole[1]) or isfinite(whole[2])):
        return "It has no interval, so nothing is decided."
    if needed is None:
        return "No number of runs is known that would decide it."
    return (
        f"About {needed:,} {noun} would decide it with a power of 80 %, if the estimate is right."
    )


def judge_all(statements: Sequence[Statement], claims: Sequence[Claim]) -> list[dict[str, Any]]:
    """One record for each statement, for the sidecar of an exhibit."""
    return [judge(statement, claims).record() for statement in statements]
