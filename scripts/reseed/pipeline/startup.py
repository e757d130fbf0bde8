"""What the Snakefile asks of the machine on start: mirror, jobs' environment, a place to write."""

import contextlib
import os
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from reseed.config import Dataset
from reseed.core.code_hash import SCRIPTS, code_hash, digest
from reseed.core.errors import ReseedError
from reseed.data.kinds import is_reachable
from reseed.pipeline import fork_client as forkclient
from reseed.pipeline.runner import MIRROR_VARIABLE
from reseed.planning import checks
from reseed.planning.build import make_plan
from reseed.planning.plan import Plan
from reseed.planning.project import Project, load
from reseed.plugins import kinds
from reseed.plugins.loading import PROJECT_VARIABLE

USUAL_MIRROR = Path("../shared/data")
# What rules declare stands below these; clocks of two machines may differ by so many seconds.
DECLARED = ("data", "weights", "splits", "tuning", "trials", "studies", "report")
CLOCK_SECONDS = 60


def data_mirror(configured: str | None) -> str:
    """The local mirror of data files: the configured folder, the environment's, or the usual one.

    Returns an absolute path, or an empty text where there is none.
    """
    named = configured or os.environ.get(MIRROR_VARIABLE)
    if named is None and USUAL_MIRROR.is_dir():
        named = str(USUAL_MIRROR)
    return os.path.abspath(named) if named else ""


def absent_datasets(datasets: Iterable[Dataset], mirror: str) -> list[str]:
    """Names of the datasets whose only sources are mirror files that are not there."""
    return [d.name for d in datasets if not is_reachable(d.model_dump(), mirror)]


def read_plan(config: str | Path, overrides: dict) -> tuple[Project, Plan, str]:
    """Read a configuration folder and plan its work on this machine.

    Returns the project, the plan and the mirror folder (empty text: none). Raises ReseedError.
    """
    config = Path(config)
    folder = config.resolve().parent
    project = load(config, overrides, lambda read: _mistakes(read, config, folder))
    mirror = data_mirror(project.main.data_mirror)
    absent = absent_datasets(project.datasets.values(), mirror)
    return project, make_plan(project, folder, absent), mirror


def _mistakes(project: Project, config: Path, folder: Path) -> Iterator[str]:
    """What the wanted studies name outside the configuration and is not there, or is wrong."""
    datasets, models, metrics = {}, {}, {}
    for study in project.studies.values():
        file = config / "studies" / f"{study.name}.yaml"
        yield from checks.lost_results(file, study.results, project.main.results)
        metrics[f"{file}: metric"] = study.metric
        metrics[f"{file}: hyperparameters.metric"] = study.hyperparameters.metric
        for name, experiment in study.experiments.items():
            if experiment.hyperparameters is not None:
                field = f"{file}: experiments.{name}.hyperparameters.metric"
                metrics[field] = experiment.hyperparameters.metric
            for item in study.used(experiment, "datasets"):
                if not getattr(item, "optional", False):
                    datasets[checks.name_of(item)] = None
            arms = [arm.model for arm in (experiment.arms or {}).values()]
            models |= dict.fromkeys(map(checks.name_of, arms or study.used(experiment, "models")))
    for name in filter(project.datasets.get, datasets):
        file, dataset = config / "datasets" / f"{name}.yaml", project.datasets[name]
        yield from checks.lost_files(file, dataset)
        metrics[f"{file}: metric"] = dataset.metric
    for name in filter(project.models.get, models):
        file = config / "models" / f"{name}.yaml"
        yield from checks.code_of_model(file, project.models[name], folder)
    own = {field: metric for field, metric in metrics.items() if metric and ":" in metric}
    for field, metric in list(own.items()):
        for mistake in checks.code(field, metric, folder):
            del own[field]
            yield mistake
    yield from _wrong_when_loaded(project, config, folder, own)


def _wrong_when_loaded(
    project: Project, config: Path, folder: Path, metrics: dict[str, str]
) -> list[str]:
    """What the code of kinds and metrics itself says: options that a kind has not, and the like.

    To ask it takes imports, so that what is sound is remembered: parsing stays cheap.
    metrics: those of the user's own, by field.
    """
    used = [
        (f"{config / 'studies' / study.name}.yaml: {family}.{name}.options", family, entry)
        for study in project.studies.values()
        for family in ("analyses", "exhibits")
        for name, entry in getattr(study, family).items()
    ]
    found = {}
    for field, family, entry in used:
        with contextlib.suppress(ReseedError):  # told with the study's names
            found[field] = kinds.find_kind(family, entry.kind, folder), entry.options
    modules = {kind.module for kind, _ in found.values()}
    modules |= {metric.partition(":")[0] for metric in metrics.values()}
    code = code_hash(*sorted(modules), project=folder) if modules else ""
    told = [(field, kind.name, options) for field, (kind, options) in found.items()]
    seen = Path(project.main.results, "plan", "options", digest(told, metrics, code))
    if seen.exists():
        return []
    mistakes = list(_wrong_metrics(metrics))
    for field, (kind, options) in found.items():
        try:
            kinds.read_options(kind, options, folder)
        except ReseedError as error:
            mistakes.append(f"{field}: {error}")
    if not mistakes:
        with contextlib.suppress(OSError):
            seen.parent.mkdir(parents=True, exist_ok=True)
            seen.touch()
    return mistakes


def _wrong_metrics(metrics: dict[str, str]) -> Iterator[str]:
    """Own metrics whose direction nobody tells, or that take a built-in one's name."""
    if not metrics:
        return
    from reseed.metrics.registry import get_metric

    for field, metric in metrics.items():
        try:
            get_metric(metric)
        except ReseedError as error:
            # A package may be there for the jobs alone.
            if not isinstance(error.__cause__, ImportError):
                yield f"{field}: {error}"


def prepare_jobs(mirror: str, project: str | Path) -> None:
    """Set what every job inherits: interpreter, data mirror, folder of the user's modules.

    A conda environment's own interpreter comes before this one on a job's PATH.
    """
    paths = [str(SCRIPTS), os.environ.get("PYTHONPATH", "")]
    os.environ["PYTHONPATH"] = os.pathsep.join(dict.fromkeys(filter(None, paths)))
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    os.environ[MIRROR_VARIABLE] = mirror
    os.environ[PROJECT_VARIABLE] = str(Path(project).resolve())
    os.environ.pop(forkclient.VARIABLE, None)  # another run's server is none of this one's


def writable(results: str) -> str:
    """Return the results folder's path once a file could be written in it; else ReseedError."""
    try:
        Path(results).mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=results, prefix=".reseed-"):
            return results
    except OSError as error:
        raise ReseedError(
            f"config/config.yaml: results: {results!r} cannot be written to ({error.strerror}). "
            "Give a folder you may write in, e.g. --config results=my_results."
        ) from None


def undo_future_times(results: str, now: float | None = None) -> int:
    """Give files that a wrong clock dated ahead the time of now; returns how many.

    Snakemake refuses whatever is made from a file of the future as older than that file.
    """
    now, count = time.time() if now is None else now, 0
    for part in DECLARED:
        for folder, _, names in os.walk(Path(results, part)):
            for name in names:
                path = os.path.join(folder, name)
                with contextlib.suppress(FileNotFoundError):  # a link to nowhere, another run's
                    if os.stat(path).st_mtime > now + CLOCK_SECONDS:
                        os.utime(path, (now, now))
                        count += 1
    return count
