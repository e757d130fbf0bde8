"""From checked configuration to work: studies → settings → trials → blocks → paths (no I/O)."""

import math
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from reseed.config import Arm, Dataset, DatasetReference, Experiment, Model, ModelReference, Study
from reseed.coordinates import (
    KEPT_PARTS,
    Coordinates,
    Setting,
    expand,
    split_path,
    trial_path,
    tuning_stem,
    tuning_trial,
)
from reseed.data.kinds import listed
from reseed.errors import ReseedError
from reseed.keys import code_hash, digest, named_code, refuse_unbound
from reseed.names import hyperparameters_id, scheme_id, variant
from reseed.project import Project

# A model's `seconds_per_trial` is measured on about this many rows.
HINT_ROWS = 16_000
# Data seeds whose splits one job draws. Fixed borders: more seeds leave drawn splits untouched.
SPLITS_PER_JOB = 20
MAX_TRIALS = 2_000_000
# What of a dataset's entry is told to readers, and decides none of its rows.
TEXT_FIELDS = ("title", "unit", "licence", "citation", "notes", "stand_in_for", "metric")
# The module whose imports are all that training shares between families.
TRAINING = "reseed.training.run"
SEARCH = "reseed.training.tuning"


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
        names = ("factory", "encoder", "stack", "weights", "hold_validation", "compute")
        names += ("hyperparameters",)
        metric = self.dataset.get("metric") or ""
        # Built-in metrics are measured in any case.
        own = {"metric": metric if ":" in metric else None}
        device = {"device": self.model["only_on"]} if self.model.get("only_on") else {}
        return {name: self.model[name] for name in names} | own | device

    @property
    def search_key(self) -> str:
        """Hash of all that decides a search besides data, rows and seeds."""
        return digest(self.recipe(), self.search(), self.code, self.search_code)

    def search(self) -> dict | None:
        """How hyper-parameters are searched; None where they are given."""
        if self.source["mode"] == "default":
            return None
        names = ("mode", "trials", "folds", "method")
        return {name: self.source[name] for name in names} | {
            "space": self.model["search_space"],
            "metrics": list(filter(None, [self.source["metric"], self.dataset.get("metric")])),
        }

    @property
    def configurations(self) -> int:
        """How many a search tries: not more than its space holds, none where that is empty."""
        space = self.model["search_space"].values()
        sizes = (
            values["high"] - values["low"] + 1 if isinstance(values, dict) else len(values)
            for values in space
        )
        return min(self.source["trials"], math.prod(sizes)) if space else 0

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
        mode = self.source["mode"]
        if mode == "default":
            return {}
        return {tuning_stem(self.setting, mode, t): tuning_trial(mode, t) for t in self.trials}

    def tuning_files(self, results: str, trials: list[Coordinates]) -> list[str]:
        """The search winners that some of the trials use."""
        stems = (tuning_stem(self.setting, self.source["mode"], trial) for trial in trials)
        return list(dict.fromkeys(f"{results}/{stem}.json" for stem in stems if stem))


@dataclass(frozen=True)
class PlannedArm:
    """One arm of an experiment in one setting, with its seeds."""

    name: str
    title: str
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


# --- planning -----------------------------------------------------------------------------------


class _Planner:
    """Works out settings; remembers what it called its variants."""

    def __init__(self, project: Project, folder: Path, absent: Collection[str]):
        self.project, self.folder, self.absent = project, folder, set(absent)
        self.datasets: dict[str, dict] = {}
        self.models: dict[str, dict] = {}
        self.variants: dict[str, str] = {}
        self.settings: dict[Setting, PlannedSetting] = {}

    def dataset(self, reference: str | DatasetReference) -> str:
        if isinstance(reference, str):
            reference = DatasetReference(name=reference)
        changes = {} if reference.rows is None else {"rows": reference.rows}
        name, words = variant(reference.name, changes)
        entry: Dataset = self.project.datasets[reference.name]
        self.datasets[name] = entry.model_dump() | changes
        self.variants[name] = words
        return name

    def model(self, reference: str | ModelReference) -> str:
        if isinstance(reference, str):
            reference = ModelReference(name=reference)
        base: Model = self.project.models[reference.name]
        entry, changes = base.model_dump(), {}
        held = reference.hyperparameters
        entry["hyperparameters"] = entry["hyperparameters"] | held
        space = entry["search_space"].items()
        entry["search_space"] = {k: v for k, v in space if k not in held}
        if held:
            changes |= {f"hyperparameters.{name}": value for name, value in held.items()}
        for part in ("encoder", "stack", "device"):
            value = getattr(reference, part)
            value = value.model_dump() if hasattr(value, "model_dump") else value
            if value is not None and value != entry[part]:
                entry[part] = changes[part] = value
        # An arm of its own device asks whether that matters: no other device's trial serves it.
        entry["only_on"] = changes.get("device")
        entry["title"] = reference.title or entry["title"]
        entry["seconds_per_trial"] = reference.seconds_per_trial or entry["seconds_per_trial"]
        name, words = variant(reference.name, changes)
        self.models.setdefault(name, entry)
        self.variants[name] = words
        return name

    def code(self, dataset: dict, model: dict) -> str:
        """Hash of the code that trains a model's family and measures it."""
        modules = _modules([model["factory"], *filter(None, [dataset.get("metric")])], self.folder)
        named = named_code(model["code"], self.folder) if model["code"] else ""
        strict = not model["code"]
        return digest(code_hash(TRAINING, *modules, project=self.folder, strict=strict), named)

    def setting(self, dataset: str, scheme: dict, model: str, source: dict) -> PlannedSetting:
        setting = Setting(dataset, scheme_id(scheme), model, hyperparameters_id(source))
        if setting not in self.settings:
            data, entry = self.datasets[dataset], self.models[model]
            code = self.code(data, entry)
            planned = PlannedSetting(setting, data, scheme, entry, source, code)
            if planned.search() is not None:
                own = _modules(planned.search()["metrics"], self.folder)
                planned.search_code = code_hash(SEARCH, *own, project=self.folder)
            self.settings[setting] = planned
        return self.settings[setting]


