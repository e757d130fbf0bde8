"""Try a model on a few rows, so that a wrong factory does not fail after hours of training."""

from __future__ import annotations

import inspect
import traceback
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.types import is_numeric_dtype

from reseed.core.coordinates import ROLES
from reseed.core.errors import ReseedError
from reseed.core.module_finder import is_library, is_third_party
from reseed.core.random_streams import ensure_deterministic
from reseed.data.columns import convert_features, encode_target, is_date
from reseed.data.inputs import Table, Texts
from reseed.data.splits import Split
from reseed.models.registry import load_factory
from reseed.training.encoder import Preparation
from reseed.training.run import Problem, Recipe, Trial, _Lane

#: Rows of each try. Neighbours and components may need more than the first has.
TRIED = (50, 2_000)


class _OpenLane(_Lane):
    """A trial whose failures are raised: their traceback names the line."""

    def _catch_failures(self, started: float | None = None) -> Any:
        return nullcontext()


def try_model(problem: Problem, recipe: Recipe) -> int:
    """Build, fit and evaluate a model on 50 rows; where that fails, on 2,000 under another seed.

    Returns the number of rows. Raises ReseedError with the line and the expected form. A loss that
    diverges is a result, not an error of form.
    """
    ensure_deterministic()
    preparation = Preparation(problem.inputs, problem.target, problem.features, recipe.encoder)
    recipe = replace(recipe, hold_validation=True)
    for seed, count in enumerate(TRIED):
        rows = _choose_rows(problem, seed, count)
        trial = Trial(Split(rows, rows, rows), dict.fromkeys(ROLES, seed))
        try:
            arrays = preparation.arrays(rows, rows, rows)
        except ValueError:  # every feature is constant in these rows
            continue
        try:
            lane = _OpenLane(problem, recipe, load_factory(recipe.factory), preparation, trial)
            lane.train()
        except Exception as error:
            if str(error).startswith("diverged"):
                break
            if count == TRIED[-1]:
                raise ReseedError(
                    f"fails on {len(rows)} rows: {_locate(error, recipe.factory)}. "
                    f"{_describe_form(problem, arrays.X_train)}"
                ) from error
        else:
            break
    return len(rows)


def try_rows(factory: str, X: pd.DataFrame | list[str], target: pd.Series, task: str) -> int:
    """Try a factory on rows of a table, or on texts, that are no dataset yet."""
    y, classes = encode_target("rows", target, task, None)
    problem = Problem(None, y, task, len(classes or []))
    if isinstance(X, pd.DataFrame):
        X = X.dropna(axis=1, how="all")  # in these rows
        is_number = {name: is_numeric_dtype(one.dtype) or is_date(one) for name, one in X.items()}
        words = [str(name) for name in X if not is_number[name]]
        table = Table(convert_features("rows", X, words))
        problem = replace(problem, inputs=table, features=table.describe()["features"])
    else:
        problem = replace(problem, inputs=Texts({"text": X}))
    return try_model(problem, Recipe(factory))


def _choose_rows(problem: Problem, seed: int, count: int) -> np.ndarray:
    """Random rows, of classes equally many of each and at least two."""
    order = np.random.default_rng(seed).permutation(len(problem.target))
    if not problem.classes:
        return np.sort(order[:count])
    classes = pd.Series(problem.target[order])
    rank = classes.groupby(classes).cumcount().to_numpy()
    return np.sort(order[rank < max(2, count // problem.classes)])


def _locate(error: Exception, factory: str) -> str:
    """The error with the last line of the user's code, or the line where the factory begins."""
    text = str(error) if isinstance(error, ReseedError) else f"{type(error).__name__}: {error}"
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        path = Path(frame.filename)
        if path.suffix == ".py" and not is_library(path) and not is_third_party(path):
            return f"{text} ({path.name}, line {frame.lineno}: {frame.line})"
    try:
        code = inspect.unwrap(load_factory(factory)).__code__
    except (ReseedError, AttributeError):  # its message names the module
        return text
    return f"{text} ({Path(code.co_filename).name}, line {code.co_firstlineno})"


def _describe_form(problem: Problem, X: Any) -> str:
    if problem.task == "regression":
        y, output = "values", "a value a row"
    else:
        y = f"class numbers 0 … {problem.classes - 1}"
        output = "a class number a row, or predict_proba a probability a class"
    given = f"{X.dtype} of shape {X.shape}" if isinstance(X, np.ndarray) else "a list of texts"
    return (
        "A factory takes (task, n_classes, hyperparameters, seeds, device, threads) and returns a "
        f"model with fit(X, y) and predict(X). X is {given}, y {y}; predict returns {output} "
        "(docs/your-models.md)"
    )
