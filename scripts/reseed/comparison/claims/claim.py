"""A claim: one result as data, from which its sentence, its headline and its record are written.

Exhibits return claims. Headlines, findings, alternative texts of figures, the front page and
`docs/findings.md` are rendered from them. A claim that says more than its rows support cannot be
constructed: `ClaimError`.
"""

from __future__ import annotations

import math
import string
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import pandas as pd

from reseed.comparison.claims.estimates import Estimate, Sample, Test
from reseed.comparison.claims.formatting import (
    count_noun,
    format_level,
    from_to,
    join_names,
    two_digits,
)
from reseed.comparison.claims.phrases import LISTED, ClaimError, Phrase
from reseed.comparison.claims.wording import find_equality, find_number, quote_count

if TYPE_CHECKING:
    from reseed.comparison.claims.averages import Average

_FIELDS = string.Formatter()
#: Names that a template may use besides its phrases.
_WRITTEN = frozenset(
    {"n", "each", "subject", "statistic", "estimates", "values", "counted", "level"}
)

#: Bounds of shares and correlations, which are compared whatever the metric.
_SHARES = ((0, 1), (-1, 1))


@dataclass(frozen=True)
class Claim:
    """One result of an exhibit.

    Its sentence is `subject: finding (basis, level or number of the estimates, n). note`, its
    headline the finding alone. These four are templates with `{phrase}` for each number or title;
    any other digit is refused, so each number comes from the rows. They may use `{estimates}` (each
    with its interval; the extent of many), `{values}` (without intervals), `{statistic}`, `{level}`
    and `{n}`; where `finding` or `basis` have `{n}`, it is not added.

    name: identifies the claim within its exhibit.
    finding: what was found; empty for `the {statistic} is {estimates}`.
    rows: the rows that it was computed from.
    phrases: by name. One that was computed from a part of the rows has words (`of`) in the sentence
        that name the part.
    sample: n for each row.
    headline: whether the finding may head the exhibit, or a shorter template for the heading.
    subject: title of what the claim is about, where its exhibit makes one for each of several.
    basis: conditions of the finding, such as `adjusted over the pairs`.
    note: further sentences.
    show: format of an estimate.
    noun: of estimates, where they are too many to be listed.
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
    finding: str
    rows: pd.DataFrame = field(repr=False, compare=False)
    phrases: Mapping[str, Phrase]
    sample: Sample
    headline: str | bool = False
    subject: str = ""
    basis: str = ""
    note: str = ""
    show: Callable[[float], str] = field(default="{:.2f}".format, compare=False)
    noun: str = "arm"
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
        for template in self._templates:
            self._check_template(template)
        if (self.estimates or self.tests) and not self.null:
            raise ClaimError(f"{self.name}: with which value is it compared? Set `null`")
        self._check_sample()
        for name, phrase in self.phrases.items():
            self._check_phrase(name, phrase)
        self._check_equality()

    @property
    def text(self) -> str:
        """The sentence; brackets that follow those of a number are joined with them."""
        text = self._fill(self._sentence)
        for phrase in self.phrases.values():
            if phrase.statistic not in ("name", "each") and phrase.text.endswith(")"):
                text = text.replace(f"{phrase.text} (", f"{phrase.text[:-1]}; ")
        return text

    @property
    def heading(self) -> str:
        """The headline; empty without one."""
        return self._fill(self._heading)

    @property
    def _sentence(self) -> str:
        """Template of the sentence: the one place where its parts are put together."""
        finding = self.finding or "the {statistic} is {estimates}"
        names = _names(finding)
        intervals = sum(one.has_interval for one in self.estimates)
        is_listed = len(self.estimates) <= LISTED
        parts = [
            self.basis,
            "{level} interval" + "s" * (intervals > 1)
            if is_listed and intervals and "estimates" in names
            else "",
            "" if is_listed or names.isdisjoint({"estimates", "values"}) else "{counted}",
            "" if "n" in names | _names(self.basis) else "{each}",
        ]
        brackets = ", ".join(filter(None, parts))
        sentence = finding + f" ({brackets})" * bool(brackets)
        lead = "{subject}: " * bool(self.subject)
        return f"{lead}{sentence}.{' ' * bool(self.note)}{self.note}"

    @property
    def _heading(self) -> str:
        """Template of the headline."""
        if isinstance(self.headline, str):
            return self.headline
        return (self.finding or "{statistic}: {values}") * self.headline

    @property
    def _templates(self) -> tuple[str, str]:
        return self._sentence, self._heading

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
            factors = from_to([math.sqrt(one.high / one.low) for one in known], "{:.2f}".format)
            text = f"intervals by a factor of {factors} each way"
        elif "metric" in self.rows and self.rows["metric"].nunique() > 1:
            text = "intervals in the units of several metrics"
        else:
            halves = [one.factor * (one.high - one.low) / 2 for one in known]
            text = f"intervals of ±{from_to(halves, two_digits)} {known[0].unit}".rstrip()
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

    def _text_of(self, name: str) -> str:
        """What a name in a template stands for."""
        if name in self.phrases:
            return self.phrases[name].text
        if name in ("estimates", "values"):
            return self._list_estimates(interval=name == "estimates")
        levels = [one.level for one in self.estimates if one.has_interval]
        return {
            "subject": quote_count(self.subject),
            "n": self.sample.text,
            "each": self.sample.text_of_each,
            "statistic": self.statistic,
            "counted": count_noun(len(self.estimates), self.noun),
            "level": format_level(max(levels, default=math.nan)),
        }[name]

    def _list_estimates(self, interval: bool) -> str:
        """`0.12 [0.10, 0.15] for RF and 0.20 [0.18, 0.23] for XGB`, or `0.12 to 0.20`."""
        if len(self.estimates) > LISTED:
            is_comparable = self.estimates[0].bounds in _SHARES
            if not is_comparable and self.rows.get("metric", pd.Series()).nunique() > 1:
                raise ClaimError(f"{self.name}: estimates on several metrics have no extent")
            return from_to([one.value for one in self.estimates], self.show)
        return join_names(
            self.show(one.value)
            + f" [{self.show(one.low)}, {self.show(one.high)}]" * (interval and one.has_interval)
            + f" for {one.subject}" * (len(self.estimates) > 1)
            for one in self.estimates
        )

    def _fill(self, template: str, hidden: Mapping[str, str] | None = None) -> str:
        """The template with its phrases; `hidden` replaces the texts of some."""
        texts = {name: self._text_of(name) for name in _names(template)}
        text = template.format_map(texts | dict(hidden or {}))
        before, first, *_ = next(iter(_FIELDS.parse(template)), ("", None))
        named = self.phrases.get(first or "")
        is_title = first == "subject" or (named is not None and named.statistic == "name")
        return text if is_title and not before else text[:1].upper() + text[1:]

    def _check_template(self, template: str) -> None:
        if unknown := sorted(_names(template) - {*self.phrases, *_WRITTEN}):
            raise ClaimError(f"{self.name}: {template!r} names unknown phrases: {unknown}")
        literal = "".join(text for text, *_ in _FIELDS.parse(template))
        if number := find_number(literal):
            raise ClaimError(f"{self.name}: {number} is no phrase: {template}")

    def _check_sample(self) -> None:
        """Refuse an n of other rows than those of the claim."""
        sample = self.sample
        named = (sample.unit, sample.plural, sample.least, sample.each)
        if not sample.columns or sample != Sample.of(self.rows, sample.columns, *named):
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
        for template in self._templates:
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
        titles = (*self.phrases, "subject", "estimates", "values")  # may contain any word
        hidden = dict.fromkeys(titles, "x")
        for template in self._templates:
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
