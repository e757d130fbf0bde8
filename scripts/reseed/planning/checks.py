"""What can be wrong with a configuration whose fields are sound: names, files, code.

Every function gives mistakes as texts, each with its file, its field and the fix.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from reseed.config import Dataset, Experiment, Model, Results, Study
from reseed.core.code_hash import SCRIPTS, code_hash, named_code, refuse_unbound
from reseed.core.coordinates import base_name
from reseed.core.errors import ReseedError, suggest_name
from reseed.data import registry
from reseed.data.kinds import as_list
from reseed.metrics.names import ON_REQUEST, TASKS_BY_METRIC
from reseed.plugins import kinds

# Names that a study cannot have: static rules, and the page of the index.
RESERVED = {"all", "everything", "index", "report", "verify"}
# Options of exhibits that name experiments.
NAMING_EXPERIMENTS = {"experiment", "experiments", "fixed", "tuned"}


@dataclass(frozen=True)
class Known:
    """What a study may name: files of the configuration, and the folder of the user's modules.

    `metric_of`, `task_of`: the own metric and the task of each dataset.
    """

    dataset: list[str]
    model: list[str]
    study: list[str]
    metric_of: dict[str, str | None]
    task_of: dict[str, str]
    project: Path


def of_dataset(file: Path, dataset: Dataset) -> Iterator[str]:
    """What is wrong with a dataset beyond its fields' types."""
    yield from (f"{file}: {text}" for text in registry.find_entry_errors(dataset.model_dump()))
    yield from _unknown_metric(f"{file}: metric", dataset.metric)
    yield from _metric_of_another_task(f"{file}: metric", dataset.metric, {dataset.task})


def of_model(file: Path, model: Model, weights: Iterable[str]) -> Iterator[str]:
    """Files that a model names and that are not there."""
    folder = file.parent.parent
    if model.weights is not None and model.weights not in weights:
        yield f"{file}: weights: there is no {folder / 'weights' / model.weights}.yaml."
    places = [folder.parent / "envs", SCRIPTS.parent / "envs"]
    if not any((place / f"{model.environment}.yaml").is_file() for place in places):
        yield f"{file}: environment: there is no file envs/{model.environment}.yaml."


def of_study(file: str, study: Study, known: Known) -> Iterator[str]:
    """Mistakes in the names a study uses: datasets, models, experiments, analyses, arms."""
    experiments, analyses = list(study.experiments), list(study.analyses)
    yield from _parts(file, "", study, known)
    for name, experiment in study.experiments.items():
        yield from _experiment(file, f"experiments.{name}.", study, experiment, known)
        if experiment.hyperparameters is not None:
            field = f"{file}: experiments.{name}.hyperparameters.metric"
            tasks = _tasks(study, [experiment], known)
            yield from _metric_of_another_task(field, experiment.hyperparameters.metric, tasks)
    tasks = _tasks(study, study.experiments.values(), known)
    yield from _metric_of_another_task(f"{file}: metric", study.metric, tasks)
    field = f"{file}: hyperparameters.metric"
    yield from _metric_of_another_task(field, study.hyperparameters.metric, tasks)
    yield from _metric_without_outputs(f"{file}: keep", study, known)
    for name, analysis in study.analyses.items():
        field = f"{file}: analyses.{name}"
        yield from _kind("analyses", analysis.kind, field, known.project)[1]
        for index, used in enumerate(analysis.experiments or []):
            yield from unknown(f"{field}.experiments.{index}", used, experiments, "experiment")
        yield from _unknown_arms(study, f"{field}.options", analysis, analysis.experiments)
    for name, exhibit in study.exhibits.items():
        field = f"{file}: exhibits.{name}"
        kind, mistakes = _kind("exhibits", exhibit.kind, field, known.project)
        yield from mistakes
        if exhibit.analysis is not None:
            yield from unknown(f"{field}.analysis", exhibit.analysis, analyses, "analysis")
        if kind is not None and kind.draws is not None:
            yield from _undrawable(study, f"{field}.analysis", exhibit, kind)
        for option in sorted(NAMING_EXPERIMENTS & set(exhibit.options)):
            for used in as_list(exhibit.options[option]):
                allowed = experiments or ["results"]
                yield from unknown(f"{field}.options.{option}", used, allowed, "experiment")
        shown = study.analyses.get(exhibit.analysis)
        yield from _unknown_arms(study, f"{field}.options", exhibit, shown and shown.experiments)
    if study.name in RESERVED:
        yield (
            f"{file}: name: {study.name!r} is the name of a rule or page of the pipeline. "
            "Give the study another name."
        )
    if study.results and study.results.made_from:
        yield from unknown(
            f"{file}: results.made_from", study.results.made_from, known.study, "study"
        )


