"""The page docs/findings.md: statements of papers, judged by the records of docs/findings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import yaml
from finding_values import BOUNDS, LEVEL, read_estimates
from reseed.claims import phrases
from reseed.claims.claim import ANY_NUMBER, NO_NULL, Claim, Estimate, Sample
from reseed.claims.formatting import format_share
from reseed.claims.statements import Judgement, describe_precision, judge
from reseed.core.statement import Statement

_MOST_SHOWN = 4  # estimates that are listed one by one
_SHOW: dict[str, Callable[[float], str]] = {
    "ratio": lambda value: f"{value:.3g}",
    "number4": "{:.4f}".format,
    "percent": format_share,
    "percent1": lambda share: format_share(share, 1),
}


@dataclass(frozen=True)
class Finding:
    """One row of the page. limits: power, or why there is none, and why they cannot tell."""

    record: dict[str, Any]
    claim: Claim
    judgement: Judgement
    limits: str


def read_findings(folder: Path) -> list[Finding]:
    """The findings of `records.yaml` in the folder, in its order."""
    return [_find(record, folder) for record in _load(folder)["records"]]


def render_page(folder: Path) -> str:
    """The text of the page."""
    source = _load(folder)
    head = ["statement", "the paper's number", "ours, with 95 % interval", "n", "verdict", "source"]
    lines = [f"| | {' | '.join(head)} |", "| --- " * (len(head) + 1) + "|"]
    for number, finding in enumerate(read_findings(folder), 1):
        cells = [str(number), *_cells(source, finding)]
        lines.append(f"| {' | '.join(cells)} |")
    page = (folder / "page.md").read_text(encoding="utf-8")
    return page.replace("{table}", "\n".join(lines))


def _load(folder: Path) -> dict[str, Any]:
    return yaml.safe_load((folder / "records.yaml").read_text(encoding="utf-8"))


def _cells(source: dict[str, Any], finding: Finding) -> list[str]:
    record, paper = finding.record, source["papers"][finding.record["paper"]]
    statement = f"{record['statement']} ([{paper['title']}]({paper['page']}))"
    text = finding.claim.text.replace(f" ({finding.claim.sample.text})", "")  # a column of its own
    ours = " ".join(filter(None, [text, record.get("note", "").strip()]))
    verdict = f"**{finding.judgement.verdict}**"
    counts = finding.judgement.text.removeprefix(finding.judgement.verdict).strip()
    verdict += f" {counts}" if counts else ""
    verdict += f"; {finding.limits}" if finding.limits else ""
    campaign = source["campaigns"][record["campaign"]].strip()
    exhibit = f"`{record['exhibit']}`" if record["campaign"] != "methods" else ""
    where = "; ".join(filter(None, [exhibit, campaign]))
    published = record.get("published", "–")
    return [statement, published, ours, finding.claim.sample.text, verdict, where]


def _find(record: dict[str, Any], folder: Path) -> Finding:
    rows = pd.DataFrame(read_estimates(record, folder))
    show = _SHOW[record.get("show", "ratio")]
    estimates = [
        Estimate(
            row["subject"], row["value"], row["low"], row["high"], LEVEL,
            BOUNDS.get(row.get("method"), ANY_NUMBER),
        )
        for row in rows.to_dict("records")
    ]  # fmt: skip
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
    claim = Claim(
        name=record["name"],
        sentence=f"{sentence} ({{n}}).",
        rows=rows,
        phrases={
            "statistic": phrases.name(record["statistic"][0].upper() + record["statistic"][1:]),
            "values": values,
            "cells": phrases.count(rows, "cell"),
            "low": phrases.Phrase(show(rows["low"].min()), "range", tuple(rows.index)),
            "high": phrases.Phrase(show(rows["high"].max()), "range", tuple(rows.index)),
        },
        sample=Sample.of(rows, "n", record["unit"], record["unit"]),
        statistic=record["statistic"],
        estimates=estimates,
        null=NO_NULL,
    )
    statement = Statement(
        record["statement"], record["name"], record.get("above"), record.get("below")
    )
    judgement = judge(statement, claim)
    reasons = [describe_precision(statement, claim)]
    if rows["low"].isna().all() and record.get("limits"):
        reasons = []  # the limits say why there is no interval
    reasons += [record.get("limits", ""), record.get("cannot_tell", "")]
    if record.get("cannot_tell"):
        judgement = Judgement("cannot tell", 0, 0, 0)
    limits = "; ".join(filter(None, reasons))
    return Finding(record, claim, judgement, limits)
