"""Estimated cost of a plan: jobs, hours of processors and devices, and disk.

The seconds of a trial come from the first of these sources that exists: measured for its own
setting; measured for the same dataset and model under other settings, or on another number of rows
in proportion (median); the model's hint. Every line of the page states the share of each source. No
heavy import: planning code.
"""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from reseed.config.datasets import Dataset
from reseed.config.studies import Scheme
from reseed.core.coordinates import Setting, base_name
from reseed.core.csv_files import format_csv
from reseed.core.errors import Damaged
from reseed.data.meta import read_meta
from reseed.planning.plan import HINT_ROWS, Plan, PlannedSetting
from reseed.planning.search_shards import (
    estimate_rungs,
    longest_shard,
    plan_shards,
    search_seconds,
)

SOURCES = ("its own setting", "same data and model", "the model's hint")
# A trial file without predictions, and what a prediction adds once compressed (bytes).
RECORD_BYTES = 6_500
BYTES_PER_OUTPUT = 8.0


class Measured(NamedTuple):
    """Median seconds of a trial of one setting, and the rows of its dataset (None: unknown)."""

    seconds: float
    rows: int | None


@dataclass
class Cost:
    """Cost of some work. seconds_by_source: seconds by their source (`SOURCES`)."""

    trials: int = 0
    searches: int = 0
    fits: int = 0
    jobs: int = 0
    cpu_seconds: float = 0.0
    gpu_seconds: float = 0.0
    disk_bytes: float = 0.0
    longest: float = 0.0
    seconds_by_source: dict[str, float] = field(default_factory=lambda: dict.fromkeys(SOURCES, 0.0))

    def __add__(self, other: "Cost") -> "Cost":
        names = (
            *("trials", "searches", "fits", "jobs"),
            *("cpu_seconds", "gpu_seconds", "disk_bytes"),
        )
        total = Cost(**{name: getattr(self, name) + getattr(other, name) for name in names})
        total.longest = max(self.longest, other.longest)
        total.seconds_by_source = {
            name: self.seconds_by_source[name] + other.seconds_by_source[name] for name in SOURCES
        }
        return total


def _read_facts(results: Iterable[Path]) -> Iterator[dict[str, Any]]:
    for folder in results:
        for path in sorted([*folder.glob("studies/*/about.json"), *folder.glob("*/study.json")]):
            with suppress(OSError, ValueError):
                yield json.loads(path.read_text(encoding="utf-8"))


def measured_seconds(results: Iterable[Path]) -> dict[str, Measured]:
    """Median seconds of a trial by setting folder, from the facts of finished studies.

    results: folders of results or of references; a later one replaces an earlier one.
    """
    seconds_by_folder = {}
    for about in _read_facts(results):
        rows = {name: entry.get("rows") for name, entry in about.get("datasets", {}).items()}
        for folder, seconds in about.get("seconds_per_trial", {}).items():
            seconds_by_folder[folder] = Measured(seconds, rows.get(folder.split("/")[0]))
    return seconds_by_folder


def list_processors(results: Iterable[Path]) -> list[str]:
    """Names of the processors and GPUs on which the trials of finished studies were trained."""
    machines = [machine for about in _read_facts(results) for machine in about.get("machines", [])]
    return sorted({one["cpu" if one["device"] == "cpu" else "device"] for one in machines})


def rows_of(results: Iterable[Path], name: str, dataset: Dataset) -> int | None:
    """Rows of a dataset: as configured, or prepared or trained on in a folder; None: unknown."""
    if dataset.rows:
        return dataset.rows
    for folder in results:
        with suppress(Damaged):
            return read_meta(Path(folder, "data", name)).rows
    trained = (about.get("datasets", {}).get(name) for about in _read_facts(results))
    return next((entry["rows"] for entry in trained if entry), None)


def seconds_of(
    planned: PlannedSetting, measured: Mapping[str, Measured], rows: int
) -> tuple[float, str]:
    """Seconds of one trial on this number of rows, and their source (see the module)."""
    setting = planned.setting
    folder = "/".join(setting)
    if folder in measured:
        return measured[folder].seconds, SOURCES[0]
    near = []
    for folder, known in measured.items():
        dataset, _, model, _ = folder.split("/")
        if model != setting.model or base_name(dataset) != base_name(setting.dataset):
            continue
        if dataset == setting.dataset:
            near.append(known.seconds)
        elif known.rows:
            near.append(known.seconds * rows / known.rows)
    if near:
        return median(near), SOURCES[1]
    return planned.model.seconds_per_trial * rows / HINT_ROWS, SOURCES[2]


def cost_of(plan: Plan, setting: Setting, measured: Mapping[str, Measured], rows: int) -> Cost:
    """Cost of all that a plan wants of one setting, in the jobs of the plan.

    Args:
        plan: with the setting's trials and blocks.
        setting: which one.
        measured: seconds of a trial by setting folder.
        rows: of the dataset.
    """
    planned, blocks = plan.settings[setting], plan.blocks[setting]
    seconds, source = seconds_of(planned, measured, rows)
    searches = len(planned.searches())
    rungs = estimate_rungs(planned, seconds, rows) if searches else []
    one_search = search_seconds(planned, seconds, rows) if searches else 0.0
    shards = [len(rung) for rung in plan_shards(planned, plan.block_seconds)] if searches else []
    trials = len(planned.trials)
    total = trials * seconds + searches * one_search
    cost = Cost(
        trials=trials,
        searches=searches,
        fits=searches * planned.candidates * planned.source.folds,
        jobs=len(blocks) + searches * (1 + sum(shards)),
        cpu_seconds=total,
        gpu_seconds=total if planned.model.device != "cpu" else 0.0,
        disk_bytes=trials * trial_bytes(planned, rows),
        longest=max(
            max((len(block.seeds) for block in blocks), default=0) * seconds,
            longest_shard(rungs, shards),
        ),
    )
    cost.seconds_by_source[source] = total
    return cost