def unknown(field: str, name: str, allowed: Iterable[str], noun: str) -> Iterator[str]:
    """A name that is not among those allowed, with the nearest one."""
    allowed = sorted(allowed)
    if name not in allowed:
        yield (
            f"{field}: unknown {noun} {name!r}. Allowed: {', '.join(allowed)}."
            f"{suggest_name(name, allowed)}"
        )


def _parts(file: str, prefix: str, part: Study | Experiment, known: Known) -> Iterator[str]:
    """Unknown names among a study's, or an experiment's, datasets, models and metrics."""
    for noun in ("dataset", "model"):
        for index, item in enumerate(getattr(part, f"{noun}s") or []):
            field = f"{file}: {prefix}{noun}s.{index}"
            yield from unknown(field, name_of(item), getattr(known, noun), noun)
    if isinstance(part, Study):
        yield from _unknown_metric(f"{file}: metric", part.metric)
    if part.hyperparameters is not None:
        field = f"{file}: {prefix}hyperparameters.metric"
        yield from _unknown_metric(field, part.hyperparameters.metric)


def _experiment(
    file: str, prefix: str, study: Study, experiment: Experiment, known: Known
) -> Iterator[str]:
    yield from _parts(file, prefix, experiment, known)
    for arm, entry in (experiment.arms or {}).items():
        field = f"{file}: {prefix}arms.{arm}.model"
        yield from unknown(field, name_of(entry.model), known.model, "model")
    for field in ("datasets", "splits", "models" if experiment.arms is None else "arms"):
        if not study.used(experiment, field):
            yield f"{file}: {prefix}{field}: neither the experiment nor the study names any."


def name_of(reference: object) -> str:
    """The name in a reference to a dataset or model, which may be the name alone."""
    return reference if isinstance(reference, str) else reference.name


def _kind(family: str, name: str, field: str, project: Path) -> tuple[kinds.Kind | None, list[str]]:
    try:
        return kinds.find_kind(family, name, project), []
    except ReseedError as error:
        return None, [f"{field}.kind: {error}"]


def _unknown_metric(field: str, name: str | None) -> Iterator[str]:
    """What is wrong with the name of a built-in metric; one's own is looked up in its module."""
    if name and ":" not in name and name not in TASKS_BY_METRIC:
        allowed = ", ".join(sorted(TASKS_BY_METRIC))
        yield (
            f"{field}: unknown metric {name!r}. Allowed: {allowed}, or my_module:metric."
            f"{suggest_name(name, list(TASKS_BY_METRIC))}"
        )


def _metric_of_another_task(field: str, metric: str | None, tasks: set[str]) -> Iterator[str]:
    """A built-in metric that none of some tasks has: nothing would be judged by it."""
    judged = TASKS_BY_METRIC.get(metric or "")
    if judged and tasks and not tasks & set(judged):
        fitting = [name for name, of in TASKS_BY_METRIC.items() if tasks & set(of)]
        yield (
            f"{field}: {metric} is for {', '.join(judged)}, the task is "
            f"{' or '.join(sorted(tasks))}. Take one of {', '.join(fitting)}."
        )


