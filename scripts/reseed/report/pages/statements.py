"""Statements of papers as a report shows them: a picture, one word, one next step."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from typing import Any

from reseed.core.identifiers import SCALES
from reseed.core.study_info import StudyInfo
from reseed.report.pages import forest
from reseed.report.rendering.numbers import NONE, counted
from reseed.verdicts.evidence import (
    VERDICTS,
    Evidence,
    ValueInUnit,
    Verdict,
    read_evidence,
)
from reseed.verdicts.formatting import (
    count_interval_decimals,
    format_number,
    two_digits,
)


@dataclass(frozen=True)
class StatementRow:
    """One statement of a study.

    study: its name.
    info: its facts.
    name: of the statement.
    anchor: of its exhibit on the study's page, empty where it has no page.
    run: what this run says.
    reference: what the committed reference results say, if they have the statement.
    made: how the reference results were made.
    """

    study: str
    info: StudyInfo
    name: str
    anchor: str
    run: Evidence
    reference: Evidence | None = None
    made: str = ""

    @property
    def identifier(self) -> str:
        """Anchor of the row, stable over runs."""
        return f"{self.study}-{self.name}"

    @property
    def text(self) -> str:
        """The statement."""
        return self.run.statement.text

    @property
    def source(self) -> str:
        """Where the paper states it."""
        return self.run.statement.source

    @property
    def decisive(self) -> Evidence:
        """The evidence whose verdict counts: the reference's if there is one, else this run's."""
        return self.reference or self.run

    @property
    def verdict(self) -> Verdict:
        """Of the decisive evidence."""
        return self.decisive.verdict

    @property
    def order(self) -> int:
        """Position of the verdict: decided first."""
        return VERDICTS.index(self.verdict)

    @property
    def measured(self) -> str:
        """`3.0 [2.0, 4.6]` of the decisive evidence, with its unit; a dash without one."""
        return show_measured(self.decisive)

    @property
    def both(self) -> str:
        """The verdict of this run, where the reference's stands beside it."""
        if self.reference is None:
            return ""
        parts: list[str] = [self.run.verdict]
        if self.run.average is not None:
            parts += [show_measured(self.run), self.run.n]
        return f"This run: {', '.join(parts)}."

    @property
    def made_by(self) -> str:
        """How the reference results were made, with the study's name; empty without them."""
        return f"{self.study}: {self.made}" if self.made else ""

    @property
    def next_step(self) -> str:
        """What would decide the statement, or how to see more."""
        evidence = self.decisive
        if evidence.verdict == "not yet" and evidence.needed:
            return f"about {evidence.needed:,} {evidence.noun}"
        return {
            "supported": "", "contradicted": "", "mixed": "look at the settings",
            "not yet": evidence.reason.rstrip("."), "not run": "run scale paper",
            "not comparable": f"not the paper's: {evidence.reason}",
        }[evidence.verdict]  # fmt: skip

    @property
    def command(self) -> str:
        """The command that trains what was not run; empty where none is known to decide it."""
        if self.verdict != "not run" or self.info.scale not in {*SCALES} - {"paper"}:
            return ""
        return f"snakemake --cores all {shlex.quote(self.study)} --config scale=paper"

    @cached_property
    def picture(self) -> str:
        """The forest plot, as SVG."""
        return forest.draw(self.run, self.reference, self.description)

    @property
    def description(self) -> str:
        """The plot in words."""
        low, high = forest.region(self.decisive)
        ends = [f"{x:g}" for x in (low, high) if isfinite(x)]
        parts = [f"Limit {' and '.join(ends)}"]
        if paper := self.run.statement.paper:
            parts.append(f"paper {' to '.join(f'{value:g}' for value in paper)}")
        if self.reference:
            parts.append(f"reference {show_measured(self.reference)}")
        parts.append(f"this run {show_measured(self.run)}")
        return "; ".join(parts) + "."

    @property
    def details(self) -> list[str]:
        """What opens on a click: numbers, n, conditions, limit and reason."""
        evidence, statement = self.decisive, self.run.statement
        quote = f"“{statement.quote}”" if statement.quote else ""
        paper = "; ".join(filter(None, [quote, statement.published, statement.conditions]))
        voting = [one for one in evidence.settings if not one.reason]
        apart, shown = len(evidence.settings) - len(voting), len(voting)
        over = "judged on each" if statement.is_of_each else "average"
        return [
            text
            for text in (
                f"Measured: {evidence.statistic}, {show_measured(evidence)}"
                f"{f', {over} of {shown} settings' if shown > 1 else ''}; {evidence.n}."
                if evidence.average
                else "",
                f"Shown on the statement's side in {evidence.inside} of {shown} settings, on the"
                f" other in {evidence.outside}."
                if shown > 1
                else "",
                f"No vote, because they are not the paper's: {counted(apart, 'setting')}."
                if apart
                else "",
                "Not run at this scale."
                if evidence.verdict == "not run"
                else evidence.reason
                if evidence.verdict == "not yet"
                else "",
                self.both,
                f"Limit: {statement.limit}." if statement.limit else "",
                f"Paper: {paper}{f' ({statement.source})' if statement.source else ''}."
                if paper or statement.source
                else "",
            )
            if text
        ]

    @property
    def settings(self) -> list[str]:
        """Each setting with its interval."""
        return [
            f"{one.subject}: {_show(one)}{f' (no vote: {one.reason})' if one.reason else ''}"
            for one in self.decisive.settings
        ]

    def record(self) -> dict[str, Any]:
        """The row as data to copy."""
        average = self.decisive.average
        return {
            "statement": self.text,
            "source": self.source,
            "published": self.run.statement.published,
            "value": None if average is None else average.value,
            "low": None if average is None or not isfinite(average.low) else average.low,
            "high": None if average is None or not isfinite(average.high) else average.high,
            "n": self.decisive.n,
            "verdict": self.verdict,
        }


