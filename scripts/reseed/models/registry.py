"""Models by name: what an estimator must offer, and how a factory is found.

A **factory** makes an untrained estimator::

    def factory(task, n_classes, hyperparameters, seeds, device, threads): ...

``task`` is ``regression``, ``binary`` or ``multiclass``; ``seeds`` holds one seed a role
(``reseed.coordinates.ROLES``); ``device`` is ``cpu`` or ``cuda``. It returns either an object with
the `Estimator` interface or any scikit-learn estimator, which is then wrapped.
"""

from __future__ import annotations

import difflib
import importlib
import os
import sys
from collections.abc import Callable
from typing import Any, Protocol, runtime_checkable

import numpy as np

from reseed.errors import ReseedError

Factory = Callable[..., Any]


@runtime_checkable
class Estimator(Protocol):
    """What a trial needs of a model.

    ``uses_validation``: whether `fit` needs validation rows (early stopping). If False, the
    caller trains on the training and validation rows together. ``curve_``: after `fit`, one
    dict an epoch with ``epoch, train_loss, validation_loss, validation_metric``; may be empty.
    """

    uses_validation: bool
    curve_: list[dict[str, float]]

    def fit(
        self,
        X: np.ndarray,
        y: np.ndarray,
        X_validation: np.ndarray | None = None,
        y_validation: np.ndarray | None = None,
    ) -> Estimator:
        """Train on float64 features (n, d) and targets (n,): values or class numbers 0 … k-1."""

    def predict_score(self, X: np.ndarray) -> np.ndarray:
        """Return predictions (n,), probabilities of class 1 (n,), or probabilities (n, k)."""


class ScikitLearnEstimator:
    """The `Estimator` interface around a scikit-learn estimator.

    Probabilities come from ``predict_proba``; else from ``decision_function`` through the
    logistic function or softmax (same ranking, not calibrated); else ``predict`` gives 0 or 1.
    """

    uses_validation = False

    def __init__(self, estimator: Any, task: str, n_classes: int):
        self.estimator, self.task, self.n_classes = estimator, task, n_classes
        self.curve_: list[dict[str, float]] = []

    def fit(self, X, y, X_validation=None, y_validation=None):
        """Train; validation rows are not used."""
        self.estimator.fit(X, y)
        return self

    def predict_score(self, X: np.ndarray) -> np.ndarray:
        """Return predictions or probabilities as `Estimator.predict_score` says."""
        if self.task == "regression":
            return np.asarray(self.estimator.predict(X), dtype=np.float64).reshape(len(X))
        probabilities = np.zeros((len(X), self.n_classes))
        # A class that did not occur among the training rows keeps probability 0.
        probabilities[:, np.asarray(self.estimator.classes_, dtype=int)] = self._probabilities(X)
        if self.task == "binary":
            return probabilities[:, 1]
        # Single precision sums to 1 only nearly.
        return probabilities / probabilities.sum(axis=1, keepdims=True)

    def _probabilities(self, X: np.ndarray) -> np.ndarray:
        model = self.estimator
        if hasattr(model, "predict_proba"):
            return model.predict_proba(X)
        if hasattr(model, "decision_function"):
            margin = np.asarray(model.decision_function(X), dtype=np.float64)
            if margin.ndim == 1:
                margin = np.column_stack([np.zeros_like(margin), margin])
            odds = np.exp(margin - margin.max(axis=1, keepdims=True))
            return odds / odds.sum(axis=1, keepdims=True)
        return (np.asarray(model.predict(X))[:, None] == model.classes_).astype(np.float64)


def build(
    factory: Factory,
    task: str,
    n_classes: int,
    hyperparameters: dict[str, Any],
    seeds: dict[str, int],
    device: str = "cpu",
    threads: int = 1,
) -> Estimator:
    """Call a factory and return its estimator, wrapped if it is a plain scikit-learn one."""
    model = factory(task, n_classes, dict(hyperparameters), dict(seeds), device, threads)
    if hasattr(model, "predict_score"):
        return model
    if hasattr(model, "fit") and hasattr(model, "predict"):
        return ScikitLearnEstimator(model, task, n_classes)
    raise ReseedError(
        f"factory {getattr(factory, '__module__', '?')}:{getattr(factory, '__name__', factory)}"
        f" returned {type(model).__name__}, which has neither fit and predict_score"
        " nor fit and predict: return an estimator"
    )


def load_factory(path: str) -> Factory:
    """Return the function that ``package.module:function`` names; ReseedError if there is none."""
    module_name, colon, name = path.partition(":")
    if not (module_name and colon and name):
        raise ReseedError(f"factory {path!r}: write it as package.module:function")
    if os.getcwd() not in sys.path:  # the user's own module stands beside the configuration
        sys.path.append(os.getcwd())
    try:
        module = importlib.import_module(module_name)
    except ImportError as error:
        raise ReseedError(
            f"factory {path!r}: module {module_name} cannot be imported ({error});"
            " check the name, and that its file stands in the folder where snakemake runs"
            " or on PYTHONPATH"
        ) from error
    factory = getattr(module, name, None)
    if not callable(factory):
        known = [key for key, value in vars(module).items() if callable(value)]
        near = difflib.get_close_matches(name, known, n=1)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise ReseedError(f"factory {path!r}: {module_name} has no function {name}{hint}")
    return factory