def _tasks(study: Study, experiments: Iterable[Experiment], known: Known) -> set[str]:
    """Tasks of the known datasets that experiments of a study use."""
    names = (name_of(item) for one in experiments for item in study.used(one, "datasets"))
    return {known.task_of[name] for name in names if name in known.task_of}


def _metric_without_outputs(field: str, study: Study, known: Known) -> Iterator[str]:
    """A metric that trials do not measure is computed from what they keep."""
    metric = study.metric or ""
    if "test" in study.keep or not (":" in metric or metric in ON_REQUEST):
        return
    used = (study.used(one, "datasets") for one in study.experiments.values())
    if any(known.metric_of.get(name_of(item)) != metric for items in used for item in items):
        yield (
            f"{field}: the metric {metric} needs the raw outputs of every trial. Set keep: [test]."
        )


def _unknown_arms(
    study: Study, field: str, entry: object, experiments: list[str] | None
) -> Iterator[str]:
    """Arms that options name and no experiment has; a variant goes by the name without its mark."""
    if ":" in entry.kind or not study.experiments:
        return
    shown = [study.experiments[one] for one in experiments or study.experiments
             if one in study.experiments]  # fmt: skip
    arms = {name for one in shown for name in (one.arms or map(name_of, study.used(one, "models")))}
    for option in ("baseline", "pairs", "arms"):
        value = entry.options.get(option)
        names = [n for one in as_list(value) for n in as_list(one)] if value is not None else []
        for name in dict.fromkeys(n for n in names if isinstance(n, str)):
            if base_name(name) not in arms:
                yield from unknown(f"{field}.{option}", name, arms, "arm")


def _undrawable(study: Study, field: str, exhibit: object, kind: kinds.Kind) -> Iterator[str]:
    """What is wrong with the analysis of an exhibit that draws certain kinds only."""
    fitting = [name for name, entry in study.analyses.items() if kind.can_draw(entry.kind)]
    hint = f" Of this study: {', '.join(fitting) or 'none, add one'}."
    wanted = f"{exhibit.kind} draws analyses of the kind {' or '.join(kind.draws)}"
    if exhibit.analysis is None:
        yield f"{field}: {wanted}, and this exhibit names none.{hint}"
    elif exhibit.analysis in study.analyses and exhibit.analysis not in fitting:
        other = study.analyses[exhibit.analysis].kind
        yield f"{field}: {wanted}, and {exhibit.analysis!r} is of the kind {other}.{hint}"


def lost_files(file: Path, dataset: Dataset) -> Iterator[str]:
    """A dataset whose every source is a file of the user's, and one of each is not there."""
    paths = [as_list(source.path) for source in dataset.sources if source.kind == "file"]
    if paths and len(paths) == len(dataset.sources):
        lost = [[path for path in one if not Path(path).exists()] for one in paths]
        if all(lost):
            yield (
                f"{file}: sources: there is no file {lost[0][0]}. "
                "Paths start at the project's folder."
            )


def lost_results(file: Path, results: Results | None, folder: str) -> Iterator[str]:
    """Given results that are not there, and that no study of the project writes first."""
    if results is None or results.made_from is not None:
        return
    path = results.path.replace("{results}", folder)
    if not Path(path).exists():
        yield (
            f"{file}: results.path: there is no file or folder {path}. "
            "Paths start at the project's folder."
        )


def code(field: str, place: str, project: Path, strict: bool = True) -> Iterator[str]:
    """`module:thing` that is not there, or whose imports cannot be followed."""
    try:
        refuse_unbound(place, project)
        code_hash(place.partition(":")[0], project=project, strict=strict)
    except ReseedError as error:
        yield f"{field}: {error}"


def code_of_model(file: Path, model: Model, project: Path) -> Iterator[str]:
    """What is wrong with a model's factory, and with the files that its `code` names."""
    yield from code(f"{file}: factory", model.factory, project, not model.code)
    try:
        named_code(model.code, project)
    except ReseedError as error:
        yield f"{file}: code: {error}"
