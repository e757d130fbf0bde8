"""A claim: one sentence about results, with the rows, numbers and limits behind it.

Exhibits return claims. Headlines, findings, alternative texts of figures, the front page and
`docs/findings.md` are rendered from them. A claim that says more than its rows support cannot be
constructed: `ClaimError`.
"""

from __future__ import annotations

import math
import string
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from reseed.comparison.claims.formatting import count_noun, format_p, format_share, from_to
from reseed.comparison.claims.phrases import ROUNDING, ClaimError, Phrase
from reseed.comparison.claims.wording import find_equality, find_number

if TYPE_CHECKING:
    from reseed.comparison.claims.averages import Average

_FIELDS = string.Formatter()
_TITLE = Phrase("", "name")
#: Bounds of values without a limit.
ANY_NUMBER = (-math.inf, math.inf)
#: `null` of an estimate that is compared with nothing.
NO_NULL = "none, a measured value"


@dataclass(frozen=True)
class Sample:
    """The n behind a claim: from `low` to `high` units for each row; made by `Sample.of`.

    columns: of the rows, which hold n.
    rows: their index labels.
    least: the least n of a row.
    """

    low: int
    high: int
    unit: str
    plural: str = ""
    columns: tuple[str, ...] = ()
    rows: tuple[Hashable, ...] = ()
    least: int = 1

    @classmethod
    def of(
        cls,
        rows: pd.DataFrame,
        columns: str | Sequence[str],
        unit: str,
        plural: str = "",
        least: int = 1,
    ) -> Sample:
        """The n in columns of the rows, counted in `unit` (singular).

        least: 0 for rows that may be without a run, such as a pair that shares none.
        """
        names = (columns,) if isinstance(columns, str) else tuple(columns)
        if absent := sorted(set(names) - set(rows)):
            raise ClaimError(f"the rows have no n: no column {', '.join(absent)}")
        values = rows[list(names)].to_numpy(float)
        if least == 0:
            values = np.nan_to_num(values)
        if not values.size or not np.isfinite(values).all() or values.min() < least:
            raise ClaimError(f"n is missing or 0 in a row ({', '.join(names)})")
        ends = int(values.min()), int(values.max())
        return cls(*ends, unit, plural, names, tuple(rows.index), least)

    @property
    def text(self) -> str:
        """`24 seeds`, `12 to 50 seeds`."""
        noun = count_noun(self.high, self.unit, self.plural)
        return noun if self.low == self.high else f"{self.low:,} to {noun}"


@dataclass(frozen=True)
class Estimate:
    """A measured value with its interval, in the unit of the metric or without one.

    subject: what it was measured on.
    level: of the interval.
    bounds: least and greatest possible value (required). Interval ends are NaN where there is no
        interval.
    factor: 100 for a difference of shares that is shown in points, with `unit`.
    share_n: number of independent cases whose share has such an interval; NaN for other estimates.
    """

    subject: str
    value: float
    low: float = math.nan
    high: float = math.nan
    level: float = math.nan
    bounds: tuple[float, float] = (math.nan, math.nan)
    factor: float = 1.0
    unit: str = ""
    share_n: float = math.nan

    def __post_init__(self) -> None:
        if math.isnan(self.bounds[0]):
            raise ClaimError(f"{self.subject}: an estimate needs the bounds of its possible values")
        least, greatest = self.bounds
        if not math.isfinite(self.value):
            raise ClaimError(f"{self.subject}: the estimate is {self.value}")
        for number in (self.value, self.low, self.high):
            if number < least or number > greatest:
                raise ClaimError(f"{self.subject}: {number:g} is outside {least:g} to {greatest:g}")
        error = ROUNDING * abs(self.value)
        if self.low > self.value + error or self.high < self.value - error:
            raise ClaimError(f"{self.subject}: {self.value:g} is outside its interval")

    @classmethod
    def truncated(
        cls,
        subject: str,
        value: float,
        interval: tuple[float, float],
        level: float,
        bounds: tuple[float, float],
    ) -> Estimate:
        """An estimate whose interval is cut at the ends of the possible range.

        The cut leaves out no possible value, so the interval covers as often as before.
        """
        low, high = (min(max(float(end), bounds[0]), bounds[1]) for end in interval)
        known = all(map(math.isfinite, interval))
        ends = (low, high) if known else (math.nan, math.nan)
        return cls(subject, float(value), *ends, float(level), bounds)

    @classmethod
    def of_rows(
        cls,
        rows: pd.DataFrame,
        subjects: Iterable[str],
        column: str,
        bounds: tuple[float, float],
        ends: tuple[str, str] | None = None,
        level: float | None = None,
    ) -> list[Estimate]:
        """The value of a column in each row, with its interval, cut as by `truncated`.

        ends: columns of the interval (None: `{column}_low` and `{column}_high`).
        level: of the intervals (None: the column `level`).
        """
        lows, highs = (rows[end] for end in ends or (f"{column}_low", f"{column}_high"))
        levels = rows["level"] if level is None else [level] * len(rows)
        columns = zip(subjects, rows[column], lows, highs, levels, strict=True)
        return [
            cls.truncated(subject, value, (low, high), confidence, bounds)
            for subject, value, low, high, confidence in columns
        ]

    def in_points(self) -> Estimate:
        """The estimate of shares, to be shown in points."""
        return replace(self, factor=100.0, unit="points")

    @property
    def has_interval(self) -> bool:
        """Whether both ends are finite."""
        return math.isfinite(self.low) and math.isfinite(self.high)


