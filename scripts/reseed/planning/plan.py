"""The work behind a set of studies: settings, trials, and blocks of trials (no I/O)."""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from reseed.config import Dataset, Model, Weights
from reseed.config.models import Range
from reseed.config.studies import Hyperparameters, Scheme, Seeds
from reseed.config.until import Until
from reseed.core.coordinates import Coordinates, Setting
from reseed.core.layout import ResultsLayout
from reseed.core.source_guard import SourceStamp
from reseed.metrics.names import ON_REQUEST
from reseed.planning.seed_grid import DecisionId, split_rounds
from reseed.planning.specs import ModelSpec, SearchSettings, SettingSpec

# A model's `seconds_per_trial` is measured on about this many rows.
HINT_ROWS = 16_000
# Data seeds whose splits one job draws. Fixed borders: more seeds leave drawn splits untouched.
SPLITS_PER_JOB = 20
# From so many configured rows on, a CPU trains one trial at a time. There a stack saves a sixth of
# a network's time (128 and 64 neurons, docs/measured/stacks.csv), but a pass of eight takes hours.
LARGE_ROWS = 100_000
# Types of device on which a model may train, by its `device`: other stack widths decide nothing.
DEVICE_TYPES = {"cpu": ("cpu",), "gpu": ("gpu",), "auto": ("cpu", "gpu")}


@dataclass
class PlannedSetting:
    """One setting with the trials that the studies want of it.

    decisions: what decides whether a trial is trained, for trials that are not always needed.
    only_on: the device that an arm names (see `ModelSpec.device`). sources: stamps of the
    files behind `code` and `search_code`. Jobs check them; no key contains them. packages: see
    `SettingSpec`.
    """

    setting: Setting
    dataset: Dataset
    scheme: Scheme
    model: Model
    source: Hyperparameters
    only_on: str | None = None
    code: str = ""
    search_code: str = ""
    sources: dict[str, SourceStamp] = field(default_factory=dict)
    packages: tuple[str, ...] = ()
    keep: set[str] = field(default_factory=set)
    studies: set[str] = field(default_factory=set)
    trials: list[Coordinates] = field(default_factory=list)
    decisions: dict[Coordinates, tuple[DecisionId, ...]] = field(default_factory=dict)

    @property
    def seconds_per_trial(self) -> float:
        """The model's cost hint, in proportion to the rows where the study states them."""
        return self.model.seconds_per_trial * (self.dataset.rows or HINT_ROWS) / HINT_ROWS

    @property
    def seconds(self) -> float:
        """Cost of all trials by that hint."""
        return self.seconds_per_trial * len(self.trials)

    @property
    def gpus(self) -> int:
        """GPUs that a job of this setting requests; a profile without GPUs grants none."""
        return 0 if self.model.device == "cpu" else 1

    @property
    def stack(self) -> dict[str, int]:
        """Trials that the model trains in one pass, by the device types that it may use."""
        widths = {name: getattr(self.model.stack, name) for name in DEVICE_TYPES[self.model.device]}
        if "cpu" in widths and (self.dataset.rows or 0) >= LARGE_ROWS:
            widths["cpu"] = 1
        return widths

    @property
    def stack_width(self) -> int:
        """Most trials that the model trains in one pass on a device that it may use."""
        return max(self.stack.values())

    @property
    def mode(self) -> str:
        """When hyper-parameters are searched: `default` (never) where there are none to choose."""
        return self.source.mode if self.model.search_space else "default"

    def search_settings(self) -> SearchSettings | None:
        """How hyper-parameters are searched; None where they are given."""
        if self.mode == "default":
            return None
        source = self.source
        metrics = tuple(filter(None, [source.metric, self.dataset.metric]))
        return SearchSettings(
            source.mode,
            source.trials,
            source.folds,
            source.method,
            self.model.search_space,
            metrics,
        )

    @property
    def candidates(self) -> int:
        """Candidates of a search: not more than its space holds."""
        sizes = (
            values.high - values.low + 1 if isinstance(values, Range) else len(values)
            for values in self.model.search_space.values()
        )
        return min(self.source.trials, math.prod(sizes))

    @cached_property
    def spec(self) -> SettingSpec:
        """The setting as jobs read it. Read it only once the plan is complete."""
        model, metric = self.model, self.dataset.metric or ""
        return SettingSpec(
            setting=self.setting,
            model=ModelSpec(
                factory=model.factory,
                encoder=model.encoder,
                weights=model.weights,
                hold_validation=model.hold_validation,
                compute=model.compute,
                hyperparameters=model.hyperparameters,
                stack=self.stack,
                # Other built-in metrics are computed for every trial.
                metric=metric if ":" in metric or metric in ON_REQUEST else None,
                device=self.only_on,
            ),
            search=self.search_settings(),
            code=self.code,
            search_code=self.search_code,
            device=model.device,
            keep=tuple(sorted(self.keep)),
            packages=self.packages,
        )

    def parts(self, trials: list[Coordinates]) -> dict[tuple[DecisionId, ...], list[Coordinates]]:
        """Trials by the decisions of which one must need them; without a decision: always."""
        if not self.decisions:
            return {(): trials}
        parts: dict[tuple[DecisionId, ...], list[Coordinates]] = {}
        for trial in trials:
            parts.setdefault(self.decisions.get(trial, ()), []).append(trial)
        return parts

    def searches(self) -> list[Coordinates]:
        """Coordinates of each hyper-parameter search of these trials, each once."""
        return self.searches_of(self.trials)

    def searches_of(self, trials: list[Coordinates]) -> list[Coordinates]:
        """Coordinates of the searches that some of the trials use, each once."""
        if self.mode == "default":
            return []
        at = (self.spec.search_at(trial) for trial in trials)
        return list(dict.fromkeys(one for one in at if one is not None))