def find_rows(
    study: str,
    info: StudyInfo,
    anchors: Mapping[str, str],
    records: Sequence[dict[str, Any]],
    reference: dict[str, Any] | None,
) -> list[StatementRow]:
    """The rows of a study's evidence.

    anchors: by exhibit. records, reference: the statements, and the content, of `evidence.json`.
    """
    known = {one["name"]: one["evidence"] for one in (reference or {}).get("statements", [])}
    rows = []
    for record in records:
        name, run = record["name"], read_evidence(record["evidence"])
        stored = known.get(name)
        other = read_evidence(stored) if stored is not None and info.scale != "smoke" else None
        if other and other.verdict == "not run":  # a reference decides nothing by what it lacks
            other = None
        is_same = other and other.statement.definition() == run.statement.definition()
        shown, made = (other, (reference or {}).get("made", "")) if is_same else (None, "")
        anchor = anchors.get(run.statement.exhibit, "")
        rows.append(StatementRow(study, info, name, anchor, run, shown, made))
    return rows


def show_measured(evidence: Evidence) -> str:
    """`3.0 [2.0, 4.6]`, with the unit; a dash where nothing was measured."""
    if evidence.average is None:
        return NONE
    unit = f" {evidence.unit}" if evidence.unit else ""
    return _show(evidence.average) + unit


def _show(one: ValueInUnit) -> str:
    """Two digits of each number where they differ by size, as those of a ratio do."""
    numbers = [one.value, one.low, one.high]
    if not isfinite(one.low) or one.low == one.high:
        return two_digits(one.value)
    if 0 < one.low < one.high / 3:
        value, low, high = map(two_digits, numbers)
    else:
        places = count_interval_decimals(one.low, one.high if isfinite(one.high) else one.value)
        value, low, high = (format_number(number, places) for number in numbers)
    return f"{value} [{low}, {high}]"
