"""Errors in a configuration whose fields have the right types: in names, files and code.

Every function yields errors as texts, each with file, field and fix.
"""

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from reseed.config.datasets import Dataset
from reseed.config.models import Model
from reseed.config.studies import (
    Analysis,
    DatasetReference,
    Exhibit,
    Experiment,
    ModelReference,
    Results,
    Study,
)
from reseed.core.code_hash import code_hash, named_code, refuse_unbound
from reseed.core.coordinates import base_name
from reseed.core.coverage import read_coverage
from reseed.core.errors import ReseedError, suggest_name
from reseed.core.layout import REFERENCES
from reseed.core.module_finder import SCRIPTS
from reseed.data import registry
from reseed.data.kinds import as_list
from reseed.metrics.names import ON_REQUEST, TASKS_BY_METRIC
from reseed.planning.seed_grid import seed_values
from reseed.plugins import kinds

# Names that a study cannot have: static rules, and the page of the index.
RESERVED = {
    *("all", "index", "report", "verify", "prepare_table", "prepare_images", "split"),
    *("try_model", "shard", "search", "train", "repeat", "collect_trials", "collect_items"),
    *("import_runs", "import_items", "export", "analyse", "table", "figure", "judge", "page"),
    *("reference", "references"),
}
# A results folder has one of these folders after its first run.
_MARKS_OF_RESULTS = ("plan", "store")
# Environments of the workflow in which models train: a hosted workflow has no local `envs`.
ENVIRONMENTS = {"training", "training-gpu"}
# Options of exhibits that name experiments.
NAMING_EXPERIMENTS = {"experiment", "experiments", "fixed", "tuned"}


@dataclass(frozen=True)
class KnownNames:
    """Names that a study may use, and the folder of the user's modules.

    metrics, tasks: the metric and the task of each dataset.
    timed: datasets with a column of times.
    """

    datasets: list[str]
    models: list[str]
    studies: list[str]
    metrics: dict[str, str | None]
    tasks: dict[str, str]
    timed: set[str]
    project: Path


def check_dataset(file: Path, dataset: Dataset) -> Iterator[str]:
    """Errors in the reader, sources and metric of a dataset."""
    yield from (
        f"{file}: {text}" for text in registry.find_entry_errors(dataset, bool(dataset.sources))
    )
    yield from _check_metric_name(f"{file}: metric", dataset.metric)
    yield from _check_metric_task(f"{file}: metric", dataset.metric, {dataset.task})


def check_model(file: Path, model: Model, weights: Iterable[str]) -> Iterator[str]:
    """Files that a model names and that do not exist."""
    folder = file.parent.parent
    if model.weights is not None and model.weights not in weights:
        yield f"{file}: weights: there is no {folder / 'weights' / model.weights}.yaml."
    folders = [folder.parent / "envs", SCRIPTS.parent / "envs"]
    is_known = model.environment in ENVIRONMENTS or any(
        (one / f"{model.environment}.yaml").is_file() for one in folders
    )
    if not is_known:
        yield f"{file}: environment: there is no file envs/{model.environment}.yaml."


