"""The latest outcome of every case, stored so that a series can be interrupted."""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path

from reseed.core.atomic import write_json

from fault_harness.kills import Kills
from fault_harness.outcome import CASES, Outcome


@dataclass
class Record:
    """Outcomes by case, the last series of kills, and the dates of all tests."""

    outcomes: dict[str, Outcome] = field(default_factory=dict)
    kills: Kills | None = None
    dates: list[str] = field(default_factory=list)

    def save(self, path: Path) -> None:
        """Write the record."""
        write_json(path, asdict(self))

    @property
    def bad(self) -> list[str]:
        """Names of cases with a bad outcome."""
        names = [name for name, outcome in self.outcomes.items() if not outcome.good]
        return names + (["kills"] if self.kills and not self.kills.survived else [])


def read_record(path: Path) -> Record:
    """Read the record of earlier runs; an empty record if there is none."""
    if not path.exists():
        return Record()
    data = json.loads(path.read_text(encoding="utf-8"))
    outcomes = {name: Outcome(**entry) for name, entry in data["outcomes"].items()}
    return Record(
        outcomes={name: outcomes[name] for name in CASES if name in outcomes},
        kills=Kills(**data["kills"]) if data["kills"] else None,
        dates=data["dates"],
    )
