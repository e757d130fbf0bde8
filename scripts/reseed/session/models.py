"""Models in memory: scikit-learn estimators, factories, and how a model seed reaches them."""

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

#: What libraries call the parameter that holds the seed.
_SEED = ("random_state", "random_seed", "seed")
_FIELDS = ("factory", "hyperparameters")


@dataclass(frozen=True, eq=False)
class Model:
    """`make(task, n_classes, hyperparameters, seeds, device, threads)`, or an estimator to copy.

    `hyperparameters`: what is told of it. `seeded`: whether a parameter of it holds a seed.
    """

    name: str
    thing: Any
    hyperparameters: dict[str, Any]
    seeded: bool

    @property
    def is_factory(self) -> bool:
        """Whether `thing` makes estimators, rather than being one."""
        return not hasattr(self.thing, "fit")


def read_models(models: Any, weighted: bool) -> list[Model]:
    """Each entry of {name: estimator, factory, or {factory, hyperparameters}}."""
    if not isinstance(models, Mapping) or not models:
        raise ReseedError('models: give a dict, name: model, as {"rf": RandomForestClassifier()}')
    names = list(map(str, models))
    for name in names:
        if names.count(name) > 1:
            raise ReseedError(f"models: two are called {name!r}: give each a name of its own")
    return [_read(*one, weighted) for one in zip(names, models.values(), strict=True)]


def _read(name: str, thing: Any, weighted: bool) -> Model:
    given: dict[str, Any] = {}
    if isinstance(thing, Mapping):
        for field in thing:
            if field not in _FIELDS:
                raise ReseedError(
                    f"model {name!r}: unknown field {field!r}. Allowed: {', '.join(_FIELDS)}."
                    f"{suggest_name(field, _FIELDS)}"
                )
        given, thing = dict(thing.get("hyperparameters") or {}), thing.get("factory")
    if isinstance(thing, str):
        thing = load_factory(thing)
    if inspect.isclass(thing) and hasattr(thing, "fit"):
        raise ReseedError(f"model {name!r}: {thing.__name__} is a class; write {thing.__name__}()")
    if hasattr(thing, "forward") and not hasattr(thing, "fit"):
        raise ReseedError(
            f"model {name!r}: a {type(thing).__name__} has no fit: give an object with fit and"
            " predict that trains it (docs/your-models.md)"
        )
    if not (callable(thing) or (hasattr(thing, "fit") and hasattr(thing, "predict"))):
        raise ReseedError(
            f"model {name!r}: a {type(thing).__name__} is no model: give an estimator with fit and"
            " predict, or a function that makes one"
        )
    if not hasattr(thing, "fit"):
        return Model(name, thing, given, True)
    if weighted and not _takes_weights(thing):
        raise ReseedError(
            f"model {name!r}: fit of {type(_last(thing)).__name__} takes no sample_weight: leave"
            " sample_weight or this model out"
        )
    return Model(name, thing, _told(thing), bool(_seed_parameters(thing)))


def refuse_unsuited(models: list[Model], task: str) -> None:
    """ReseedError for a classifier of values or a regressor of classes, as it says of itself."""
    unsuited, noun, read, wanted, fix = (
        (is_classifier, "classifier", "values", "regressor", "task='binary' or 'multiclass'")
        if task == "regression"
        else (is_regressor, "regressor", "classes", "classifier", "task='regression'")
    )
    for model in models:
        if hasattr(model.thing, "__sklearn_tags__") and unsuited(model.thing):
            raise ReseedError(
                f"model {model.name!r} is a {noun}, and y was taken for {read}: give a {wanted}, "
                f"or {fix} if y holds no {read}"
            )


def _told(estimator: Any) -> dict[str, Any]:
    """Parameters that are not at their defaults, as text."""
    try:
        usual = {
            name: parameter.default
            for name, parameter in inspect.signature(type(estimator)).parameters.items()
        }
        own = estimator.get_params(deep=False)
    except (AttributeError, TypeError, ValueError):
        return {}
    return {
        name: value if isinstance(value, int | float | str | bool | None) else str(value)[:200]
        for name, value in own.items()
        if name not in _SEED and repr(value) != repr(usual.get(name, value))
    }


def _seed_parameters(estimator: Any) -> list[str]:
    """Names of the parameters that hold a seed, nested ones as `step__random_state`."""
    if not hasattr(estimator, "get_params"):
        return []
    return sorted(p for p in estimator.get_params(deep=True) if p.rpartition("__")[2] in _SEED)


def make(task, n_classes, hyperparameters, seeds, device="cpu", threads=1) -> _Wrapped:
    """Make an estimator of `hyperparameters["model"]`: a copy with the trial's seed in it.

    Every parameter that holds a seed is set to the model seed itself, so that seed 7 is what
    `random_state=7` gives without Reseed.
    """
    model: Model = hyperparameters["model"]
    if model.is_factory:
        given = (task, n_classes, model.hyperparameters, seeds, device, threads)
        return _Wrapped(build_estimator(model.thing, *given))
    estimator = clone(model.thing, safe=False)
    names = _seed_parameters(estimator)
    if names:
        estimator.set_params(**dict.fromkeys(names, seeds["init"]))
    if hasattr(estimator, "uses_validation"):
        return _Wrapped(estimator)
    return _Wrapped(ScikitLearnEstimator(estimator, task, n_classes))


class _Wrapped:
    """An estimator behind `inputs.Part`s: it is given X, and weights where there are some."""

    def __init__(self, inner: Any):
        self.inner, self.uses_validation = inner, inner.uses_validation
        if hasattr(inner, "watch"):
            self.watch = lambda X, y: inner.watch(X.own(), y)

    def fit(self, X, y, X_validation=None, y_validation=None):
        """Train on the rows of a part."""
        held = () if X_validation is None else (X_validation.own(), y_validation)
        if X.weights is None:
            self.inner.fit(X.own(), y, *held)
        elif isinstance(self.inner, ScikitLearnEstimator):
            estimator = self.inner.estimator
            estimator.fit(X.own(), y, **{_weight_name(estimator): X.weights})
        elif has_fit_parameter(self.inner, "sample_weight"):
            self.inner.fit(X.own(), y, *held, sample_weight=X.weights)
        else:
            raise ReseedError(
                f"fit of {type(self.inner).__name__} takes no sample_weight: leave sample_weight"
                " or this model out"
            )
        return self

    def predict(self, X) -> np.ndarray:
        """Raw outputs for the rows of a part."""
        return self.inner.predict(X.own())

    @property
    def curve_(self) -> list:
        """Learning curve of the estimator, if it has one."""
        return getattr(self.inner, "curve_", [])

    @property
    def converged_(self) -> bool | None:
        """Whether training settled, if the estimator says so."""
        return getattr(self.inner, "converged_", None)


def _last(estimator: Any) -> Any:
    """The last step of a pipeline, which alone is given the weights."""
    return estimator.steps[-1][1] if hasattr(estimator, "steps") else estimator


def _takes_weights(estimator: Any) -> bool:
    return has_fit_parameter(_last(estimator), "sample_weight")


def _weight_name(estimator: Any) -> str:
    step = f"{estimator.steps[-1][0]}__" if hasattr(estimator, "steps") else ""
    return f"{step}sample_weight"
