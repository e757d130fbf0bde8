"""The current run of a results folder: jobs of an earlier run must not replace its files.

A run writes a new token to a file of the results folder when it starts, and its jobs inherit it.
After `kill -9` of Snakemake a job may live on. It finds another token once the next run has
started.
"""

import os
import secrets
from collections.abc import MutableMapping
from pathlib import Path

from reseed.core.errors import ReseedError

#: Names the token and its file to the jobs of a run.
VARIABLE = "RESEED_RUN"


def start_run(
    path: Path, *copies: Path, environment: MutableMapping[str, str] = os.environ
) -> None:
    """Make this run the current one.

    path: file of the token. copies: files that hold the same token.
    """
    token = secrets.token_hex(16)
    for file in (path.absolute(), *copies):
        file.parent.mkdir(parents=True, exist_ok=True)
        temporary = file.with_name(f".{file.name}.{os.getpid()}.part")
        temporary.write_text(token, encoding="utf-8")
        os.replace(temporary, file)
    environment[VARIABLE] = f"{token} {path.absolute()}"


def join_run(path: Path, environment: MutableMapping[str, str] = os.environ) -> None:
    """Take part in the current run, unless the run that started this process is known."""
    path = path.absolute()
    token = read_token(path)
    if token:
        environment.setdefault(VARIABLE, f"{token} {path}")


def refuse_replacement(path: Path) -> None:
    """Raise ReseedError if another run than that of this job is the current one.

    path: the file that would be replaced. Outside a run, every file may be replaced.
    """
    token, _, file = os.environ.get(VARIABLE, "").partition(" ")
    if token and read_token(Path(file)) != token:
        raise ReseedError(
            f"{path}: is left as it is. This job belongs to an earlier run, and another run has "
            "started since, or its results folder was moved."
        )


def read_token(path: Path) -> str:
    """The token in a file; empty where there is none."""
    try:
        return path.read_text(encoding="utf-8")
    except OSError:
        return ""
