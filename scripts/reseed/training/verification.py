"""Two checks of what was made: metrics follow from kept outputs; the same seeds give the same bits.

The second is the repeated fit of Raste et al., Section 4.1, on any sample of planned trials.
"""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import groupby, zip_longest
from pathlib import Path

import numpy as np

from reseed.cache.trial_cache import SettingFiles
from reseed.core.coordinates import Coordinates
from reseed.core.environment import compute_environment_id, describe_environment
from reseed.core.errors import ReseedError
from reseed.data.store import read_targets
from reseed.metrics import registry as metrics
from reseed.training.block import Splits, train


@dataclass(frozen=True)
class Check:
    """Whether a trial is what its record says, one line that says so, and whether it was tried."""

    same: bool
    text: str
    made: bool = True


def recomputed(files: SettingFiles, trials: list[Coordinates]) -> Iterator[tuple[Path, Check]]:
    """Compute each trial's metrics again from the outputs it keeps."""
    splits, targets = Splits(files), read_targets(files.data_folder)
    task, own = files.data["task"], files.described["recipe"]["metric"]
    for trial in trials:
        path = files.target(trial)
        try:
            record = files.read(trial, ["test"])
        except ReseedError as error:
            yield path, Check(False, str(error))
            continue
        if record["status"] != "ok" or record.get("test") is None:
            yield path, Check(True, "keeps no outputs: nothing to compute", made=False)
            continue
        truth = targets.target[splits(trial).test]
        found = metrics.evaluate(task, truth, record["test"], [own] if own else [])
        wrong = [
            f"{name} is {record['metrics'].get(name)}, its outputs give {value}"
            for name, value in found.items()
            if not np.isclose(record["metrics"].get(name, np.nan), value, rtol=1e-9, atol=1e-12)
        ]
        yield path, Check(not wrong, "; ".join(wrong) or "metrics follow from its outputs")


def sample(settings: list, count: int | None, seed: int) -> list[tuple[int, Coordinates]]:
    """Draw (setting number, trial): every setting comes before any comes twice; None draws all."""
    draw = random.Random(seed)
    decks = [[(n, trial) for trial in trials] for n, trials in enumerate(settings)]
    for deck in decks:
        draw.shuffle(deck)
    draw.shuffle(decks)
    turns = [item for turn in zip_longest(*decks) for item in turn if item is not None]
    return turns if count is None else turns[:count]


def retrained(
    files: SettingFiles, trials: list[Coordinates], device: str, threads: int
) -> Iterator[tuple[Coordinates, Check]]:
    """Train trials again from scratch, by the path that made them, and compare fingerprints."""
    here = compute_environment_id(describe_environment(device, threads))
    for trial, outcome in train(files, trials, device, threads):
        record = files.read(trial)
        found = (outcome.status, outcome.fingerprint)
        expected = (record["status"], record["fingerprint"])
        text = f"same ({outcome.status}, {str(outcome.fingerprint)[:12]})"
        if found != expected:
            text = f"differs: expected {expected}, found {found} {outcome.error or ''}".rstrip()
            if record["environment"] != here:
                text += " (it was made under other versions, or on another device)"
        yield trial, Check(found == expected, text)


def repeated(
    job: dict, count: int | None, device_for: Callable[[str], str], seed: int = 0
) -> Iterator[tuple[SettingFiles, Coordinates, Check]]:
    """Retrain a sample of a job's trials, each setting's in one call.

    Args:
        job: as `reseed.pipeline.specs.training_job` tells it.
        count: how many trials; None retrains every one.
        device_for: the device, here, of what a model allows (cpu, gpu, auto).
        seed: of the sample.
    """
    trials = [[Coordinates(*t) for t in described["trials"]] for described in job["settings"]]
    for number, members in groupby(sorted(sample(trials, count, seed)), key=lambda item: item[0]):
        files = SettingFiles(Path(job["results"]), job["settings"][number])
        device = device_for(files.described["device"])
        for trial, check in retrained(files, [trial for _, trial in members], device, 1):
            yield files, trial, check
