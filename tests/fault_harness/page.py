"""Format a page of the recorded outcomes."""

import csv
import io
import re

from fault_harness.kills import Kills
from fault_harness.outcome import CASES, Case, Outcome
from fault_harness.record import Record

HEAD = """# Reliability: every fault tried, and what happened

Written by `python tests/run_faults.py` on {dates}: {system}. {tried} of {known} faults were tried;
{good} of them end well. Those that mount a file system need root. The message of each:
[reliability.csv](reliability.csv).

| outcome | meaning |
|---|---|
| recovered | regenerated; every file equals that of an undisturbed run bitwise, but for clocks |
| refused | rejected with one message (of an archive member: its path; the pinned bytes are read) |
| recorded | stored as a failed trial that every exhibit counts |
| reported | the job fails with its name; all other results are kept |
| NOT NOTICED, LOST, HUNG, OTHERWISE | error: wrong files taken; no recovery; no end; unplanned |
"""


def page(record: Record, system: str) -> str:
    """Return the page: kills first, then a table for each group of cases."""
    outcomes = record.outcomes
    head = HEAD.format(
        dates=" and ".join(record.dates),
        system=system,
        tried=len(outcomes),
        known=len(CASES),
        good=sum(outcome.good for outcome in outcomes.values()),
    )
    lines = [head, "## Killed at random moments", ""]
    if record.kills is None:
        lines += ["Not tested yet.", ""]
    else:
        lines += [_kills(record.kills), ""]
        lines += [f"- {line}" for line in [*record.kills.errors, *record.kills.differences]]
    groups: dict[str, list[tuple[Case, Outcome]]] = {}
    for name in CASES:
        if name in outcomes:
            groups.setdefault(CASES[name].group, []).append((CASES[name], outcomes[name]))
    for group, rows in groups.items():
        good = sum(outcome.good for _, outcome in rows)
        lines += [f"## {group}", "", f"{good} of {len(rows)} end well.", ""]
        by_end: dict[str, list[str]] = {}
        for case, outcome in rows:
            by_end.setdefault(outcome.end, []).append(case.title)
        lines += [f"- **{end}**: {'; '.join(titles)}." for end, titles in by_end.items()]
        lines += [""]
    return "\n".join(lines).rstrip() + "\n"


def table(record: Record) -> str:
    """A CSV table with group, fault, outcome and message of each case that was tried."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["group", "fault", "outcome", "message or result"])
    for name, case in CASES.items():
        if name in record.outcomes:
            outcome = record.outcomes[name]
            writer.writerow([case.group, case.title, outcome.end, _shorten(outcome.message)])
    return text.getvalue()


def _kills(kills: Kills) -> str:
    end = "all rounds ended in the same bits" if kills.survived else "NOT all rounds did"
    first, last = min(kills.moments), max(kills.moments)
    return (
        f"The process group of {kills.what} was killed with SIGKILL {kills.kills} times, each at a "
        f"random moment ({first:.1f} to {last:.1f} s after a start; an undisturbed run takes "
        f"{kills.undisturbed_seconds:.0f} s). Each time the lock was removed and the run was "
        f"started again. In {kills.rounds} rounds from an empty folder, {kills.files} files were "
        f"compared with those of an undisturbed run: {end}."
    )


def _shorten(text: str, width: int = 220) -> str:
    # Paths relative to the folder of the case.
    text = re.sub(r"\S*/case-\d+/", "", text)
    flat = " ".join(text.split())
    return flat if len(flat) <= width else f"{flat[: width - 1]}…"