@dataclass(frozen=True)
class PlannedArm:
    """One arm of an experiment in one setting, with its seeds and its titles in the study."""

    name: str
    title: str
    model_title: str
    setting: Setting
    seeds: Seeds
    until: Until | None = None


# Trials of one or several settings that one process trains.
Block = list[tuple[PlannedSetting, list[Coordinates]]]


@dataclass(frozen=True)
class Plan:
    """The work behind a set of studies.

    studies: arms by study and experiment, in the order of the configuration. variants: what a
    variant of a dataset or model changes, in words. left_out: optional datasets that are missing
    here, by study. metric_code: hash of the code of a study's own metric, by study.
    """

    layout: ResultsLayout
    datasets: dict[str, Dataset]
    models: dict[str, Model]
    weights: dict[str, Weights]
    settings: dict[Setting, PlannedSetting]
    studies: dict[str, dict[str, list[PlannedArm]]]
    variants: dict[str, str]
    left_out: dict[str, list[str]]
    metric_code: dict[str, str]

    def trials(self, study: str) -> Iterator[tuple[str, PlannedArm, Coordinates]]:
        """Every (experiment, arm, coordinates) of a study; a shared trial comes twice."""
        for name, arms in self.studies[study].items():
            for arm in arms:
                for trials in self.rounds(arm):
                    yield from ((name, arm, trial) for trial in trials)

    def rounds(self, arm: PlannedArm) -> list[list[Coordinates]]:
        """Trials of an arm by round."""
        return split_rounds(arm.seeds, self.settings[arm.setting].scheme, arm.until)

    def decisions(self, studies: Iterable[str] | None = None) -> list[DecisionId]:
        """The decisions of some studies (None: all); none follows the last round."""
        return [
            DecisionId(study, experiment, number)
            for study in (self.studies if studies is None else studies)
            for experiment, arms in self.studies[study].items()
            for number in range(
                max((len(self.rounds(arm)) for arm in arms if arm.until), default=1) - 1
            )
        ]

    def decision_files(self, decisions: Iterable[DecisionId]) -> list[str]:
        """Paths of decisions."""
        return [self.layout.study(one.study).decision(*one[1:]) for one in decisions]

    def block(self, study: str) -> Block:
        """Every setting of a study with the study's own trials, each once."""
        wanted: dict[Setting, dict[Coordinates, None]] = {}
        for _, arm, trial in self.trials(study):
            wanted.setdefault(arm.setting, {})[trial] = None
        return [(self.settings[setting], list(trials)) for setting, trials in wanted.items()]

    def all_trials(self) -> Block:
        """Every setting with all its trials."""
        return [(planned, planned.trials) for planned in self.settings.values()]

    def studies_of_shared_trials(self) -> dict[Setting, dict[Coordinates, tuple[str, ...]]]:
        """Studies that need each trial, for every setting that several studies use."""
        shared = [one for one in self.settings.values() if len(one.studies) > 1]
        found: dict[Setting, dict[Coordinates, tuple[str, ...]]] = {
            one.setting: {} for one in shared
        }
        for study in sorted({name for one in shared for name in one.studies}):
            for planned, trials in self.block(study):
                if planned.setting in found:
                    users = found[planned.setting]
                    users |= {trial: (*users.get(trial, ()), study) for trial in trials}
        return found

    def trial_files(self, study: str) -> list[str]:
        """Paths of a study's trials, each once."""
        return self.block_files(self.block(study))

    def block_files(self, block: Block) -> list[str]:
        """Paths of the trials of a block."""
        return [self.layout.trial(one.setting, trial) for one, trials in block for trial in trials]

    def data_seeds(self) -> dict[tuple[str, str], list[int]]:
        """Data seeds whose splits are needed, by (dataset, scheme)."""
        seeds: dict[tuple[str, str], set[int]] = {}
        for planned in self.settings.values():
            wanted = seeds.setdefault(planned.setting[:2], set())
            wanted |= {trial.data_seed for trial in planned.trials}
            wanted |= {at.data_seed for at in planned.searches()}
        return {key: sorted(wanted) for key, wanted in seeds.items()}

    def split_jobs(self) -> Iterator[tuple[str, str, list[int]]]:
        """(dataset, scheme, data seeds) of each job that draws splits."""
        for (dataset, scheme), seeds in self.data_seeds().items():
            chunks: dict[int, list[int]] = {}
            for seed in seeds:
                chunks.setdefault(seed // SPLITS_PER_JOB, []).append(seed)
            for chunk in chunks.values():
                yield dataset, scheme, chunk

    def schemes(self) -> dict[str, Scheme]:
        """Split schemes by identifier."""
        return {planned.setting.scheme: planned.scheme for planned in self.settings.values()}


def blocks(plan: Plan, block_seconds: float, seeds_per_job: int | None = None) -> Iterator[Block]:
    """All trials in blocks of about `block_seconds` each, by the models' cost hints.

    A setting that fills a job is cut into blocks of its own. Smaller settings are packed if they
    share environment, device, and whether they wait for a search. All trials of a block are of the
    same studies, so a study that is requested alone trains no other study's trials; and they need
    the same decisions.
    Borders depend on the configuration alone: every process that parses the Snakefile gets the
    same plan. They enter no key.
    """
    open_blocks: dict[tuple[object, ...], Block] = {}
    studies_of = plan.studies_of_shared_trials()
    for planned in plan.settings.values():
        model, each = planned.model, planned.seconds_per_trial
        size = seeds_per_job or max(1, round(block_seconds / each))
        width = planned.stack_width
        size = -(-size // width) * width
        for decisions, studies, trials in _split_by_studies(planned, studies_of):
            if seeds_per_job or len(trials) >= size:
                for start in range(0, len(trials), size):
                    yield [(planned, trials[start : start + size])]
                continue
            waits = planned.spec.search is not None
            kind = (model.environment, model.device, studies, waits, decisions)
            block = open_blocks.setdefault(kind, [])
            seconds = sum(one.seconds_per_trial * len(members) for one, members in block)
            if block and seconds + each * len(trials) > block_seconds:
                yield block
                block = open_blocks[kind] = []
            block.append((planned, trials))
    yield from (block for block in open_blocks.values() if block)


def _split_by_studies(
    planned: PlannedSetting, studies_of: Mapping[Setting, Mapping[Coordinates, tuple[str, ...]]]
) -> Iterator[tuple[tuple[DecisionId, ...], tuple[str, ...], list[Coordinates]]]:
    """Trials of a setting that need the same decisions and are of the same studies.

    studies_of: see `Plan.studies_of_shared_trials`.
    """
    every, shared = tuple(sorted(planned.studies)), studies_of.get(planned.setting, {})
    for decisions, trials in planned.parts(planned.trials).items():
        parts: dict[tuple[str, ...], list[Coordinates]] = {}
        for trial in trials:
            parts.setdefault(shared.get(trial, every), []).append(trial)
        for studies, part in parts.items():
            yield decisions, studies, part
