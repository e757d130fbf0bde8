"""Trainings in this process or beside it: which there are, and what comes of each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from reseed.metrics import registry as metrics
from reseed.session import tables
from reseed.session.inputs import Learnt
from reseed.session.models import Model
from reseed.session.progress import bar
from reseed.session.scoring import add_own
from reseed.session.splits import Design, Place
from reseed.training.run import Outcome, Problem, Recipe, Trial, run_trials

_FACTORY = "reseed.session.models:make"

#: A model and a split, and the seeds under which one is trained on the other.
Jobs = dict[tuple[Model, Place], list[int]]


def train(
    models: list[Model],
    drawn: Design,
    seeds: list[int],
    data: Learnt,
    metric: metrics.Metric,
    device: str,
    n_jobs: int,
    progress: bool | None,
) -> dict[tables.Key, Outcome]:
    """Outcome of each (model, split, seed).

    A model that its seed moves in no way is trained under the first seed only.
    """
    registered = metrics.METRICS.get(metric.name) is metric
    problem = Problem(
        inputs=data.inputs,
        target=data.targets.target,
        task=data.task,
        classes=len(data.classes or []),
        groups=data.targets.groups,
        metric=metric.name if registered else None,
    )

    def outcomes(jobs: Jobs) -> dict[tables.Key, Outcome]:
        found = {}
        with bar(sum(map(len, jobs.values())), progress) as step:
            for (model, place, seed), outcome in _run(problem, jobs, device, n_jobs):
                if not registered and outcome.status == "ok":
                    add_own(outcome, metric, data.task, problem.target[place.split.test])
                found[model, place, seed] = outcome
                step(model.name)
        return found

    # A model may draw what no parameter of it tells: a second seed on the first split says so.
    first = drawn.places[0]
    jobs = {
        (model, place): seeds if model.seeded else seeds[: 2 if place is first else 1]
        for place in drawn.places
        for model in models
    }
    found = outcomes(jobs)
    moved = {
        model
        for model in models
        if model.seeded or _differ(found[model, first, seed] for seed in jobs[model, first])
    }
    rest = {
        (model, place): seeds[len(done) :]
        for (model, place), done in jobs.items()
        if model in moved and len(done) < len(seeds)
    }
    if rest:
        found |= outcomes(rest)
    return {key: found[key] for key in found if key[0] in moved or key[2] == seeds[0]}


def _differ(outcomes: Iterable[Outcome]) -> bool:
    return len({(outcome.status, outcome.fingerprint) for outcome in outcomes}) > 1


def _run(
    problem: Problem, jobs: Jobs, device: str, n_jobs: int
) -> Iterator[tuple[tables.Key, Outcome]]:
    """What was trained and its outcome, as they come."""
    if n_jobs == 1:
        for job, seeds in jobs.items():
            for seed, outcome in zip(seeds, _one(problem, device, *job, seeds), strict=True):
                yield (*job, seed), outcome
        return
    from joblib import Parallel, delayed

    places = list(jobs.items())
    chunks = (
        delayed(_numbered)(number, problem, device, *job, seeds)
        for number, (job, seeds) in enumerate(places)
    )
    for number, outcomes in Parallel(n_jobs=n_jobs, return_as="generator_unordered")(chunks):
        job, seeds = places[number]
        for seed, outcome in zip(seeds, outcomes, strict=True):
            yield (*job, seed), outcome


def _numbered(number: int, *job) -> tuple[int, list[Outcome]]:
    """A model is another object in another process: its job is known by number."""
    return number, list(_one(*job))


def _one(
    problem: Problem, device: str, model: Model, place: Place, seeds: list[int]
) -> Iterator[Outcome]:
    """Train one model on one split under its seeds."""
    recipe = Recipe(_FACTORY, {"model": model}, device=device)
    trials = [Trial(place.split, dict.fromkeys(tables.MODEL_SEED_COLUMNS, seed)) for seed in seeds]
    return run_trials(problem, recipe, trials)
