"""The work behind a set of studies: settings → trials → blocks → paths (no I/O)."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

from reseed.core.code_hash import digest
from reseed.core.coordinates import (
    Coordinates,
    Setting,
    expand,
    split_path,
    trial_path,
    tuning_stem,
    tuning_trial,
)
from reseed.metrics.names import ON_REQUEST

# A model's `seconds_per_trial` is measured on about this many rows.
HINT_ROWS = 16_000
# Data seeds whose splits one job draws. Fixed borders: more seeds leave drawn splits untouched.
SPLITS_PER_JOB = 20
# Where a model may train, by its `device`: the width of a stack elsewhere decides nothing.
PLACES = {"cpu": ("cpu",), "gpu": ("gpu",), "auto": ("cpu", "gpu")}
# What of a dataset's entry is told to readers, and decides none of its rows.
TEXT_FIELDS = ("title", "unit", "licence", "citation", "notes", "stand_in_for", "metric")


@dataclass
class PlannedSetting:
    """All that the studies want of one setting."""

    setting: Setting
    dataset: dict
    scheme: dict
    model: dict
    source: dict
    code: str = ""
    search_code: str = ""
    # The user's files behind `code`, with their content hashes: told to jobs, in no key.
    own_files: dict[str, str] = field(default_factory=dict)
    keep: set[str] = field(default_factory=set)
    studies: set[str] = field(default_factory=set)
    trials: list[Coordinates] = field(default_factory=list)

    @property
    def seconds_per_trial(self) -> float:
        """The model's cost hint, in proportion to the rows where the study says how many."""
        return self.model["seconds_per_trial"] * (self.dataset["rows"] or HINT_ROWS) / HINT_ROWS

    @property
    def seconds(self) -> float:
        """What all trials cost by that hint."""
        return self.seconds_per_trial * len(self.trials)

    def recipe(self) -> dict:
        """How a trial is trained; all of it decides numbers."""
        names = ("factory", "encoder", "weights", "hold_validation", "compute", "hyperparameters")
        stack = {place: self.model["stack"][place] for place in PLACES[self.model["device"]]}
        metric = self.dataset.get("metric") or ""
        # Other built-in metrics are measured in any case.
        own = {"metric": metric if ":" in metric or metric in ON_REQUEST else None}
        device = {"device": self.model["only_on"]} if self.model.get("only_on") else {}
        return {name: self.model[name] for name in names} | {"stack": stack} | own | device

    @property
    def search_key(self) -> str:
        """Hash of all that decides a search besides data, rows and seeds."""
        return digest(self.recipe(), self.search(), self.code, self.search_code)

    @property
    def mode(self) -> str:
        """When hyper-parameters are searched: never (`default`) where there are none to choose."""
        return self.source["mode"] if self.model["search_space"] else "default"

    def search(self) -> dict | None:
        """How hyper-parameters are searched; None where they are given."""
        if self.mode == "default":
            return None
        names = ("mode", "trials", "folds", "method")
        return {name: self.source[name] for name in names} | {
            "space": self.model["search_space"],
            "metrics": list(filter(None, [self.source["metric"], self.dataset.get("metric")])),
        }

    @property
    def configurations(self) -> int:
        """How many a search tries: not more than its space holds."""
        sizes = (
            values["high"] - values["low"] + 1 if isinstance(values, dict) else len(values)
            for values in self.model["search_space"].values()
        )
        return min(self.source["trials"], math.prod(sizes))

    def description(self) -> dict:
        """What a job is told of this setting."""
        return {
            "setting": list(self.setting),
            "recipe": self.recipe(),
            "search": self.search(),
            "code": self.code,
            "search_code": self.search_code,
            "device": self.model["device"],
            "keep": sorted(self.keep),
        }

    @property
    def key(self) -> str:
        """Hash of all that decides the setting's numbers besides data, rows and seeds."""
        return digest(self.recipe(), self.search(), self.code, sorted(self.keep))

    def searches(self) -> dict[str, Coordinates]:
        """Path stem of each hyper-parameter search of these trials, and where it searches."""
        if self.mode == "default":
            return {}
        return {
            tuning_stem(self.setting, self.mode, trial): tuning_trial(self.mode, trial)
            for trial in self.trials
        }

    def tuning_files(self, results: str, trials: list[Coordinates]) -> list[str]:
        """The search winners that some of the trials use."""
        stems = (tuning_stem(self.setting, self.mode, trial) for trial in trials)
        return list(dict.fromkeys(f"{results}/{stem}.json" for stem in stems if stem))


@dataclass(frozen=True)
class PlannedArm:
    """One arm of an experiment in one setting, with its seeds, and what its study calls both."""

    name: str
    title: str
    model_title: str
    setting: Setting
    seeds: dict


