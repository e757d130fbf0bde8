"""The work behind a set of studies: settings, trials, and blocks of trials (no I/O)."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from reseed.config.datasets import Dataset, Weights
from reseed.config.models import Model, Range
from reseed.config.studies import Hyperparameters, Scheme, Seeds
from reseed.core.blocks import SeedBlock, cover
from reseed.core.coordinates import Coordinates, Setting
from reseed.core.layout import ResultsLayout
from reseed.core.source_guard import SourceStamp
from reseed.metrics.names import ON_REQUEST
from reseed.planning.specs import ModelSpec, SearchSettings, SettingSpec

# A model's `seconds_per_trial` is measured on about this many rows.
HINT_ROWS = 16_000
# From so many configured rows on, a CPU trains one trial at a time. There a stack saves a sixth of
# a network's time (128 and 64 neurons, docs/measured/stacks.csv), but a pass of eight takes hours.
LARGE_ROWS = 100_000
# Types of device on which a model may train, by its `device`: other stack widths decide nothing.
DEVICE_TYPES = {"cpu": ("cpu",), "gpu": ("gpu",), "auto": ("cpu", "gpu")}


@dataclass
class PlannedSetting:
    """One setting with the trials that the studies want of it.

    only_on: the device that an arm names (see `ModelSpec.device`).
    sources: stamps of the files behind `code` and `search_code`. Jobs check them; no key contains
        them.
    packages: see `SettingSpec`.
    shared: studies of each trial, where several studies use the setting.
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
    shared: dict[Coordinates, tuple[str, ...]] = field(default_factory=dict)

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
            search_seeds=(self.source.data_seed, self.source.model_seed),
        )

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


@dataclass(frozen=True)
class Plan:
    """The work behind a set of studies.

    studies: arms by study and experiment, in the order of the configuration.
    variants: what a variant of a dataset or model changes, in words.
    left_out: optional datasets that are missing here, by study.
    metric_code: hash of the code of a study's own metric, by study.
    block_seconds, seeds_per_job: size of a block.
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
    block_seconds: float = 60
    seeds_per_job: int | None = None

    @cached_property
    def blocks(self) -> dict[Setting, list["Block"]]:
        """The blocks in which the trials are trained, by setting."""
        blocks: dict[Setting, list[Block]] = {setting: [] for setting in self.settings}
        for block in plan_blocks(self, self.block_seconds, self.seeds_per_job):
            blocks[block.planned.setting].append(block)
        return blocks

    def all_blocks(self) -> list["Block"]:
        """The blocks of all settings."""
        return [block for blocks in self.blocks.values() for block in blocks]

    def study_blocks(self, study: str) -> list["Block"]:
        """The blocks of a study's trials."""
        return [block for block in self.all_blocks() if study in block.studies]

    def block_file(self, block: "Block") -> str:
        """File of a block."""
        return self.layout.block(block.planned.setting, block.seeds.name)

    def schemes(self) -> dict[str, Scheme]:
        """Split schemes by identifier."""
        return {planned.setting.scheme: planned.scheme for planned in self.settings.values()}


@dataclass(frozen=True)
class Block:
    """Trials of one setting that one job trains. studies: those that need them, all the same."""

    planned: PlannedSetting
    seeds: SeedBlock
    studies: tuple[str, ...]

    @property
    def seconds(self) -> float:
        """Cost by the model's hint."""
        return self.planned.seconds_per_trial * len(self.seeds)


def plan_blocks(
    plan: Plan, block_seconds: float, seeds_per_job: int | None = None
) -> Iterator[Block]:
    """All trials in blocks of about `block_seconds` each, by the models' cost hints.

    All trials of a block are of the same studies, so a study that is requested alone trains no
    other study's trials. Borders depend on the configuration alone: every process that parses the
    Snakefile gets the same plan. They enter no key.
    """
    for planned in plan.settings.values():
        size = seeds_per_job or max(1, round(block_seconds / planned.seconds_per_trial))
        width = planned.stack_width
        every = tuple(planned.studies)
        parts: dict[tuple[str, ...], list[Coordinates]] = {}
        for trial in planned.trials:
            parts.setdefault(planned.shared.get(trial, every), []).append(trial)
        for studies, trials in parts.items():
            for seeds in cover(trials, -(-size // width) * width):
                yield Block(planned, seeds, studies)
