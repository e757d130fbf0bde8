"""From a checked configuration to a plan: studies, settings, trials (reads code, nothing else)."""

from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from reseed.config.datasets import Dataset
from reseed.config.models import Model
from reseed.config.studies import (
    Arm,
    DatasetReference,
    Experiment,
    Hyperparameters,
    ModelReference,
    Scheme,
    Seeds,
    Study,
)
from reseed.core.code_hash import (
    code_hash,
    digest,
    imported_packages,
    named_code,
    refuse_unbound,
)
from reseed.core.coordinates import KEPT_PARTS, Coordinates, Setting
from reseed.core.errors import ReseedError
from reseed.core.identifiers import hyperparameters_id, scheme_id, variant
from reseed.core.layout import ResultsLayout
from reseed.core.source_guard import stamp_sources
from reseed.planning.plan import Plan, PlannedArm, PlannedSetting
from reseed.planning.project import Project
from reseed.planning.seed_grid import count_trials, expand_seeds

MAX_TRIALS = 2_000_000
# Modules whose imports are all code that training shares between model families: how models are
# trained, and how prepared rows reach them.
TRAINING = ("reseed.training.run", "reseed.data.inputs")
SEARCH = "reseed.training.tuning"


class _Planner:
    """Builds settings, and names variants of datasets and models."""

    def __init__(self, project: Project, folder: Path, absent: Collection[str]):
        self.project, self.folder, self.absent = project, folder, set(absent)
        self.datasets: dict[str, Dataset] = {}
        self.models: dict[str, Model] = {}
        self.only_on: dict[str, str | None] = {}
        self.variants: dict[str, str] = {}
        self.settings: dict[Setting, PlannedSetting] = {}

    def dataset(self, reference: str | DatasetReference) -> str:
        """Name of a dataset's variant."""
        if isinstance(reference, str):
            reference = DatasetReference(name=reference)
        changes = {} if reference.rows is None else {"rows": reference.rows}
        name, words = variant(reference.name, changes)
        self.datasets[name] = self.project.datasets[reference.name].model_copy(update=changes)
        self.variants[name] = words
        return name

    def model(self, reference: str | ModelReference) -> tuple[str, str]:
        """Name of a model's variant, and its title in the study."""
        if isinstance(reference, str):
            reference = ModelReference(name=reference)
        base = self.project.models[reference.name]
        given = reference.hyperparameters
        seconds = reference.seconds_per_trial or base.seconds_per_trial
        update: dict[str, object] = {
            "hyperparameters": base.hyperparameters | given,
            "search_space": {k: v for k, v in base.search_space.items() if k not in given},
            "seconds_per_trial": seconds,
        }
        changes: dict[str, object] = {f"hyperparameters.{k}": v for k, v in given.items()}
        for part in ("encoder", "stack", "device"):
            value = getattr(reference, part)
            if value is not None and value != getattr(base, part):
                update[part] = value
                changes[part] = value.model_dump() if hasattr(value, "model_dump") else value
        name, words = variant(reference.name, changes)
        if name in self.models:  # the longest of two hints: its data may be larger
            update["seconds_per_trial"] = max(seconds, self.models[name].seconds_per_trial)
        self.models[name] = base.model_copy(update=update)
        # An arm with a device of its own asks whether the device matters.
        self.only_on.setdefault(name, reference.device if "device" in changes else None)
        self.variants[name] = words
        return name, reference.title or base.title

    def code(self, dataset: Dataset, model: Model) -> str:
        """Hash of the code that trains a model's family and computes its metrics."""
        modules = _modules([model.factory, dataset.metric], self.folder)
        named = named_code(model.code, self.folder) if model.code else ""
        strict = not model.code
        return digest(code_hash(*TRAINING, *modules, project=self.folder, strict=strict), named)

    def setting(
        self, dataset: str, scheme: Scheme, model: str, source: Hyperparameters
    ) -> PlannedSetting:
        """The setting of these names; built when it is first asked for."""
        setting = Setting(
            dataset,
            scheme_id(scheme.model_dump()),
            model,
            hyperparameters_id(source.model_dump()),
        )
        if setting not in self.settings:
            data, entry = self.datasets[dataset], self.models[model]
            planned = PlannedSetting(setting, data, scheme, entry, source, self.only_on[model])
            planned.code = self.code(data, entry)
            search = planned.search_settings()
            ranking = search.metrics if search else ()
            modules = _modules([entry.factory, data.metric, *ranking], self.folder)
            entries = (*TRAINING, *modules, *((SEARCH,) if search else ()))
            named = tuple(entry.code)
            planned.sources = stamp_sources(entries, named, self.folder)
            planned.packages = imported_packages(entries, named, self.folder)
            if search:
                ranking_modules = _modules(ranking, self.folder)
                planned.search_code = code_hash(SEARCH, *ranking_modules, project=self.folder)
            self.settings[setting] = planned
        return self.settings[setting]


