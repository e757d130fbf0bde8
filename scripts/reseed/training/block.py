"""Train the trials of one job: take those in the cache, train the rest, never one twice."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from reseed.core.blocks import parse_block, trial_name
from reseed.core.coordinates import Coordinates
from reseed.core.environment import Environment, describe_environment, read_commit
from reseed.core.errors import RETRY_HINT, Damaged
from reseed.core.source_guard import SourceGuard
from reseed.data.splits import Split, read_split
from reseed.data.store import open_inputs, read_targets
from reseed.planning.specs import SettingTrials, TrainSpec
from reseed.training.run import Outcome, Problem, Recipe, Trial
from reseed.training.unprintable import train_trials
from reseed.training.watchdog import time_limit
from reseed.trials.entries import add_entry, delete_files
from reseed.trials.trial_cache import TrialCache
from reseed.trials.trial_records import SCHEMA, TrialRecord, read_trial, write_block, write_trial

Report = Callable[[str], None]


class Splits:
    """A setting's splits by trial. The last one read stays in memory."""

    def __init__(self, cache: TrialCache):
        self.cache = cache
        self._last: tuple[str, Split] | None = None

    def __call__(self, trial: Coordinates) -> Split:
        """Rows of a trial. Raises Damaged for a file that is not what was drawn."""
        if self._last is None or self._last[0] != trial.partition:
            path = self.cache.split_path(trial.data_seed)
            split = read_split(path, trial.data_seed, trial.fold or 0)
            self._last = trial.partition, split
        return self._last[1]


class LazyTrial(Trial):
    """A trial whose split is read when the trial starts."""

    _splits: Splits
    _trial: Coordinates

    def __init__(self, splits: Splits, trial: Coordinates):
        object.__setattr__(self, "_splits", splits)
        object.__setattr__(self, "_trial", trial)
        object.__setattr__(self, "seeds", trial.seeds)

    @property
    def split(self) -> Split:
        """Rows by part."""
        return self._splits(self._trial)


def problem_of(cache: TrialCache) -> Problem:
    """What a setting's trials learn."""
    meta, targets = cache.data, read_targets(cache.data_folder)
    return Problem(
        inputs=open_inputs(cache.data_folder),
        target=targets.target,
        task=meta.task,
        classes=len(meta.classes or []),
        groups=targets.groups,
        features=meta.features,
        metric=cache.spec.model.metric,
    )


def recipe_of(
    cache: TrialCache, hyperparameters: dict[str, Any], device: str, threads: int
) -> Recipe:
    """How a setting's trials are trained on a device."""
    model = cache.spec.model
    return Recipe(
        factory=model.factory,
        hyperparameters=hyperparameters,
        encoder=model.encoder.model_dump(),
        device=device,
        threads=threads,
        stack=model.stack["cpu" if device == "cpu" else "gpu"],
        weights=cache.weights_folder,
        compute=model.compute,
        hold_validation=model.hold_validation,
    )


def train_block(spec: TrainSpec, device: str, threads: int, report: Report) -> None:
    """Make the file of every block of a job.

    Args:
        spec: the blocks, by setting.
        device: `cpu` or `cuda`.
        threads: threads a trial may use.
        report: receives one line a trial.
    """
    for part in spec.settings:
        cache = TrialCache(spec.results, part.spec, part.blocks)
        here = describe_environment(device, threads, cache.spec.packages)
        found = {
            trial: find_cached(
                cache, trial, here.identifier, spec.mixed == "report", spec.retry_failed
            )
            for trial in part.trials
        }
        missing = [trial for trial, entry in found.items() if entry is None]
        entries = {trial: entry for trial, entry in found.items() if entry is not None}
        if entries:
            report(f"{cache.setting.folder}: {len(entries)} trials are in the cache already")
        if missing:
            outcomes = train(cache, missing, device, threads, spec.trial_seconds)
            entries.update(_store_missing(cache, part, outcomes, len(entries), here, report))
        for name in part.blocks:
            trials = parse_block(name).trials()
            write_block(cache.block_path(name), ((trial, entries[trial]) for trial in trials))


