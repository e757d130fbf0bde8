"""Import an object that a user names as `my_module:name`, with one clear error if that fails."""

from __future__ import annotations

import importlib
import os
import sys
import traceback
from pathlib import Path
from types import ModuleType
from typing import Any

from reseed.core.errors import ReseedError, suggest_name

#: Environment variable with the project folder, which contains the user's modules.
PROJECT_VARIABLE = "RESEED_PROJECT"


def load_object(path: str, what: str) -> Any:
    """Return the object at `package.module:name`.

    what: noun for error messages, such as "metric". Modules may be installed or in the project
    folder (outside a run: the working folder). Raises ReseedError for a malformed path, a module
    that cannot be imported, or a missing name.
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
    """Import a module.

    what: subject of error messages. project: the project folder (default: that of the run). Any
    error of the module's code becomes a ReseedError with its file and line.
    """
    folder = str(project.resolve()) if project else os.environ.get(PROJECT_VARIABLE, os.getcwd())
    if folder not in sys.path:
        sys.path.append(folder)
    try:
        return importlib.import_module(name)
    except (Exception, SystemExit) as error:
        hint = (
            "check the name, and that its file is in the folder where snakemake runs or on"
            " PYTHONPATH"
            if isinstance(error, ImportError)
            else f"correct {_locate(error)}"
        )
        raise ReseedError(
            f"{what}: module {name} cannot be imported ({type(error).__name__}: {error}); {hint}"
        ) from error


def _locate(error: BaseException) -> str:
    """Return the file and line at which an import failed."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    file: str | None = last.filename
    line = last.lineno
    if isinstance(error, SyntaxError):
        file, line = error.filename, error.lineno
    return f"{file}, line {line}"