def check_study(file: str, study: Study, known: KnownNames) -> Iterator[str]:
    """Errors in the names a study uses: datasets, models, experiments, analyses, arms."""
    experiments, analyses = list(study.experiments), list(study.analyses)
    yield from _check_names(file, "", study, known)
    for name, experiment in study.experiments.items():
        yield from _check_experiment(file, f"experiments.{name}.", study, experiment, known)
        if experiment.hyperparameters is not None:
            field = f"{file}: experiments.{name}.hyperparameters.metric"
            tasks = _tasks(study, [experiment], known)
            yield from _check_metric_task(field, experiment.hyperparameters.metric, tasks)
    tasks = _tasks(study, study.experiments.values(), known)
    yield from _check_metric_task(f"{file}: metric", study.metric, tasks)
    field = f"{file}: hyperparameters.metric"
    yield from _check_metric_task(field, study.hyperparameters.metric, tasks)
    yield from _check_stored_outputs(f"{file}: keep", study, known)
    for name, analysis in study.analyses.items():
        field = f"{file}: analyses.{name}"
        yield from _find_kind("analyses", analysis.kind, field, known.project)[1]
        for index, used in enumerate(analysis.experiments or []):
            yield from check_name(f"{field}.experiments.{index}", used, experiments, "experiment")
        yield from _check_arms(study, f"{field}.options", analysis, analysis.experiments)
    for name, exhibit in study.exhibits.items():
        field = f"{file}: exhibits.{name}"
        kind, errors = _find_kind("exhibits", exhibit.kind, field, known.project)
        yield from errors
        if exhibit.analysis is not None:
            yield from check_name(f"{field}.analysis", exhibit.analysis, analyses, "analysis")
        if kind is not None and kind.draws is not None:
            yield from _check_analysis(study, f"{field}.analysis", exhibit, kind)
        for option in sorted(NAMING_EXPERIMENTS & set(exhibit.options)):
            for used in as_list(exhibit.options[option]):
                allowed = experiments or ["results"]
                yield from check_name(f"{field}.options.{option}", used, allowed, "experiment")
        shown = study.analyses.get(exhibit.analysis or "")
        experiments_shown = shown.experiments if shown else None
        yield from _check_arms(study, f"{field}.options", exhibit, experiments_shown)
    changed = [(change or {}).get("experiments") or {} for change in study.scales.values()]
    arms = [name for one in study.experiments.values() for name in one.arms or ()]
    arms += [
        name for one in changed for part in one.values() for name in (part or {}).get("arms") or ()
    ]
    meant = {
        "experiment": [*dict.fromkeys([*experiments, *(name for one in changed for name in one)])],
        "arm": [*dict.fromkeys([*known.models, *arms])],
        "dataset": known.datasets,
        "model": known.models,
    }
    for name, statement in study.statements.items():
        field = f"{file}: statements.{name}"
        yield from check_name(f"{field}.exhibit", statement.exhibit, [*study.exhibits], "exhibit")
        if statement.analysis:
            yield from check_name(f"{field}.analysis", statement.analysis, analyses, "analysis")
        for part, values in (("where", statement.where), ("over", statement.over)):
            for noun, names in meant.items():
                for used in values.get(noun, ()):
                    yield from check_name(f"{field}.{part}.{noun}", used, names, noun)
    for noun in ("dataset", "model"):
        for used in study.paper.get(noun, ()):
            yield from check_name(f"{file}: paper.{noun}", used, meant[noun], noun)
    if study.coverage is not None:
        try:
            read_coverage(known.project / study.coverage)
        except ReseedError as error:
            yield f"{file}: coverage: {error}."
    if study.name in RESERVED:
        yield (
            f"{file}: name: {study.name!r} is the name of a rule or page of the pipeline. "
            "Give the study another name."
        )
    if study.results and study.results.made_from:
        yield from check_name(
            f"{file}: results.made_from", study.results.made_from, known.studies, "study"
        )
        if study.results.path != (path := f"{{results}}/examples/{study.name}.csv"):
            yield f"{file}: results.path: exported results are written to {path!r}. Name that file."


def check_name(field: str, name: str, allowed: Iterable[str], noun: str) -> Iterator[str]:
    """An error for a name that is not allowed, with the nearest allowed name."""
    allowed = sorted(allowed)
    if name not in allowed:
        yield (
            f"{field}: unknown {noun} {name!r}. Allowed: {', '.join(allowed)}."
            f"{suggest_name(name, allowed)}"
        )


def _check_names(
    file: str, prefix: str, part: Study | Experiment, known: KnownNames
) -> Iterator[str]:
    """Unknown names among a study's, or an experiment's, datasets, models and metrics."""
    for noun in ("dataset", "model"):
        for index, item in enumerate(getattr(part, f"{noun}s") or []):
            field = f"{file}: {prefix}{noun}s.{index}"
            yield from check_name(field, name_of(item), getattr(known, f"{noun}s"), noun)
    if isinstance(part, Study):
        yield from _check_metric_name(f"{file}: metric", part.metric)
    if part.hyperparameters is not None:
        field = f"{file}: {prefix}hyperparameters.metric"
        yield from _check_metric_name(field, part.hyperparameters.metric)


