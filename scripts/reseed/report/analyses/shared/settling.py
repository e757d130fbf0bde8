"""Where each pair of models stops: the rule of `stopping`, and of training until settled.

Both judge pairs here, so that a finished experiment shows the stops at which its training ended. A
stop depends on the runs up to it alone: later runs of an arm, for other pairs, do not move it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import pandas as pd

from reseed.core.study_info import DatasetInfo, ExperimentInfo, UntilInfo, build_study_info
from reseed.report.analyses.shared.data import Data
from reseed.report.analyses.shared.equivalence import rope_by_metric
from reseed.report.analyses.shared.pairing import (
    ModelGroup,
    Pairing,
    group_models,
    pair_by_seed,
    pair_models,
)
from reseed.stats.comparison import differences
from reseed.stats.sequential import Stop, stopping_point

#: Designs of which runs may be added one by one, and what is known of the error rate then.
GUARANTEES = {
    "seeds": "one split, independent seeds",
    "unpaired": "one split, independent seeds of each",
    "splits": "splits that overlap are not independent: no guarantee holds",
}


class Rule(Protocol):
    """When a pair stops: `stats.sequential.stopping_point`, with α over the pairs of a dataset."""

    @property
    def alpha(self) -> float:
        """Probability of ever stopping with a wrong claim on any pair of a dataset."""

    @property
    def scale(self) -> float:
        """Prior SD of the standardised difference."""

    @property
    def rope(self) -> float | dict[str, float] | None:
        """Half-width of practical equivalence, in units of the score; by metric if several."""

    @property
    def half_width(self) -> float | None:
        """Half-width of a sufficiently narrow interval, in units of the score."""


@dataclass(frozen=True)
class JudgedPair:
    """A pair of models and its stop.

    a, b: the models; `a` has the better mean over all runs.
    differences: (n,) by run, positive where `a` is better.
    pairs: pairs of the dataset.
    """

    group: ModelGroup
    a: str
    b: str
    design: str
    differences: np.ndarray
    rule: Rule
    rope: float | None
    pairs: int
    stop: Stop

    @property
    def alpha(self) -> float:
        """Error probability of this pair."""
        return self.rule.alpha / self.pairs


def judge_experiment(
    metrics: pd.DataFrame, name: str, rule: UntilInfo, datasets: Mapping[str, DatasetInfo]
) -> Iterator[JudgedPair]:
    """The pairs of an experiment that trains in rounds, after any of them.

    metrics: one row a trial that was needed so far. name: of the experiment.
    """
    info = build_study_info({name: ExperimentInfo(until=rule)}, datasets)
    return judge_pairs(Data(metrics, info), rule)


def judge_pairs(data: Data, rule: Rule) -> Iterator[JudgedPair]:
    """Every pair of models with two runs or more.

    An experiment that trains until settled has its own rule. Its pairs are compared on the seeds
    that both models finished, and the number of pairs is that of the plan.

    rule: of other experiments.
    """
    until = {name: facts.until for name, facts in data.info.experiments.items() if facts.until}
    rules: dict[str, Rule] = {"": rule, **until}
    groups: dict[str, list[ModelGroup]] = {}
    for group in group_models(data):
        name = group.key["experiment"]
        groups.setdefault(name if name in until else "", []).append(group)
    for name, members in groups.items():
        options = rules[name]
        ropes = rope_by_metric(options.rope, {one.metric: one.factor for one in members})
        for group in members:
            yield from _judge_group(group, options, ropes.get(group.metric), bool(name))


def _judge_group(
    group: ModelGroup, options: Rule, rope: float | None, in_rounds: bool
) -> Iterator[JudgedPair]:
    pairings = pair_by_seed(group) if in_rounds else pair_models(group)
    known = [pair for pair in pairings if _is_judged(pair[2])]
    pairs = len(pairings if in_rounds else known)
    for a, b, pairing in known:
        d = group.sign * differences(pairing.a[: pairing.n], pairing.b[: pairing.n])
        stop = stopping_point(
            d, options.alpha / pairs, options.scale, half_width=options.half_width, rope=rope
        )
        yield JudgedPair(group, a, b, pairing.design, d, options, rope, pairs, stop)


def _is_judged(pairing: Pairing) -> bool:
    return pairing.design in GUARANTEES and pairing.n > 1
