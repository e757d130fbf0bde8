"""Random search with cross-validation (Raste et al., Section 3.3 and appendix), resumable.

The unit of work is one fit of one configuration on one fold. Finished fits go to Parquet files in
a work folder every few seconds; a restart with the same question reads them and goes on. The
answer depends on the question alone, not on the number of processes or on interruptions.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed, parallel_config

from reseed.core.coordinates import ROLES
from reseed.core.errors import ReseedError
from reseed.models.registry import build_estimator, load_factory
from reseed.training.encoder import Arrays, Preparation
from reseed.training.holdout import VALIDATION_FRACTION, hold_out
from reseed.training.run import PreparedTrial, Problem, Recipe, run_trials
from reseed.training.search_design import (
    HALVING_FACTOR,
    compute_rung_sizes,
    make_folds,
    sample_configurations,
)
from reseed.training.search_log import SearchLog, compute_search_key

METHODS = ("random", "halving")


@dataclass(frozen=True)
class SearchResult:
    """The outcome of a search.

    ``best``: the search space's names with the values chosen. ``log``: one row a fit with
    ``rung, configuration, fold, rows, hyperparameters (JSON), score, seconds, status, error``;
    ``score`` is the problem's primary metric. ``relative_work``: rows fitted, as a share of what a
    full random search of as many configurations fits (1 for ``random``).
    """

    best: dict[str, Any]
    best_score: float
    log: pd.DataFrame
    relative_work: float


def search(
    problem: Problem,
    recipe: Recipe,
    space: dict[str, Any],
    rows: np.ndarray,
    work: Path,
    *,
    trials: int,
    seed: int,
    key: str,
    folds: int = 5,
    method: str = "random",
    threads: int = 1,
    report: Callable[[str], None] = print,
    save_every: float = 15.0,
) -> SearchResult:
    """Choose hyper-parameters on the given training rows (row numbers).

    ``recipe.hyperparameters`` are what the search leaves fixed; ``space`` maps a name to a list
    of values or to ``{low, high}``, whole numbers with both ends. Folds are stratified for
    classes and hold whole groups if the problem has them. A network stops early on
    `VALIDATION_FRACTION` of its training fold. Every fit has the same model seed, ``seed``.
    ``threads`` processes with one thread each share the fits. A model that stacks trains a
    configuration's folds side by side, as many as its stack holds; they give up the rows by which
    their sizes differ.
    A configuration that fails in any fold is never chosen. Finished fits in ``work`` are taken
    over where ``key``, which stands for code and data, and all else that is asked agree.

    ``halving``: all configurations are compared on a ninth (or so) of each training fold, the
    best third of them on three times the rows, and so on up to all rows.

    Raises ReseedError for a bad search space or method, or if every configuration fails.
    """
    if method not in METHODS:
        raise ReseedError(f"tuning method {method!r}: use one of {', '.join(METHODS)}")
    configurations = sample_configurations(space, trials, seed)
    fits = _Fits(problem, recipe, configurations, seed, rows, folds)
    settings = (replace(recipe, weights=None), configurations, seed, folds, method)
    log = SearchLog(
        work,
        compute_search_key(key, (rows, problem.target, problem.groups), (problem.metric, settings)),
    )
    fold_rows = min(len(train) for train, _ in fits.parts)
    sizes = compute_rung_sizes(fold_rows, len(configurations)) if method == "halving" else [None]
    alive = list(range(len(configurations)))
    for rung, size in enumerate(sizes):
        calls = fits.calls(rung, None if size == fold_rows else size, alive, log)
        to_do = sum(len(call[1]["numbers"]) for call in calls)
        maximise = problem.primary.greater_is_better
        progress = _Progress(rung, len(sizes), len(alive) * folds, to_do, maximise, report)
        try:
            with parallel_config("loky", n_jobs=threads, inner_max_num_threads=1):
                jobs = (delayed(_fit)(*arguments, **named) for arguments, named in calls)
                for results in Parallel(return_as="generator_unordered")(jobs):
                    for result in results:
                        log.add(result)
                    if progress.due(save_every):
                        log.save()
                        progress.show(log.frame())
        finally:
            log.save()
        progress.show(log.frame())
        ranked = _rank(log.frame(), rung, alive, maximise)
        alive = ranked.index[: math.ceil(len(alive) / HALVING_FACTOR)].tolist()
    frame = log.frame()
    frame["hyperparameters"] = [
        json.dumps(recipe.hyperparameters | configurations[c]) for c in frame.configuration
    ]
    full_work = len(configurations) * sum(len(train) for train, _ in fits.parts)
    return SearchResult(
        best=configurations[ranked.index[0]],
        best_score=float(ranked.iloc[0]),
        log=frame,
        relative_work=float(frame.rows.sum()) / full_work,
    )


class _Fits:
    """The fits of a search: which folds, prepared how, trained how many at a time."""

    def __init__(
        self,
        problem: Problem,
        recipe: Recipe,
        configurations: list[dict[str, Any]],
        seed: int,
        rows: np.ndarray,
        folds: int,
    ):
        self.problem, self.recipe, self.seed = problem, recipe, seed
        self.configurations = configurations
        self.parts = make_folds(problem.target, problem.task, rows, folds, seed, problem.groups)
        self.preparation = Preparation(
            problem.inputs, problem.target, problem.features, recipe.encoder
        )
        model = build_estimator(
            *(load_factory(recipe.factory), problem.task, problem.classes),
            *(recipe.hyperparameters | configurations[0], self.seeds, recipe.device),
            weights=recipe.weights,
            compute=recipe.compute,
        )
        self.stops_early = model.uses_validation
        self.stack = min(folds, recipe.stack) if hasattr(model, "fit_many") else 1

    @property
    def seeds(self) -> dict[str, int]:
        """The one seed of every fit, in every role."""
        return dict.fromkeys(ROLES, self.seed)

    def calls(
        self, rung: int, size: int | None, alive: list[int], log: SearchLog
    ) -> list[tuple[tuple, dict]]:
        """Arguments of `_fit`: one call a fit, or a configuration where its folds stack."""
        arrays = self._arrays(size)
        facts = replace(self.problem, inputs=None, target=np.empty(0), groups=None)
        calls = []
        for configuration in alive:
            missing = [
                fold for fold in range(len(arrays)) if not log.has(rung, configuration, fold)
            ]
            recipe = replace(
                self.recipe,
                hyperparameters=self.recipe.hyperparameters | self.configurations[configuration],
                stack=self.stack,
            )
            for numbers in [missing] if self.stack > 1 else [[fold] for fold in missing]:
                if numbers:
                    lanes = [PreparedTrial(arrays[fold], self.seeds) for fold in numbers]
                    named = {"rung": rung, "configuration": configuration, "numbers": numbers}
                    calls.append(((facts, recipe, lanes), named))
        return calls

    def _arrays(self, size: int | None) -> list[Arrays]:
        """Each fold's rows, encoded as its own training rows say."""
        problem, prepared = self.problem, []
        least = min(len(train) for train, _ in self.parts)
        for train, test in self.parts:
            if size is not None:
                train = hold_out(train, size, problem.target, problem.task, self.seed)[1]
            elif self.stack > 1:
                train = train[:least]
            validation = train[:0]
            if self.stops_early:
                train, validation = hold_out(
                    *(train, VALIDATION_FRACTION, problem.target, problem.task, self.seed),
                    problem.groups,
                )
            prepared.append(self.preparation.arrays(train, validation, test))
        return prepared


