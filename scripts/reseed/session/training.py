"""Trains the models of a session, in this process or in parallel ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import cast

from reseed.core.schemas import MODEL_SEED_COLUMNS
from reseed.data.inputs import Inputs
from reseed.metrics import registry as metrics
from reseed.session.inputs import TrainingData
from reseed.session.kept_trials import KeptTrials
from reseed.session.models import Model
from reseed.session.progress import show_progress
from reseed.session.scoring import add_user_metric
from reseed.session.splits import Design, SplitId
from reseed.session.tables import TrialKey
from reseed.session.threads import limit_threads
from reseed.training.run import Outcome, Problem, Recipe, Trial
from reseed.training.unprintable import train_trials

_FACTORY = "reseed.session.models:build_model"

#: Model and split → the seeds to train under.
_Jobs = dict[tuple[Model, SplitId], list[int]]


@dataclass
class Trainer:
    """Trains the models of a session on the splits of a design.

    metric: compares the models; a user's own is computed here.
    device: `cpu` or `cuda`.
    n_jobs: parallel trainings.
    threads: of each.
    progress: whether to show a bar.
    kept: trainings of an interrupted study; each further one is added.
    finished: every outcome as soon as it is there, for a caller that is interrupted.
    """

    design: Design
    data: TrainingData
    metric: metrics.Metric
    device: str
    n_jobs: int
    threads: int
    progress: bool | None
    kept: KeptTrials | None = None
    finished: dict[TrialKey, Outcome] = field(default_factory=dict)

    def train(self, models: list[Model], seeds: list[int]) -> dict[TrialKey, Outcome]:
        """Outcome of each (model, split, seed).

        A model whose results do not depend on the seed has outcomes of the first seed only.
        """
        # A model without a seed parameter may be random: two seeds on the first split show it.
        splits, first = self.design.splits, self.design.splits[0]
        jobs = {
            (model, split): seeds if model.is_seeded else seeds[: 2 if split is first else 1]
            for split in splits
            for model in models
        }
        self._run(jobs)
        firsts = {
            model: [self.finished[model, first, seed] for seed in jobs[model, first]]
            for model in models
        }
        random = {model for model in models if model.is_seeded or _has_several(firsts[model])}
        remaining = {
            (model, split): seeds[len(done) :]
            for (model, split), done in jobs.items()
            if model in random and len(done) < len(seeds)
        }
        if remaining:
            self._run(remaining)
        return {
            (model, split, seed): outcome
            for (model, split, seed), outcome in self.finished.items()
            if model in random or seed == seeds[0]
        }

    def _run(self, jobs: _Jobs) -> None:
        """Train what is not kept, with a progress bar."""
        with limit_threads(self.threads):
            if self.kept:
                jobs, known = _take_kept(jobs, self.kept)
                for key, outcome in known.items():
                    self._finish(key, outcome)
            recipe = Recipe(_FACTORY, device=self.device, threads=self.threads)
            with show_progress(sum(map(len, jobs.values())), self.progress) as step:
                for key, outcome in _run_jobs(self._problem, recipe, jobs, self.n_jobs):
                    if self.kept:
                        self.kept.save(key, outcome)
                    self._finish(key, outcome)
                    step(key[0].name)

    def _finish(self, key: TrialKey, outcome: Outcome) -> None:
        if not self._is_registered and outcome.status == "ok":
            target = self.data.targets.target[key[1].split.test]
            add_user_metric(outcome, self.metric, self.data.task, target)
        self.finished[key] = outcome

    @property
    def _is_registered(self) -> bool:
        return metrics.METRICS.get(self.metric.name) is self.metric

    @cached_property
    def _problem(self) -> Problem:
        data = self.data
        return Problem(
            inputs=cast(Inputs, data.inputs),  # training needs `len` and `take` only
            target=data.targets.target,
            task=data.task,
            classes=len(data.classes or []),
            groups=data.targets.groups,
            metric=self.metric.name if self._is_registered else None,
        )


def _take_kept(jobs: _Jobs, kept: KeptTrials) -> tuple[_Jobs, dict[TrialKey, Outcome]]:
    """The jobs that remain, and the outcomes that are kept."""
    known = {
        (model, split, seed): outcome
        for (model, split), seeds in jobs.items()
        for seed in seeds
        if (outcome := kept.load((model, split, seed)))
    }
    left = {
        job: [seed for seed in seeds if (*job, seed) not in known] for job, seeds in jobs.items()
    }
    return {job: seeds for job, seeds in left.items() if seeds}, known


def _has_several(outcomes: Iterable[Outcome]) -> bool:
    """Whether outcomes differ in their status or their test outputs."""
    return len({(outcome.status, outcome.fingerprint) for outcome in outcomes}) > 1


def _run_jobs(
    problem: Problem, recipe: Recipe, jobs: _Jobs, n_jobs: int
) -> Iterator[tuple[TrialKey, Outcome]]:
    """Each trial and its outcome, as soon as it is trained."""
    if n_jobs == 1:
        for (model, split), seeds in jobs.items():
            outcomes = _train_model(problem, recipe, model, split, seeds)
            for seed, outcome in zip(seeds, outcomes, strict=True):
                yield (model, split, seed), outcome
        return
    from joblib import Parallel, delayed

    numbered = list(jobs.items())
    tasks = (
        delayed(_train_numbered)(number, problem, recipe, model, split, seeds)
        for number, ((model, split), seeds) in enumerate(numbered)
    )
    for number, results in Parallel(n_jobs=n_jobs, return_as="generator_unordered")(tasks):
        (model, split), seeds = numbered[number]
        for seed, outcome in zip(seeds, results, strict=True):
            yield (model, split, seed), outcome


def _train_numbered(
    number: int, problem: Problem, recipe: Recipe, model: Model, split: SplitId, seeds: list[int]
) -> tuple[int, list[Outcome]]:
    """The job's number and outcomes: a model is a different object in another process."""
    return number, list(_train_model(problem, recipe, model, split, seeds))


def _train_model(
    problem: Problem, recipe: Recipe, model: Model, split: SplitId, seeds: list[int]
) -> Iterator[Outcome]:
    """Train one model on one split under its seeds."""
    recipe = replace(recipe, hyperparameters={"model": model})
    trials = [Trial(split.split, dict.fromkeys(MODEL_SEED_COLUMNS, seed)) for seed in seeds]
    return train_trials(problem, recipe, trials)