@dataclass(frozen=True)
class Test:
    """A test of a null hypothesis.

    null: in words.
    p: adjusted as `alpha` demands.
    power: against `alternative`, which is in words (None: not computed).
    """

    __test__ = False  # not a test case

    null: str
    p: float
    alpha: float = 0.05
    power: float | None = None
    alternative: str = ""

    @property
    def rejects(self) -> bool:
        """Whether the null hypothesis is rejected."""
        return self.p < self.alpha

    @property
    def text(self) -> str:
        """`p 0.61; power 12 % against t with 3 degrees of freedom`."""
        if self.rejects:
            return f"p {format_p(self.p)}"
        if self.power is None:
            return f"p {format_p(self.p)}; power not computed"
        return f"p {format_p(self.p)}; power {format_share(self.power)} against {self.alternative}"


@dataclass(frozen=True)
class Claim:
    """One sentence about results.

    name: identifies the claim within its exhibit.
    sentence: template with `{phrase}` for each number or title, and `{n}` for the sample. Any other
        digit is refused, so each number comes from the rows.
    headline: shorter template for the heading, or empty.
    rows: the rows that it was computed from.
    phrases: by name. One that was computed from a part of the rows has words (`of`) in the sentence
        that name the part.
    sample: n for each row.
    statistic: of the estimates, such as `SD ratio`.
    estimates: one for each row or group of rows; they decide whether a statement holds.
    tests: those that the sentence speaks about.
    null: the comparison that the claim speaks about, such as `ratio 1`, or `NO_NULL`; required with
        estimates or tests.
    precision: power or smallest detectable effect in words; where it is empty, `limits` states the
        power of the tests, or the widths of the intervals.
    equality: how the equality that the sentence states was found, `counted` or by `equivalence
        tests`; without it such words are refused. Neither a test that does not reject nor an
        interval that includes the null shows equality.
    average: of the estimates over settings, with its interval; None for the average of the ends of
        their intervals (`reseed.comparison.claims.averages`).
    """

    name: str
    sentence: str
    rows: pd.DataFrame = field(repr=False, compare=False)
    phrases: Mapping[str, Phrase]
    sample: Sample
    headline: str = ""
    statistic: str = ""
    estimates: Sequence[Estimate] = ()
    tests: Sequence[Test] = ()
    null: str = ""
    precision: str = ""
    equality: Literal["", "counted", "equivalence tests"] = ""
    average: Average | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.rows.empty:
            raise ClaimError(f"{self.name}: a claim without rows")
        if not self.rows.index.is_unique:
            raise ClaimError(f"{self.name}: two rows share an index label")
        self._check_template("sentence", self.sentence)
        self._check_template("headline", self.headline)
        if "n" not in _names(self.sentence):
            raise ClaimError(f"{self.name}: the sentence does not state its n: {self.sentence}")
        if (self.estimates or self.tests) and not self.null:
            raise ClaimError(f"{self.name}: with which value is it compared? Set `null`")
        self._check_sample()
        for name, phrase in self.phrases.items():
            self._check_phrase(name, phrase)
        self._check_equality()

    @property
    def text(self) -> str:
        """The sentence."""
        return self._fill(self.sentence)

    @property
    def heading(self) -> str:
        """The headline; empty without one."""
        return self._fill(self.headline)

    @property
    def statistics(self) -> frozenset[str]:
        """Centres that the sentence states: `mean`, `median`."""
        return frozenset(p.statistic for p in self.phrases.values()) & {"mean", "median"}

    @property
    def limits(self) -> str:
        """Power or smallest detectable effect: `precision`, or else that of the tests."""
        return self.precision or "; ".join(dict.fromkeys(test.text for test in self.tests))

    @property
    def widths(self) -> str:
        """`intervals of ±0.02 to 0.05`; for ratios by a factor; empty without estimates."""
        known = [one for one in self.estimates if one.has_interval]
        if not known:
            return "no interval, so the precision is not known" if self.estimates else ""
        if all(one.bounds == (0, math.inf) and one.low > 0 for one in known):
            found = from_to([math.sqrt(one.high / one.low) for one in known], "{:.2f}".format)
            text = f"intervals by a factor of {found} each way"
        elif "metric" in self.rows and self.rows["metric"].nunique() > 1:
            text = "intervals in the units of several metrics"
        else:
            halves = [one.factor * (one.high - one.low) / 2 for one in known]
            text = f"intervals of ±{from_to(halves, '{:.2g}'.format)} {known[0].unit}".rstrip()
        bare = len(self.estimates) - len(known)
        return f"{text}; {bare} without one" if bare else text

    def record(self) -> dict[str, Any]:
        """The claim for the sidecar of an exhibit."""
        return {
            "name": self.name,
            "text": self.text,
            "headline": self.heading,
            "statistic": self.statistic,
            "n": self.sample.text,
            "rows": len(self.rows),
            "null": self.null,
            "limits": self.limits,
            "widths": self.widths,
            "estimates": [
                {"subject": e.subject, "value": e.value}
                | ({"low": e.low, "high": e.high, "level": e.level} if e.has_interval else {})
                | ({"factor": e.factor, "unit": e.unit} if e.unit else {})
                for e in self.estimates
            ],
        }

    def _fill(self, template: str, hidden: Mapping[str, str] | None = None) -> str:
        """The template with its phrases; `hidden` replaces the texts of some."""
        texts = {name: phrase.text for name, phrase in self.phrases.items()} | dict(hidden or {})
        text = template.format_map(texts | {"n": self.sample.text})
        first = next(iter(_FIELDS.parse(template)), ("", ""))
        is_title = first[0] == "" and self.phrases.get(first[1] or "", _TITLE).statistic == "name"
        return text if is_title else text[:1].upper() + text[1:]

    def _check_template(self, part: str, template: str) -> None:
        if unknown := sorted(_names(template) - {*self.phrases, "n"}):
            raise ClaimError(f"{self.name}: the {part} names unknown phrases: {unknown}")
        literal = "".join(text for text, *_ in _FIELDS.parse(template))
        if number := find_number(literal):
            raise ClaimError(f"{self.name}: {number} in the {part} is no phrase: {template}")

    def _check_sample(self) -> None:
        """Refuse an n of other rows than those of the claim."""
        sample = self.sample
        own = (sample.unit, sample.plural, sample.least)
        if not sample.columns or sample != Sample.of(self.rows, sample.columns, *own):
            raise ClaimError(f"{self.name}: {sample.text} is not the n of its rows")

    def _check_phrase(self, name: str, phrase: Phrase) -> None:
        labels = set(self.rows.index)
        if not set(phrase.rows) <= labels:
            raise ClaimError(f"{self.name}: {name} was computed from rows of no part of it")
        if phrase.statistic in ("name", "setting", "each") or len(set(phrase.rows)) == len(labels):
            return
        part = f"{len(set(phrase.rows))} of {len(labels)} rows"
        if phrase.statistic in ("mean", "median"):
            raise ClaimError(f"{self.name}: {name} pools {part}, so n is that of other rows")
        if not phrase.of:
            raise ClaimError(f"{self.name}: {name} is of {part}: name them by `of`")
        for template in (self.sentence, self.headline):
            if name in _names(template) and phrase.of.lower() not in self._fill(template).lower():
                raise ClaimError(
                    f"{self.name}: {name} is of {part}, which {template!r} does not name as"
                    f" {phrase.of!r}"
                )

    def _check_equality(self) -> None:
        if self.equality == "counted" and (self.tests or self.null):
            raise ClaimError(f"{self.name}: what is counted has no null hypothesis")
        if self.equality:
            return
        hidden = dict.fromkeys(self.phrases, "x")  # titles may contain any word
        for template in (self.sentence, self.headline):
            if words := find_equality(self._fill(template, hidden)):
                raise ClaimError(
                    f"{self.name}: {words!r} states equality, which no test shows:"
                    f" {self._fill(template)}"
                )


def check_drawn(claims: Sequence[Claim], drawn: frozenset[str]) -> None:
    """Refuse claims that state another centre than the figure draws.

    drawn: `mean`, `median`; empty for a figure that draws neither.

    Raises:
        ClaimError: as above.
    """
    for claim in claims:
        if drawn and (other := claim.statistics - drawn):
            raise ClaimError(
                f"{claim.name} states the {' and '.join(sorted(other))}; the figure draws the"
                f" {' and '.join(sorted(drawn))}"
            )


def _names(template: str) -> set[str]:
    return {name for _, name, *_ in _FIELDS.parse(template) if name}
