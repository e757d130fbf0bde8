"""The one door between stored per-item outputs and the analyses that read them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np
from scipy.special import logit

from reseed.analyses.shared.arms import ARM, MODEL, arm_of
from reseed.analyses.shared.data import Data, grouped
from reseed.core.random_streams import stream
from reseed.core.schemas import ARM_OUTPUT_COLUMNS, SCHEME_COLUMNS, SPLIT_COLUMNS, TEST_SET_COLUMNS
from reseed.metrics.outputs import SCORED, VALUE_TASKS
from reseed.plugins.options import Strict
from reseed.stats.trimming import clip_logit_gap

_ARM_COLUMNS = (MODEL, ARM)


def plain_metric(task: str) -> str:
    """The metric that every model of a task has beside its dataset's own, in its curves too."""
    return {"regression": "mse", SCORED: "mean"}.get(task, "accuracy")


def judged(task: str, primary: str) -> dict[str, str]:
    """Metrics by which runs of a dataset are judged: their names → those of `stats.bootstrap`."""
    plain = plain_metric(task)
    return {primary: plain} if task == SCORED else {plain: plain, primary: primary}


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
    failed: number of runs without outputs.
    """

    key: dict
    task: str
    seeds: list[tuple[int, ...]]
    probability: np.ndarray
    y_true: np.ndarray
    failed: int

    @property
    def n(self) -> int:
        """Runs that finished."""
        return len(self.seeds)

    @property
    def labels(self) -> np.ndarray:
        """Predicted classes (runs, items); ValueError where outputs are values."""
        if self.task in VALUE_TASKS:
            raise ValueError(f"{self.task}: values have no classes")
        if self.task == "multiclass":
            return self.probability.argmax(axis=2)
        return (self.probability > 0.5).astype(np.int64)

    @property
    def correct(self) -> np.ndarray:
        """Whether each prediction is right (runs, items)."""
        return self.labels == self.y_true

    @property
    def confidence(self) -> np.ndarray:
        """Probability of the predicted class (runs, items)."""
        if self.task == "multiclass":
            return self.probability.max(axis=2)
        return np.maximum(self.probability, 1 - self.probability)

    def predicted(self, metric: str) -> np.ndarray:
        """What a metric of `stats.bootstrap` compares with `y_true`.

        Of given scores only their mean is known: ValueError for any other metric.
        """
        if self.task == SCORED and metric != plain_metric(SCORED):
            raise ValueError(f"scores of items were given, and no {metric} can be told from them")
        return self.probability if metric in ("auc", "mse", "mae", "mean") else self.labels

    def gaps(self, bound: float = 15.0, outside: str = "bound") -> np.ndarray:
        """One scalar an item (runs, items), clipped: what α̂ measures.

        Binary: the logit gap [Banerjee et al., sec. II-A]. Multi-class, where the paper leaves the
        choice open (remark 1): log probability of the true class less that of the best other.
        """
        if self.task in VALUE_TASKS:
            raise ValueError(f"{self.task}: no logit gap; compare errors instead")
        with np.errstate(divide="ignore"):
            if self.task == "binary":
                return clip_logit_gap(logit(self.probability), bound, outside)
            log_p = np.log(self.probability)
        own = np.arange(self.probability.shape[2]) == self.y_true[:, None]
        best_other = np.where(own, -np.inf, log_p).max(axis=2)
        true = np.where(own, log_p, -np.inf).max(axis=2)
        # Two probabilities of exactly 0 are an undecided item, not an undefined one.
        tied = np.isneginf(true) & np.isneginf(best_other)
        return clip_logit_gap(np.where(tied, 0.0, true) - np.where(tied, 0.0, best_other), bound,
                              outside)  # fmt: skip

    def rng(self, *purpose: str) -> np.random.Generator:
        """A generator that depends on the place and the purpose alone."""
        return stream(0, "/".join([*purpose, *(str(value) for value in self.key.values())]))


def outputs(data: Data) -> Iterator[Outputs]:
    """Every arm's runs on every test set, one at a time; none where nothing was collected."""
    for group in data.predictions.groups() if data.predictions is not None else []:
        task = data.info.datasets[group.key["dataset"]].task
        key = {name: group.key.get(name) for name in ARM_OUTPUT_COLUMNS} | {ARM: arm_of(group.key)}
        y_true = group.y_true if task in VALUE_TASKS else group.y_true.astype(np.int64)
        yield Outputs(key, task, group.seeds, group.scores, y_true, group.failed)


def selected(data: Data, options: SplitOptions) -> list[Outputs]:
    """All arms' runs on the splits that `SplitOptions` ask for."""
    found = list(outputs(data))
    return found if options.splits == "all" else first_splits(found)


def first_splits(found: list[Outputs]) -> list[Outputs]:
    """Those on the first split, by data seed, repeat and fold, that all arms have.

    Of each experiment and dataset; where its arms share no split, the first of each arm.
    """
    chosen = []
    for place in grouped(found, SCHEME_COLUMNS).values():
        arms = [grouped(own, SPLIT_COLUMNS) for own in grouped(place, _ARM_COLUMNS).values()]
        shared = set.intersection(*map(set, arms))
        chosen += [one for own in arms for one in own[min(shared or own)]]
    return chosen


def side_by_side(found: list[Outputs]) -> Iterator[list[Outputs]]:
    """Lists of the arms that share experiment, dataset and split, in order of appearance."""
    yield from grouped(found, TEST_SET_COLUMNS).values()


def apart(found: list[Outputs]) -> Iterator[list[Outputs]]:
    """Two arms of an experiment and dataset that share no split, pair by pair."""
    for place in grouped(found, SCHEME_COLUMNS).values():
        for a, b in combinations(grouped(place, _ARM_COLUMNS).values(), 2):
            if not grouped(a, SPLIT_COLUMNS).keys() & grouped(b, SPLIT_COLUMNS).keys():
                yield [a[0], b[0]]


def shared_rows(a: Outputs, b: Outputs) -> tuple[list[int], list[int]] | None:
    """Rows of the runs whose seeds both arms have; None if fewer than half of either side's are."""
    place = {seeds: row for row, seeds in enumerate(b.seeds)}
    rows = [(i, place[seeds]) for i, seeds in enumerate(a.seeds) if seeds in place]
    if len(rows) < max(2, min(a.n, b.n) / 2):
        return None
    return [i for i, _ in rows], [j for _, j in rows]