def _modules(places: Iterable[str], project: Path) -> list[str]:
    """Of `module:thing`; built-in things have none. Raises ReseedError for things not there."""
    own = [place for place in places if ":" in place]
    for place in own:
        refuse_unbound(place, project)
    return [place.partition(":")[0] for place in own]


def _of(study: Study, experiment: Experiment, name: str):
    """A field of an experiment, or the study's where the experiment has none."""
    own = getattr(experiment, name)
    return getattr(study, name) if own is None else own


def _arms(study: Study, experiment: Experiment) -> Iterator[tuple[str | None, Arm]]:
    if experiment.arms is not None:
        yield from experiment.arms.items()
        return
    for model in _of(study, experiment, "models"):
        yield None, Arm(model=model)


def _seeds(arm: Arm, experiment: Experiment) -> dict:
    seeds = arm.seeds or experiment.seeds
    return seeds.model_dump(exclude_none=True)


def make_plan(project: Project, folder: str | Path = ".", absent: Collection[str] = ()) -> Plan:
    """Work out every trial the project's studies need; shared ones are planned once.

    Args:
        project: the checked configuration.
        folder: the project's folder, where the user's own modules stand.
        absent: datasets that cannot be had here: where optional, they are left out.

    Raises:
        ReseedError: for code that cannot be followed, or trials without end.
    """
    planner = _Planner(project, Path(folder), absent)
    wanted: dict[Setting, set[Coordinates]] = {}
    studies: dict[str, dict[str, list[PlannedArm]]] = {}
    left_out: dict[str, set[str]] = {}
    for study in project.studies.values():
        studies[study.name] = {name: [] for name in study.experiments}
        left_out[study.name] = set()
        for name, experiment in study.experiments.items():
            for planned, arm in _experiment(planner, study, experiment, left_out[study.name]):
                where = f"study {study.name}, experiment {name}"
                if any(a == arm for a in studies[study.name][name]):
                    raise ReseedError(
                        f"{where}: {arm.name} on {arm.setting.dataset} stands there twice. "
                        "Name each dataset, split and model once (or give arms other seeds)."
                    )
                studies[study.name][name].append(arm)
                planned.keep |= set(study.keep) & set(KEPT_PARTS)
                planned.studies.add(study.name)
                _refuse_endless(where, arm.seeds)
                trials = wanted.setdefault(planned.setting, set())
                trials.update(expand(arm.seeds, planned.scheme))
    if sum(map(len, wanted.values())) > MAX_TRIALS:
        raise ReseedError(f"the studies name more than {MAX_TRIALS:,} trials. Take fewer seeds.")
    for setting, trials in wanted.items():
        planner.settings[setting].trials = sorted(trials)
    return Plan(
        results=project.main.results,
        datasets=planner.datasets,
        models=planner.models,
        weights={
            name: project.weights[name].model_dump()
            for name in sorted({m["weights"] for m in planner.models.values() if m["weights"]})
        },
        settings=planner.settings,
        studies=studies,
        variants=planner.variants,
        left_out={name: sorted(names) for name, names in left_out.items()},
        metric_code={
            study.name: code_hash(*_modules([study.metric], planner.folder), project=planner.folder)
            for study in project.studies.values()
            if study.metric and ":" in study.metric
        },
    )


def _experiment(
    planner: _Planner, study: Study, experiment: Experiment, left_out: set[str]
) -> Iterator[tuple[PlannedSetting, PlannedArm]]:
    source = _of(study, experiment, "hyperparameters").model_dump()
    source["metric"] = source["metric"] or study.metric
    for reference in _of(study, experiment, "datasets"):
        if getattr(reference, "optional", False) and reference.name in planner.absent:
            left_out.add(reference.name)
            continue
        dataset = planner.dataset(reference)
        for split in _of(study, experiment, "splits"):
            for name, arm in _arms(study, experiment):
                model = planner.model(arm.model)
                planned = planner.setting(dataset, split.model_dump(), model, source)
                title = arm.title or planner.models[model]["title"]
                seeds = _seeds(arm, experiment)
                yield planned, PlannedArm(name or model, title, planned.setting, seeds)


def _refuse_endless(where: str, seeds: dict) -> None:
    count = math.prod(
        spec["count"] if isinstance(spec, dict) else len(listed(spec)) for spec in seeds.values()
    )
    if count > MAX_TRIALS:
        raise ReseedError(f"{where}: {count:,} trials of one arm. Take fewer seeds.")
