"""The one function that trains: a problem, a recipe and trials give one outcome a trial.

Images, texts and tables, one seed or many at once, train here and nowhere else. A failure of the
model is an outcome; a failure of the machine is raised, so that nobody records it.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from reseed.core.errors import ReseedError
from reseed.core.random_streams import GlobalGenerators, ensure_deterministic
from reseed.metrics import registry as metrics
from reseed.metrics.outputs import as_stored_dtype
from reseed.models.registry import Estimator, build_estimator, load_factory
from reseed.training.encoder import Arrays, Preparation
from reseed.training.holdout import VALIDATION_FRACTION, hold_out

#: What libraries say of the machine in errors of any type, in small letters.
_SIGNS = (
    *("out of memory", "allocate memory", "no space left on device", "too many open files"),
    *("cuda error", "cuda unknown error", "cuda driver", "nvidia driver", "no cuda gpus"),
    *("cudnn_status_not_initialized", "cudnn_status_alloc", "cudnn_status_internal"),
    *("killed by signal", "exited unexpectedly"),
)
#: How many widths of a stack are looked over at once for trials of equal shapes.
STACKS_AHEAD = 8


@dataclass(frozen=True, eq=False)
class Problem:
    """What is learnt.

    ``inputs``: ``len`` and ``take(rows)`` (`reseed.data`). ``target`` (n,): values or class
    numbers. ``groups`` (n,) or None. ``classes``: their number, 0 for regression. ``features``:
    the columns of a table, None for images and texts. ``metric``: the primary metric's name.
    """

    inputs: Any
    target: np.ndarray
    task: str
    classes: int = 0
    groups: np.ndarray | None = None
    features: list[dict] | None = None
    metric: str | None = None

    @property
    def primary(self) -> metrics.Metric:
        """The metric by which models are compared: the named one, or the task's usual one."""
        return metrics.get_metric(self.metric) if self.metric else metrics.default_metric(self.task)


@dataclass(frozen=True)
class Recipe:
    """How it is learnt.

    ``factory``: ``module:function``. ``stack``: trials a pass where the model can train several
    (1: one by one). ``weights``: folder of pretrained weights. ``compute``: options of how to
    compute, for factories that take them. ``hold_validation``: a model that does not need the
    validation rows is not trained on them either, so that it has validation scores.
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


@dataclass(frozen=True, eq=False)
class Trial:
    """A split (`train`, `validation`, `test`: row numbers) and one seed a role."""

    split: Any
    seeds: dict[str, int]


@dataclass(frozen=True, eq=False)
class PreparedTrial:
    """A trial whose rows are ready for the model, and one seed a role."""

    arrays: Arrays
    seeds: dict[str, int]


@dataclass
class Outcome:
    """What a trial gave.

    ``status`` is ``ok`` or ``failed`` (then ``error`` says why). ``outputs``: raw outputs
    (see `reseed.metrics.outputs.as_stored_dtype`) of ``test`` and, where rows were held out,
    ``validation``, whose row numbers are ``validation_rows``. ``fingerprint``: SHA-256 of
    the test outputs' bytes.
    ``converged``: whether training settled before its limit; None where it has no limit.
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


class InfrastructureError(ReseedError):
    """Training failed for want of memory, a package, a file or a device, not by its own doing.

    It says nothing about the model, so it is never an outcome: the trial is tried again.
    """


def run_trials(
    problem: Problem, recipe: Recipe, trials: Sequence[Trial | PreparedTrial]
) -> Iterator[Outcome]:
    """Train and evaluate each trial; yield one outcome a trial, in their order.

    A model that does not use validation rows is trained on them too, unless the recipe holds
    them. One that needs them but is given none holds out `VALIDATION_FRACTION` of its training
    rows (whole groups); which ones depends on the split alone. Raises `InfrastructureError`, and
    ReseedError for a factory that cannot be loaded or that returns no estimator.
    """
    ensure_deterministic()
    factory = load_factory(recipe.factory)
    preparation = Preparation(problem.inputs, problem.target, problem.features, recipe.encoder)
    # One by one, a trial is done with before the next one's factory is even called.
    window = STACKS_AHEAD * recipe.stack if recipe.stack > 1 else 1
    for start in range(0, len(trials), window):
        lanes = [_Lane(problem, recipe, factory, preparation, t) for t in trials[start:][:window]]
        yield from _in_order(lanes, _passes(lanes, recipe.stack))


