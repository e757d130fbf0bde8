"""Tests of two models over seeds and test items, for the pairs of a group that share a test set."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from reseed.comparison.claims.designs import match_seeds
from reseed.core.schemas import SCHEME_COLUMNS, SPLIT_COLUMNS
from reseed.report.analyses.shared.arms import ARM
from reseed.report.analyses.shared.data import Data, group_by_key, key_values
from reseed.report.analyses.shared.outputs import (
    Outputs,
    metrics_of_task,
    read_outputs,
)
from reseed.report.analyses.shared.pairing import ModelGroup, Pairing
from reseed.stats.bootstrap import WEIGHTED_METRICS
from reseed.stats.crossed_comparison import item_values
from reseed.stats.item_model import Factor, ItemDifference, item_difference


class ItemTests:
    """Compares models over seeds and items where their outputs of items are known.

    The outputs are read when a pair first needs them.
    """

    def __init__(self, data: Data):
        self._data = data
        self._values: dict[tuple[int, str], np.ndarray] = {}

    @cached_property
    def _outputs(self) -> dict[tuple, list[Outputs]]:
        return group_by_key(list(read_outputs(self._data)), [*SCHEME_COLUMNS, ARM])

    def compare(
        self, group: ModelGroup, a: str, b: str, pairing: Pairing, level: float
    ) -> tuple[ItemDifference, int] | None:
        """The test of model `a` − `b` (positive: A is better), and the number of items.

        None unless both models have two runs or more with outputs of items on one common split,
        the runs are those of `pairing`, and the metric has contributions of items.
        """
        if self._data.predictions is None or pairing.n < 2:
            return None
        found = self._on_common_split(group, a, b)
        if found is None:
            return None
        first, second = found
        metric = metrics_of_task(first.task, group.metric).get(group.metric)
        if metric not in WEIGHTED_METRICS:
            return None
        rows, is_shared = match_seeds(first.seeds, second.seeds, own=not pairing.is_paired)
        if [len(one) for one in rows] != [len(pairing.a), len(pairing.b)]:
            return None
        if len(first.y_true) < 2:
            return None
        values, others = (
            group.sign * self._item_values(one, metric)[chosen]
            for one, chosen in zip(found, rows, strict=True)
        )
        test = item_difference(values, others, [Factor("seed", is_shared)], level=level)
        return test, len(first.y_true)

    def _on_common_split(self, group: ModelGroup, a: str, b: str) -> tuple[Outputs, Outputs] | None:
        """Outputs of both models on the one split that they share; None for any other number."""
        place = key_values(group.key, SCHEME_COLUMNS)
        first, second = (
            {key_values(one.key, SPLIT_COLUMNS): one for one in found if one.n}
            for found in (self._outputs.get((*place, arm), []) for arm in (a, b))
        )
        common = first.keys() & second.keys()
        if len(common) != 1:
            return None
        (split,) = common
        return first[split], second[split]

    def _item_values(self, one: Outputs, metric: str) -> np.ndarray:
        """(runs, items) contributions to the metric, computed once for each model."""
        key = id(one), metric
        if key not in self._values:
            predicted = one.predictions_for(metric)
            self._values[key] = item_values(metric, one.y_true, predicted)
        return self._values[key]
