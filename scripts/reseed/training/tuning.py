"""Random search with cross-validation (Raste et al., Section 3.3 and appendix), resumable.

The unit of work is one fit of one configuration on one fold. Finished fits are written to Parquet
files in a work folder every few seconds. A search with the same key reads them and continues. The
result depends on the key only, not on the number of processes or on interruptions.
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
    """Result of a search.

    best: chosen value of each name of the search space. log: one row for each fit with columns
    `rung, configuration, fold, rows, hyperparameters (JSON), score, seconds, status, error`; the
    score is the primary metric of the problem. relative_work: number of fitted rows divided by that
    of a full random search of the same configurations (1 for `random`).
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
    """Choose hyper-parameters by cross-validation on `rows` (row numbers).

    `recipe.hyperparameters` are fixed. `space` maps a name to a list of values or to `{low, high}`,
    integers with both ends. Folds are stratified for classes, and contain whole groups if the
    problem has groups. A network stops early on `VALIDATION_FRACTION` of its training fold. Every
    fit has the same model seed, `seed`. `threads` processes with one thread each share the fits. A
    model that stacks trains the folds of a configuration in one pass; larger folds then lose rows,
    so that all have the same size. A configuration that fails in any fold is never chosen.
    Finished fits in the folder `work` are reused if `key`, which stands for code and data, and all
    arguments that affect the result are equal.

    Successive halving (`method: halving`) compares all configurations on about a ninth of each
    training fold, the best third of them on three times as many rows, and so on up to all rows.

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
        pending = sum(len(call[1]["numbers"]) for call in calls)
        maximise = problem.primary.greater_is_better
        progress = _Progress(rung, len(sizes), len(alive) * folds, pending, maximise, report)
        try:
            with parallel_config("loky", n_jobs=threads, inner_max_num_threads=1):
                jobs = (delayed(_fit)(*arguments, **named) for arguments, named in calls)
                for results in Parallel(return_as="generator_unordered")(jobs):
                    for result in results:
                        log.add(result)
                    if progress.is_due(save_every):
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
    """The fits of a search: folds, prepared arrays, and number of fits in one pass."""

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
        """Seed of every fit, the same in every role."""
        return dict.fromkeys(ROLES, self.seed)

    def calls(
        self, rung: int, size: int | None, alive: list[int], log: SearchLog
    ) -> list[tuple[tuple, dict]]:
        """Arguments of the calls of `_fit`: one for each fit, or configuration if folds stack."""
        arrays = self._arrays(size)
        problem = replace(self.problem, inputs=None, target=np.empty(0), groups=None)
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
                    calls.append(((problem, recipe, lanes), named))
        return calls

    def _arrays(self, size: int | None) -> list[Arrays]:
        """Rows of each fold, with an encoder that is fitted on its training rows."""
        problem, prepared = self.problem, []
        smallest = min(len(train) for train, _ in self.parts)
        for train, test in self.parts:
            if size is not None:
                train = hold_out(train, size, problem.target, problem.task, self.seed)[1]
            elif self.stack > 1:
                train = train[:smallest]
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
    """Mean scores of the configurations of a rung that failed in no fold, best first."""
    fits = frame[(frame.rung == rung) & frame.configuration.isin(alive)]
    successful = fits.groupby("configuration").filter(lambda one: (one.status == "ok").all())
    if successful.empty:
        reason = fits.error[fits.status == "failed"].value_counts().index[0]
        raise ReseedError(
            f"tuning: each of the {len(alive)} configurations failed in some fold;"
            f" the most frequent reason: {reason}"
        )
    means = successful.groupby("configuration").score.mean()
    return means.sort_values(ascending=not maximise, kind="stable")


class _Progress:
    """Reports the progress of a rung."""

    def __init__(
        self,
        rung: int,
        rungs: int,
        total: int,
        pending: int,
        maximise: bool,
        report: Callable[[str], None],
    ):
        self.title = "tuning" if rungs == 1 else f"tuning, rung {rung + 1} of {rungs}"
        self.rung, self.total, self.reused = rung, total, total - pending
        self.maximise, self.report = maximise, report
        self.started = self.shown = time.monotonic()

    def is_due(self, seconds: float) -> bool:
        """Whether `seconds` have passed since the last line."""
        return time.monotonic() - self.shown >= seconds

    def show(self, frame: pd.DataFrame) -> None:
        """Report one line: finished and total fits, best mean score, remaining time."""
        self.shown = time.monotonic()
        fits = frame[frame.rung == self.rung]
        done, new = len(fits), len(fits) - self.reused
        text = f"{self.title}: {done}/{self.total} fits"
        means = fits[fits.status == "ok"].groupby("configuration").score.mean()
        if len(means):
            text += f", best mean so far {means.max() if self.maximise else means.min():.5g}"
        if new and done < self.total:
            left = (self.shown - self.started) / new * (self.total - done)
            text += f", about {left:.0f} s left"
        self.report(text)
