"""Models of a session: scikit-learn estimators and factories, seeded by the model seed."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.utils.validation import has_fit_parameter

from reseed.core.errors import ReseedError, suggest_name
from reseed.models.registry import ScikitLearnEstimator, build_estimator, load_factory
from reseed.session.inputs import RowSubset
from reseed.session.threads import limit_threads

#: Names that libraries give to the parameter that holds the seed.
_SEED_NAMES = ("random_state", "random_seed", "seed")
_FIELDS = ["factory", "hyperparameters"]
#: Most characters of a hyper-parameter's value in a report.
_MAX_VALUE = 200


@dataclass(frozen=True, eq=False)
class Model:
    """An estimator to copy, or a factory (`reseed.models.registry`).

    hyperparameters: as the report states them.
    is_seeded: whether a parameter holds a seed.
    """

    name: str
    source: Any
    hyperparameters: dict[str, Any]
    is_seeded: bool

    @property
    def is_factory(self) -> bool:
        """Whether `source` is a factory, not an estimator."""
        return not hasattr(self.source, "fit")


def read_models(models: Any, has_weights: bool) -> list[Model]:
    """Each entry of {name: estimator, factory, or {factory, hyperparameters}}.

    has_weights: rows are weighted, so that each model must accept weights.
    """
    if not isinstance(models, Mapping) or not models:
        raise ReseedError('models: give a dict, name: model, as {"rf": RandomForestClassifier()}')
    names = list(map(str, models))
    for name in names:
        if names.count(name) > 1:
            raise ReseedError(f"models: two are named {name!r}: give each a different name")
    sources = models.values()
    return [_read_model(*entry, has_weights) for entry in zip(names, sources, strict=True)]


def _read_model(name: str, source: Any, has_weights: bool) -> Model:
    hyperparameters: dict[str, Any] = {}
    if isinstance(source, Mapping):
        for field in source:
            if field not in _FIELDS:
                raise ReseedError(
                    f"model {name!r}: unknown field {field!r}. Allowed: {', '.join(_FIELDS)}."
                    f"{suggest_name(field, _FIELDS)}"
                )
        hyperparameters = dict(source.get("hyperparameters") or {})
        source = source.get("factory")
    if isinstance(source, str):
        source = load_factory(source)
    _check_source(name, source)
    if not hasattr(source, "fit"):
        return Model(name, source, hyperparameters, True)
    if has_weights and not has_fit_parameter(_last_step(source), "sample_weight"):
        raise ReseedError(
            f"model {name!r}: fit of {type(_last_step(source)).__name__} takes no sample_weight:"
            " leave sample_weight or this model out"
        )
    return Model(name, source, _list_hyperparameters(source), bool(_list_seed_parameters(source)))


def _check_source(name: str, source: Any) -> None:
    """Raise ReseedError if `source` is neither an estimator nor a factory."""
    kind = type(source).__name__
    if inspect.isclass(source) and hasattr(source, "fit"):
        raise ReseedError(
            f"model {name!r}: {source.__name__} is a class; write {source.__name__}()"
        )
    if hasattr(source, "forward") and not hasattr(source, "fit"):
        raise ReseedError(
            f"model {name!r}: a {kind} has no fit: give an object with fit and predict that trains"
            " it (docs/your-models.md)"
        )
    if not (callable(source) or (hasattr(source, "fit") and hasattr(source, "predict"))):
        raise ReseedError(
            f"model {name!r}: a {kind} is no model: give an estimator with fit and predict, or a"
            " function that returns one"
        )


def check_suitable(models: list[Model], task: str) -> None:
    """Raise ReseedError for a classifier of values or a regressor of classes."""
    is_unsuitable, noun, content, wanted, fix = (
        (is_classifier, "classifier", "values", "regressor", "task='binary' or 'multiclass'")
        if task == "regression"
        else (is_regressor, "regressor", "classes", "classifier", "task='regression'")
    )
    for model in models:
        if hasattr(model.source, "__sklearn_tags__") and is_unsuitable(model.source):
            raise ReseedError(
                f"model {model.name!r} is a {noun}, and y was taken for {content}: give a {wanted},"
                f" or {fix} if y holds no {content}"
            )


def _list_hyperparameters(estimator: Any) -> dict[str, Any]:
    """Parameters that differ from their defaults, as numbers or text."""
    try:
        defaults = {
            name: parameter.default
            for name, parameter in inspect.signature(type(estimator)).parameters.items()
        }
        parameters = estimator.get_params(deep=False)
    except (AttributeError, TypeError, ValueError):
        return {}
    return {
        name: value
        if isinstance(value, int | float | str | bool | None)
        else str(value)[:_MAX_VALUE]
        for name, value in parameters.items()
        if name not in _SEED_NAMES and repr(value) != repr(defaults.get(name, value))
    }


def _list_seed_parameters(estimator: Any) -> list[str]:
    """Names of the parameters that hold a seed, nested ones as `step__random_state`."""
    if not hasattr(estimator, "get_params"):
        return []
    names = estimator.get_params(deep=True)
    return sorted(name for name in names if name.rpartition("__")[2] in _SEED_NAMES)


def build_model(
    task: str,
    n_classes: int,
    hyperparameters: Mapping[str, Any],
    seeds: dict[str, int],
    device: str = "cpu",
    threads: int = 1,
) -> SubsetEstimator:
    """Factory of `hyperparameters["model"]`: a copy of its estimator with the trial's seed.

    Every parameter that holds a seed is set to the model seed itself, so that seed 7 gives the
    results of `random_state=7` without Reseed.
    """
    model: Model = hyperparameters["model"]
    if model.is_factory:
        built = build_estimator(
            model.source, task, n_classes, model.hyperparameters, seeds, device, threads
        )
        return SubsetEstimator(built, threads)
    estimator = clone(model.source, safe=False)
    names = _list_seed_parameters(estimator)
    if names:
        estimator.set_params(**dict.fromkeys(names, seeds["init"]))
    if hasattr(estimator, "uses_validation"):
        return SubsetEstimator(estimator, threads)
    return SubsetEstimator(ScikitLearnEstimator(estimator, task, n_classes), threads)


class SubsetEstimator:
    """Fits an estimator to `RowSubset`s: passes it their X, and their weights if there are any.

    `fit` and `predict` limit the threads themselves: a factory may import a library, and joblib
    may train in another process.
    """

    def __init__(self, inner: Any, threads: int):
        self.inner, self.uses_validation = inner, inner.uses_validation
        self.threads = threads
        if hasattr(inner, "watch"):
            self.watch = lambda X, y: inner.watch(X.get_X(), y)

    def fit(
        self,
        X: RowSubset,
        y: np.ndarray,
        X_validation: RowSubset | None = None,
        y_validation: np.ndarray | None = None,
    ) -> SubsetEstimator:
        """Train on the rows of a subset."""
        validation = () if X_validation is None else (X_validation.get_X(), y_validation)
        with limit_threads(self.threads):
            if X.weights is None:
                self.inner.fit(X.get_X(), y, *validation)
            elif isinstance(self.inner, ScikitLearnEstimator):
                estimator = self.inner.estimator
                estimator.fit(X.get_X(), y, **{_name_weights(estimator): X.weights})
            elif has_fit_parameter(self.inner, "sample_weight"):
                self.inner.fit(X.get_X(), y, *validation, sample_weight=X.weights)
            else:
                raise ReseedError(
                    f"fit of {type(self.inner).__name__} takes no sample_weight: leave"
                    " sample_weight or this model out"
                )
        return self

    def predict(self, X: RowSubset) -> np.ndarray:
        """Raw outputs for the rows of a subset."""
        with limit_threads(self.threads):
            return self.inner.predict(X.get_X())

    @property
    def curve_(self) -> list[dict[str, float]]:
        """Learning curve of the estimator; empty if it has none."""
        return getattr(self.inner, "curve_", [])

    @property
    def converged_(self) -> bool | None:
        """Whether training converged, if the estimator reports it."""
        return getattr(self.inner, "converged_", None)


def _last_step(estimator: Any) -> Any:
    """The last step of a pipeline, the only one that receives weights."""
    return estimator.steps[-1][1] if hasattr(estimator, "steps") else estimator


def _name_weights(estimator: Any) -> str:
    step = f"{estimator.steps[-1][0]}__" if hasattr(estimator, "steps") else ""
    return f"{step}sample_weight"
