"""docs/reliability.md, from what happened."""

import re

from fault_harness.kills import Kills
from fault_harness.outcome import CASES, Case, Outcome
from fault_harness.record import Record

HEAD = """# Reliability: every fault tried, and what happened

Written by `python tests/run_faults.py` on {dates}: {system}. Nothing here is typed in. {tried} of
{known} faults were tried; {good} of them end well. Those that mount a file system need root.

A case is **recovered** (made again, and every file then equal to an undisturbed run's, bit by bit
but for clocks), **refused** (turned away with one message; of an archive, the place that a member
asks for, while its pinned bytes are read), **recorded** (kept as a failed trial that every exhibit
counts) or **reported** (the job fails by name, everything else is kept). Words in capitals are what
still goes wrong: NOT NOTICED (wrong or missing files passed for good), LOST (no way back without
help, or no clear message), HUNG, OTHERWISE (well, but not as promised).
"""


def page(record: Record, system: str) -> str:
    """The page: kills first, then a table for each group of cases."""
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
        lines += ["Not tried yet.", ""]
    else:
        lines += [_kills(record.kills), ""]
        lines += [f"- {line}" for line in [*record.kills.errors, *record.kills.differences]]
    groups: dict[str, list[tuple[Case, Outcome]]] = {}
    for name in CASES:
        if name in outcomes:
            groups.setdefault(CASES[name].group, []).append((CASES[name], outcomes[name]))
    for group, rows in groups.items():
        good = sum(outcome.good for _, outcome in rows)
        lines += [
            f"## {group}",
            "",
            f"{good} of {len(rows)} end well.",
            "",
            "| fault | end | the message, or what was found |",
            "|---|---|---|",
        ]
        lines += [
            f"| {case.title} | {outcome.end} | {_cell(outcome.message)} |" for case, outcome in rows
        ]
        lines += [""]
    return "\n".join(lines).rstrip() + "\n"


def _kills(kills: Kills) -> str:
    end = "each round ended in the same bits" if kills.survived else "NOT all rounds did"
    return (
        f"{kills.kills} times the whole process group of {kills.what} was ended with SIGKILL "
        f"at a random moment ({min(kills.moments):.1f} to {max(kills.moments):.1f} s after a "
        f"start; undisturbed it takes {kills.undisturbed_seconds:.0f} s), the lock was taken away, "
        f"and it was run again; {kills.rounds} rounds from an empty folder to the end, "
        f"{kills.files} files compared with an undisturbed run's: {end}."
    )


def _cell(text: str, width: int = 220) -> str:
    # Paths from the case's own folder on: where it stood says nothing.
    text = re.sub(r"\S*/case-\d+/", "", text)
    flat = " ".join(text.split()).replace("|", "\\|").replace("<", "\\<")
    return flat if len(flat) <= width else f"{flat[: width - 1]}…"
