"""What the Snakefile asks of the machine on start: mirror, jobs' environment, a place to write."""

import contextlib
import os
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

from reseed import forkclient, kinds
from reseed.config import Dataset
from reseed.data.kinds import is_reachable, listed
from reseed.errors import ReseedError
from reseed.keys import code_hash, digest
from reseed.loading import PROJECT_VARIABLE
from reseed.plan import Plan, make_plan
from reseed.project import Project, load
from reseed.scripting import MIRROR_VARIABLE

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
    project = load(config, overrides)
    _check_options(project, Path(config))
    mirror = data_mirror(project.main.data_mirror)
    absent = absent_datasets(project.datasets.values(), mirror)
    plan = make_plan(project, Path(config).resolve().parent, absent)
    _check_files(plan)
    return project, plan, mirror


def _check_files(plan: Plan) -> None:
    """Refuse a dataset whose every source is a file of the user's that is not there."""
    for entry in plan.datasets.values():
        paths = [listed(s["path"]) for s in entry["sources"] if s["kind"] == "file"]
        if paths and len(paths) == len(entry["sources"]):
            lost = [path for one in paths for path in one if not Path(path).exists()]
            if all(any(path in lost for path in one) for one in paths):
                raise ReseedError(
                    f"config/datasets/{entry['name']}.yaml: sources: there is no file {lost[0]}. "
                    "Paths start at the project's folder."
                )


def _check_options(project: Project, config: Path) -> None:
    """Check every option of an analysis or exhibit against its kind's strict class.

    That imports the kinds' modules, so a sound set of options is remembered: parsing stays cheap.
    Raises ReseedError with every mistake.
    """
    folder = config.resolve().parent
    used = [
        (study.name, family, name, entry.kind, entry.options)
        for study in project.studies.values()
        for family in ("analyses", "exhibits")
        for name, entry in getattr(study, family).items()
    ]
    found = [kinds.find(family, kind, folder) for _, family, _, kind, _ in used]
    code = code_hash(*sorted({kind.module for kind in found}), project=folder) if found else ""
    seen = Path(project.main.results, "plan", "options", digest(used, code))
    if seen.exists():
        return
    mistakes = []
    for (study, family, name, _, options), kind in zip(used, found, strict=True):
        try:
            kinds.checked_options(kind, options, folder)
        except ReseedError as error:
            file = config / "studies" / f"{study}.yaml"
            mistakes.append(f"{file}: {family}.{name}.options: {error}")
    if mistakes:
        raise ReseedError("The configuration has mistakes:\n  " + "\n  ".join(mistakes))
    with contextlib.suppress(OSError):
        seen.parent.mkdir(parents=True, exist_ok=True)
        seen.touch()


def prepare_jobs(mirror: str, project: str | Path) -> None:
    """Set what every job inherits: interpreter, data mirror, folder of the user's modules.

    A conda environment's own interpreter comes before this one on a job's PATH.
    """
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
                if os.stat(path).st_mtime > now + CLOCK_SECONDS:
                    os.utime(path, (now, now))
                    count += 1
    return count
