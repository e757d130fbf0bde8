"""Two checks of what was made: metrics follow from kept outputs; the same seeds give the same bits.

The second is the repeated fit of Raste et al., Section 4.1, on any sample of planned trials.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

import numpy as np

from reseed import metrics
from reseed.coordinates import Coordinates
from reseed.data.store import read_targets
from reseed.errors import ReseedError
from reseed.setting_files import SettingFiles
from reseed.training.block import Splits, train


@dataclass(frozen=True)
class Check:
    """Whether a trial is what its record says, and one line that says so."""

    same: bool
    text: str


def recomputed(files: SettingFiles, trials: list[Coordinates]) -> Iterator[tuple[Path, Check]]:
    """Compute each trial's metrics again from the outputs it keeps."""
    splits, targets = Splits(files), read_targets(files.data_folder)
    task, extra = files.data["task"], filter(None, [files.described["recipe"]["metric"]])
    for trial in trials:
        path = files.target(trial)
        try:
            record = files.read(trial, ["test"])
        except ReseedError as error:
            yield path, Check(False, str(error))
            continue
        if record["status"] != "ok" or record.get("test") is None:
            yield path, Check(True, "keeps no outputs: nothing to compute")
            continue
        truth = targets.target[splits(trial).test]
        found = metrics.evaluate(task, truth, record["test"], list(extra))
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
) -> Iterator[tuple[Path, Check]]:
    """Train trials again from scratch, by the path that made them, and compare fingerprints."""
    for trial, outcome in train(files, trials, device, threads):
        record = files.read(trial)
        found = (outcome.status, outcome.fingerprint)
        expected = (record["status"], record["fingerprint"])
        text = f"same ({outcome.status}, {str(outcome.fingerprint)[:12]})"
        if found != expected:
            text = f"differs: expected {expected}, found {found} {outcome.error or ''}"
        yield files.target(trial), Check(found == expected, text)