def _store_missing(
    cache: TrialCache,
    part: SettingTrials,
    outcomes: Iterator[tuple[Coordinates, Outcome]],
    cached: int,
    environment: Environment,
    report: Report,
) -> Iterator[tuple[Coordinates, Path]]:
    """Store trials as they are trained; yield the entry of each. cached: number of the others."""
    guard, total = SourceGuard.read(part.sources), len(part.trials)
    guard.refuse_edits()
    for number, (trial, outcome) in enumerate(outcomes, start=cached + 1):
        guard.refuse_edits()
        yield trial, store_trial(cache, trial, outcome, environment)
        detail = ", ".join(
            f"{metric} {value:.4g}" for metric, value in list(outcome.metrics.items())[:3]
        )
        if outcome.error:
            detail = f"{outcome.error} ({RETRY_HINT})"
        report(
            f"{cache.setting.folder}: {number}/{total} {trial_name(trial)}: "
            f"{outcome.status} in {outcome.train_seconds:.2f} s: {detail}"
        )


def find_cached(
    cache: TrialCache,
    trial: Coordinates,
    environment: str,
    anywhere: bool = True,
    retry_failed: bool = False,
) -> Path | None:
    """A sound cache entry of a trial; None where there is none.

    anywhere: an entry that was made in another environment serves too. retry_failed: delete the
    entries of a failed trial.
    """
    key = cache.key(trial)
    for entry in cache.entry_paths(key, environment):
        try:
            record = read_trial(entry, SCHEMA.names)
            if record.key != key:
                raise Damaged(entry, "it holds another trial")
        except FileNotFoundError:
            continue
        except Damaged:
            delete_files([entry])
            continue
        if retry_failed and record.status == "failed":
            delete_files([entry])
            continue
        if anywhere or record.environment == environment:
            return entry
    return None


def train(
    cache: TrialCache,
    trials: list[Coordinates],
    device: str,
    threads: int,
    limit: float | None = None,
) -> Iterator[tuple[Coordinates, Outcome]]:
    """Train trials of one setting; those with equal hyper-parameters in one call.

    limit: seconds that a trial may take. A stack may take its width times as long.
    """
    if not trials:
        return
    problem, splits = problem_of(cache), Splits(cache)
    groups: dict[str, list[Coordinates]] = {}
    for trial in trials:
        groups.setdefault(json.dumps(cache.hyperparameters(trial)), []).append(trial)
    for text, members in groups.items():
        recipe = recipe_of(cache, json.loads(text), device, threads)
        lanes = [LazyTrial(splits, trial) for trial in members]
        outcomes = train_trials(problem, recipe, lanes)
        for trial in members:
            with time_limit(limit and limit * recipe.stack, _too_long(cache, trial, limit)):
                outcome = next(outcomes)
            yield trial, outcome


def _too_long(cache: TrialCache, trial: Coordinates, limit: float | None) -> str:
    return (
        f"{cache.setting.folder}/{trial_name(trial)}: took longer than trial_seconds: {limit} "
        "and was ended. It is not recorded; what was finished before is kept. Raise trial_seconds "
        "in config/config.yaml, or change the model, and run again."
    )


def store_trial(
    cache: TrialCache, trial: Coordinates, outcome: Outcome, environment: Environment
) -> Path:
    """Write a trial's record to the cache and return its entry."""
    key = cache.key(trial)
    kept: dict[str, Any] = {part: outcome.outputs.get(part) for part in cache.spec.keep}
    record = TrialRecord(
        key=key,
        seeds=trial.seeds,
        hyperparameters=json.dumps(cache.hyperparameters(trial), sort_keys=True),
        status=outcome.status,
        environment=environment.identifier,
        environment_facts=environment.facts,
        commit=read_commit(),
        error=outcome.error,
        metrics=outcome.metrics,
        validation_metrics=outcome.validation_metrics,
        converged=outcome.converged,
        train_seconds=outcome.train_seconds,
        fingerprint=outcome.fingerprint,
        curve=outcome.curve,
        **kept,
    )
    entries = cache.entry_paths(key, environment.identifier)
    # An existing entry was made in another environment; the two are not pooled.
    entry = entries[len(entries) // 2] if entries[0].exists() else entries[0]
    add_entry(entry, lambda path: write_trial(path, record))
    return entry
