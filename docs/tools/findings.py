"""The page docs/findings.md: statements of papers, judged by the records of docs/findings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pandas as pd
import yaml
from finding_values import ValuesFile, read_estimates
from pydantic import Field
from reference_evidence import render_references
from reseed.comparison.claims import phrases
from reseed.comparison.claims.claim import NO_NULL, Claim, Sample
from reseed.comparison.claims.evidence import Evidence, judge
from reseed.comparison.claims.formatting import format_share
from reseed.core.statement import Statement
from reseed.plugins.options import Strict

_MOST_SHOWN = 4  # estimates that are listed one by one
_SHOW: dict[str, Callable[[float], str]] = {
    "ratio": lambda value: f"{value:.3g}",
    "number2": "{:.2f}".format,
    "number4": "{:.4f}".format,
    "percent": format_share,
    "percent1": lambda share: format_share(share, 1),
}


class Record(Strict):
    """A statement of a paper and the files with its estimates.

    above, below: region of the statement. statistic, unit: of the estimates and of their n.
    show: format of the estimates. exhibit: it measures the statement. study: statements of study
    files with this wording. note: follows the estimates. limits: why there is no power, or what was
    not measured. cannot_tell: why the estimates do not decide the statement.
    """

    name: str
    paper: str
    campaign: str
    exhibit: str
    study: list[str] = []
    statement: str
    published: str = "–"
    above: float | None = None
    below: float | None = None
    statistic: str
    unit: str
    values: list[ValuesFile] = Field(min_length=1)
    show: Literal["ratio", "number2", "number4", "percent", "percent1"] = "ratio"
    note: str = ""
    limits: str = ""
    cannot_tell: str = ""

    def to_statement(self) -> Statement:
        """The statement that the claim is compared with."""
        return Statement(
            self.statement, self.name, self.above, self.below, not_comparable=self.cannot_tell
        )


class Paper(Strict):
    """A paper and its page in the documentation."""

    title: str
    page: str


class Source(Strict):
    """The file of records. campaigns: where the numbers come from."""

    papers: dict[str, Paper]
    campaigns: dict[str, str]
    records: list[Record]


@dataclass(frozen=True)
class Finding:
    """One row of the page. limits: why it is not decided, and what was not measured."""

    record: Record
    claim: Claim
    evidence: Evidence
    limits: str


def read_findings(folder: Path) -> list[Finding]:
    """The findings of `records.yaml` in the folder, in its order."""
    return [_find(record, folder) for record in _load(folder).records]


def render_page(folder: Path) -> str:
    """The text of the page."""
    source = _load(folder)
    head = ["statement", "the paper's number", "ours, with 95 % interval", "n", "verdict", "source"]
    lines = [f"| | {' | '.join(head)} |", "| --- " * (len(head) + 1) + "|"]
    for number, record in enumerate(source.records, 1):
        cells = [str(number), *_cells(source, _find(record, folder))]
        lines.append(f"| {' | '.join(cells)} |")
    page = (folder / "page.md").read_text(encoding="utf-8")
    return page.replace("{table}", "\n".join(lines)).replace("{reference}", render_references())


def _load(folder: Path) -> Source:
    text = (folder / "records.yaml").read_text(encoding="utf-8")
    return Source.model_validate(yaml.safe_load(text))


def _cells(source: Source, finding: Finding) -> list[str]:
    record, paper = finding.record, source.papers[finding.record.paper]
    statement = f"{record.statement} ([{paper.title}]({paper.page}))"
    text = finding.claim.text.replace(f" ({finding.claim.sample.text})", "")  # a column of its own
    ours = " ".join(filter(None, [text, record.note]))
    evidence = finding.evidence
    verdict = f"**{evidence.verdict}**"
    if len(evidence.settings) > 1:
        verdict += (
            f" ({evidence.inside} of {len(evidence.settings)} settings shown inside,"
            f" {evidence.outside} outside)"
        )
    verdict += f"; {finding.limits}" if finding.limits else ""
    exhibit = f"`{record.exhibit}`" if record.campaign != "methods" else ""
    where = "; ".join(filter(None, [exhibit, source.campaigns[record.campaign]]))
    return [statement, record.published, ours, finding.claim.sample.text, verdict, where]


def _find(record: Record, folder: Path) -> Finding:
    claim = _claim(record, folder)
    evidence = judge(record.to_statement(), [claim])
    reasons = [evidence.reason.rstrip("."), record.limits]
    return Finding(record, claim, evidence, "; ".join(filter(None, reasons)))


def _claim(record: Record, folder: Path) -> Claim:
    found = read_estimates(record.values, folder)
    estimates = [estimate for estimate, _ in found]
    rows = pd.DataFrame(
        [
            {"subject": one.subject, "value": one.value, "low": one.low, "high": one.high, "n": n}
            for one, n in found
        ]
    )
    show = _SHOW[record.show]
    if len(rows) <= _MOST_SHOWN:
        is_exact = rows["low"] == rows["high"]
        shown = rows.assign(low=rows["low"].mask(is_exact), high=rows["high"].mask(is_exact))
        values = phrases.each(shown, "value", show, list(rows["subject"]), ("low", "high"))
        if len(rows) == 1:
            values = phrases.Phrase(f"{values} for {rows['subject'][0]}", "each", values.rows)
    else:
        values = phrases.extent(rows, "value", show, is_comparable=True)
    sentence = "{statistic}: {values}"
    if len(rows) > _MOST_SHOWN:
        sentence += " in {cells}, intervals from {low} to {high}"
    return Claim(
        name=record.name,
        sentence=f"{sentence} ({{n}}).",
        rows=rows,
        phrases={
            "statistic": phrases.name(record.statistic[0].upper() + record.statistic[1:]),
            "values": values,
            "cells": phrases.count(rows, "cell"),
            "low": phrases.Phrase(show(rows["low"].min()), "range", tuple(rows.index)),
            "high": phrases.Phrase(show(rows["high"].max()), "range", tuple(rows.index)),
        },
        sample=Sample.of(rows, "n", record.unit, record.unit),
        statistic=record.statistic,
        estimates=estimates,
        null=NO_NULL,
    )
