"""The page docs/findings.md: statements of papers, judged by the records of docs/findings."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import yaml
from reseed.claims import phrases
from reseed.claims.claim import ANY_NUMBER, NO_NULL, Claim, Estimate, Sample
from reseed.claims.formatting import format_share
from reseed.claims.statements import Judgement, judge
from reseed.core.statement import Statement
from reseed.stats.error_rates import estimate_rate
from reseed.stats.extremes import gaussian_range_interval
from reseed.stats.gaussian_range import expected_gaussian_range
from scipy import stats

LEVEL = 0.95
_MOST_SHOWN = 4  # estimates that are listed one by one
_TAIL = (1 - LEVEL) / 2
_SHOW: dict[str, Callable[[float], str]] = {
    "ratio": lambda value: f"{value:.3g}",
    "number4": "{:.4f}".format,
    "percent": format_share,
    "percent1": lambda share: format_share(share, 1),
}


@dataclass(frozen=True)
class Finding:
    """One row of the page. limits: what the numbers can show, or why they cannot tell."""

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
    rows = pd.DataFrame(_estimates(record, folder))
    show = _SHOW[record.get("show", "ratio")]
    is_share = record.get("show", "ratio").startswith("percent")
    bounds = (0.0, 1.0) if is_share else ANY_NUMBER
    estimates = [
        Estimate(row["subject"], row["value"], row["low"], row["high"], LEVEL, bounds)
        for row in rows.to_dict("records")
    ]
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
    limits = record.get("limits", "")
    if reason := record.get("cannot_tell", ""):
        judgement, limits = Judgement("cannot tell", 0, 0, 0), reason
    elif judgement.verdict == "cannot tell" and not limits:
        limits = _detectable(rows)
    return Finding(record, claim, judgement, limits)


def _estimates(record: dict[str, Any], folder: Path) -> list[dict[str, Any]]:
    """Estimates of a record, each with subject, value, low, high and n."""
    if "estimates" in record:
        return [_with_interval(entry) for entry in record["estimates"]]
    file = record["file"]
    with (folder / file["name"]).open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    if file["method"] == "picard":
        return [_published_range(row) for row in rows]
    return [
        _with_interval(
            {
                "subject": f"{row['model']} on {row['dataset']}, {row['search']}",
                "value": float(row["ratio"]),
                "n": int(row["n_data"]),
                "n_other": int(row["n_model"]),
                "method": file["method"],
            }
        )
        for row in rows
        if row["group"] == file["group"]
    ]


def _with_interval(entry: dict[str, Any]) -> dict[str, Any]:
    value, n, method = float(entry["value"]), int(entry["n"]), entry.get("method")
    low, high = entry.get("low", math.nan), entry.get("high", math.nan)
    if method == "exact":
        low = high = value
    elif method == "share":
        rate = estimate_rate(np.arange(n) < round(value * n))
        low, high = rate.low, rate.high
    elif method == "sd":
        low, high = value * np.sqrt((n - 1) / stats.chi2.isf([_TAIL, 1 - _TAIL], n - 1))
    elif method == "sd_ratio":
        df = n - 1, entry["n_other"] - 1
        low, high = value / np.sqrt(stats.f.isf([_TAIL, 1 - _TAIL], *df))
    elif method == "gaussian_range":
        least, most = gaussian_range_interval(n)
        value, low, high = value / float(expected_gaussian_range(n)), value / most, value / least
    return {**entry, "value": value, "low": float(low), "high": float(high), "n": n}


def _published_range(row: dict[str, str]) -> dict[str, Any]:
    return _with_interval(
        {
            "subject": f"{row['dataset']} {row['training']}",
            "value": (float(row["max"]) - float(row["min"])) / float(row["std"]),
            "n": int(row["seeds"]),
            "method": "gaussian_range",
        }
    )


def _detectable(rows: pd.DataFrame) -> str:
    """The smallest ratio of SDs that is found in 80 %; else that no power was computed."""
    if "method" not in rows or not rows["method"].eq("sd_ratio").all():
        return "power not computed"
    first = rows.loc[(rows["n"] + rows["n_other"]).idxmin()]
    df = first["n"] - 1, first["n_other"] - 1
    ratio = math.sqrt(stats.f.isf(_TAIL, *df) / stats.f.ppf(0.2, *df))
    return f"a ratio of {ratio:.2f} would be found in 80 %"