class _Lane:
    """One trial on its way: its estimator, its rows, and its outcome once it has one."""

    def __init__(
        self,
        problem: Problem,
        recipe: Recipe,
        factory: Callable[..., Any],
        preparation: Preparation,
        trial: Trial,
    ):
        self.problem, self.recipe, self.preparation = problem, recipe, preparation
        self.outcome: Outcome | None = None
        self.estimator: Estimator | None = None
        self.chance = GlobalGenerators(trial.seeds)
        with self._failures(), self.chance:
            self.estimator = build_estimator(
                *(factory, problem.task, problem.classes, recipe.hyperparameters, trial.seeds),
                *(recipe.device, recipe.threads),
                weights=recipe.weights,
                compute=recipe.compute,
            )
            self.rows, self.arrays = self._inputs(trial, recipe.hold_validation)
            self.stacks = recipe.stack > 1 and hasattr(self.estimator, "fit_many")
            self.shape = self._shape() if self.stacks else None

    def _inputs(self, trial: Trial | PreparedTrial, hold_validation: bool) -> tuple:
        if isinstance(trial, PreparedTrial):
            return None, lambda: trial.arrays.guarded()
        rows = _rows(self.problem, trial.split, self.estimator, hold_validation)
        return rows, lambda: self.preparation.arrays(*rows).guarded()

    def _shape(self) -> tuple:
        """What must agree in a stack; a model that watches its test rows needs as many of them."""
        arrays, watching = self.arrays(), hasattr(self.estimator, "watch")
        return *arrays.shape, len(arrays.X_test) if watching else None

    def train(self) -> None:
        """Train this lane alone."""
        started = time.perf_counter()
        with self._failures(started), self.chance:
            arrays = self.arrays()
            ensure_deterministic()
            if hasattr(self.estimator, "watch"):
                self.estimator.watch(arrays.X_test, arrays.y_test)
            started = time.perf_counter()
            self.estimator.fit(
                arrays.X_train, arrays.y_train, arrays.X_validation, arrays.y_validation
            )
        if self.outcome is None:
            self.finish(time.perf_counter() - started)

    def finish(self, seconds: float, error: Exception | None = None) -> None:
        """Evaluate what was trained, or take note of what ended it."""
        with self._failures(time.perf_counter() - seconds), self.chance:
            if error is not None:
                raise error
            self.outcome = _evaluate(self.problem, self.estimator, self.arrays(), seconds)
            if self.rows is not None and "validation" in self.outcome.outputs:
                self.outcome.validation_rows = self.rows[1]

    def _failures(self, started: float | None = None) -> _Failures:
        return _Failures(self, started or time.perf_counter())


class _Failures:
    """A model's own failure ends its lane; the machine's is raised as `InfrastructureError`."""

    def __init__(self, lane: _Lane, started: float):
        self.lane, self.started = lane, started

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind, error, traceback) -> bool:
        if error is None or not isinstance(error, Exception) or isinstance(error, ReseedError):
            return False
        text = f"{type(error).__name__}: {error}"
        if is_infrastructure_error(error):
            raise InfrastructureError(
                f"training failed for a reason that is not the model's: {text}."
                f"{self._narrower(text)} Mend it and run again: nothing of this trial was recorded."
            ) from error
        if isinstance(error, ValueError) and "read-only" in text:
            text += ". Reseed hands every seed the same arrays, read-only: copy what you change"
        seconds = time.perf_counter() - self.started
        self.lane.outcome = Outcome(
            "failed",
            error=text,
            train_seconds=seconds,
            curve=getattr(self.lane.estimator, "curve_", []),
        )
        return True

    def _narrower(self, text: str) -> str:
        """What helps where a stack's memory ran out: its width is the user's, and in the key."""
        recipe = self.lane.recipe
        if recipe.stack == 1 or "memory" not in text.lower():
            return ""
        device = "cpu" if recipe.device == "cpu" else "gpu"
        return (
            f" {recipe.stack} trials are trained side by side; fewer need less memory: set"
            f" stack: {{{device}: {recipe.stack // 2}}} in the model's file in config/models/."
        )


