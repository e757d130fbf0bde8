"""`reseed.study(until=…)`: trains in rounds until every pair of models is settled."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Any, Protocol

import pandas as pd
from pydantic import ValidationError

from reseed.config.until import Until
from reseed.config.validation_messages import format_validation_errors
from reseed.core.errors import ReseedError
from reseed.core.study_info import DatasetInfo, UntilInfo
from reseed.planning.seed_grid import round_borders
from reseed.report.analyses.shared.settling import judge_experiment
from reseed.session.models import Model
from reseed.session.tables import DATASET, EXPERIMENT, TrialKey
from reseed.training.run import Outcome

_OUTCOMES = dict[TrialKey, Outcome]


class Train(Protocol):
    """`session.training.Trainer.train`."""

    def __call__(
        self, models: list[Model], *, seeds: list[int], known_random: set[Model]
    ) -> _OUTCOMES:
        """Train the models under the seeds."""


@dataclass(frozen=True)
class Rounds:
    """Outcomes, and the seeds of each model that were needed."""

    trained: _OUTCOMES
    seeds: dict[Model, list[int]]


def read_rule(until: object, conflicts: Mapping[str, object]) -> Until | None:
    """The rule that `until` names.

    conflicts: arguments that have no meaning beside it; those that are not empty are refused.

    Raises ReseedError.
    """
    if until is None:
        return None
    given = [name for name, value in conflicts.items() if value]
    if given:
        raise ReseedError(
            f"{given[0]}: with `until`, every pair is judged by the rule of `until`. Leave "
            f"{given[0]} out, or give it there, as in until={{'rope': 0.01}} (first, batch, alpha, "
            "scale, rope, half_width)"
        )
    fields: Any = {} if until == "settled" else until
    if not isinstance(fields, Mapping):
        raise ReseedError(f"until: give 'settled' or a dict of its options, not {until!r}")
    try:
        return Until.model_validate(dict(fields))
    except ValidationError as error:
        raise ReseedError(" ".join(format_validation_errors(Until, error, "until: "))) from None


def refuse_splits(splits: int) -> None:
    """Raise ReseedError for a design with several splits."""
    if splits > 1:
        raise ReseedError(
            f"splits: {splits} splits of one table overlap, so their scores are not independent, "
            "and `until` is not valid. Give one split (splits=1), or a test set: "
            "test=(X_test, y_test)"
        )


def train_in_rounds(
    models: list[Model],
    seeds: list[int],
    until: Until,
    train: Train,
    find_open: Callable[[Rounds], list[Model]],
) -> Rounds:
    """Train the first round, then the models of open pairs, at most all seeds.

    Seeds are taken in the order of their numbers, as pairs are compared. A model whose results do
    not depend on the seed is trained in the first round only.

    find_open: returns the models of open pairs.
    """
    numbers, needed = sorted(seeds), models
    done = Rounds({}, {model: [] for model in models})
    for start, stop in pairwise(round_borders(len(numbers), until)):
        part = numbers[start:stop]
        random = {model for model, _, seed in done.trained if seed != numbers[0]}
        training = [model for model in needed if start == 0 or model in random]
        if training:
            done.trained.update(train(training, seeds=part, known_random=random))
        for model in needed:
            done.seeds[model].extend(part)
        needed = find_open(done)
        if not needed:
            break
    return done


def find_open_models(
    metrics: pd.DataFrame, models: list[Model], dataset: DatasetInfo, until: Until
) -> list[Model]:
    """Models of pairs that are not settled. metrics: one row a training."""
    judged = judge_experiment(metrics, EXPERIMENT, describe_rule(until), {DATASET: dataset})
    settled = {frozenset((pair.a, pair.b)) for pair in judged if pair.stop.n is not None}
    names = combinations([model.name for model in models], 2)
    still_open = {name for pair in names if frozenset(pair) not in settled for name in pair}
    return [model for model in models if model.name in still_open]


def describe_rule(until: Until, maximum: int | None = None) -> UntilInfo:
    """The rule as facts of a study. maximum: number of seeds."""
    return UntilInfo(maximum=maximum, **until.model_dump())


def describe_rounds(rounds: Rounds, most: int) -> str:
    """When the training stopped, of at most so many seeds."""
    counts = [len(seeds) for seeds in rounds.seeds.values()]
    words = "Stopped after" if max(counts) < most else "Used all"
    return (
        f"{words} {max(counts)} of {most} seeds: {sum(counts):,} of {most * len(counts):,} runs "
        "were needed to settle the pairs of models."
    )
