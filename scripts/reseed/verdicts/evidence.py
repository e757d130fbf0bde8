"""What runs say about a statement of a paper: one record, with one verdict."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from math import inf, isfinite, nan
from typing import Any, Literal

import pandas as pd

from reseed.core.statement import Statement
from reseed.verdicts.averages import POWER, Average, AverageOfEnds
from reseed.verdicts.formatting import count_noun
from reseed.verdicts.settings import read_settings, select_rows

Verdict = Literal["supported", "contradicted", "mixed", "not yet", "not comparable", "not run"]
#: In the order of pages: decided first.
VERDICTS: tuple[Verdict, ...] = (
    "supported", "contradicted", "mixed", "not yet", "not comparable", "not run",
)  # fmt: skip
#: Level of the interval of an average.
LEVEL = 0.95
#: Above so many seeds the number that would decide a statement is not given.
MOST_NEEDED = 500
_BLIND = "So few runs could not have shown it: the power of the test is below 80 %."
#: (positions of settings, level) → interval of their average.
Interval = Callable[[tuple[int, ...], float], tuple[float, float]]


@dataclass(frozen=True)
class ValueInUnit:
    """A value with its interval. Ends are NaN where there is none.

    subject: the setting; empty for the average over settings.
    reason: what the setting does not share with the paper, so that it has no vote.
    """

    value: float
    low: float = nan
    high: float = nan
    subject: str = ""
    reason: str = ""

    def record(self) -> dict[str, Any]:
        """The value as JSON data, in which NaN is null."""
        low, high = (end if isfinite(end) else None for end in (self.low, self.high))
        texts = {"subject": self.subject, "reason": self.reason}
        return {"value": self.value, "low": low, "high": high, **texts}


@dataclass(frozen=True)
class Evidence:
    """A statement and what one set of runs says about it; numbers are in the unit that is shown.

    statement: as configured.
    ratio: whether 1 is the natural null and the axis is logarithmic.
    average: over the settings that vote; over all if none does.
    settings: each with an interval of its own; those with a reason have no vote.
    inside, outside: numbers of settings with a vote shown in and out of the region.
    n: the sample, as text.
    needed: size of the sample with which the average would be decided, about; None if not known.
    reason: why the verdict is not one of the decided ones.
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

    def record(self) -> dict[str, Any]:
        """The evidence as JSON data, in which NaN is null; `read_evidence` reads it."""
        record = {one.name: getattr(self, one.name) for one in fields(self)}
        return record | {
            "statement": self.statement.model_dump(mode="json", exclude_defaults=True),
            "average": self.average and self.average.record(),
            "settings": [one.record() for one in self.settings],
        }


def read_evidence(record: dict[str, Any]) -> Evidence:
    """The evidence of `Evidence.record`, also after a round trip through JSON."""
    average = record["average"]
    return Evidence(
        **record
        | {
            "statement": Statement(**record["statement"]),
            "average": None if average is None else _read_value(average),
            "settings": tuple(map(_read_value, record["settings"])),
        }
    )


def _read_value(record: dict[str, Any]) -> ValueInUnit:
    """Ends that JSON wrote as null are NaN."""
    low, high = (nan if record[end] is None else float(record[end]) for end in ("low", "high"))
    return ValueInUnit(float(record["value"]), low, high, record["subject"], record["reason"])


def judge(
    statement: Statement,
    frame: pd.DataFrame,
    name_rows: Callable[[pd.DataFrame], Sequence[str]],
    pool: Callable[[pd.DataFrame], Average | None],
    compare: Callable[[pd.DataFrame], Sequence[str]],
) -> Evidence:
    """The evidence of an analysis' rows on a statement.

    name_rows: the title of each row's setting. pool: average of ratios of SDs (`pool_sd_ratios`).
    compare: what of `statement.needs` each row does not share with the paper, as text; such a
    setting has no vote.
    """
    rows = frame if frame.empty else select_rows(statement, frame)
    if rows.empty:
        reason = "These runs have too few seeds, or none, of what it speaks about."
        return Evidence(statement, "not run", reason=reason)
    measured = read_settings(statement, rows, name_rows(rows), compare(rows))
    votes = tuple(i for i, one in enumerate(measured) if not one.reason)
    chosen = votes or tuple(range(len(measured)))
    average = (pool(rows) if statement.pooled else None) or AverageOfEnds(measured)
    counted = [c for name in statement.n for c in (name, f"{name}_baseline") if c in rows]
    sizes = rows[counted].to_numpy(float)[list(chosen)]
    low, high = int(sizes.min()), int(sizes.max())
    text, factor = count_noun(high, statement.noun), 100.0 if statement.unit == "points" else 1.0
    settings = tuple(
        _in_unit(average.interval((i,), LEVEL), factor, one.subject, one.reason)
        for i, one in enumerate(measured)
    )
    region = _region(statement)

    def interval(positions: tuple[int, ...], level: float) -> tuple[float, float]:
        return average.interval(positions, level)[1:]

    whole, needed = average.interval(chosen, LEVEL), None
    verdict: Verdict = "not comparable"
    parted = (part for one in measured for part in one.reason.split("; "))
    reason = "; ".join(dict.fromkeys(parted))
    if votes:
        rule = decide_each if statement.is_of_each else decide
        verdict, reason = rule(interval, votes, region, LEVEL), ""
    if verdict == "contradicted" and statement.power:
        powers = rows[statement.power].dropna()
        if len(powers) and powers.max() < POWER and not (rows[statement.p] < 0.05).any():
            verdict, reason = "not yet", _BLIND
    if verdict == "not yet" and not reason:
        parts = [(i,) for i in votes] if statement.is_of_each else [votes]
        needed = _needed(average, parts, region, high)
        reason = _explain_not_yet(whole, needed, f"{statement.noun}s")
    inside, outside = count_sides(interval, chosen, region) if votes else (0, 0)
    return Evidence(
        statement,
        verdict,
        statistic=statement.title,
        unit=statement.unit,
        ratio=statement.scale == "log" and not statement.unit,
        factor=factor,
        average=_in_unit(whole, factor),
        settings=settings if len(settings) > 1 or settings[0].reason else (),
        inside=inside,
        outside=outside,
        n=text if low == high else f"{low:,} to {text}",
        noun=f"{statement.noun}s",
        needed=needed,
        reason=reason,
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
    most = None if None in sizes else max(filter(None, sizes), default=None)
    return most if most is None or most <= MOST_NEEDED else None


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
    """The verdict on a statement about every setting: one that is shown outside decides."""
    inside, outside = count_sides(interval, chosen, region)
    if outside:
        return "mixed" if inside else "contradicted"
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


def _in_unit(
    estimate: tuple[float, float, float], factor: float, subject: str = "", reason: str = ""
) -> ValueInUnit:
    value, low, high = (x * factor for x in estimate)
    return ValueInUnit(value, low, high, subject, reason)


def _explain_not_yet(whole: tuple[float, float, float], needed: int | None, noun: str) -> str:
    if not (isfinite(whole[1]) or isfinite(whole[2])):
        return "It has no interval, so nothing is decided."
    if needed is None:
        return f"No number of {noun} up to {MOST_NEEDED} is known that would decide it."
    return (
        f"About {needed:,} {noun} would decide it with a power of 80 %, if the estimate is right."
    )
