"""What a user names as ``my_module:thing``: found, or one clear error that names the nearest."""

from __future__ import annotations

import importlib
import os
import sys
import traceback
from pathlib import Path
from types import ModuleType
from typing import Any

from reseed.core.errors import ReseedError, suggest_name

#: Names the project's folder, where the user's own modules stand, to every job of a run.
PROJECT_VARIABLE = "RESEED_PROJECT"


def load_object(path: str, what: str) -> Any:
    """Return what ``package.module:name`` names; ``what`` says in an error what it should be.

    Modules in the project's folder (outside a run: the working folder) are found as well as
    installed ones.
    Raises ReseedError for a malformed path, a module that cannot be imported, or a missing name.
    """
    module_name, colon, name = path.partition(":")
    if not (module_name and colon and name):
        raise ReseedError(f"{what} {path!r}: write it as package.module:name")
    module = load_module(module_name, f"{what} {path!r}")
    if not hasattr(module, name):
        known = [key for key, value in vars(module).items() if callable(value)]
        raise ReseedError(
            f"{what} {path!r}: {module_name} has no {name}.{suggest_name(name, known)}"
        )
    return getattr(module, name)


def load_module(name: str, what: str, project: Path | None = None) -> ModuleType:
    """Return a module; ``what`` says in an error whose it is.

    project: the project's folder, where the run does not name it. Raises ReseedError, with the
    place, whatever the module's own code raises while it is imported.
    """
    folder = str(project.resolve()) if project else os.environ.get(PROJECT_VARIABLE, os.getcwd())
    if folder not in sys.path:
        sys.path.append(folder)
    try:
        return importlib.import_module(name)
    except (Exception, SystemExit) as error:
        hint = (
            "check the name, and that its file stands in the folder where snakemake runs or on"
            " PYTHONPATH"
            if isinstance(error, ImportError)
            else f"mend {_place(error)}"
        )
        raise ReseedError(
            f"{what}: module {name} cannot be imported ({type(error).__name__}: {error}); {hint}"
        ) from error


def _place(error: BaseException) -> str:
    """File and line where an import ended."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    file, line = last.filename, last.lineno
    if isinstance(error, SyntaxError):
        file, line = error.filename, error.lineno
    return f"{file}, line {line}"
