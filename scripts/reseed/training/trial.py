"""One trial: prepare the split, train, predict, evaluate; a failure is an outcome, not a crash."""

from __future__ import annotations

import hashlib
import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import GroupShuffleSplit, train_test_split

from reseed import metrics, seeds
from reseed.models.registry import Estimator, Factory, build
from reseed.training.preprocessing import Arrays, PreparationCache

#: Share of the training rows held out for early stopping where a split has no validation rows.
VALIDATION_FRACTION = 0.2


@dataclass
class Outcome:
    """What a trial gave.

    ``status`` is ``ok`` or ``failed`` (then ``error`` says why and nothing else is set but the
    time). ``fingerprint``: SHA-256 of the predictions' bytes, equal if and only if they are.
    """

    status: str
    error: str | None = None
    metrics: dict[str, float] = field(default_factory=dict)
    y_score: np.ndarray | None = None
    curve: list[dict[str, float]] = field(default_factory=list)
    train_seconds: float = 0.0
    fingerprint: str | None = None


def run_trial(
    features: pd.DataFrame,
    target: np.ndarray,
    features_meta: list[dict],
    task: str,
    n_classes: int,
    train: np.ndarray,
    validation: np.ndarray,
    test: np.ndarray,
    factory: Factory,
    hyperparameters: dict[str, Any],
    seeds: dict[str, int],
    device: str = "cpu",
    threads: int = 1,
    scaling: str = "training_rows",
    cache: PreparationCache | None = None,
) -> Outcome:
    """Train and evaluate once; ``train``, ``validation``, ``test`` are row numbers.

    A model that does not use validation rows is trained on them too. One that needs them but is
    given none holds out `VALIDATION_FRACTION` of its training rows; which ones does not depend
    on the model's seeds. Any exception gives a failed outcome; KeyboardInterrupt and SystemExit
    pass. Give one ``cache`` to many trials of one split to prepare its rows once.
    """
    started = time.perf_counter()
    try:
        estimator = build(factory, task, n_classes, hyperparameters, seeds, device, threads)
        if not estimator.uses_validation:
            train, validation = np.concatenate([train, validation]).astype(np.int64), train[:0]
        elif len(validation) == 0:
            train, validation = hold_out(train, VALIDATION_FRACTION, target, task, seed=0)
        arrays = (cache or PreparationCache()).prepare(
            features, target, features_meta, train, validation, test, scaling
        )
        return train_and_evaluate(estimator, arrays, task)
    except Exception as error:
        return failed(error, time.perf_counter() - started)


def train_and_evaluate(estimator: Estimator, arrays: Arrays, task: str) -> Outcome:
    """Train an estimator on prepared rows and evaluate it on the test rows; may raise."""
    started = time.perf_counter()
    estimator.fit(arrays.X_train, arrays.y_train, arrays.X_validation, arrays.y_validation)
    seconds = time.perf_counter() - started
    y_score = np.ascontiguousarray(estimator.predict_score(arrays.X_test), dtype=np.float64)
    return Outcome(
        status="ok",
        metrics=metrics.evaluate(task, arrays.y_test, y_score),
        y_score=y_score,
        curve=estimator.curve_,
        train_seconds=seconds,
        fingerprint=fingerprint(y_score),
    )


def fingerprint(y_score: np.ndarray) -> str:
    """Return the SHA-256 of an array's raw float64 bytes in C order."""
    return hashlib.sha256(np.ascontiguousarray(y_score, dtype=np.float64).tobytes()).hexdigest()


def failed(error: Exception, seconds: float) -> Outcome:
    """Return the outcome of a trial that raised."""
    return Outcome("failed", error=f"{type(error).__name__}: {error}", train_seconds=seconds)


def hold_out(
    rows: np.ndarray,
    size: float | int,
    target: np.ndarray,
    task: str,
    seed: int,
    groups: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Split row numbers into (kept, held out), ``size`` being a share or a number of rows.

    Stratified for classification where each class has two rows; whole groups if ``groups``
    (one label a table row) are given, where ``size`` then counts groups.
    """
    random_state = seeds.integer(seed, "hold out")
    if groups is not None:
        splitter = GroupShuffleSplit(1, test_size=size, random_state=random_state)
        kept, held = next(splitter.split(rows, groups=groups[rows]))
        return rows[kept], rows[held]
    labels = target[rows] if task != "regression" else None
    if labels is not None and np.unique(labels, return_counts=True)[1].min() < 2:
        labels = None
    kept, held = train_test_split(rows, test_size=size, random_state=random_state, stratify=labels)
    return kept, held
