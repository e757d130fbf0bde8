"""What the jobs of each rule ask for: the table at the end of a dry run."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

#: What the names of rules whose jobs may fetch files begin with.
FETCHING = ("prepare_table", "prepare_images", "weights.")
COMMANDS = "Commands and reasons of all jobs: snakemake -n -p --quiet host"
_HEAD = (
    "rule",
    "jobs",
    "threads",
    "memory",
    "time limit",
    "GPUs",
    "core-hours",
    "GPU-hours",
    "disk",
)


@dataclass
class StageNeeds:
    """The greatest requests of the jobs of a rule; the sums of their time limits and of disk."""

    jobs: int = 0
    threads: int = 1
    memory_mb: int = 0
    minutes: int = 0
    gpus: int = 0
    core_minutes: int = 0
    gpu_minutes: int = 0
    disk_mb: int = 0

    def add(self, threads: int, resources: Any) -> None:
        """Count a job. resources: Snakemake's, by attribute; a text stands for a later number."""
        memory, minutes, gpus, disk = (
            value if isinstance(value := getattr(resources, name, 0), int) else 0
            for name in ("mem_mb", "runtime", "gpu", "disk_mb")
        )
        self.jobs += 1
        self.threads = max(self.threads, threads)
        self.memory_mb, self.minutes = max(self.memory_mb, memory), max(self.minutes, minutes)
        self.gpus = max(self.gpus, gpus)
        self.core_minutes += threads * minutes
        self.gpu_minutes += gpus * minutes
        self.disk_mb += disk

    def cells(self, rule: str) -> tuple[str, ...]:
        """The row of the table."""
        return (
            rule,
            f"{self.jobs:,}",
            str(self.threads),
            f"{self.memory_mb / 1000:.1f} GB",
            f"{self.minutes} min",
            str(self.gpus),
            f"{self.core_minutes / 60:,.1f}",
            f"{self.gpu_minutes / 60:,.1f}",
            f"{self.disk_mb / 1000:,.1f} GB",
        )


def format_stages(stages: Mapping[str, StageNeeds]) -> Iterator[str]:
    """Lines of the table, of rules that ask for time alone, and what to know before the run."""
    asking = [needs.cells(rule) for rule, needs in stages.items() if needs.minutes]
    rows = [_HEAD, *asking] if asking else []
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEAD) * bool(rows))]
    for rule, *cells in rows:
        numbers = (cell.rjust(width) for cell, width in zip(cells, widths[1:], strict=True))
        yield "  ".join(["", rule.ljust(widths[0]), *numbers])
    if asking:
        yield "Hours: at most, by the time limits. Hours and disk grow with data not prepared yet."
    if fetching := [rule for rule in stages if rule.startswith(FETCHING)]:
        yield f"{', '.join(fetching)} may fetch files; on a cluster they run where snakemake runs."
    yield COMMANDS