def _check_experiment(
    file: str, prefix: str, study: Study, experiment: Experiment, known: KnownNames
) -> Iterator[str]:
    yield from _check_names(file, prefix, experiment, known)
    for arm, entry in (experiment.arms or {}).items():
        field = f"{file}: {prefix}arms.{arm}.model"
        yield from check_name(field, name_of(entry.model), known.models, "model")
    for field in ("datasets", "splits", "models" if experiment.arms is None else "arms"):
        if not study.resolve_field(experiment, field):
            yield f"{file}: {prefix}{field}: neither the experiment nor the study names any."
    if any(one.kind == "time" for one in study.resolve_field(experiment, "splits")):
        yield from _check_windows(f"{file}: {prefix}", study, experiment, known)


def _check_windows(
    where: str, study: Study, experiment: Experiment, known: KnownNames
) -> Iterator[str]:
    """Errors where windows of time meet seeds of splits, searches or datasets without times."""
    arms = [arm.seeds for arm in (experiment.arms or {}).values()]
    if any(seeds and seed_values(seeds.data) != [0] for seeds in (experiment.seeds, *arms)):
        yield (
            f"{where}seeds.data: windows of time are not drawn, so they have data seed 0 alone. "
            "Vary model seeds, and give splits of other kinds an experiment of their own."
        )
    source = experiment.hyperparameters or study.hyperparameters
    if source.mode != "default":
        yield (
            f"{where}hyperparameters: the folds of a search are random, so later rows would choose "
            "for earlier ones. With a split by time take mode: default."
        )
    for item in study.resolve_field(experiment, "datasets"):
        if (name := name_of(item)) in known.tasks and name not in known.timed:
            yield (
                f"{where}splits: a split by time needs `time:`, the column of times, in the file "
                f"of the dataset {name}."
            )


def name_of(reference: str | DatasetReference | ModelReference) -> str:
    """The name in a reference to a dataset or model. A reference may be the name alone."""
    return reference if isinstance(reference, str) else reference.name


def _find_kind(
    family: str, name: str, field: str, project: Path
) -> tuple[kinds.Kind | None, list[str]]:
    try:
        return kinds.find_kind(family, name, project), []
    except ReseedError as error:
        return None, [f"{field}.kind: {error}"]


def _check_metric_name(field: str, name: str | None) -> Iterator[str]:
    """An error for an unknown built-in metric. `check_code` checks a metric of the user."""
    if name and ":" not in name and name not in TASKS_BY_METRIC:
        allowed = ", ".join(sorted(TASKS_BY_METRIC))
        yield (
            f"{field}: unknown metric {name!r}. Allowed: {allowed}, or my_module:metric."
            f"{suggest_name(name, list(TASKS_BY_METRIC))}"
        )


def _check_metric_task(field: str, metric: str | None, tasks: set[str]) -> Iterator[str]:
    """An error for a built-in metric that none of the tasks has."""
    metric_tasks = TASKS_BY_METRIC.get(metric or "")
    if metric_tasks and tasks and not tasks & set(metric_tasks):
        fitting = [name for name, of in TASKS_BY_METRIC.items() if tasks & set(of)]
        yield (
            f"{field}: {metric} is for {', '.join(metric_tasks)}, the task is "
            f"{' or '.join(sorted(tasks))}. Take one of {', '.join(fitting)}."
        )


def _tasks(study: Study, experiments: Iterable[Experiment], known: KnownNames) -> set[str]:
    """Tasks of the known datasets that experiments of a study use."""
    names = (name_of(item) for one in experiments for item in study.resolve_field(one, "datasets"))
    return {known.tasks[name] for name in names if name in known.tasks}


def _check_stored_outputs(field: str, study: Study, known: KnownNames) -> Iterator[str]:
    """An error for a metric that must be computed from outputs that the study does not store."""
    metric = study.metric or ""
    if "test" in study.keep or not (":" in metric or metric in ON_REQUEST):
        return
    used = (study.resolve_field(one, "datasets") for one in study.experiments.values())
    if any(known.metrics.get(name_of(item)) != metric for items in used for item in items):
        yield (
            f"{field}: the metric {metric} needs the raw outputs of every trial. Set keep: [test]."
        )


