"""Train the trials of one job: take those in the cache, train the rest, never one twice."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from reseed.core.blocks import parse_block, trial_name
from reseed.core.coordinates import Coordinates
from reseed.core.environment import Environment, describe_environment, read_commit
from reseed.core.errors import RETRY_HINT
from reseed.core.source_guard import SourceGuard
from reseed.data.splits import Split, read_split
from reseed.data.store import open_inputs, read_targets
from reseed.planning.specs import SettingTrials, TrainSpec
from reseed.training.run import Outcome, Problem, Recipe, Trial
from reseed.training.unprintable import train_trials
from reseed.training.watchdog import time_limit
from reseed.trials.cached_trials import CachedTrials, Place, TrialWriter
from reseed.trials.trial_cache import TrialCache
from reseed.trials.trial_records import TrialRecord, write_block

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
        cached = CachedTrials(cache, here.identifier)
        places = {
            trial: place
            for trial in part.trials
            if (place := cached.find(trial, spec.mixed == "report", spec.retry_failed))
        }
        missing = [trial for trial in part.trials if trial not in places]
        if places:
            report(f"{cache.setting.folder}: {len(places)} trials are in the cache already")
        if missing:
            outcomes = train(cache, missing, device, threads, spec.trial_seconds)
            places |= _store_missing(cache, part, outcomes, len(places), here, report)
        for name in part.blocks:
            trials = parse_block(name).trials()
            rows = ((trial, cached.row(places[trial])) for trial in trials)
            write_block(cache.block_path(name), rows)


def _store_missing(
    cache: TrialCache,
    part: SettingTrials,
    outcomes: Iterator[tuple[Coordinates, Outcome]],
    cached: int,
    environment: Environment,
    report: Report,
) -> dict[Coordinates, Place]:
    """Store trials as they are trained; returns their places. cached: number of the others."""
    total = len(part.trials)
    with TrialWriter(cache, environment.identifier, SourceGuard.read(part.sources)) as writer:
        for number, (trial, outcome) in enumerate(outcomes, start=cached + 1):
            writer.add(trial, make_record(cache, trial, outcome, environment))
            detail = ", ".join(
                f"{metric} {value:.4g}" for metric, value in list(outcome.metrics.items())[:3]
            )
            if outcome.error:
                detail = f"{outcome.error} ({RETRY_HINT})"
            report(
                f"{cache.setting.folder}: {number}/{total} {trial_name(trial)}: "
                f"{outcome.status} in {outcome.train_seconds:.2f} s: {detail}"
            )
    return writer.places


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
        "and was ended. It is not recorded; what was finished two seconds before it is kept. Raise "
        "trial_seconds in config/config.yaml, or change the model, and run again."
    )


def make_record(
    cache: TrialCache, trial: Coordinates, outcome: Outcome, environment: Environment
) -> TrialRecord:
    """The record of a trial that was trained here."""
    kept: dict[str, Any] = {part: outcome.outputs.get(part) for part in cache.spec.keep}
    return TrialRecord(
        key=cache.key(trial),
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
