"""Prepare this process, and the environment of its jobs, for a run."""

import contextlib
import os
import shlex
import sys
import tempfile
import time
from pathlib import Path

from reseed.core.errors import ReseedError
from reseed.core.layout import DECLARED, ResultsLayout
from reseed.core.module_finder import PACKAGE, SCRIPTS, is_installed
from reseed.data.kinds import MIRROR_VARIABLE
from reseed.pipeline import fork_client
from reseed.plugins.loading import PROJECT_VARIABLE

# Clocks of two machines may differ by this much.
CLOCK_SECONDS = 60


def prepare_jobs(mirror: str, project: Path, layout: ResultsLayout) -> None:
    """Set what every job inherits: interpreter, packages, data mirror, folder of user modules.

    A conda environment's own interpreter comes before this one on a job's PATH.
    """
    paths = [package_folder(layout), os.environ.get("PYTHONPATH", "")]
    os.environ["PYTHONPATH"] = os.pathsep.join(dict.fromkeys(filter(None, paths)))
    # Snakemake removes PYTHONPATH from jobs in conda environments; job.sh sets it again.
    os.environ["RESEED_PYTHONPATH"] = os.environ["PYTHONPATH"]
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    os.environ[MIRROR_VARIABLE] = mirror
    os.environ[PROJECT_VARIABLE] = str(project.resolve())
    os.environ.pop(fork_client.VARIABLE, None)  # the server of another run


def package_folder(layout: ResultsLayout) -> str:
    """Folder from which jobs import this package, in whatever environment they run.

    In a checkout it is `scripts`. An installed package is linked into a folder of its own, so that
    no other installed package is imported from there.
    """
    if not is_installed(PACKAGE):
        return str(SCRIPTS)
    folder = Path(layout.specs, "package").resolve()
    link = folder / PACKAGE.name
    if not (link.is_symlink() and link.resolve() == PACKAGE):
        folder.mkdir(parents=True, exist_ok=True)
        temporary = folder / f".{PACKAGE.name}.{os.getpid()}.part"
        temporary.symlink_to(PACKAGE)
        os.replace(temporary, link)
    return str(folder)


def job_prefix() -> str:
    """Shell commands at the start of every job, with braces doubled for Snakemake."""
    script = shlex.quote(str(Path(__file__).with_name("job.sh")))
    return f". {script}; ".replace("{", "{{").replace("}", "}}")


def check_folders(*folders: Path) -> None:
    """Raise ReseedError for a folder of the project, or of the workflow, with braces in its path.

    Snakemake takes them for wildcards: it would find the locks of other folders.
    """
    for folder in folders:
        if {"{", "}"} & set(str(folder)):
            raise ReseedError(
                f"{folder}: the path of the folder contains braces, which Snakemake takes for "
                "wildcards. Rename the folder."
            )


def check_writable(results: str) -> None:
    """Raise ReseedError if no file can be written in the results folder."""
    try:
        Path(results).mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=results, prefix=".reseed-"):
            pass
    except OSError as error:
        raise ReseedError(
            f"config/config.yaml: results: {results!r} cannot be written to ({error.strerror}). "
            "Give a folder you may write in, e.g. --config results=my_results."
        ) from None


def undo_future_times(results: str, now: float | None = None) -> int:
    """Give files with times in the future the current time; returns their number.

    A wrong clock makes such files. Snakemake takes everything made from them as out of date.
    """
    now, count = time.time() if now is None else now, 0
    for part in DECLARED:
        for folder, _, names in os.walk(Path(results, part)):
            for name in names:
                path = os.path.join(folder, name)
                with contextlib.suppress(
                    FileNotFoundError
                ):  # a broken link, or deleted by another run
                    if os.stat(path).st_mtime > now + CLOCK_SECONDS:
                        os.utime(path, (now, now))
                        count += 1
    return count
