"""From checked configuration to a plan: studies → settings → trials (reads code, nothing else)."""

import math
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from reseed.config import Arm, DatasetReference, Experiment, ModelReference, Study
from reseed.core.code_hash import code_hash, digest, named_code, own_files, refuse_unbound
from reseed.core.coordinates import KEPT_PARTS, Coordinates, Setting, expand
from reseed.core.errors import ReseedError
from reseed.core.identifiers import hyperparameters_id, scheme_id, variant
from reseed.data.kinds import as_list
from reseed.planning.plan import Plan, PlannedArm, PlannedSetting
from reseed.planning.project import Project

MAX_TRIALS = 2_000_000
# The modules whose imports are all that training shares between families: how models are trained,
# and how prepared rows reach them.
TRAINING = ("reseed.training.run", "reseed.data.inputs")
SEARCH = "reseed.training.tuning"


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
        entry = self.project.datasets[reference.name]
        self.datasets[name] = entry.model_dump() | changes
        self.variants[name] = words
        return name

    def model(self, reference: str | ModelReference) -> tuple[str, str]:
        """Name of a model's variant, and what the study calls it."""
        if isinstance(reference, str):
            reference = ModelReference(name=reference)
        base = self.project.models[reference.name]
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
        entry["seconds_per_trial"] = reference.seconds_per_trial or entry["seconds_per_trial"]
        name, words = variant(reference.name, changes)
        self.models.setdefault(name, entry)
        self.variants[name] = words
        return name, reference.title or base.title

    def code(self, dataset: dict, model: dict) -> str:
        """Hash of the code that trains a model's family and measures it."""
        modules = _modules([model["factory"], dataset.get("metric")], self.folder)
        named = named_code(model["code"], self.folder) if model["code"] else ""
        strict = not model["code"]
        return digest(code_hash(*TRAINING, *modules, project=self.folder, strict=strict), named)

    def setting(self, dataset: str, scheme: dict, model: str, source: dict) -> PlannedSetting:
        setting = Setting(dataset, scheme_id(scheme), model, hyperparameters_id(source))
        if setting not in self.settings:
            data, entry = self.datasets[dataset], self.models[model]
            code = self.code(data, entry)
            planned = PlannedSetting(setting, data, scheme, entry, source, code)
            judging = (planned.search() or {}).get("metrics", [])
            modules = _modules([entry["factory"], data.get("metric"), *judging], self.folder)
            planned.own_files = own_files(modules, entry["code"], self.folder)
            if planned.search() is not None:
                own = _modules(planned.search()["metrics"], self.folder)
                planned.search_code = code_hash(SEARCH, *own, project=self.folder)
            self.settings[setting] = planned
        return self.settings[setting]


def _modules(places: Iterable[str | None], project: Path) -> list[str]:
    """Of `module:thing`; built-in things have none. Raises ReseedError for things not there."""
    own = [place for place in places if place and ":" in place]
    for place in own:
        refuse_unbound(place, project)
    return [place.partition(":")[0] for place in own]


def _arms(study: Study, experiment: Experiment) -> Iterator[tuple[str | None, Arm]]:
    if experiment.arms is not None:
        yield from experiment.arms.items()
        return
    for model in study.used(experiment, "models"):
        yield None, Arm(model=model)


def make_plan(project: Project, folder: str | Path = ".", absent: Collection[str] = ()) -> Plan:
    """Work out every trial the project's studies need; shared ones are planned once.

    Args:
        project: the checked configuration.
        folder: the project's folder, where the user's own modules stand.
        absent: datasets that cannot be had here: where optional, they are left out.

    Raises:
        ReseedError: for code that cannot be followed, what stands twice, or trials without end.
    """
    planner = _Planner(project, Path(folder), absent)
    wanted: dict[Setting, set[Coordinates]] = {}
    studies: dict[str, dict[str, list[PlannedArm]]] = {}
    left_out: dict[str, set[str]] = {}
    mistakes: dict[str, None] = {}
    for study in project.studies.values():
        studies[study.name] = {name: [] for name in study.experiments}
        left_out[study.name] = set()
        for name, experiment in study.experiments.items():
            where, arms = f"study {study.name}, experiment {name}", studies[study.name][name]
            for planned, arm in _experiment(planner, study, experiment, left_out[study.name]):
                if any((a.name, a.setting) == (arm.name, arm.setting) for a in arms):
                    mistakes[
                        f"{where}: {arm.name} on {arm.setting.dataset} stands there twice. "
                        "Name each dataset, split and model once (or give arms other seeds)."
                    ] = None
                elif (count := _count(arm.seeds)) > MAX_TRIALS:
                    mistakes[f"{where}: {count:,} trials of one arm. Take fewer seeds."] = None
                else:
                    arms.append(arm)
                    planned.keep |= set(study.keep) & set(KEPT_PARTS)
                    planned.studies.add(study.name)
                    trials = wanted.setdefault(planned.setting, set())
                    trials.update(expand(arm.seeds, planned.scheme))
    if mistakes:
        raise ReseedError("\n  ".join(mistakes))
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
    source = study.used(experiment, "hyperparameters").model_dump()
    source["metric"] = source["metric"] or study.metric
    for reference in study.used(experiment, "datasets"):
        if getattr(reference, "optional", False) and reference.name in planner.absent:
            left_out.add(reference.name)
            continue
        dataset = planner.dataset(reference)
        for split in study.used(experiment, "splits"):
            for name, arm in _arms(study, experiment):
                model, title = planner.model(arm.model)
                planned = planner.setting(dataset, split.model_dump(), model, source)
                seeds = (arm.seeds or experiment.seeds).model_dump(exclude_none=True)
                texts = (arm.title or title, title)
                yield planned, PlannedArm(name or model, *texts, planned.setting, seeds)


def _count(seeds: dict) -> int:
    return math.prod(
        spec["count"] if isinstance(spec, dict) else len(as_list(spec)) for spec in seeds.values()
    )
