"""A training job: link what the store holds of its trials, train the rest, never one twice."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

from reseed.cache import entries as store
from reseed.cache.trial_cache import SettingFiles
from reseed.cache.trial_records import SCHEMA, read_trial, write_trial
from reseed.core.atomic import write_json
from reseed.core.code_hash import Watched
from reseed.core.coordinates import Coordinates
from reseed.core.environment import compute_environment_id, describe_environment, read_commit
from reseed.core.errors import Damaged
from reseed.data.splits import Split, read_split
from reseed.data.store import open_inputs, read_targets
from reseed.training.run import Outcome, Problem, Recipe, Trial, run_trials
from reseed.training.watchdog import time_limit

Report = Callable[[str], None]


class Splits:
    """A setting's splits by trial; the last one read is kept."""

    def __init__(self, files: SettingFiles):
        self.files, self._last = files, (None, None)

    def __call__(self, trial: Coordinates) -> Split:
        """Rows of a trial. Raises Damaged for a file that is not what was drawn."""
        if self._last[0] != trial.partition:
            split = read_split(self.files.split(trial.data_seed), trial.fold or 0)
            self._last = trial.partition, split
        return self._last[1]


class LazyTrial(Trial):
    """A trial whose split is read when it is its turn."""

    def __init__(self, splits: Splits, trial: Coordinates):
        object.__setattr__(self, "_splits", splits)
        object.__setattr__(self, "_trial", trial)
        object.__setattr__(self, "seeds", trial.seeds)

    @property
    def split(self) -> Split:
        """Rows by part."""
        return self._splits(self._trial)


def problem_of(files: SettingFiles) -> Problem:
    """What a setting's trials learn."""
    meta, targets = files.data, read_targets(files.data_folder)
    return Problem(
        inputs=open_inputs(files.data_folder),
        target=targets.target,
        task=meta["task"],
        classes=len(meta.get("classes") or []),
        groups=targets.groups,
        features=meta.get("features"),
        metric=files.described["recipe"]["metric"],
    )


def recipe_of(files: SettingFiles, hyperparameters: dict, device: str, threads: int) -> Recipe:
    """How a setting's trials are trained on a device."""
    recipe = files.described["recipe"]
    return Recipe(
        factory=recipe["factory"],
        hyperparameters=hyperparameters,
        encoder=recipe["encoder"],
        device=device,
        threads=threads,
        stack=recipe["stack"]["cpu" if device == "cpu" else "gpu"],
        weights=files.weights_folder,
        compute=recipe["compute"],
        hold_validation=recipe["hold_validation"],
    )


def train_block(job: dict, device: str, threads: int, report: Report) -> None:
    """Make every declared trial file of a job.

    Args:
        job: `results`, `mixed`, `trial_seconds` and `settings`, each a description with its
            `trials`.
        device: `cpu` or `cuda`.
        threads: threads a trial may use.
        report: told one line a trial.
    """
    results = Path(job["results"])
    name = register_environment(results, device, threads)
    for described in job["settings"]:
        files = SettingFiles(results, described)
        missing = []
        for trial in (Coordinates(*place) for place in described["trials"]):
            if not link_stored(files, trial, name, anywhere=job["mixed"] == "report"):
                missing.append(trial)
        linked, own = len(described["trials"]) - len(missing), Watched(described["own_files"])
        if linked:
            report(f"{files.setting.folder}: {linked} trials are in the store already")
        if missing:
            own.refuse_edits()
        for done, (trial, outcome) in enumerate(
            train(files, missing, device, threads, job["trial_seconds"]), start=linked + 1
        ):
            own.refuse_edits()
            keep(files, trial, outcome, name)
            detail = outcome.error or ", ".join(
                f"{metric} {value:.4g}" for metric, value in list(outcome.metrics.items())[:3]
            )
            report(
                f"{files.setting.folder}: {done}/{len(described['trials'])} {trial.file}: "
                f"{outcome.status} in {outcome.train_seconds:.2f} s: {detail}"
            )


def register_environment(results: Path, device: str, threads: int) -> str:
    """Name of this environment, by which records tell it; the store says what it is."""
    facts = describe_environment(device, threads)
    name = compute_environment_id(facts)
    path = results / "store" / "environments" / f"{name}.json"
    store.add(path, lambda path: write_json(path, facts))
    return name


def link_stored(
    files: SettingFiles, trial: Coordinates, environment: str, anywhere: bool = True
) -> bool:
    """Link a trial's target to a record of the store; False where it has no sound one.

    `anywhere`: a record that was made in another environment serves as well.
    """
    key = files.key(trial)
    for stored in files.stored(key, environment):
        try:
            record = read_trial(stored, SCHEMA.names)
            if record["key"] != key:
                raise Damaged(stored, "it holds another trial")
        except FileNotFoundError:
            continue
        except Damaged:
            store.discard(stored)
            continue
        if anywhere or record["environment"] == environment:
            store.link(stored, files.target(trial))
            return True
    return False


def train(
    files: SettingFiles,
    trials: list[Coordinates],
    device: str,
    threads: int,
    limit: float | None = None,
) -> Iterator[tuple[Coordinates, Outcome]]:
    """Train trials of one setting; those with equal hyper-parameters in one call.

    `limit`: seconds that a trial may take; a stack, so many times its width.
    """
    if not trials:
        return
    problem, splits = problem_of(files), Splits(files)
    alike: dict[str, list[Coordinates]] = {}
    for trial in trials:
        alike.setdefault(json.dumps(files.hyperparameters(trial)), []).append(trial)
    for text, members in alike.items():
        recipe = recipe_of(files, json.loads(text), device, threads)
        lanes = [LazyTrial(splits, trial) for trial in members]
        outcomes = run_trials(problem, recipe, lanes)
        for trial in members:
            with time_limit(limit and limit * recipe.stack, _too_long(files, trial, limit)):
                outcome = next(outcomes)
            yield trial, outcome


def _too_long(files: SettingFiles, trial: Coordinates, limit: float | None) -> str:
    return (
        f"{files.setting.folder}/{trial.file}: took longer than trial_seconds: {limit}, and is "
        "ended. Nothing of it is recorded; what was finished before is kept. Raise trial_seconds "
        "in config/config.yaml, or mend the model, and run again."
    )


def keep(files: SettingFiles, trial: Coordinates, outcome: Outcome, environment: str) -> None:
    """Write a trial's record to the store and link its target."""
    key = files.key(trial)
    record = {
        **vars(outcome),
        **{part: outcome.outputs.get(part) for part in files.keep},
        "key": key,
        "seeds": trial.seeds,
        "hyperparameters": json.dumps(files.hyperparameters(trial), sort_keys=True),
        "environment": environment,
        "commit": read_commit(),
    }
    places = files.stored(key, environment)
    # One that is there was made elsewhere, and is not to be pooled with this one.
    stored = places[len(places) // 2] if places[0].exists() else places[0]
    store.add(stored, lambda path: write_trial(path, record))
    store.link(stored, files.target(trial))
