"""Read a configuration folder and plan its work on this machine."""

import contextlib
import os
import sys
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from reseed.config.datasets import Dataset
from reseed.core.code_hash import code_hash, digest
from reseed.core.errors import ReseedError
from reseed.core.layout import ResultsLayout
from reseed.data.kinds import MIRROR_VARIABLE, is_reachable
from reseed.planning import validation
from reseed.planning.build import make_plan
from reseed.planning.plan import Plan
from reseed.planning.project import Project, leave_out, load_project
from reseed.plugins import kinds

USUAL_MIRROR = Path("../shared/data")


def data_mirror(configured: str | None) -> str:
    """Absolute path of the local mirror of data files, or an empty text where there is none.

    It is the configured folder, that of the environment variable, or the usual one.
    """
    named = configured or os.environ.get(MIRROR_VARIABLE)
    if named is None and USUAL_MIRROR.is_dir():
        named = str(USUAL_MIRROR)
    return os.path.abspath(named) if named else ""


def absent_datasets(datasets: Iterable[Dataset], mirror: str) -> list[str]:
    """Names of the datasets whose only sources are mirror files that do not exist."""
    return [d.name for d in datasets if not is_reachable(d, mirror)]


def read_plan(
    config: str | Path, overrides: dict[str, Any], tolerant: bool = False
) -> tuple[Project, Plan, str]:
    """Read a configuration folder and plan its work on this machine.

    tolerant: leave out studies with errors, unless they are named or no other is left.
    Returns the project, the plan and the mirror folder (empty text: none). Raises ReseedError.
    """
    config = Path(config)
    folder = config.resolve().parent

    def find_more(read: Project) -> Iterator[str]:
        return _find_errors(read, config, folder)

    project = load_project(config, overrides, find_more, tolerant)
    mirror = data_mirror(project.main.data_mirror)
    absent = absent_datasets(project.datasets.values(), mirror)
    try:
        return project, make_plan(project, folder, absent), mirror
    except ReseedError:
        broken = dict(_find_unplannable(project, folder, absent)) if tolerant else {}
        rest = leave_out(project, broken) if broken else None
        if rest is None:
            raise
        return rest, make_plan(rest, folder, absent), mirror


def _find_unplannable(
    project: Project, folder: Path, absent: list[str]
) -> Iterator[tuple[str, list[str]]]:
    """Studies that cannot be planned alone, with the error."""
    for name, study in project.studies.items():
        try:
            make_plan(project.model_copy(update={"studies": {name: study}}), folder, absent)
        except ReseedError as error:
            yield name, [str(error)]


def _find_errors(project: Project, config: Path, folder: Path) -> Iterator[str]:
    """Errors in what the configuration names outside itself: the results folder, files, code."""
    main = config / "config.yaml"
    if errors := list(validation.check_results_folder(main, project.main.results, Path.cwd())):
        yield from errors
        return  # what follows writes to the results folder
    datasets: dict[str, None] = {}
    models: dict[str, None] = {}
    metrics: dict[str, str | None] = {}
    for study in project.studies.values():
        file = config / "studies" / f"{study.name}.yaml"
        yield from validation.check_results_file(file, study.results, project.main.results)
        metrics[f"{file}: metric"] = study.metric
        metrics[f"{file}: hyperparameters.metric"] = study.hyperparameters.metric
        for name, experiment in study.experiments.items():
            if experiment.hyperparameters is not None:
                field = f"{file}: experiments.{name}.hyperparameters.metric"
                metrics[field] = experiment.hyperparameters.metric
            for item in study.resolve_field(experiment, "datasets"):
                if not getattr(item, "optional", False):
                    datasets[validation.name_of(item)] = None
            arms = [arm.model for arm in (experiment.arms or {}).values()]
            models |= dict.fromkeys(
                map(validation.name_of, arms or study.resolve_field(experiment, "models"))
            )
    for name in (one for one in datasets if one in project.datasets):
        file, dataset = config / "datasets" / f"{name}.yaml", project.datasets[name]
        yield from validation.check_dataset_files(file, dataset)
        metrics[f"{file}: metric"] = dataset.metric
    for name in (one for one in models if one in project.models):
        file = config / "models" / f"{name}.yaml"
        yield from validation.check_model_code(file, project.models[name], folder)
    user_metrics = {field: metric for field, metric in metrics.items() if metric and ":" in metric}
    for field, metric in list(user_metrics.items()):
        for error in validation.check_code(field, metric, folder):
            del user_metrics[field]
            yield error
    yield from _option_errors(project, config, folder, user_metrics)


#: Libraries that modules of kinds import. Planning needs none of them otherwise.
_LIBRARIES = ("matplotlib", "pyarrow", "scipy", "sklearn")


def _option_errors(
    project: Project, config: Path, folder: Path, metrics: dict[str, str]
) -> list[str]:
    """Errors that only importing a kind or a metric shows, as unknown options.

    A marker file records options without errors, so that parsing imports nothing again.
    metrics: the user's own, by field.
    """
    used = [
        (f"{config / 'studies' / study.name}.yaml: {family}.{name}.options", family, entry)
        for study in project.studies.values()
        for family in ("analyses", "exhibits")
        for name, entry in getattr(study, family).items()
    ]
    kinds_by_field = {}
    for field, family, entry in used:
        with contextlib.suppress(ReseedError):  # reported with the study's names
            kinds_by_field[field] = kinds.find_kind(family, entry.kind, folder), entry.options
    modules = {kind.module for kind, _ in kinds_by_field.values()}
    modules |= {metric.partition(":")[0] for metric in metrics.values()}
    code = code_hash(*sorted(modules), project=folder) if modules else ""
    checked = [(field, kind.name, options) for field, (kind, options) in kinds_by_field.items()]
    layout = ResultsLayout(project.main.results)
    seen = Path(layout.checked_options(digest(checked, metrics, code)))
    if seen.exists():
        return []
    if absent := [name for name in _LIBRARIES if find_spec(name) is None]:
        error = (
            f"{', '.join(absent)}: not installed where snakemake runs. Install this package there:"
            " pip install '.[workflow]' in its clone, or from the repository that hosts it."
        )
        return [] if "--lint" in sys.argv else [error]  # the catalogue lints without libraries
    errors = list(_metric_errors(metrics))
    for field, (kind, options) in kinds_by_field.items():
        try:
            kinds.read_options(kind, options, folder)
        except ReseedError as error:
            errors.append(f"{field}: {error}")
    if not errors:
        with contextlib.suppress(OSError):
            seen.parent.mkdir(parents=True, exist_ok=True)
            seen.touch()
    return errors


def _metric_errors(metrics: dict[str, str]) -> Iterator[str]:
    """The user's metrics without a direction, or with the name of a built-in metric."""
    if not metrics:
        return
    from reseed.metrics.registry import get_metric

    for field, metric in metrics.items():
        try:
            get_metric(metric)
        except ReseedError as error:
            # A package may be installed for the jobs alone.
            if not isinstance(error.__cause__, ImportError):
                yield f"{field}: {error}"
