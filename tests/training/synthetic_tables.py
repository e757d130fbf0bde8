"""Small synthetic problems, learnable by every model."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from reseed.core.coordinates import ROLES
from reseed.training.run import Outcome, Problem, Recipe, Trial, run_trials


class Table:
    """The smallest inputs of kind table: a frame."""

    def __init__(self, frame: pd.DataFrame):
        self.frame = frame

    def __len__(self):
        return len(self.frame)

    def take(self, rows):
        return self.frame.iloc[rows]


class Plain:
    """Inputs of a kind that has no encoder: an array, or a list of texts."""

    def __init__(self, values):
        self.values = values

    def __len__(self):
        return len(self.values)

    def take(self, rows):
        if isinstance(self.values, list):
            return [self.values[row] for row in rows]
        return self.values[rows]


@dataclass(frozen=True)
class Rows:
    """A split."""

    train: np.ndarray
    validation: np.ndarray
    test: np.ndarray


def table(task: str, rows: int = 400):
    """Return features, target, meta, number of classes."""
    rng = np.random.default_rng(0)
    X = rng.random((rows, 4))
    signal = 3 * X[:, 0] + np.sin(6 * X[:, 1]) + X[:, 2] * X[:, 3]
    noisy = signal + 0.1 * rng.normal(size=rows)
    features = pd.DataFrame(X, columns=list("abcd"))
    meta = [{"name": c, "kind": "numeric"} for c in features]
    if task == "regression":
        return features, 1000 + 50 * noisy, meta, 0
    classes = 2 if task == "binary" else 3
    edges = np.quantile(noisy, np.arange(1, classes) / classes)
    return features, np.digitize(noisy, edges), meta, classes


def problem(task: str, rows: int = 400, **changes) -> Problem:
    features, target, meta, classes = table(task, rows)
    fields = {"inputs": Table(features), "target": target, "task": task, "classes": classes}
    return Problem(**(fields | {"features": meta} | changes))


def split(seed: int = 1, rows: int = 400) -> Rows:
    """60 % of the rows train, 20 % validate, 20 % test."""
    order = np.random.default_rng(seed).permutation(rows)
    return Rows(*np.split(order, [rows * 6 // 10, rows * 8 // 10]))


def same_seeds(seed: int) -> dict[str, int]:
    return dict.fromkeys(ROLES, seed)


def trial(seed: int = 0, data_seed: int = 1, rows: int = 400, **roles) -> Trial:
    return Trial(split(data_seed, rows), same_seeds(seed) | roles)


def run_one(task: str, recipe: Recipe, a_trial: Trial | None = None, **changes) -> Outcome:
    (outcome,) = run_trials(problem(task, **changes), recipe, [a_trial or trial()])
    return outcome


class Spy:
    """Records the rows it is given; predicts by a function."""

    def __init__(self, uses_validation=False, predict=lambda X: X[:, 0]):
        self.uses_validation, self.predict = uses_validation, predict

    def fit(self, X, y, X_validation=None, y_validation=None):
        self.y, self.y_validation = y, y_validation
