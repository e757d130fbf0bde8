"""The table of a study's trials: one row a trial and experiment."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd

from reseed.core.errors import ManyDamaged, ReseedError
from reseed.core.plain_text import bound_text
from reseed.core.schemas import OUTCOME_COLUMNS, SETTING_COLUMNS, TRIAL_COLUMNS
from reseed.data.splits import read_split
from reseed.data.store import read_targets
from reseed.metrics import registry as metrics
from reseed.metrics.outputs import to_probabilities
from reseed.trials.study import StudyTrial, StudyTrials, TrialReader
from reseed.trials.trial_cache import SearchWinner
from reseed.trials.windows import average_windows


def collect_trials(study: StudyTrials) -> pd.DataFrame:
    """One row a trial and experiment (`reseed.core.schemas`); windows of time share one.

    Raises ManyDamaged for everything that must be made again, and ReseedError for a study without
    trials.
    """
    rows, reader = [], TrialReader()
    for one in study.trials():
        record = reader.read(one)
        if record is None:
            continue
        values = record.metrics
        missing = [
            name for name in study.spec.metrics if metrics.get_metric(name).name not in values
        ]
        if missing and record.status == "ok":
            values = values | _compute_metrics(study, one, missing)
        rows.append(
            {
                **one.columns(),
                **{name: getattr(record, name) for name in [*OUTCOME_COLUMNS, "commit"]},
                "error": bound_text(record.error),
                **values,
                **{f"validation_{k}": v for k, v in record.validation_metrics.items()},
            }
        )
    reader.raise_damaged()
    if not rows:
        raise ReseedError(f"study {study.spec.study}: no trials are planned at this scale")
    frame = average_windows(pd.DataFrame(rows))
    frame.insert(0, "study", study.spec.study)
    _check_environments(study, frame)
    _refuse_failed_models(study, frame)
    return frame


def _refuse_failed_models(study: StudyTrials, frame: pd.DataFrame) -> None:
    """Raise ReseedError with the first failure of a model of which no trial finished."""
    for model, rows in frame.groupby("model", sort=False):
        if (rows["status"] != "ok").all():
            trials = len(rows.drop_duplicates([*SETTING_COLUMNS, *TRIAL_COLUMNS]))
            raise ReseedError(
                f"study {study.spec.study}: model {model}: none of {trials} trials finished: "
                f"{str(rows['error'].iloc[0]).rstrip('.')}. Correct the model or its "
                "hyper-parameters (config/models/), or remove it from the study. If the cause lay "
                "outside the model, run again with `--config retry_failed=true`"
            )


def _compute_metrics(study: StudyTrials, one: StudyTrial, names: list[str]) -> dict[str, float]:
    """Metrics that the record lacks, from its stored outputs."""
    cache, trial = one.cache, one.trial
    task = cache.data.task
    applicable = [name for name in names if task in metrics.get_metric(name).tasks]
    if not applicable:
        return {}
    outputs = cache.read(trial, ["test"]).test
    if outputs is None:
        raise ReseedError(
            f"study {study.spec.study}: metric {applicable[0]} needs the raw outputs of every "
            "trial. Set keep: [test]."
        )
    rows = read_split(cache.split_path(trial.data_seed), trial.data_seed, trial.fold or 0).test
    truth = read_targets(cache.data_folder).target[rows]
    scores, values = to_probabilities(task, outputs), {}
    for name in applicable:
        metric = metrics.get_metric(name)
        try:
            values[metric.name] = metrics.compute_metric(metric, truth, scores)
        except metrics.Undefined:
            continue
        except Exception as error:
            raise ReseedError(
                f"metric {name} failed on {cache.trial_path(trial)}: {type(error).__name__}: "
                f"{error}. It receives class numbers (or values) and probabilities (or "
                "predictions), and must return a number."
            ) from error
    return values


def _check_environments(study: StudyTrials, frame: pd.DataFrame) -> None:
    """With `mixed: retrain`, refuse trials of another environment than the newest of their kind.

    Models that train on the same device and import the same packages share an environment.
    Raises ManyDamaged, so that they are made again.
    """
    searched = any(cache.spec.search for cache in study.caches)
    if study.spec.mixed != "retrain" or not (searched or frame["environment"].nunique() > 1):
        return
    trials: list[tuple[StudyTrial, Path, str]] = []
    newest: dict[tuple[str, tuple[str, ...]], tuple[float, str]] = {}
    facts: dict[str, dict[str, Any]] = {}
    for one in study.trials():
        path, kind = one.cache.trial_path(one.trial), _environment_kind(one)
        record = one.cache.read(one.trial)
        facts[record.environment] = record.environment_facts
        made = path.stat().st_mtime, record.environment
        newest[kind] = max(made, newest.get(kind, made))
        trials.append((one, path, made[1]))
    stale: set[Path] = set()
    searches: set[Path] = set()
    for one, path, environment in trials:
        here, winner = newest[_environment_kind(one)][1], one.cache.winner(one.trial)
        foreign = winner is not None and not _is_same_machine(winner, here, facts[here])
        winner_path = one.cache.winner_path(one.trial)
        if foreign and winner_path:
            searches.add(winner_path)
        if foreign or environment != here:
            # Snakemake makes a search again only for a trial that is missing.
            stale.add(path)
    if stale:
        files = [*stale, *searches, *(path.with_suffix(".parquet") for path in searches)]
        raise ManyDamaged(
            f"study {study.spec.study}: {len(stale)} trials, or the searches they use"
            f" ({len(searches)}), were made under other versions or on another device (mixed:"
            " retrain).",
            files,
        )


def _environment_kind(one: StudyTrial) -> tuple[str, tuple[str, ...]]:
    return one.cache.spec.device, one.cache.spec.packages


def _is_same_machine(winner: SearchWinner, environment: str, facts: dict[str, Any]) -> bool:
    """Whether environments differ in nothing but threads: the fits of a search use one each."""
    made = winner.environment_facts
    same_facts = made != {} and made | {"threads": 1} == facts | {"threads": 1}
    return winner.environment == environment or same_facts


def read_environments(study: StudyTrials, identifiers: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Facts of each environment, from the first trial that was made in it."""
    missing, facts = set(identifiers), {}
    for one in study.trials():
        if not missing:
            break
        record = one.cache.read(one.trial)
        if record.environment in missing:
            missing.remove(record.environment)
            facts[record.environment] = record.environment_facts
    return facts
