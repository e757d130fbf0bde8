"""Finished trainings of `reseed.study` in a folder, from which a killed study continues."""

from __future__ import annotations

import dataclasses
import hashlib
import inspect
import json
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import joblib
import numpy as np

from reseed.core.atomic import replace_atomically
from reseed.core.errors import Damaged, ReseedError
from reseed.core.module_finder import is_library, is_third_party
from reseed.core.ownership import read_twice
from reseed.session.inputs import TrainingData
from reseed.session.models import Model
from reseed.session.tables import TrialKey
from reseed.training.run import Outcome

_ARRAY_FIELDS = ("outputs", "validation_rows")


class KeptTrials:
    """Outcomes of trainings in the files `{key}.npz` of a folder.

    A key hashes the data, the model with its parameters, the split, the seed and the environment.
    The code of a model is its function or class with the globals and helpers that it names, as far
    as `inspect` finds their source.
    Failed trainings are not kept.
    """

    def __init__(self, folder: str | Path, data: TrainingData, metric: str | None, place: str):
        """Make the folder.

        metric: a metric that is computed besides the built-in ones. place: identifier of the
        environment.
        """
        self.folder = Path(folder)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ReseedError(f"resume: {self.folder} is no folder to write to: {error}") from None
        facts = (data.inputs, data.targets, data.task, data.classes)
        self._common = (joblib.hash(facts), metric, place)
        self._models: dict[Model, str] = {}

    def load(self, key: TrialKey) -> Outcome | None:
        """The outcome of a training; None where it is not kept. `save` replaces a damaged file."""
        path = self._path(key)

        def read() -> Outcome:
            with np.load(path, allow_pickle=False) as content:
                arrays = {name: content[name] for name in content.files if name != "facts"}
                facts = json.loads(str(content["facts"]))
            rows = arrays.pop("validation_rows", None)
            return Outcome(**facts, outputs=arrays, validation_rows=rows)

        try:
            return read_twice(path, read)
        except Damaged:
            return None

    def save(self, key: TrialKey, outcome: Outcome) -> None:
        """Write a finished training in one step."""
        if outcome.status != "ok":
            return
        fields = [one.name for one in dataclasses.fields(Outcome) if one.name not in _ARRAY_FIELDS]
        facts = json.dumps({name: getattr(outcome, name) for name in fields})
        arrays: dict[str, Any] = dict(outcome.outputs)
        if outcome.validation_rows is not None:
            arrays["validation_rows"] = outcome.validation_rows
        with replace_atomically(self._path(key)) as temporary, temporary.open("wb") as file:
            np.savez_compressed(file, facts=np.array(facts), **arrays)

    def _path(self, key: TrialKey) -> Path:
        model, split, seed = key
        if model not in self._models:
            self._models[model] = _hash_model(model)
        part = split.split
        rows = joblib.hash((part.train, part.validation, part.test))
        parts = (*self._common, self._models[model], rows, seed)
        return self.folder / f"{hashlib.sha256(repr(parts).encode()).hexdigest()[:32]}.npz"


def _describe(value: Any, seen: set[int]) -> Iterator[str]:
    """Source of the user's function or class, and of all that it names, each once.

    These are variables around it, globals and helpers. Installed code counts by its name: its
    version is part of the environment.
    """
    if id(value) in seen:
        return
    seen.add(id(value))
    if inspect.ismodule(value) or inspect.isclass(value) or inspect.isroutine(value):
        yield getattr(value, "__qualname__", value.__name__)
        file = _find_own_file(value)
        if inspect.ismodule(value):
            yield file.read_text(errors="replace") if file else ""
        elif file:
            yield inspect.getsource(value)
            for name, one in sorted(_names_of(value).items()):
                yield name
                yield from _describe(one, seen)
    else:
        try:
            yield str(joblib.hash(value))
        except Exception:  # a lock or an open file: no part of the code
            yield type(value).__qualname__


def _find_own_file(code: Any) -> Path | None:
    """The file of the user that defines a module, class or function; None for any other."""
    try:
        path = Path(inspect.getsourcefile(code) or "")
        inspect.getsource(code)
    except (OSError, TypeError):
        return None
    standard = sysconfig.get_paths()["stdlib"]
    is_own = not is_third_party(path) and not is_library(path)
    return path if is_own and not str(path).startswith(standard) else None


def _names_of(code: Any) -> dict[str, Any]:
    """Values that a function, or any function of a class, takes from around it, by name."""
    if inspect.isclass(code):
        parts = [getattr(one, "__func__", one) for one in vars(code).values()]
        named = {base.__name__: base for base in code.__bases__}
    else:
        parts, named = [code], {}
    for part in filter(inspect.isfunction, parts):
        variables = inspect.getclosurevars(part)
        named |= {**variables.globals, **variables.nonlocals}
    return named


def _hash_model(model: Model) -> str:
    source = model.source
    code = source if inspect.isroutine(source) or inspect.isclass(source) else type(source)
    try:
        return str(joblib.hash((source, model.hyperparameters, list(_describe(code, set())))))
    except Exception as error:  # whatever the model's own pickling raises
        raise ReseedError(
            f"resume: model {model.name!r} cannot be pickled, so that its trainings cannot be "
            f"recognised: {error}. Define it in a module, or leave `resume` out"
        ) from None