# Trials of one or several settings that one process trains.
Block = list[tuple[PlannedSetting, list[Coordinates]]]


@dataclass(frozen=True)
class Plan:
    """The work behind a set of studies."""

    results: str
    datasets: dict[str, dict]
    models: dict[str, dict]
    weights: dict[str, dict]
    settings: dict[Setting, PlannedSetting]
    # study → experiment → arms, in the order of the configuration
    studies: dict[str, dict[str, list[PlannedArm]]]
    # variant of a dataset or model → what it changes, in words
    variants: dict[str, str]
    # study → optional datasets that cannot be had here
    left_out: dict[str, list[str]]
    # study → hash of the code of its own metric, if it has one
    metric_code: dict[str, str]

    def trials(self, study: str) -> Iterator[tuple]:
        """Every (experiment, arm, coordinates) of a study; a shared trial comes twice."""
        for name, arms in self.studies[study].items():
            for arm in arms:
                for trial in expand(arm.seeds, self.settings[arm.setting].scheme):
                    yield name, arm, trial

    def block(self, study: str) -> Block:
        """Every setting of a study with the study's own trials, each once."""
        wanted: dict[Setting, dict[Coordinates, None]] = {}
        for _, arm, trial in self.trials(study):
            wanted.setdefault(arm.setting, {})[trial] = None
        return [(self.settings[setting], list(trials)) for setting, trials in wanted.items()]

    def trial_files(self, study: str) -> list[str]:
        """Paths of a study's trials, each once."""
        return [
            trial_path(self.results, planned.setting, trial)
            for planned, trials in self.block(study)
            for trial in trials
        ]

    def data_seeds(self) -> dict[tuple[str, str], list[int]]:
        """(dataset, scheme) → the data seeds whose splits are needed."""
        seeds: dict[tuple[str, str], set[int]] = {}
        for planned in self.settings.values():
            wanted = seeds.setdefault(planned.setting[:2], set())
            wanted |= {trial.data_seed for trial in planned.trials}
            wanted |= {trial.data_seed for trial in planned.searches().values()}
        return {place: sorted(wanted) for place, wanted in seeds.items()}

    def split_jobs(self) -> Iterator[tuple[str, str, list[int]]]:
        """(dataset, scheme, data seeds) of each job that draws splits."""
        for (dataset, scheme), seeds in self.data_seeds().items():
            chunks: dict[int, list[int]] = {}
            for seed in seeds:
                chunks.setdefault(seed // SPLITS_PER_JOB, []).append(seed)
            for chunk in chunks.values():
                yield dataset, scheme, chunk

    def schemes(self) -> dict[str, dict]:
        """Split schemes by identifier."""
        return {planned.setting.scheme: planned.scheme for planned in self.settings.values()}

    def inputs(self, planned: PlannedSetting, trials: list[Coordinates]) -> list[str]:
        """Files that training some trials of a setting reads, the dataset's left out."""
        seeds = sorted({trial.data_seed for trial in trials})
        return [
            *(split_path(self.results, *planned.setting[:2], seed) for seed in seeds),
            *planned.tuning_files(self.results, trials),
            *self.weight_files(planned),
        ]

    def weight_files(self, planned: PlannedSetting) -> list[str]:
        """What is there once a setting's pretrained weights are."""
        name = planned.model["weights"]
        return [f"{self.results}/weights/{name}/meta.json"] if name else []


def blocks(plan: Plan, block_seconds: float, seeds_per_job: int | None = None) -> Iterator[Block]:
    """All trials in jobs of about `block_seconds` each, by the models' cost hints.

    A setting that fills a job is cut into blocks of its own; smaller ones that share environment,
    device, studies and whether they wait for a search are packed, so that a study asked for alone
    trains nobody else's trials.
    Borders depend on the configuration alone, so that a job that parses the Snakefile again sees
    the same plan; they enter no key.
    """
    open_blocks: dict[tuple, Block] = {}
    for planned in plan.settings.values():
        size = seeds_per_job or max(1, round(block_seconds / planned.seconds_per_trial))
        width = planned.model["stack"]["cpu" if planned.model["device"] == "cpu" else "gpu"]
        size = -(-size // width) * width
        if seeds_per_job or len(planned.trials) >= size:
            for start in range(0, len(planned.trials), size):
                yield [(planned, planned.trials[start : start + size])]
            continue
        model, waits = planned.model, planned.search() is not None
        kind = (model["environment"], model["device"], frozenset(planned.studies), waits)
        block = open_blocks.setdefault(kind, [])
        if block and sum(p.seconds for p, _ in block) + planned.seconds > block_seconds:
            yield block
            block = open_blocks[kind] = []
        block.append((planned, planned.trials))
    yield from (block for block in open_blocks.values() if block)
