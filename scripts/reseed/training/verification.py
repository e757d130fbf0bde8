"""Two checks of trials: records agree with the outputs they keep, and retraining repeats them.

The second is the repeated fit of Raste et al., Section 4.1, for any sample of planned trials.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from itertools import groupby, zip_longest
from pathlib import Path
from typing import Any

import numpy as np

from reseed.core.blocks import trial_name
from reseed.core.coordinates import KEPT_PARTS, Coordinates
from reseed.core.environment import describe_environment
from reseed.core.errors import Damaged, ReseedError
from reseed.data.splits import Split
from reseed.data.store import read_targets
from reseed.metrics import registry as metrics
from reseed.planning.specs import TrainSpec
from reseed.training.block import Splits, train
from reseed.training.run import Outcome, compute_fingerprint
from reseed.trials.cached_trials import CachedTrials
from reseed.trials.trial_cache import TrialCache
from reseed.trials.trial_records import CURVE_POINT, SCHEMA, TrialRecord

#: Fields of a record that two trainings of a trial may differ in.
_CIRCUMSTANCES = (
    *("key", "seeds", "hyperparameters", "environment", "commit", "train_seconds"),
    "environment_facts",
    *("classes", "error"),  # `classes` follows from the outputs; an error may name an address
)


@dataclass(frozen=True)
class Check:
    """Result of one check.

    same: whether the trial agrees with its record.
    text: one line about it.
    made: whether there was anything to check.
    files: what must be made again.
    """

    same: bool
    text: str
    made: bool = True
    files: tuple[Path, ...] = ()


# --- records against the outputs they keep -------------------------------------------------------


def check_records(cache: TrialCache, trials: Sequence[Coordinates]) -> Iterator[tuple[Path, Check]]:
    """Compare fingerprint and metrics of each trial with the outputs that its record keeps.

    Cache entries of the trial that hold something else are checked too. Yields the path of the
    checked file and the result.
    """
    splits, target = Splits(cache), read_targets(cache.data_folder).target
    task, metric = cache.data.task, cache.spec.model.metric
    extra = [metric] if metric else []
    cached = CachedTrials(cache)
    for trial in trials:
        path = cache.trial_path(trial)
        try:
            record, split = cache.read(trial, KEPT_PARTS), splits(trial)
        except ReseedError as error:
            yield path, Check(False, str(error), files=error.files)
            continue
        check = _check_record(record, split, target, task, extra, cache, trial)
        yield (
            path,
            check if check.same else replace(check, text=f"{trial_name(trial)}: {check.text}"),
        )
        for place in cached.places(trial):
            try:
                kept = cached.read(trial, place)
                if kept is None or _is_same_record(kept, record):
                    continue
                wrong = find_contradictions(kept, split, target, task, extra)
                if wrong:
                    raise Damaged(place.path, "; ".join(wrong))
                same = Check(True, "the cache entry agrees with its outputs", made=False)
                yield place.path, same
            except Damaged as error:
                yield place.path, Check(False, str(error), made=False, files=error.files)


def _is_same_record(kept: TrialRecord, record: TrialRecord) -> bool:
    """Whether two records are equal, bit for bit, but for their curves."""
    return all(
        _is_same(getattr(kept, one.name), getattr(record, one.name))
        for one in fields(record)
        if one.name != "curve"
    )


def _check_record(
    record: TrialRecord,
    split: Split,
    target: np.ndarray,
    task: str,
    extra: list[str],
    cache: TrialCache,
    trial: Coordinates,
) -> Check:
    wrong = find_contradictions(record, split, target, task, extra)
    if wrong:
        return Check(False, "; ".join(wrong), files=_list_files(cache, trial))
    if record.test is None:
        return Check(True, "stores no outputs: nothing to compute", made=False)
    return Check(True, "fingerprint and metrics follow from its outputs")


def find_contradictions(
    record: TrialRecord, split: Split, target: np.ndarray, task: str, extra: Sequence[str]
) -> list[str]:
    """Where a record contradicts the outputs it keeps: one line each.

    Args:
        record: with its outputs.
        split: rows of the trial.
        target: (n,) targets of the dataset.
        task: of the dataset.
        extra: metrics beside those of the task.
    """
    if record.status != "ok":
        return []
    wrong = []
    if record.test is not None:
        if compute_fingerprint(record.test) != record.fingerprint:
            wrong.append("its outputs do not match its fingerprint")
        wrong += _wrong_metrics(task, target[split.test], record.test, extra, record.metrics)
    # Rows that a model held out itself are not recorded.
    if record.validation is not None and len(record.validation) == len(split.validation):
        truth = target[split.validation]
        wrong += [
            f"validation {line}"
            for line in _wrong_metrics(
                task, truth, record.validation, extra, record.validation_metrics
            )
        ]
    return wrong


def _wrong_metrics(
    task: str,
    truth: np.ndarray,
    outputs: np.ndarray,
    extra: Sequence[str],
    recorded: dict[str, float],
) -> list[str]:
    try:
        computed = metrics.evaluate(task, truth, outputs, extra)
    except ValueError as error:
        return [f"its outputs give no metrics ({error})"]
    # The last bits of a sum may depend on the processor.
    return [
        f"{name} is {recorded.get(name)}, its outputs give {computed.get(name)}"
        for name in dict.fromkeys([*computed, *recorded])
        if not np.isclose(
            recorded.get(name, np.nan), computed.get(name, np.nan), rtol=1e-9, atol=1e-12
        )
    ]


# --- retraining ----------------------------------------------------------------------------------


def sample(
    spec: TrainSpec, count: int | None, seed: int = 0, each_model: bool = False
) -> list[tuple[int, Coordinates]]:
    """Draw (setting number, trial). Each setting is drawn once before any is drawn twice.

    Args:
        spec: the trials, by setting.
        count: None draws all.
        seed: of the sample.
        each_model: draw one trial of each model instead.
    """
    draw = random.Random(seed)
    decks: dict[object, list[tuple[int, Coordinates]]] = {}
    for number, part in enumerate(spec.settings):
        deck = decks.setdefault(part.spec.setting.model if each_model else number, [])
        deck += [(number, trial) for trial in part.trials]
    for deck in decks.values():
        draw.shuffle(deck)
    shuffled = list(decks.values())
    draw.shuffle(shuffled)
    rounds = [item for turn in zip_longest(*shuffled) for item in turn if item is not None]
    return rounds[: len(decks) if each_model else count]


def check_retrained(
    cache: TrialCache, trials: list[Coordinates], device: str, threads: int
) -> Iterator[tuple[Coordinates, Check]]:
    """Train trials again with the code that made them, and compare everything they recorded."""
    here = describe_environment(device, threads, cache.spec.packages).identifier
    for trial, outcome in train(cache, trials, device, threads):
        record = cache.read(trial, SCHEMA.names)
        actual = (outcome.status, outcome.fingerprint)
        expected = (record.status, record.fingerprint)
        differing = list_differences(record, outcome)
        text = f"same ({outcome.status}, {str(outcome.fingerprint)[:12]})"
        files: tuple[Path, ...] = ()
        if differing:
            text = f"differs in {', '.join(differing)}: expected {expected}, got {actual}"
            text = f"{text} {outcome.error or ''}".rstrip()
            if record.environment != here:
                text += " (it was made under other versions, or on another device)"
            else:
                files = _list_files(cache, trial)
        yield trial, Check(not differing, text, files=files)


def list_differences(record: TrialRecord, outcome: Outcome) -> list[str]:
    """Fields in which a record and an outcome of the same trial differ, bit for bit."""
    repeated: dict[str, Any] = {name: outcome.outputs.get(name) for name in KEPT_PARTS}
    names = [one.name for one in fields(record) if one.name not in _CIRCUMSTANCES]
    return [
        name
        for name in names
        # A record may keep fewer outputs than a training gives.
        if not (name in KEPT_PARTS and getattr(record, name) is None)
        and not _is_same(
            _plain(getattr(record, name)), _plain(repeated.get(name, getattr(outcome, name, None)))
        )
    ]


def _plain(value: Any) -> Any:
    """A value in the form that a record has after it was written and read."""
    if isinstance(value, dict):
        return {name: float(value[name]) for name in sorted(value)}
    if isinstance(value, list):
        points = [[point.get(one.name) for one in CURVE_POINT] for point in value]
        return [[None if x is None else float(x) for x in point] for point in points] or None
    return value


def _is_same(one: Any, other: Any) -> bool:
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return (
            one.dtype == other.dtype
            and one.shape == other.shape
            and one.tobytes() == (other.tobytes())
        )
    return repr(one) == repr(other)  # NaN is equal to itself, and 0.0 differs from -0.0


def _list_files(cache: TrialCache, trial: Coordinates) -> tuple[Path, ...]:
    """The file of a record, and the cache files with it."""
    return (cache.trial_path(trial), *CachedTrials(cache).files(trial))


def check_sample(
    spec: TrainSpec, chosen: list[tuple[int, Coordinates]], device_for: Callable[[str], str]
) -> Iterator[tuple[TrialCache, Coordinates, Check]]:
    """Retrain a `sample` of the trials of a spec, each setting's in one call.

    device_for: maps what a model allows (cpu, gpu, auto) to the device to use here.
    """
    for number, members in groupby(sorted(chosen), key=lambda item: item[0]):
        part = spec.settings[number]
        cache = TrialCache(spec.results, part.spec, part.blocks)
        device = device_for(cache.spec.device)
        for trial, check in check_retrained(cache, [trial for _, trial in members], device, 1):
            yield cache, trial, check
