"""Results of a series of random sequences that can be interrupted, and their summary."""

from __future__ import annotations

import datetime
import json
from collections import Counter
from dataclasses import asdict, dataclass, field
from pathlib import Path

from reseed.core.environment import read_commit

#: Share of the sequences that has at least one move of the reported faults.
LEAST_SHARE = 0.5


@dataclass
class Result:
    """Outcome of a sequence: its moves, runs, kills, and the violation if any.

    compared: number of comparisons with a fresh run. left: allowed leftovers at all of them.
    """

    seed: int
    commit: str = ""
    date: str = ""
    moves: list[str] = field(default_factory=list)
    runs: int = 0
    kills: int = 0
    compared: int = 0
    left: int = 0
    seconds: float = 0.0
    violation: str = ""

    @classmethod
    def start(cls, seed: int) -> Result:
        """The result of a sequence that starts now."""
        commit, _, dirty = read_commit().partition("-")
        date = datetime.datetime.now(datetime.UTC).date().isoformat()
        return cls(seed, f"{commit[:10]}{' with changes' if dirty else ''}", date)


def read_results(path: Path) -> list[Result]:
    """Results of earlier sequences, one JSON line each."""
    if not path.exists():
        return []
    return [Result(**json.loads(line)) for line in path.read_text().splitlines() if line]


def add_result(path: Path, result: Result) -> None:
    """Append a result."""
    with path.open("a") as stream:
        stream.write(json.dumps(asdict(result)) + "\n")


def share_with_reported_faults(results: list[Result]) -> float:
    """Share of the sequences with at least one move of `moves.REPORTED`."""
    from fault_harness.moves import REPORTED

    names = {move.__name__ for move in REPORTED}
    return sum(bool(names.intersection(one.moves)) for one in results) / len(results)


def summarise(results: list[Result]) -> str:
    """Paragraphs for the page of outcomes."""
    from fault_harness.leftovers import ALLOWED
    from fault_harness.moves import MOVES, REPORTED

    violated = [one for one in results if one.violation]
    kills = sum(one.kills for one in results)
    names = {move.__name__ for move in MOVES}
    counts = Counter(name for one in results for name in one.moves if name in names)
    reported = {move.__name__ for move in REPORTED}
    lines = [
        f"{len(results)} random sequences (seeds {min(r.seed for r in results)} to "
        f"{max(r.seed for r in results)}) of {sum(counts.values())} moves, "
        f"{sum(r.runs for r in results)} runs and {kills} kill{'s' if kills != 1 else ''}; "
        f"commit {_list(r.commit for r in results)}, {_list(r.date for r in results)}. "
        f"{sum(r.compared for r in results)} times all result files were compared with those of a "
        f"fresh run with the same inputs, after exit status 0. Violations: {len(violated)}.",
        "",
        f"{share_with_reported_faults(results):.0%} of the sequences have at least one of these "
        f"moves: {_count(counts, reported)}.",
        "",
        f"Other moves: {_count(counts, names - reported)}.",
        "",
        f"{ALLOWED} {sum(r.left for r in results)} such files were found in all comparisons.",
    ]
    if violated:
        lines += ["", *(f"- seed {r.seed}: {r.violation.splitlines()[0]}" for r in violated)]
    return "\n".join(lines)


def _list(values) -> str:
    return " and ".join(sorted({value for value in values if value}))


def _count(counts: Counter[str], names: set[str]) -> str:
    return ", ".join(f"{name.replace('_', ' ')} {counts[name]}" for name in sorted(names))
