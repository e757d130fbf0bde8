"""Per-item outputs of arms on test sets, as analyses use them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np

from reseed.analyses.shared.arms import ARM, MODEL, get_arm
from reseed.analyses.shared.data import Data, group_by_key
from reseed.core.random_streams import stream
from reseed.core.schemas import (
    ARM_OUTPUT_COLUMNS,
    SCHEME_COLUMNS,
    SPLIT_COLUMNS,
    TEST_SET_COLUMNS,
    Row,
)
from reseed.metrics.outputs import SCORED, VALUE_TASKS
from reseed.plugins.options import Strict

_ARM_COLUMNS = (MODEL, ARM)


def default_metric(task: str | None) -> str:
    """The metric that is computed for every model of a task; training curves use it too."""
    return {"regression": "mse", SCORED: "mean"}.get(task or "", "accuracy")


def metrics_of_task(task: str | None, primary: str) -> dict[str, str]:
    """The default metric of a task and the primary one: name → name in `stats.bootstrap`."""
    default = default_metric(task)
    return {primary: default} if task == SCORED else {default: default, primary: primary}


class SplitOptions(Strict):
    """splits: `first` (the first split of a dataset that all arms have) or `all`."""

    splits: Literal["first", "all"] = "first"


@dataclass(frozen=True)
class Outputs:
    """One arm's finished runs on one test set.

    key: values of `ARM_OUTPUT_COLUMNS`.
    seeds: one tuple (init, order, dropout, augment) a run.
    probability: (runs, items) of class 1, or (runs, items, classes) of every class; of a
        regression the predicted values, of scored items the scores.
    y_true: (items,) classes as integers, or target values.
    clusters: (items,) code of the cluster of each item, if there are some.
    failed: number of runs without outputs.
    """

    key: Row
    task: str | None
    seeds: list[tuple[int, ...]]
    probability: np.ndarray
    y_true: np.ndarray
    failed: int
    clusters: np.ndarray | None = None

    @property
    def n(self) -> int:
        """Runs that finished."""
        return len(self.seeds)

    @property
    def labels(self) -> np.ndarray:
        """Predicted classes (runs, items). Raises ValueError if outputs are values."""
        if self.task in VALUE_TASKS:
            raise ValueError(f"{self.task}: values have no classes")
        if self.task == "multiclass":
            return self.probability.argmax(axis=2)
        return (self.probability > 0.5).astype(np.int64)

    @property
    def correct(self) -> np.ndarray:
        """Whether each prediction is correct (runs, items)."""
        return self.labels == self.y_true

    @property
    def confidence(self) -> np.ndarray:
        """Probability of the predicted class (runs, items)."""
        if self.task == "multiclass":
            return self.probability.max(axis=2)
        return np.maximum(self.probability, 1 - self.probability)

    def predictions_for(self, metric: str) -> np.ndarray:
        """The predictions that a metric of `stats.bootstrap` compares with `y_true`.

        Raises ValueError for a metric other than the mean of scored items.
        """
        if self.task == SCORED and metric != default_metric(SCORED):
            raise ValueError(
                f"items have scores but no predictions, so {metric} cannot be computed"
            )
        return self.probability if metric in ("auc", "mse", "mae", "mean") else self.labels

    def rng(self, *purpose: str) -> np.random.Generator:
        """A generator that depends on the key and the purpose only."""
        return stream(0, "/".join([*purpose, *(str(value) for value in self.key.values())]))


def read_outputs(data: Data) -> Iterator[Outputs]:
    """Every arm's runs on every test set, one at a time; nothing if none were collected."""
    for group in data.predictions.read_groups() if data.predictions is not None else []:
        task = data.info.datasets[group.key["dataset"]].task
        key = {name: group.key.get(name) for name in ARM_OUTPUT_COLUMNS} | {ARM: get_arm(group.key)}
        y_true = group.y_true if task in VALUE_TASKS else group.y_true.astype(np.int64)
        yield Outputs(key, task, group.seeds, group.scores, y_true, group.failed, group.clusters)


def select_outputs(data: Data, options: SplitOptions) -> list[Outputs]:
    """All arms' runs on the splits that `SplitOptions` selects."""
    outputs = list(read_outputs(data))
    return outputs if options.splits == "all" else keep_first_splits(outputs)


def keep_first_splits(outputs: list[Outputs]) -> list[Outputs]:
    """Outputs on the first split (data seed, repeat, fold) that all arms have.

    For each experiment and dataset. If its arms share no split, the first split of each arm.
    """
    first = []
    for on_scheme in group_by_key(outputs, SCHEME_COLUMNS).values():
        by_arm = group_by_key(on_scheme, _ARM_COLUMNS).values()
        by_split = [group_by_key(arm, SPLIT_COLUMNS) for arm in by_arm]
        shared = set.intersection(*map(set, by_split))
        first += [one for splits in by_split for one in splits[min(shared or splits)]]
    return first


def group_by_test_set(outputs: list[Outputs]) -> Iterator[list[Outputs]]:
    """Lists of the arms that share experiment, dataset and split, in order of appearance."""
    yield from group_by_key(outputs, TEST_SET_COLUMNS).values()


def pair_disjoint_arms(outputs: list[Outputs]) -> Iterator[list[Outputs]]:
    """Pairs of arms of an experiment and dataset that share no split."""
    for on_scheme in group_by_key(outputs, SCHEME_COLUMNS).values():
        for a, b in combinations(group_by_key(on_scheme, _ARM_COLUMNS).values(), 2):
            if not group_by_key(a, SPLIT_COLUMNS).keys() & group_by_key(b, SPLIT_COLUMNS).keys():
                yield [a[0], b[0]]
