"""What the jobs of each rule ask for: the table at the end of a dry run."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

#: Rules whose jobs may fetch files.
FETCHING = ("prepare_table", "prepare_images", "weights")
COMMANDS = "Commands and reasons of all jobs: snakemake -n -p --quiet host"
_HEAD = ("rule", "jobs", "threads", "memory", "time limit", "GPUs")


@dataclass
class StageNeeds:
    """The greatest requests of the jobs of a rule; None: known once the data are prepared."""

    jobs: int = 0
    threads: int = 1
    memory_mb: int | None = 0
    minutes: int | None = 0
    gpus: int = 0

    def add(self, threads: int, resources: Any) -> None:
        """Count a job. resources: Snakemake's, by attribute; a text stands for a later number."""
        self.jobs += 1
        self.threads = max(self.threads, threads)
        self.memory_mb = _greater(self.memory_mb, getattr(resources, "mem_mb", 0))
        self.minutes = _greater(self.minutes, getattr(resources, "runtime", 0))
        gpus = getattr(resources, "gpu", 0)
        self.gpus = max(self.gpus, gpus if isinstance(gpus, int) else 0)

    def cells(self, rule: str) -> tuple[str, ...]:
        """The row of the table."""
        memory = "later" if self.memory_mb is None else f"{self.memory_mb / 1000:.1f} GB"
        time = "later" if self.minutes is None else f"{self.minutes} min"
        return (
            rule,
            f"{self.jobs:,}",
            str(self.threads),
            memory if self.memory_mb != 0 else "–",
            time if self.minutes != 0 else "–",
            str(self.gpus or "–"),
        )


def _greater(known: int | None, value: Any) -> int | None:
    if known is None or not isinstance(value, int):
        return None
    return max(known, value)


def format_stages(stages: Mapping[str, StageNeeds]) -> Iterator[str]:
    """Lines of the table, and what to know before the run."""
    rows = [_HEAD, *(needs.cells(rule) for rule, needs in stages.items())]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEAD))]
    for rule, *cells in rows:
        numbers = (cell.rjust(width) for cell, width in zip(cells, widths[1:], strict=True))
        yield "  ".join(["", rule.ljust(widths[0]), *numbers])
    if fetching := [rule for rule in stages if rule in FETCHING]:
        names = " ".join(fetching)
        yield (
            f"{', '.join(fetching)} may fetch files. Where jobs have no network, run on the login "
            f"node first: snakemake --cores 1 --until {names}"
        )
    yield COMMANDS
