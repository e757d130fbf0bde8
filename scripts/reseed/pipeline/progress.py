"""Progress of a run: one line for each finished job, and a live line on a terminal.

It handles the records that Snakemake logs. It reads their `event` and plain fields, so it imports
nothing of Snakemake. The profile silences Snakemake's own lines (`quiet`).
"""

import json
import logging
import shutil
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, TextIO

from reseed.core.errors import RETRY_HINT
from reseed.core.layout import ResultsLayout
from reseed.pipeline.stage_table import StageNeeds, format_stages

LOG_TAIL = 20
# Bytes: with less free disk space, a failed job could not write a message.
FULL = 1_000_000
# Starts of the messages that Snakemake prints on every run.
ROUTINE_MESSAGES = (
    "Assuming unrestricted",
    "Building DAG",
    "Complete log",
    "Conda environments: ignored",
    "Config file",
    "Elapsed time",
    "Exiting because a job execution failed",
    "Select jobs",
    "Shutting down",
    "Using shell",
    "--keep-incomplete",
    "Reasons:",
    "This was a dry-run",
    "At least one job did not complete successfully",
    "WorkflowError:\nAt least one job did not complete successfully",
)
# Why a job would run: the start of Snakemake's reason, and its meaning. The first match counts.
REASONS = {
    "Code has changed": "its rule has changed",
    "Params have changed": "its code, recipe, data or trials have changed",
    "Software environment": "the versions it runs with have changed",
    "Updated input files": "an input file has changed",
    "Set of input files": "the set of its input files has changed",
    "Forced execution": "it was requested",
    "Missing output files": "its files do not exist",
    "Input files updated by another job": "upstream output changes",
}