def _modules(paths: Iterable[str | None], project: Path) -> list[str]:
    """Modules of `module:name`; built-in names have none. Raises ReseedError for unknown names."""
    object_paths = [path for path in paths if path and ":" in path]
    for path in object_paths:
        refuse_unbound(path, project)
    return [path.partition(":")[0] for path in object_paths]


def _arms(study: Study, experiment: Experiment) -> Iterator[tuple[str | None, Arm]]:
    if experiment.arms is not None:
        yield from experiment.arms.items()
        return
    for model in study.resolve_field(experiment, "models"):
        yield None, Arm(model=model)


def make_plan(project: Project, folder: str | Path = ".", absent: Collection[str] = ()) -> Plan:
    """Plan every trial that the project's studies need; shared trials are planned once.

    Args:
        project: the checked configuration.
        folder: the project's folder, which holds the user's own modules.
        absent: datasets without a source here. Those that are optional are left out.

    Raises:
        ReseedError: for code that cannot be followed, duplicates, or too many trials.
    """
    planner = _Planner(project, Path(folder), absent)
    wanted: dict[Setting, dict[Coordinates, tuple[str, ...]]] = {}
    studies: dict[str, dict[str, list[PlannedArm]]] = {}
    left_out: dict[str, set[str]] = {}
    mistakes: dict[str, None] = {}
    for study in project.studies.values():
        alone = (study.name,)
        studies[study.name] = {name: [] for name in study.experiments}
        left_out[study.name] = set()
        for name, experiment in study.experiments.items():
            where, arms = f"study {study.name}, experiment {name}", studies[study.name][name]
            for planned, arm in _experiment(planner, study, experiment, left_out[study.name]):
                if any((a.name, a.setting) == (arm.name, arm.setting) for a in arms):
                    mistakes[
                        f"{where}: {arm.name} on {arm.setting.dataset} is listed twice. "
                        "Name each dataset, split and model once (or give arms other seeds)."
                    ] = None
                elif (count := count_trials(arm.seeds, planned.scheme)) > MAX_TRIALS:
                    mistakes[f"{where}: {count:,} trials of one arm. Take fewer seeds."] = None
                else:
                    arms.append(arm)
                    planned.keep |= set(study.keep) & set(KEPT_PARTS)
                    planned.studies.add(study.name)
                    trials = wanted.setdefault(planned.setting, {})
                    for trial in expand_seeds(arm.seeds, planned.scheme):
                        known = trials.get(trial, ())
                        if study.name not in known:
                            trials[trial] = (*known, study.name) if known else alone
    if mistakes:
        raise ReseedError("\n  ".join(mistakes))
    if sum(map(len, wanted.values())) > MAX_TRIALS:
        raise ReseedError(f"the studies name more than {MAX_TRIALS:,} trials. Take fewer seeds.")
    for setting, trials in wanted.items():
        planned = planner.settings[setting]
        planned.trials = sorted(trials)
        planned.shared = trials if len(planned.studies) > 1 else {}
    return Plan(
        layout=ResultsLayout(project.main.results),
        datasets=planner.datasets,
        models=planner.models,
        weights={
            name: project.weights[name]
            for name in sorted({m.weights for m in planner.models.values() if m.weights})
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
        block_seconds=project.main.block_seconds,
        seeds_per_job=project.main.seeds_per_job,
    )


def _search_of(arm: Arm, source: Hyperparameters) -> Hyperparameters:
    """The search of an arm, whose model may draw a number of configurations of its own."""
    trials = getattr(arm.model, "trials", None)
    return source.model_copy(update={"trials": trials}) if trials else source


def _experiment(
    planner: _Planner, study: Study, experiment: Experiment, left_out: set[str]
) -> Iterator[tuple[PlannedSetting, PlannedArm]]:
    source: Hyperparameters = study.resolve_field(experiment, "hyperparameters")
    source = source.model_copy(update={"metric": source.metric or study.metric})
    for reference in study.resolve_field(experiment, "datasets"):
        if getattr(reference, "optional", False) and reference.name in planner.absent:
            left_out.add(reference.name)
            continue
        dataset = planner.dataset(reference)
        for split in study.resolve_field(experiment, "splits"):
            for name, arm in _arms(study, experiment):
                model, title = planner.model(arm.model)
                planned = planner.setting(dataset, split, model, _search_of(arm, source))
                seeds = arm.seeds or experiment.seeds or Seeds()
                texts = (arm.title or title, title)
                yield planned, PlannedArm(name or model, *texts, planned.setting, seeds)
