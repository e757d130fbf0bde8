"""Interfaces of estimators and factories, and the import of a factory by name.

A **factory** returns an untrained estimator::

    def factory(task, n_classes, hyperparameters, seeds, device, threads): ...

`task` is `regression`, `binary` or `multiclass`. `seeds` holds one seed for each role
(`reseed.core.coordinates.ROLES`). `device` is `cpu` or `cuda`. A factory may have a parameter
`weights`, which gets the folder of the pretrained weights (or None), and a parameter `compute`,
which gets options of the computation such as mixed precision. It returns an object with the
`Estimator` interface, or a scikit-learn estimator, which is wrapped.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol, Self, runtime_checkable

import numpy as np

from reseed.core.errors import ReseedError
from reseed.metrics.outputs import from_probabilities
from reseed.plugins.loading import load_object

Factory = Callable[..., Any]
#: Largest rounding error of probabilities: distance from 0 … 1, and of their sum from 1.
PROBABILITY_ROUNDING = 1e-3
#: How Python and scikit-learn report a parameter that does not exist.
_REJECTED = re.compile(
    r"unexpected keyword argument '([^']+)'|no hyper-parameter (\w+)"
    r"|(?:[Ii]nvalid|[Uu]nknown) parameters? '?([\w-]+)"
)
_PARAMETERS = ("task", "n_classes", "hyperparameters", "seeds", "device", "threads")


@runtime_checkable
class Estimator(Protocol):
    """The interface of a model.

    Inputs `X` depend on the kind of the data. Tables: float64 (n, d). Images: uint8 (n, height,
    width, channels). Texts: a list of strings or of pairs. Targets are (n,): values, or class
    numbers 0 … k-1. Trials share these arrays, so they are read-only.

    uses_validation: whether `fit` needs validation rows for early stopping. If False, the model is
    trained on the training and validation rows together.

    After `fit`, an estimator may have `curve_`: one dict for each epoch with any of `epoch,
    train_loss, validation_loss, validation_metric, test_metric`. A metric is the accuracy for
    classes, the mean squared error for values. It may have `converged_`: False if training reached
    a limit before it converged, None without a limit. A method `watch(X_test, y_test)` is called
    before `fit`, for a curve of test scores.
    """

    uses_validation: bool

    def fit(
        self,
        X: Any,
        y: np.ndarray,
        X_validation: Any = None,
        y_validation: np.ndarray | None = None,
    ) -> Any:
        """Train."""

    def predict(self, X: Any) -> np.ndarray:
        """Return raw outputs: predictions (n,), log-odds of class 1 (n,), or logits (n, k)."""


class SplitArrays(Protocol):
    """Inputs and targets of the three parts of a split (`reseed.training.encoder.Arrays`)."""

    X_train: Any
    y_train: np.ndarray
    X_validation: Any
    y_validation: np.ndarray
    X_test: Any
    y_test: np.ndarray


class Stackable(Estimator, Protocol):
    """An estimator whose class trains several trials (lanes) in one pass."""

    @classmethod
    def fit_many(
        cls, lanes: Sequence[Stackable], data: Sequence[Callable[[], SplitArrays]], width: int
    ) -> Iterator[tuple[int, float, Exception | None]]:
        """Train every lane, `width` at a time; yield each when it ends, in any order.

        `data[i]()` returns the arrays of lane i. All have equal shapes, and equal numbers of test
        rows if the class has `watch`. Yields (number of the lane, its share of the seconds, None
        or the error that ended this lane only). The bits of a lane depend on the lane and the
        width only, not on the other lanes.
        """


class ScikitLearnEstimator:
    """The `Estimator` interface around a scikit-learn estimator.

    Probabilities are those of `predict_proba`. Without it, they are the logistic function or
    softmax of `decision_function` (same ranking, not calibrated). Without both, they are 0 or 1
    from `predict`.
    """

    uses_validation = False

    def __init__(self, estimator: Any, task: str, n_classes: int):
        self.estimator, self.task, self.n_classes = estimator, task, n_classes

    def fit(
        self,
        X: Any,
        y: np.ndarray,
        X_validation: Any = None,
        y_validation: np.ndarray | None = None,
    ) -> Self:
        """Train; validation rows are not used."""
        self.estimator.fit(X, y)
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Return raw outputs (see `Estimator.predict`). Raises ValueError for unknown labels."""
        if self.task == "regression":
            return _flatten_column(np.asarray(self.estimator.predict(X), dtype=np.float64))
        classes = np.asarray(getattr(self.estimator, "classes_", range(self.n_classes)), dtype=int)
        known = self._probabilities(X, classes)
        probabilities = np.zeros((len(known), self.n_classes))
        # A class without training rows has probability 0.
        probabilities[:, classes] = known
        return from_probabilities(
            self.task, probabilities[:, 1] if self.task == "binary" else probabilities
        )

    def _probabilities(self, X: np.ndarray, classes: np.ndarray) -> np.ndarray:
        model = self.estimator
        if hasattr(model, "predict_proba"):
            return _check_probabilities(
                np.asarray(model.predict_proba(X), dtype=np.float64), len(classes)
            )
        if hasattr(model, "decision_function") and not _has_column_per_pair(model):
            margin = np.asarray(model.decision_function(X), dtype=np.float64)
            if margin.ndim == 1:
                margin = np.column_stack([np.zeros_like(margin), margin])
            odds = np.exp(margin - margin.max(axis=1, keepdims=True))
            return odds / odds.sum(axis=1, keepdims=True)
        predicted = _flatten_column(np.asarray(model.predict(X)))
        hits = predicted[:, None] == classes
        if not hits.any(axis=1).all():
            raise ValueError(
                f"predict gave {predicted[~hits.any(axis=1)][0]!r}, which is not a class: fit got"
                f" the class numbers 0 … {self.n_classes - 1}, and predict must return them"
                " (a model that returns logits must set `uses_validation` to False or True)"
            )
        return hits.astype(np.float64)