def format_duration(seconds: float) -> str:
    """`45 s`, `12 min 05 s`, `3 h 07 min`."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


class Progress(logging.Handler):
    """Prints a run's plan, each finished or failed job, and the remaining time.

    dry: for a dry run, which prints its plan and the reasons for it.
    """

    def __init__(
        self,
        stream: TextIO = sys.stderr,
        clock: Callable[[], float] = time.monotonic,
        dry: bool = False,
    ):
        super().__init__()
        self.stream, self.clock, self.dry = stream, clock, dry
        self.reasons: dict[str, Counter[str]] = {}
        self.needs: dict[str, StageNeeds] = {}
        #: Rules without a command.
        self.targets = {"total", "all"}
        #: Of a run without hooks: a dry run, or one with nothing to do.
        self.last_lines: list[str] = []
        self.started_at = clock()
        self.done = self.total = 0
        self.running: dict[int, tuple[str, float]] = {}
        self._said = ""
        if stream.isatty():
            threading.Thread(target=self._tick, daemon=True).start()

    def emit(self, record: Any) -> None:
        """Handle one record: an event of the run, or a message that is not routine."""
        event = getattr(record, "event", None)
        react = getattr(self, f"on_{event}", None)
        if react is not None:
            react(record)
        elif event in (None, "error") and record.msg:
            self._message(record)

    def _message(self, record: Any) -> None:
        text = record.getMessage()
        # `on_job_error` prints the error of a failed job, without its whole command.
        if record.levelno >= logging.WARNING and text.startswith("RuleException"):
            return
        if not text.startswith(ROUTINE_MESSAGES) and text != self._said:
            self._said = text
            last = self.last_lines if text.startswith("Nothing to be done") else []
            self._print("\n".join([text, *last]))

    def on_run_info(self, record: Any) -> None:
        """Print the plan: jobs by rule. A dry run logs it twice; then print reasons and needs."""
        if self.dry and self.total:
            self._why()
            return
        stages: Counter[str] = Counter()
        for rule, count in record.stats.items():
            if rule not in self.targets:
                stages[rule] += int(count)
        self.total = sum(stages.values())
        plan = ", ".join(f"{stage} {count}" for stage, count in stages.items())
        self._print(f"{self.total} jobs: {plan}")

    def _why(self) -> None:
        for reason in (*REASONS.values(), ""):
            jobs = self.reasons.get(reason)
            if jobs:
                listed = ", ".join(f"{stage} {count}" for stage, count in jobs.items())
                self._print(f"  because {reason or 'of something else'}: {listed}")
        for line in format_stages(self.needs) if self.needs else ():
            self._print(line)
        self._print("\n".join(["This was a dry run. Nothing was made.", *self.last_lines]))

    def on_job_started(self, record: Any) -> None:
        """Start the clocks of jobs."""
        for job in record.jobs:
            self.running[job] = ("", self.clock())

    def on_job_info(self, record: Any) -> None:
        """Record the label of a job; in a dry run, count its reason."""
        if self.dry:
            text = str(record.reason)
            known = (words for start, words in REASONS.items() if start in text)
            stages = self.reasons.setdefault(next(known, ""), Counter())
            if record.rule_name not in self.targets:
                stages[record.rule_name] += 1
                needs = self.needs.setdefault(record.rule_name, StageNeeds())
                needs.add(record.threads, record.resources)
            return
        if record.rule_name in self.targets:
            self.running.pop(record.jobid, None)
            return
        label = record.rule_msg or record.rule_name
        self.running[record.jobid] = (label, self.clock())
        self._live()

    def on_job_finished(self, record: Any) -> None:
        """Print a finished job."""
        name, started = self.running.pop(record.job_id, ("", 0.0))
        if not name:
            return
        self.done += 1
        left = self._left()
        spent = format_duration(self.clock() - started)
        rest = f", about {left} left" if left and self.done < self.total else ""
        self._print(f"{self._count()} {name} ({spent}{rest})")

    def on_job_error(self, record: Any) -> None:
        """Print a failed job with the end of its log."""
        name, _ = self.running.pop(record.jobid, (record.rule_name, 0.0))
        self._print(f"FAILED {name}")
        for log in record.log or []:
            path = Path(str(log).split(" (")[0])
            if path.is_file():
                lines = path.read_text(errors="replace").splitlines()
                self._print("\n".join(f"  {line}" for line in lines[-LOG_TAIL:]))
                if not lines and shutil.disk_usage(path.parent).free < FULL:
                    self._print("  Error: no space left on the disk, not even for this log.")
                self._print(f"  (whole log: {path})")

    def _left(self) -> str:
        """How long the rest takes, if its jobs take as long as those that are done."""
        if not self.done:
            return ""
        return format_duration(
            (self.clock() - self.started_at) / self.done * (self.total - self.done)
        )

    def _count(self) -> str:
        width = len(str(self.total))
        return f"[{self.done:>{width}}/{self.total}]"

    def _print(self, text: str) -> None:
        clear = "\r\x1b[K" if self.stream.isatty() else ""
        self.stream.write(f"{clear}{text}\n")
        self._live()
        self.stream.flush()

    def _live(self) -> None:
        """Draw the line at the bottom of a terminal: what is done, what is left, what runs."""
        if not self.stream.isatty() or not self.running:
            return
        spent = self.clock() - self.started_at
        left = self._left()
        rest = f", about {left} left" if left else ""
        names = "; ".join(name for name, _ in self.running.values())
        line = f"{self._count()} {format_duration(spent)}{rest}. Running: {names}"
        self.stream.write(f"\r\x1b[K{line[: shutil.get_terminal_size().columns - 1]}")
        self.stream.flush()

    def _tick(self) -> None:
        while True:
            time.sleep(1)
            self.acquire()
            try:
                self._live()
            finally:
                self.release()


def show_progress(logger: logging.Logger, quiet: Iterable[Any] | None, dry: bool) -> Progress:
    """Attach a `Progress` to Snakemake's logger.

    Where `quiet` silences most lines of Snakemake, as in the profile, its handler is removed.
    """
    progress = Progress(sys.stdout if dry else sys.stderr, dry=dry)
    logger.addHandler(progress)
    levels = {level.name for level in quiet or ()}
    if levels >= {"HOST", "REASON", "RULES"} or "ALL" in levels:
        for handler in [h for h in logger.handlers if h.name == "DefaultStreamHandler"]:
            logger.removeHandler(handler)
    return progress


def _trial_counts(layout: ResultsLayout, studies: list[str]) -> Iterator[tuple[str, Any]]:
    """Each finished study with its counts of trials (`reseed.core.study_info.TrialCounts`)."""
    for study in studies:
        with suppress(OSError, ValueError, KeyError):
            about = Path(layout.study(study).about).read_text(encoding="utf-8")
            yield study, json.loads(about)["trials"]


def failed_trials(layout: ResultsLayout, studies: list[str]) -> list[str]:
    """One line for each study with failed trials, and the advice. A run continues without them."""
    lines = []
    for study, trials in _trial_counts(layout, studies):
        if trials["failed"]:
            first = trials["failures"][0]
            lines.append(
                f"{study}: {trials['failed']:,} of {trials['failed'] + trials['ok']:,} trials "
                f"failed, for example {first['dataset']}, {first['model']}: "
                f"{first['error'] or 'no reason recorded'}"
            )
    return [*lines, RETRY_HINT] if lines else []