def trial_bytes(planned: PlannedSetting, rows: int) -> float:
    """Disk that a trial takes: its record, and the raw outputs that the study keeps."""
    kept = {"test": _test_share(planned.scheme), "validation": planned.scheme.validation}
    outputs = rows * sum(kept[part] for part in planned.keep)
    return RECORD_BYTES + outputs * BYTES_PER_OUTPUT


def _test_share(scheme: Scheme) -> float:
    """Share of the test rows; of a dataset's own parts it is a guess."""
    if scheme.kind == "holdout":
        return scheme.test
    if scheme.kind == "time":
        return scheme.test / scheme.folds if scheme.test else 1 / (scheme.folds + 1)
    return 1 / scheme.folds if scheme.kind == "kfold" else 1 / 5


def study_costs(
    plan: Plan, measured: Mapping[str, Measured], rows: Mapping[str, int]
) -> dict[str, dict[str, Cost]]:
    """Study → model → cost. Work that two studies share is counted in both."""
    costs_by_study: dict[str, dict[str, Cost]] = {}
    for study, experiments in plan.studies.items():
        settings = {arm.setting for arms in experiments.values() for arm in arms}
        models: dict[str, Cost] = {}
        for setting in sorted(settings):
            one = cost_of(plan, setting, measured, rows[setting.dataset])
            name = base_name(setting.model)
            models[name] = models.get(name, Cost()) + one
        costs_by_study[study] = models
    return costs_by_study


def total(costs: Iterable[Cost]) -> Cost:
    """All costs together."""
    return sum(costs, Cost())


def hours(seconds: float) -> str:
    """`0.2`, `3.4`, `120`: hours as a table shows them."""
    value = seconds / 3600
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}"


def size(count: float) -> str:
    """`4.2 MB`, `1.3 GB`."""
    for unit in ("B", "kB", "MB", "GB"):
        if count < 1000:
            return f"{count:.3g} {unit}"
        count /= 1000
    return f"{count:.3g} TB"


def describe_gaps(absent: Collection[str], guessed: Collection[str]) -> str:
    """Datasets that are not counted, and those with an unknown number of rows."""
    text = f" Missing here, so not counted: {', '.join(sorted(absent))}." if absent else ""
    if guessed:
        names = ", ".join(sorted(guessed))
        text += f" Not prepared yet, so counted as {HINT_ROWS:,} rows: {names}."
    return text


def format_page(
    costs: Mapping[str, Mapping[str, Cost]],
    titles: Mapping[str, str],
    facts: Mapping[str, str],
    models_file: str = "",
) -> str:
    """The costs of studies, and what the numbers rest on (docs/scale.md).

    models_file: name of the file with the costs of models (`format_models`); the page then has one
    table of studies. Without it the page has a table of models for each study.
    """
    lines = [
        f"# What scale `{facts['scale']}` costs",
        "",
        f"Written by `{facts['command']}`. Seconds measured on: {facts['cpu']}.{facts['gaps']}",
        "",
        f"A job is a block of about {facts['block']} of training (`block_seconds`), or a shard of",
        "a search. Each costs 1 to 3 more seconds on one machine, 5 to 15 under Slurm. Hours are",
        "of one core; a shard divides them among its processes (`tuning_threads`).",
        "",
        "Seconds of a trial: **own**, measured for that setting; **near**, measured for the same",
        "model and data under other hyper-parameters, test ratios or numbers of rows; **hint**,",
        "the number in the model's file, in proportion to rows, which may be wrong by a factor of",
        "three (five on many columns).",
        "",
    ]
    if models_file:
        lines += [f"Costs of each model: [{models_file}]({models_file}).", "", *_head("study")]
        lines += [_line(titles[study], total(models.values())) for study, models in costs.items()]
        return "\n".join([*lines, ""])
    for study, models in costs.items():
        lines += [f"## {titles[study]}", ""]
        if not models:
            lines += ["Nothing is trained: the results are imported.", ""]
            continue
        lines += _head("model")
        lines += [_line(name, cost) for name, cost in models.items()]
        whole = total(models.values())
        lines += [_line("**all**", whole), ""]
    return "\n".join(lines)


def format_models(costs: Mapping[str, Mapping[str, Cost]]) -> str:
    """A CSV table with the cost of each model of each study."""
    import pandas as pd

    rows = [
        [study, name, *_cells(cost)]
        for study, models in costs.items()
        for name, cost in models.items()
    ]
    return format_csv(pd.DataFrame(rows, columns=["study", "model", *_COLUMNS]))


_COLUMNS = (
    "trials", "searches", "fits", "jobs", "CPU hours", "GPU hours", "disk", "longest job, h",
    "own / near / hint, % of hours",
)  # fmt: skip


def _head(first: str) -> list[str]:
    return [f"| {first} | {' | '.join(_COLUMNS)} |", "|---|" + "---:|" * 8 + "---|"]


def _line(name: str, cost: Cost) -> str:
    return f"| {' | '.join([name, *_cells(cost)])} |"


def _cells(cost: Cost) -> list[str]:
    spent = sum(cost.seconds_by_source.values()) or 1.0
    shares = " / ".join(f"{100 * cost.seconds_by_source[source] / spent:.0f}" for source in SOURCES)
    return [
        *(f"{count:,}" for count in (cost.trials, cost.searches, cost.fits, cost.jobs)),
        hours(cost.cpu_seconds),
        hours(cost.gpu_seconds) if cost.gpu_seconds else "–",
        size(cost.disk_bytes),
        hours(cost.longest),
        shares,
    ]
