"""Models by name: what an estimator must offer, and how a factory is found.

A **factory** makes an untrained estimator::

    def factory(task, n_classes, hyperparameters, seeds, device, threads): ...

``task`` is ``regression``, ``binary`` or ``multiclass``; ``seeds`` holds one seed a role
(``reseed.core.coordinates.ROLES``); ``device`` is ``cpu`` or ``cuda``. A factory with a parameter
``weights`` is given the folder of the recipe's pretrained weights (or None), one with a parameter
``compute`` the recipe's options of how to compute (mixed precision and the like). It returns
either an object with the `Estimator` interface or any scikit-learn estimator, which is wrapped.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np

from reseed.core.errors import ReseedError
from reseed.metrics.outputs import from_probabilities
from reseed.plugins.loading import load_object

Factory = Callable[..., Any]
#: How far rounding may take the probabilities of a row from 0 … 1 and from a sum of 1.
PROBABILITY_ROUNDING = 1e-3
_GIVEN = ("task", "n_classes", "hyperparameters", "seeds", "device", "threads")


@runtime_checkable
class Estimator(Protocol):
    """What a trial needs of a model; `X` is what the data's kind gives.

    Tables: float64 (n, d). Images: uint8 (n, height, width, channels). Texts: a list of strings
    or of pairs. Targets are (n,): values, or class numbers 0 … k-1. Trials share these arrays, so
    they are read-only.

    ``uses_validation``: whether `fit` needs validation rows (early stopping). If False, the
    caller trains on the training and validation rows together.

    An estimator may also have, after `fit`, ``curve_`` (one dict an epoch: ``epoch, train_loss,
    validation_loss, validation_metric, test_metric``, what it has of them; a metric is accuracy for
    classes, mean squared error for values) and ``converged_`` (False if it ran into a limit before
    it had settled, None if it has no such limit). If it has a method ``watch(X_test, y_test)`` that
    is called before `fit`, for a curve of test scores.
    """

    uses_validation: bool

    def fit(self, X, y, X_validation=None, y_validation=None) -> Any:
        """Train."""

    def predict(self, X) -> np.ndarray:
        """Return raw outputs: predictions (n,), log-odds of class 1 (n,), or logits (n, k)."""


class Stackable(Estimator, Protocol):
    """An estimator whose class trains several lanes in one pass (see `reseed.models.networks`)."""

    @classmethod
    def fit_many(
        cls, lanes: Sequence[Stackable], data: Sequence[Callable[[], Any]], width: int
    ) -> Iterator[tuple[int, float, Exception | None]]:
        """Train every lane, ``width`` at a time; yield each as it ends, in any order.

        ``data[i]()`` gives lane i's `reseed.training.encoder.Arrays`; all have equal shapes, and
        as many test rows where the class has ``watch``.
        Yields (lane, seconds of its share of the work, None or the error that ended it alone).
        A lane's bits depend on the lane and the width, never on its neighbours.
        """


class ScikitLearnEstimator:
    """The `Estimator` interface around a scikit-learn estimator.

    Probabilities come from ``predict_proba``; else from ``decision_function`` through the
    logistic function or softmax (same ranking, not calibrated); else ``predict`` gives 0 or 1.
    """

    uses_validation = False

    def __init__(self, estimator: Any, task: str, n_classes: int):
        self.estimator, self.task, self.n_classes = estimator, task, n_classes

    def fit(self, X, y, X_validation=None, y_validation=None):
        """Train; validation rows are not used."""
        self.estimator.fit(X, y)
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Return raw outputs as `Estimator.predict` says; ValueError for labels that are none."""
        if self.task == "regression":
            return _column(np.asarray(self.estimator.predict(X), dtype=np.float64))
        classes = np.asarray(getattr(self.estimator, "classes_", range(self.n_classes)), dtype=int)
        known = self._probabilities(X, classes)
        probabilities = np.zeros((len(known), self.n_classes))
        # A class that did not occur among the training rows keeps probability 0.
        probabilities[:, classes] = known
        return from_probabilities(
            self.task, probabilities[:, 1] if self.task == "binary" else probabilities
        )

    def _probabilities(self, X: np.ndarray, classes: np.ndarray) -> np.ndarray:
        model = self.estimator
        if hasattr(model, "predict_proba"):
            return _checked(np.asarray(model.predict_proba(X), dtype=np.float64), len(classes))
        if hasattr(model, "decision_function") and not _by_pairs(model):
            margin = np.asarray(model.decision_function(X), dtype=np.float64)
            if margin.ndim == 1:
                margin = np.column_stack([np.zeros_like(margin), margin])
            odds = np.exp(margin - margin.max(axis=1, keepdims=True))
            return odds / odds.sum(axis=1, keepdims=True)
        predicted = _column(np.asarray(model.predict(X)))
        hits = predicted[:, None] == classes
        if not hits.any(axis=1).all():
            raise ValueError(
                f"predict gave {predicted[~hits.any(axis=1)][0]!r}, which is no class: fit was"
                f" given the class numbers 0 … {self.n_classes - 1}, and predict must return them"
                " (or logits, where the model says so: `uses_validation = False` or True)"
            )
        return hits.astype(np.float64)


