"""Train trials: `run_trials` takes a problem, a recipe and trials, and yields one outcome each.

All kinds of inputs, one trial or several in a stack, are trained here. A failure of the model is an
outcome. A failure of the machine is raised, so that it is not recorded.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol

import numpy as np

from reseed.core.errors import ReseedError
from reseed.core.random_streams import GlobalGenerators, ensure_deterministic
from reseed.data.features import Feature
from reseed.data.inputs import Inputs
from reseed.metrics import registry as metrics
from reseed.metrics.outputs import as_stored_dtype
from reseed.models.registry import Estimator, build_estimator, load_factory
from reseed.training.encoder import Arrays, Preparation
from reseed.training.failures import InfrastructureError, is_infrastructure_error
from reseed.training.holdout import VALIDATION_FRACTION, hold_out

#: Numbers of the training, validation and test rows.
Rows = tuple[np.ndarray, np.ndarray, np.ndarray]

#: Number of stack widths among which trials of equal shapes are collected.
STACKS_AHEAD = 8


@dataclass(frozen=True, eq=False)
class Problem:
    """Data and task of a dataset.

    inputs: see `reseed.data.inputs`.
    target: (n,) values or class numbers.
    classes: number of classes, 0 for regression.
    groups: (n,) or None.
    features: columns of a table; None for images and texts.
    metric: name of the primary metric; None for the default of the task.
    """

    inputs: Inputs | None
    target: np.ndarray
    task: str
    classes: int = 0
    groups: np.ndarray | None = None
    features: list[Feature] | None = None
    metric: str | None = None

    @property
    def primary(self) -> metrics.Metric:
        """The metric that compares models: the named one, or the default of the task."""
        return metrics.get_metric(self.metric) if self.metric else metrics.default_metric(self.task)


@dataclass(frozen=True)
class Recipe:
    """A model and how it is trained.

    factory: `module:function`.
    stack: trials in one pass, if the model supports it (1: one at a time).
    weights: folder of pretrained weights.
    compute: options of the computation, for factories that take them.
    hold_validation: whether a model without early stopping is not trained on the validation rows,
        so that it has validation scores.
    """

    factory: str
    hyperparameters: dict[str, Any] = field(default_factory=dict)
    encoder: dict[str, Any] = field(default_factory=dict)
    device: str = "cpu"
    threads: int = 1
    stack: int = 1
    weights: Path | None = None
    compute: dict[str, Any] = field(default_factory=dict)
    hold_validation: bool = False


class Split(Protocol):
    """Numbers of the rows of each part."""

    @property
    def train(self) -> np.ndarray:
        """Rows to train on."""

    @property
    def validation(self) -> np.ndarray:
        """Rows for early stopping."""

    @property
    def test(self) -> np.ndarray:
        """Rows to score."""


@dataclass(frozen=True, eq=False)
class Trial:
    """A split (`train`, `validation`, `test`: row numbers) and one seed for each role."""

    split: Split
    seeds: dict[str, int]


@dataclass(frozen=True, eq=False)
class PreparedTrial:
    """A trial whose rows are encoded for the model, and one seed for each role."""

    arrays: Arrays
    seeds: dict[str, int]


@dataclass
class Outcome:
    """Result of a trial.

    status: `ok` or `failed`; error: the reason of a failure.
    outputs: raw outputs (see `reseed.metrics.outputs.as_stored_dtype`) of `test` and, if rows were
        held out, of `validation`; validation_rows: the numbers of these rows.
    fingerprint: SHA-256 of the bytes of the test outputs.
    converged: whether training converged before its limit; None without a limit.
    """

    status: str
    error: str | None = None
    outputs: dict[str, np.ndarray] = field(default_factory=dict)
    metrics: dict[str, float] = field(default_factory=dict)
    validation_metrics: dict[str, float] = field(default_factory=dict)
    validation_rows: np.ndarray | None = None
    curve: list[dict[str, float]] = field(default_factory=list)
    train_seconds: float = 0.0
    fingerprint: str | None = None
    converged: bool | None = None


def run_trials(
    problem: Problem, recipe: Recipe, trials: Sequence[Trial | PreparedTrial]
) -> Iterator[Outcome]:
    """Train and evaluate each trial; yield the outcomes in the order of the trials.

    A model that does not use validation rows is trained on them too, unless the recipe holds them
    out. If a model needs validation rows and the split has none, `VALIDATION_FRACTION` of the
    training rows (whole groups) are held out; the split alone decides which. Raises
    InfrastructureError, and ReseedError for a factory that cannot be imported or that does not
    return an estimator.
    """
    ensure_deterministic()
    factory = load_factory(recipe.factory)
    preparation = Preparation(problem.inputs, problem.target, problem.features, recipe.encoder)
    # Without a stack, a trial ends before the factory of the next trial is called.
    window = STACKS_AHEAD * recipe.stack if recipe.stack > 1 else 1
    for start in range(0, len(trials), window):
        lanes = [_Lane(problem, recipe, factory, preparation, t) for t in trials[start:][:window]]
        yield from _yield_in_order(lanes, _train_lanes(lanes, recipe.stack))


class _Lane:
    """A trial in progress: its estimator, its rows, and its outcome after training."""

    def __init__(
        self,
        problem: Problem,
        recipe: Recipe,
        factory: Callable[..., Any],
        preparation: Preparation,
        trial: Trial | PreparedTrial,
    ):
        self.problem, self.recipe, self.preparation = problem, recipe, preparation
        self.outcome: Outcome | None = None
        self.estimator: Estimator | None = None
        self.rng_context = GlobalGenerators(trial.seeds)
        with self._catch_failures(), self.rng_context:
            self.estimator = build_estimator(
                *(factory, problem.task, problem.classes, recipe.hyperparameters, trial.seeds),
                *(recipe.device, recipe.threads),
                weights=recipe.weights,
                compute=recipe.compute,
            )
            self.rows, self.arrays = self._select_rows(trial, recipe.hold_validation)
            self.stacks = recipe.stack > 1 and hasattr(self.estimator, "fit_many")
            self.shape = self._stack_shape() if self.stacks else None

    def _select_rows(
        self, trial: Trial | PreparedTrial, hold_validation: bool
    ) -> tuple[Rows | None, Callable[[], Arrays]]:
        if isinstance(trial, PreparedTrial):
            return None, lambda: trial.arrays.protected()
        rows = _assign_rows(self.problem, trial.split, self._built(), hold_validation)
        return rows, lambda: self.preparation.arrays(*rows).protected()

    def _stack_shape(self) -> tuple:
        """Shapes that are equal for all trials of a stack, with the test rows if it uses them."""
        arrays, uses_test = self.arrays(), hasattr(self.estimator, "watch")
        return *arrays.shape, len(arrays.X_test) if uses_test else None

    def train(self) -> None:
        """Train this trial alone."""
        started = time.perf_counter()
        with self._catch_failures(started), self.rng_context:
            estimator, arrays = self._built(), self.arrays()
            ensure_deterministic()
            if hasattr(estimator, "watch"):
                estimator.watch(arrays.X_test, arrays.y_test)
            started = time.perf_counter()
            estimator.fit(arrays.X_train, arrays.y_train, arrays.X_validation, arrays.y_validation)
        if self.outcome is None:
            self.finish(time.perf_counter() - started)

    def finish(self, seconds: float, error: Exception | None = None) -> None:
        """Evaluate the trained model, or record the error that ended its training."""
        with self._catch_failures(time.perf_counter() - seconds), self.rng_context:
            if error is not None:
                raise error
            self.outcome = _evaluate(self.problem, self._built(), self.arrays(), seconds)
            if self.rows is not None and "validation" in self.outcome.outputs:
                self.outcome.validation_rows = self.rows[1]

    def _built(self) -> Estimator:
        """The estimator of a trial whose factory did not fail."""
        assert self.estimator is not None
        return self.estimator

    def _catch_failures(self, started: float | None = None) -> _FailureHandler:
        return _FailureHandler(self, started or time.perf_counter())


class _FailureHandler:
    """Records a failure of the model; raises a failure of the machine as InfrastructureError."""

    def __init__(self, lane: _Lane, started: float):
        self.lane, self.started = lane, started

    def __enter__(self) -> None:
        pass

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> bool:
        if error is None or not isinstance(error, Exception) or isinstance(error, ReseedError):
            return False
        text = f"{type(error).__name__}: {error}"
        if is_infrastructure_error(error):
            raise InfrastructureError(
                f"training failed, but the model is not the cause: {text}.{self._stack_hint(text)}"
                " Correct it and run again: this trial was not recorded."
            ) from error
        if isinstance(error, ValueError) and "read-only" in text:
            text += (
                ". All trials share these arrays, which are read-only:"
                " copy an array before a change"
            )
        seconds = time.perf_counter() - self.started
        self.lane.outcome = Outcome(
            "failed",
            error=text,
            train_seconds=seconds,
            curve=getattr(self.lane.estimator, "curve_", []),
        )
        return True

    def _stack_hint(self, text: str) -> str:
        """Advice if a stack ran out of memory. Its width is never reduced: it is in the key."""
        recipe = self.lane.recipe
        if recipe.stack == 1 or "memory" not in text.lower():
            return ""
        device = "cpu" if recipe.device == "cpu" else "gpu"
        return (
            f" {recipe.stack} trials are trained in one pass; fewer need less memory: set"
            f" stack: {{{device}: {recipe.stack // 2}}} in the model's file in config/models/."
        )


def _assign_rows(
    problem: Problem, split: Split, estimator: Estimator, hold_validation: bool
) -> Rows:
    """Row numbers for training, validation and test."""
    train, validation = np.asarray(split.train), np.asarray(split.validation)
    if estimator.uses_validation:
        if len(validation) == 0:
            train, validation = hold_out(
                *(train, VALIDATION_FRACTION, problem.target, problem.task, 0, problem.groups)
            )
    elif not hold_validation:
        train, validation = np.concatenate([train, validation]).astype(np.int64), train[:0]
    return train, validation, np.asarray(split.test)


def _evaluate(problem: Problem, estimator: Estimator, arrays: Arrays, seconds: float) -> Outcome:
    outputs = {"test": _predict(problem, estimator, arrays.X_test, len(arrays.y_test))}
    extra = [problem.metric] if problem.metric else []
    scores = metrics.evaluate(problem.task, arrays.y_test, outputs["test"], extra)
    if problem.primary.name not in scores:
        raise ValueError(
            f"{problem.primary.title} is undefined on these test rows, as with one class only"
        )
    validation = {}
    if len(arrays.y_validation):
        outputs["validation"] = _predict(
            problem, estimator, arrays.X_validation, len(arrays.y_validation)
        )
        validation = metrics.evaluate(
            problem.task, arrays.y_validation, outputs["validation"], extra
        )
    return Outcome(
        status="ok",
        outputs=outputs,
        metrics=scores,
        validation_metrics=validation,
        curve=getattr(estimator, "curve_", []),
        train_seconds=seconds,
        fingerprint=compute_fingerprint(outputs["test"]),
        converged=getattr(estimator, "converged_", None),
    )


def _predict(problem: Problem, estimator: Estimator, X: Any, rows: int) -> np.ndarray:
    """Raw outputs of the estimator, as they are stored. Raises ValueError for a wrong shape."""
    outputs = as_stored_dtype(problem.task, estimator.predict(X))
    expected = (rows, problem.classes) if problem.task == "multiclass" else (rows,)
    if outputs.shape != expected:
        raise ValueError(
            f"predict gave raw outputs of shape {outputs.shape}; expected {expected} for"
            f" {rows} rows, {problem.task}"
        )
    return outputs


def compute_fingerprint(outputs: np.ndarray) -> str:
    """Return the SHA-256 of the little-endian bytes of an array in C order."""
    return hashlib.sha256(outputs.astype(outputs.dtype.newbyteorder("<")).tobytes()).hexdigest()


def _train_lanes(lanes: list[_Lane], width: int) -> Iterator[None]:
    """Train all lanes, in stacks of equal shapes or one at a time; yield after each that ends."""
    stacks: dict[Any, list[_Lane]] = {}
    for number, lane in enumerate(lanes):
        is_stacked = lane.outcome is None and lane.stacks
        stacks.setdefault(lane.shape if is_stacked else number, []).append(lane)
    for shape, members in stacks.items():
        if isinstance(shape, int):
            if members[0].outcome is None:
                members[0].train()
            yield
        else:
            yield from _train_stack(members, width)


def _train_stack(lanes: list[_Lane], width: int) -> Iterator[None]:
    """Train lanes of one shape together. Another width would change the last bits."""
    estimators, data = [lane.estimator for lane in lanes], [lane.arrays for lane in lanes]
    stacked: Any = type(estimators[0])
    try:
        for number, seconds, error in stacked.fit_many(estimators, data, width):
            lanes[number].finish(seconds, error)
            yield
    except Exception as error:
        for lane in lanes:
            if lane.outcome is None:
                lane.finish(0.0, error)
                yield


def _yield_in_order(lanes: list[_Lane], training: Iterator[None]) -> Iterator[Outcome]:
    """Yield the outcomes in the order of the lanes; train only as far as each outcome needs."""
    for lane in lanes:
        while lane.outcome is None:
            next(training)
        yield lane.outcome
