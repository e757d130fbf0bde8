"""What a user names as ``my_module:thing``: found, or one clear error that names the nearest."""

from __future__ import annotations

import importlib
import os
import sys
from typing import Any

from reseed.errors import ReseedError, nearest

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
    project = os.environ.get(PROJECT_VARIABLE, os.getcwd())
    if project not in sys.path:
        sys.path.append(project)
    try:
        module = importlib.import_module(module_name)
    except (ImportError, SyntaxError) as error:
        raise ReseedError(
            f"{what} {path!r}: module {module_name} cannot be imported"
            f" ({type(error).__name__}: {error}); check the name, and that its file stands in the"
            " folder where snakemake runs or on PYTHONPATH"
        ) from error
    if not hasattr(module, name):
        known = [key for key, value in vars(module).items() if callable(value)]
        raise ReseedError(f"{what} {path!r}: {module_name} has no {name}.{nearest(name, known)}")
    return getattr(module, name)