def _check_probabilities(probabilities: np.ndarray, classes: int) -> np.ndarray:
    """Return probabilities (n, classes), clipped to [0, 1].

    Raises ValueError if they are not probabilities, apart from rounding. NaN is allowed, because
    the metrics report it as diverged.
    """
    if probabilities.ndim != 2 or probabilities.shape[1] != classes:
        raise ValueError(
            f"predict_proba gave shape {probabilities.shape}: expected a column for each of the"
            f" {classes} classes in classes_"
        )
    outside = np.maximum(-probabilities, probabilities - 1).max(axis=1, initial=0)
    bad = np.maximum(outside, np.abs(probabilities.sum(axis=1) - 1)) > PROBABILITY_ROUNDING
    if bad.any():
        raise ValueError(
            f"predict_proba gave {probabilities[bad][0].tolist()} for a row: probabilities are in"
            " 0 … 1 and sum to 1"
        )
    return probabilities.clip(0, 1)


def _flatten_column(predicted: np.ndarray) -> np.ndarray:
    """Return (n, 1), as some libraries predict, as (n,); other shapes are unchanged."""
    return predicted[:, 0] if predicted.shape[1:] == (1,) else predicted


def _has_column_per_pair(model: Any) -> bool:
    """Whether `decision_function` has a column for each pair of classes (SVC), not each class."""
    parameters = model.get_params() if hasattr(model, "get_params") else {}
    shapes = (v for name, v in parameters.items() if name.endswith("decision_function_shape"))
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
    """Call a factory and return its estimator; a scikit-learn estimator is wrapped.

    Raises ReseedError for wrong parameters of the factory and for a result that is no estimator.
    """
    optional = {"weights": weights, "compute": dict(compute or {})}
    try:
        signature = inspect.signature(factory)
    except ValueError:  # some C functions have no signature
        signature = None
    accepted = signature.parameters if signature else {}
    extra = {name: value for name, value in optional.items() if name in accepted}
    for name in optional.keys() - extra.keys():
        if optional[name]:
            raise ReseedError(
                f"{_describe(factory)} has no parameter {name}, but the model's recipe sets it:"
                f" remove {name} from the recipe, or add the parameter"
            )
    arguments = (task, n_classes, dict(hyperparameters), dict(seeds), device, threads)
    try:
        if signature:
            signature.bind(*arguments, **extra)
    except TypeError as error:
        raise ReseedError(
            f"{_describe(factory)} must take {', '.join(_PARAMETERS)}, in this order: {error}"
        ) from None
    try:
        model = factory(*arguments, **extra)
    except (TypeError, ValueError) as error:
        rejected = _find_rejected(error)
        if rejected not in hyperparameters:
            raise
        # Such a name fails in every trial, so it is the user's mistake and no result of a model.
        raise ReseedError(
            f"{_describe(factory)}: the estimator has no hyper-parameter {rejected!r} ({error}). "
            "Correct `hyperparameters` of the model"
        ) from error
    if hasattr(model, "uses_validation") and hasattr(model, "predict"):
        return model
    if hasattr(model, "fit") and hasattr(model, "predict"):
        return ScikitLearnEstimator(model, task, n_classes)
    raise ReseedError(
        f"{_describe(factory)} returned {type(model).__name__}, which has no fit and predict:"
        " return an estimator"
    )


def _find_rejected(error: Exception) -> str:
    """The parameter that an error says does not exist; empty if it names none."""
    found = _REJECTED.search(str(error))
    return next((group for group in found.groups() if group), "") if found else ""


def _describe(factory: Factory) -> str:
    module, name = getattr(factory, "__module__", "?"), getattr(factory, "__name__", factory)
    return f"factory {module}:{name}"


def load_factory(path: str) -> Factory:
    """Import the function `package.module:function`. Raises ReseedError."""
    factory = load_object(path, "factory")
    if not callable(factory):
        raise ReseedError(f"factory {path!r} is a {type(factory).__name__}, not a function")
    return factory
