"""The trials of a study, with the files and keys of their settings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from reseed.core.coordinates import Coordinates
from reseed.core.errors import Damaged, ManyDamaged
from reseed.core.schemas import TRIAL_COLUMNS
from reseed.planning.seed_grid import expand_seeds, varied_seeds
from reseed.planning.specs import StudySpec
from reseed.trials.trial_cache import TrialCache
from reseed.trials.trial_records import TrialRecord

#: Damaged trials that an error lists.
MOST_LISTED = 5


class StudyTrial(NamedTuple):
    """A trial of a study. identity: its columns in the study's tables, seeds left out."""

    identity: dict[str, Any]
    cache: TrialCache
    trial: Coordinates

    def columns(self) -> dict[str, Any]:
        """Columns that identify the trial in the study's tables, seeds included."""
        trial = self.trial
        seeds = (trial.data_seed, 0, trial.fold or 0, *trial[2:])
        return self.identity | dict(zip(TRIAL_COLUMNS, seeds, strict=True))


class StudyTrials:
    """A study with its settings' files."""

    def __init__(self, spec: StudySpec):
        self.spec = spec
        settings = zip(spec.settings, spec.blocks, strict=True)
        self.caches = [TrialCache(spec.results, *setting) for setting in settings]

    def trials(self) -> Iterator[StudyTrial]:
        """Every trial; a shared trial comes once for each experiment and arm."""
        for experiment in self.spec.experiments:
            for arm in experiment.arms:
                cache = self.caches[arm.setting_number]
                setting = cache.setting
                identity = {
                    "experiment": experiment.name,
                    "varied": varied_seeds(arm.seeds),
                    "dataset": setting.dataset,
                    "scheme": setting.scheme,
                    "test_ratio": arm.scheme.test if arm.scheme.kind == "holdout" else np.nan,
                    "arm": arm.name,
                    "model": setting.model,
                    "hyperparameters_source": setting.hyperparameters,
                }
                for trial in expand_seeds(arm.seeds, arm.scheme):
                    yield StudyTrial(identity, cache, trial)

    def one_cache_per_dataset(self) -> list[TrialCache]:
        """One setting of each dataset."""
        return list({cache.setting.dataset: cache for cache in self.caches}.values())


class TrialReader:
    """Reads each trial once, and gathers all damaged and stale files into one error.

    Args:
        columns: raw outputs and curves to read (see `read_trial`).
        remember: keep records in memory, for trials that several experiments share.
    """

    def __init__(self, columns: Iterable[str] = (), remember: bool = True):
        self.columns, self.remember = tuple(columns), remember
        self.damaged: list[Damaged] = []
        self._read: dict[tuple[TrialCache, Coordinates], TrialRecord | None] = {}

    def read(self, one: StudyTrial) -> TrialRecord | None:
        """The record of a trial; None for a damaged or stale one."""
        identity = one.cache, one.trial
        if identity in self._read:
            return self._read[identity]
        record = None
        try:
            record = one.cache.read(one.trial, self.columns)
        except Damaged as error:
            self.damaged.append(error)
        if self.remember or record is None:
            self._read[identity] = record
        return record

    def raise_damaged(self) -> None:
        """Raise one error for all damaged and stale files."""
        count, more = len(self.damaged), len(self.damaged) - MOST_LISTED
        if count:
            listed = "\n  ".join(str(error) for error in self.damaged[:MOST_LISTED])
            raise ManyDamaged(
                f"{count} trial{'s' if count > 1 else ''} must be made again."
                f"\n  {listed}" + (f"\n  … and {more} more" if more > 0 else ""),
                (file for error in self.damaged for file in error.files),
            )