def _checked(probabilities: np.ndarray, classes: int) -> np.ndarray:
    """Probabilities (n, classes), but for rounding; ValueError for what is none.

    A single column would be spread over all classes, and scores that are no shares squashed.
    NaN is left for the metrics, which call it diverged.
    """
    if probabilities.ndim != 2 or probabilities.shape[1] != classes:
        raise ValueError(
            f"predict_proba gave shape {probabilities.shape}: a column for each of the {classes}"
            " classes in classes_ is expected"
        )
    outside = np.maximum(-probabilities, probabilities - 1).max(axis=1, initial=0)
    bad = np.maximum(outside, np.abs(probabilities.sum(axis=1) - 1)) > PROBABILITY_ROUNDING
    if bad.any():
        raise ValueError(
            f"predict_proba gave {probabilities[bad][0].tolist()} for a row: probabilities lie in"
            " 0 … 1 and sum to 1"
        )
    return probabilities.clip(0, 1)


def _column(predicted: np.ndarray) -> np.ndarray:
    """(n, 1), as some libraries predict, as (n,); any other shape as it is."""
    return predicted[:, 0] if predicted.shape[1:] == (1,) else predicted


def _by_pairs(model: Any) -> bool:
    """Whether `decision_function` gives a column a pair of classes (SVC), not a column a class."""
    told = model.get_params() if hasattr(model, "get_params") else {}
    shapes = (told[name] for name in told if name.endswith("decision_function_shape"))
    return "ovo" in shapes and len(getattr(model, "classes_", ())) > 2


def build_estimator(
    factory: Factory,
    task: str,
    n_classes: int,
    hyperparameters: dict[str, Any],
    seeds: dict[str, int],
    device: str = "cpu",
    threads: int = 1,
    *,
    weights: Path | None = None,
    compute: dict[str, Any] | None = None,
) -> Estimator:
    """Call a factory and return its estimator, wrapped if it is a plain scikit-learn one."""
    offered = {"weights": weights, "compute": dict(compute or {})}
    try:
        signature = inspect.signature(factory)
    except ValueError:  # some callables of C have no signature
        signature = None
    accepted = signature.parameters if signature else {}
    extra = {name: value for name, value in offered.items() if name in accepted}
    for name in offered.keys() - extra.keys():
        if offered[name]:
            raise ReseedError(
                f"{_name(factory)} takes no parameter {name}, but the model's recipe gives it one:"
                f" take {name} out of the recipe, or add the parameter"
            )
    given = (task, n_classes, dict(hyperparameters), dict(seeds), device, threads)
    try:
        if signature:
            signature.bind(*given, **extra)
    except TypeError as error:
        raise ReseedError(
            f"{_name(factory)} must take {', '.join(_GIVEN)}, in this order: {error}"
        ) from None
    model = factory(*given, **extra)
    if hasattr(model, "uses_validation") and hasattr(model, "predict"):
        return model
    if hasattr(model, "fit") and hasattr(model, "predict"):
        return ScikitLearnEstimator(model, task, n_classes)
    raise ReseedError(
        f"{_name(factory)} returned {type(model).__name__}, which has no fit and predict:"
        " return an estimator"
    )


def _name(factory: Factory) -> str:
    module, name = getattr(factory, "__module__", "?"), getattr(factory, "__name__", factory)
    return f"factory {module}:{name}"


def load_factory(path: str) -> Factory:
    """Return the function that ``package.module:function`` names; ReseedError if there is none."""
    factory = load_object(path, "factory")
    if not callable(factory):
        raise ReseedError(f"factory {path!r} is a {type(factory).__name__}, not a function")
    return factory