def _check_arms(
    study: Study, field: str, entry: Analysis | Exhibit, experiments: list[str] | None
) -> Iterator[str]:
    """Errors for arms that options name and no experiment has. Marks of variants are ignored."""
    if ":" in entry.kind or not study.experiments:
        return
    shown = [study.experiments[one] for one in experiments or study.experiments
             if one in study.experiments]  # fmt: skip
    arms = {
        name
        for one in shown
        for name in (one.arms or map(name_of, study.resolve_field(one, "models")))
    }
    for option in ("baseline", "pairs", "arms"):
        value = entry.options.get(option)
        names = [n for one in as_list(value) for n in as_list(one)] if value is not None else []
        for name in dict.fromkeys(n for n in names if isinstance(n, str)):
            if base_name(name) not in arms:
                yield from check_name(f"{field}.{option}", name, arms, "arm")


def _check_analysis(study: Study, field: str, exhibit: Exhibit, kind: kinds.Kind) -> Iterator[str]:
    """Errors in the analysis of an exhibit that draws certain kinds only."""
    fitting = [name for name, entry in study.analyses.items() if kind.can_draw(entry.kind)]
    hint = f" Of this study: {', '.join(fitting) or 'none, add one'}."
    wanted = f"{exhibit.kind} draws analyses of the kind {' or '.join(kind.draws or ())}"
    if exhibit.analysis is None:
        yield f"{field}: {wanted}, and this exhibit names none.{hint}"
    elif exhibit.analysis in study.analyses and exhibit.analysis not in fitting:
        other = study.analyses[exhibit.analysis].kind
        yield f"{field}: {wanted}, and {exhibit.analysis!r} is of the kind {other}.{hint}"


def check_dataset_files(file: Path, dataset: Dataset) -> Iterator[str]:
    """An error where all sources are the user's files, and each source misses a file."""
    paths = [as_list(source.path) for source in dataset.sources if source.kind == "file"]
    if paths and len(paths) == len(dataset.sources):
        missing = [[path for path in one if not Path(path).exists()] for one in paths]
        if all(missing):
            yield (
                f"{file}: sources: there is no file {missing[0][0]}. "
                "Paths start at the project's folder."
            )


def check_results_folder(file: Path, results: str, project: Path) -> Iterator[str]:
    """An error for a results folder whose other files a run could delete or overwrite.

    A relative path stays below the project's folder; an absolute path may be anywhere else. The
    folder is new, empty, or was made by Reseed.
    """
    folder, where = Path(results), f"{file}: results: {results!r}"
    advice = "Name a folder of its own, such as results, or an absolute path of a scratch disk."
    if not folder.is_absolute() and os.path.normpath(results).startswith(".."):
        yield f"{where} is outside the project's folder. {advice}"
    elif project.resolve().is_relative_to(folder.resolve()):
        yield f"{where} is the project's folder or contains it. {advice}"
    elif folder.is_dir() and not any((folder / name).is_dir() for name in _MARKS_OF_RESULTS):
        other = sorted(path.name for path in folder.iterdir())
        kept = ("README.md", Path(REFERENCES).name)
        other = [name for name in other if name not in kept and not name.startswith(".")]
        if other:
            yield f"{where} contains {other[0]!r}, which is no result of Reseed. {advice}"


def check_results_file(file: Path, results: Results | None, folder: str) -> Iterator[str]:
    """An error for imported results that do not exist and that no study writes first."""
    if results is None or results.made_from is not None:
        return
    path = results.path.replace("{results}", folder)
    if not Path(path).exists():
        yield (
            f"{file}: results.path: there is no file or folder {path}. "
            "Paths start at the project's folder."
        )


def check_code(field: str, path: str, project: Path, strict: bool = True) -> Iterator[str]:
    """An error for a `module:name` that does not exist, or whose imports cannot be followed."""
    try:
        refuse_unbound(path, project)
        code_hash(path.partition(":")[0], project=project, strict=strict)
    except ReseedError as error:
        yield f"{field}: {error}"


def check_model_code(file: Path, model: Model, project: Path) -> Iterator[str]:
    """Errors in a model's factory, and in the files that its `code` names."""
    yield from check_code(f"{file}: factory", model.factory, project, not model.code)
    try:
        named_code(model.code, project)
    except ReseedError as error:
        yield f"{file}: code: {error}"
