"""The committed reference results, as a table of docs/findings.md."""

from __future__ import annotations

import json
from pathlib import Path

from reseed.core.layout import EVIDENCE, REFERENCES
from reseed.report.pages.statements import show_measured
from reseed.verdicts.evidence import VERDICTS, Evidence, read_evidence

ROOT = Path(__file__).parents[2]
_HEAD = ["statement", "the paper's number", "reference result, 95 % interval", "verdict"]


def read_references(root: Path = ROOT) -> list[tuple[str, str, Evidence]]:
    """(study, exhibit, evidence) of each statement, in the order of the verdicts."""
    found = [
        (path.parent.name, evidence.statement.exhibit, evidence)
        for path in sorted((root / REFERENCES).glob(f"*/{EVIDENCE}"))
        for one in json.loads(path.read_text(encoding="utf-8"))["statements"]
        for evidence in [read_evidence(one["evidence"])]
    ]
    return sorted(found, key=lambda one: VERDICTS.index(one[2].verdict))


def render_references(root: Path = ROOT) -> str:
    """The table; a sentence where there are no reference results."""
    rows = read_references(root)
    if not rows:
        return "This copy has no reference results."
    lines = [f"| {' | '.join(_HEAD)} |", "| --- " * len(_HEAD) + "|"]
    for study, exhibit, evidence in rows:
        statement = evidence.statement
        paper = "; ".join(filter(None, [statement.published, statement.source])) or "–"
        lead = "not the paper's: " if evidence.verdict == "not comparable" else ""
        reason = f"; {lead}{evidence.reason.rstrip('.')}" if evidence.reason else ""
        votes = [one for one in evidence.settings if not one.reason]
        settings = len(votes or evidence.settings)
        over = f", {settings} settings" if settings > 1 else ""
        of = f", {evidence.n}" if evidence.n else ""
        where = f"{statement.text} (`{study}.{exhibit}`)"
        cells = [
            where, paper, f"{show_measured(evidence)}{over}{of}", f"**{evidence.verdict}**{reason}",
        ]  # fmt: skip
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)