def _fit(
    problem: Problem,
    recipe: Recipe,
    lanes: list[PreparedTrial],
    *,
    rung: int,
    configuration: int,
    numbers: list[int],
) -> list[dict[str, Any]]:
    """Fit one configuration on some folds, in a worker process."""
    return [
        {
            "rung": rung,
            "configuration": configuration,
            "fold": fold,
            "rows": len(lane.arrays.y_train) + len(lane.arrays.y_validation),
            "score": outcome.metrics.get(problem.primary.name, math.nan),
            "seconds": outcome.train_seconds,
            "status": outcome.status,
            "error": outcome.error or "",
        }
        for fold, lane, outcome in zip(
            numbers, lanes, run_trials(problem, recipe, lanes), strict=True
        )
    ]


def _rank(frame: pd.DataFrame, rung: int, alive: list[int], maximise: bool) -> pd.Series:
    """Mean scores of a rung's configurations that failed in no fold, best first."""
    here = frame[(frame.rung == rung) & frame.configuration.isin(alive)]
    sound = here.groupby("configuration").filter(lambda fits: (fits.status == "ok").all())
    if sound.empty:
        reason = here.error[here.status == "failed"].value_counts().index[0]
        raise ReseedError(
            f"tuning: each of the {len(alive)} configurations failed in some fold;"
            f" the most frequent reason: {reason}"
        )
    means = sound.groupby("configuration").score.mean()
    return means.sort_values(ascending=not maximise, kind="stable")


class _Progress:
    """Says now and then how far a rung is."""

    def __init__(self, rung, rungs, total, to_do, maximise, report):
        self.title = "tuning" if rungs == 1 else f"tuning, rung {rung + 1} of {rungs}"
        self.rung, self.total, self.reused = rung, total, total - to_do
        self.maximise, self.report = maximise, report
        self.started = self.shown = time.monotonic()

    def due(self, seconds: float) -> bool:
        """Tell whether so many seconds have passed since the last line."""
        return time.monotonic() - self.shown >= seconds

    def show(self, frame: pd.DataFrame) -> None:
        """Report one line: done of total, best mean score, time left."""
        self.shown = time.monotonic()
        here = frame[frame.rung == self.rung]
        done, fresh = len(here), len(here) - self.reused
        text = f"{self.title}: {done}/{self.total} fits"
        means = here[here.status == "ok"].groupby("configuration").score.mean()
        if len(means):
            text += f", best mean so far {means.max() if self.maximise else means.min():.5g}"
        if fresh and done < self.total:
            left = (self.shown - self.started) / fresh * (self.total - done)
            text += f", about {left:.0f} s left"
        self.report(text)