def is_infrastructure_error(error: BaseException) -> bool:
    """Whether an error is the machine's (memory, device, package, file) and not the model's.

    An error that was being handled when this one was raised counts too, unless it is of a package
    or a file: a model may look for one and go on without it.
    """
    handled = False
    while error is not None:
        text = str(error).lower()
        if isinstance(error, (MemoryError, BrokenExecutor)) or any(s in text for s in _SIGNS):
            return True
        if isinstance(error, (ImportError, OSError)) and not handled:
            return True
        handled = handled or error.__cause__ is None
        error = error.__cause__ or error.__context__
    return False


def _rows(problem: Problem, split: Any, estimator: Estimator, hold_validation: bool) -> tuple:
    train, validation = np.asarray(split.train), np.asarray(split.validation)
    if estimator.uses_validation:
        if len(validation) == 0:
            train, validation = hold_out(
                *(train, VALIDATION_FRACTION, problem.target, problem.task, 0, problem.groups)
            )
    elif not hold_validation:
        train, validation = np.concatenate([train, validation]).astype(np.int64), train[:0]
    return train, validation, np.asarray(split.test)


def _evaluate(problem: Problem, estimator: Any, arrays: Arrays, seconds: float) -> Outcome:
    outputs = {"test": _raw_outputs(problem, estimator, arrays.X_test, len(arrays.y_test))}
    extra = [problem.metric] if problem.metric else []
    scores = metrics.evaluate(problem.task, arrays.y_test, outputs["test"], extra)
    if problem.primary.name not in scores:
        raise ValueError(
            f"{problem.primary.title} does not exist on these test rows, as with one class only"
        )
    validation = {}
    if len(arrays.y_validation):
        outputs["validation"] = _raw_outputs(
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


def _raw_outputs(problem: Problem, estimator: Any, X: Any, rows: int) -> np.ndarray:
    """What the estimator predicts, as a trial keeps it; ValueError for a shape not promised."""
    found = as_stored_dtype(problem.task, estimator.predict(X))
    expected = (rows, problem.classes) if problem.task == "multiclass" else (rows,)
    if found.shape != expected:
        raise ValueError(
            f"predict gave raw outputs of shape {found.shape}; {expected} is expected of"
            f" {rows} rows, {problem.task}"
        )
    return found


def compute_fingerprint(outputs: np.ndarray) -> str:
    """Return the SHA-256 of an array's raw little-endian bytes in C order."""
    return hashlib.sha256(outputs.astype(outputs.dtype.newbyteorder("<")).tobytes()).hexdigest()


def _passes(lanes: list[_Lane], width: int) -> Iterator[None]:
    """Train all lanes, in stacks of equal shapes or one by one; pause after each that ends."""
    stacks: dict[Any, list[_Lane]] = {}
    for number, lane in enumerate(lanes):
        together = lane.outcome is None and lane.stacks
        stacks.setdefault(lane.shape if together else number, []).append(lane)
    for shape, members in stacks.items():
        if isinstance(shape, int):
            if members[0].outcome is None:
                members[0].train()
            yield
        else:
            yield from _stack(members, width)


def _stack(lanes: list[_Lane], width: int) -> Iterator[None]:
    """Train lanes of one shape together, at this width alone: another one has other last bits."""
    estimators, data = [lane.estimator for lane in lanes], [lane.arrays for lane in lanes]
    try:
        for number, seconds, error in type(estimators[0]).fit_many(estimators, data, width):
            lanes[number].finish(seconds, error)
            yield
    except Exception as error:
        for lane in lanes:
            if lane.outcome is None:
                lane.finish(0.0, error)
                yield


def _in_order(lanes: list[_Lane], passes: Iterator[None]) -> Iterator[Outcome]:
    """Yield the lanes' outcomes in order, training no further than each needs."""
    for lane in lanes:
        while lane.outcome is None:
            next(passes)
        yield lane.outcome
