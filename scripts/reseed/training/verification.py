"""Two checks of trials: metrics follow from the stored outputs, and retraining gives the same bits.

The second is the repeated fit of Raste et al., Section 4.1, for any sample of planned trials.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, zip_longest
from pathlib import Path

import numpy as np

from reseed.cache.trial_cache import TrialCache
from reseed.core.coordinates import Coordinates
from reseed.core.environment import compute_environment_id, describe_environment
from reseed.core.errors import Damaged, ReseedError
from reseed.data.store import read_targets
from reseed.metrics import registry as metrics
from reseed.planning.specs import TrainSpec
from reseed.training.block import Splits, train


@dataclass(frozen=True)
class Check:
    """Result of one check.

    same: whether the trial agrees with its record. text: one line about it. made: whether there was
    anything to check. error: why the record could not be read, or that it is wrong.
    """

    same: bool
    text: str
    made: bool = True
    error: ReseedError | None = None


def check_metrics(cache: TrialCache, trials: Sequence[Coordinates]) -> Iterator[tuple[Path, Check]]:
    """Compute each trial's metrics again from its stored outputs."""
    splits, targets = Splits(cache), read_targets(cache.data_folder)
    task, own = cache.data.task, cache.spec.model.metric
    for trial in trials:
        path = cache.trial_path(trial)
        try:
            record = cache.read(trial, ["test"])
        except ReseedError as error:
            yield path, Check(False, str(error), error=error)
            continue
        if record.status != "ok" or record.test is None:
            yield path, Check(True, "stores no outputs: nothing to compute", made=False)
            continue
        truth = targets.target[splits(trial).test]
        computed = metrics.evaluate(task, truth, record.test, [own] if own else [])
        wrong = [
            f"{name} is {record.metrics.get(name)}, its outputs give {value}"
            for name, value in computed.items()
            if not np.isclose(record.metrics.get(name, np.nan), value, rtol=1e-9, atol=1e-12)
        ]
        text = "; ".join(wrong) or "metrics follow from its outputs"
        why = "its metrics do not follow from its outputs"
        yield (
            path,
            Check(not wrong, text, error=_wrong_record(cache, trial, why) if wrong else None),
        )


def sample(
    settings: Sequence[Sequence[Coordinates]], count: int | None, seed: int
) -> list[tuple[int, Coordinates]]:
    """Draw (setting number, trial). Each setting is drawn once before any is drawn twice.

    count: None draws all.
    """
    draw = random.Random(seed)
    decks = [[(n, trial) for trial in trials] for n, trials in enumerate(settings)]
    for deck in decks:
        draw.shuffle(deck)
    draw.shuffle(decks)
    rounds = [item for turn in zip_longest(*decks) for item in turn if item is not None]
    return rounds if count is None else rounds[:count]


def check_retrained(
    cache: TrialCache, trials: list[Coordinates], device: str, threads: int
) -> Iterator[tuple[Coordinates, Check]]:
    """Train trials again with the code that made them, and compare fingerprints."""
    here = compute_environment_id(describe_environment(device, threads, cache.spec.packages))
    for trial, outcome in train(cache, trials, device, threads):
        record = cache.read(trial)
        actual = (outcome.status, outcome.fingerprint)
        expected = (record.status, record.fingerprint)
        text = f"same ({outcome.status}, {str(outcome.fingerprint)[:12]})"
        error = None
        if actual != expected:
            text = f"differs: expected {expected}, got {actual} {outcome.error or ''}".rstrip()
            if record.environment != here:
                text += " (it was made under other versions, or on another device)"
            else:
                error = _wrong_record(cache, trial, "retraining gives another result")
        yield trial, Check(actual == expected, text, error=error)


def _wrong_record(cache: TrialCache, trial: Coordinates, why: str) -> Damaged:
    """The error that has a record, and its cache entries, deleted and made again."""
    return Damaged(cache.trial_path(trial), why, *cache.entry_paths(cache.key(trial)))


def check_sample(
    spec: TrainSpec, count: int | None, device_for: Callable[[str], str], seed: int = 0
) -> Iterator[tuple[TrialCache, Coordinates, Check]]:
    """Retrain a sample of the trials of a spec, each setting's in one call.

    Args:
        spec: the trials, by setting.
        count: how many trials; None retrains every one.
        device_for: maps what a model allows (cpu, gpu, auto) to the device to use here.
        seed: of the sample.
    """
    chosen = sorted(sample([part.trials for part in spec.settings], count, seed))
    for number, members in groupby(chosen, key=lambda item: item[0]):
        cache = TrialCache(spec.results, spec.settings[number].spec)
        device = device_for(cache.spec.device)
        for trial, check in check_retrained(cache, [trial for _, trial in members], device, 1):
            yield cache, trial, check
