"""Decisions after the rounds of an experiment that trains until its pairs are settled.

A training job of a later round reads the decisions and trains the settings that one of them needs.
The declared files of the other trials hold a record with the status `skipped`. Its key
matches no trial, so a job that needs the trial finds that the file is stale.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from pydantic import TypeAdapter

from reseed.cache.entries import add_entry, entry_path, link_entry
from reseed.cache.trial_cache import TrialCache
from reseed.cache.trial_records import TrialRecord, read_trial, write_trial
from reseed.core.checked_io import raise_damaged, read_json, write_json
from reseed.core.code_hash import digest
from reseed.core.errors import Damaged, Stale
from reseed.core.layout import ResultsLayout
from reseed.planning.seed_grid import DecisionId
from reseed.planning.specs import SettingTrials, TrainSpec

State = Literal["different", "equivalent", "precise", "open"]
SKIPPED = "skipped"


@dataclass(frozen=True)
class PairState:
    """A pair of arms on one dataset and scheme.

    state: why the pair stopped, or `open`. runs: runs of each at which it stopped; None if open.
    """

    dataset: str
    scheme: str
    arms: tuple[str, str]
    state: State
    runs: int | None = None

    @property
    def name(self) -> tuple[str, str, tuple[str, str]]:
        """What identifies the pair in its experiment."""
        return self.dataset, self.scheme, self.arms


@dataclass(frozen=True)
class Decision:
    """State of every pair after a round. needed: folders of the settings of arms of open pairs."""

    pairs: tuple[PairState, ...]
    needed: tuple[str, ...]


_DECISION: TypeAdapter[Decision] = TypeAdapter(Decision)


def write_decision(path: Path, decision: Decision) -> None:
    """Write a decision in one step."""
    write_json(path, _DECISION.dump_python(decision, mode="json"))


class Decisions:
    """The decisions below a results folder; each is read once."""

    def __init__(self, results: str | Path):
        self.layout = ResultsLayout(str(results))
        self._read: dict[DecisionId, Decision] = {}

    def path(self, name: DecisionId) -> Path:
        """File of a decision."""
        return Path(self.layout.study(name.study).decision(*name[1:]))

    def read(self, name: DecisionId) -> Decision:
        """A decision. Raises Damaged or Stale."""
        if name not in self._read:
            path = self.path(name)
            value: Any = read_json(path)
            with raise_damaged(path):
                self._read[name] = _DECISION.validate_python(value)
        return self._read[name]

    def need(self, part: SettingTrials) -> bool:
        """Whether these trials are trained. Raises Damaged or Stale."""
        folder = part.spec.setting.folder
        return not part.decisions or any(folder in self.read(d).needed for d in part.decisions)


def needed_only(spec: TrainSpec) -> TrainSpec:
    """The spec without trials that no decision needs."""
    decisions = Decisions(spec.results)
    return replace(spec, settings=tuple(part for part in spec.settings if decisions.need(part)))


def skip_trials(cache: TrialCache, part: SettingTrials) -> None:
    """Write the declared files of trials that no decision needs: links to one record."""
    record = _skipped_record(part)
    entry = entry_path(cache.layout.cache, record.key, f".{SKIPPED}.parquet")
    add_entry(entry, lambda path: write_trial(path, record))
    for trial in part.trials:
        link_entry(entry, cache.trial_path(trial))


def check_skipped(spec: TrainSpec) -> Iterator[Damaged]:
    """An error for each declared file of trials that no decision needs that holds something else.

    Only `verify` reads these files.
    """
    decisions = Decisions(spec.results)
    for part in spec.settings:
        if decisions.need(part):
            continue
        cache, expected = TrialCache(spec.results, part.spec), _skipped_record(part)
        for path in map(cache.trial_path, part.trials):
            try:
                found = read_trial(path)
            except Damaged as error:
                yield error
                continue
            if found.key != expected.key:
                yield Stale(path, "holds another record, although no decision needs the trial")
            elif vars(found) != vars(expected):
                yield Damaged(path, "was changed; no decision needs the trial")


def _skipped_record(part: SettingTrials) -> TrialRecord:
    names = ", ".join(f"{one.study}, {one.experiment}, round {one.round}" for one in part.decisions)
    return TrialRecord(
        key=digest(SKIPPED, part.decisions),
        seeds={},
        hyperparameters="{}",
        status=SKIPPED,
        environment="",
        commit="",
        error=f"not needed after {names}",
    )
