"""Random search with cross-validation (Raste et al., Section 3.3 and appendix), in shards.

The unit of work is one fit of one configuration on one fold (on all folds where the model stacks).
Each finished fit is stored under its own key (`fit_store`). A search reads the fits that exist and
makes the others. So its result depends neither on interruptions nor on how processes and jobs
share the fits.
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
from reseed.core.halving import HALVING_FACTOR, compute_rung_sizes
from reseed.models.registry import Estimator, build_estimator, load_factory
from reseed.training.encoder import Arrays, Preparation
from reseed.training.fit_store import FitStore, compute_fits_key
from reseed.training.holdout import VALIDATION_FRACTION, hold_out
from reseed.training.run import PreparedTrial, Problem, Recipe, run_trials
from reseed.training.search_design import make_folds, sample_configurations

METHODS = ("random", "halving")
_FIT = ["rung", "configuration", "fold"]


@dataclass(frozen=True)
class SearchResult:
    """Result of a search.

    best: chosen value of each name of the search space.
    log: one row for each fit with columns `rung, configuration, fold, rows, hyperparameters (JSON),
        score, seconds, status, error, environment`; the score is the primary metric of the problem.
    relative_work: number of fitted rows divided by that of a full random search of the same
        configurations (1 for `random`).
    """

    best: dict[str, Any]
    best_score: float
    log: pd.DataFrame
    relative_work: float


class Search:
    """A search for hyper-parameters by cross-validation.

    Folds are stratified for classes, and contain whole groups if the problem has groups. A network
    stops early on `VALIDATION_FRACTION` of its training fold. Every fit has the same model seed. A
    model that stacks trains the folds of a configuration in one pass; larger folds then lose rows,
    so that all have the same size. A configuration that fails in any fold is never chosen.

    Successive halving (`method: halving`) compares all configurations on about a ninth of each
    training fold, the best third of them on three times as many rows, and so on up to all rows.
    """

    def __init__(
        self,
        problem: Problem,
        recipe: Recipe,
        space: dict[str, Any],
        rows: np.ndarray,
        folder: Path,
        *,
        trials: int,
        seed: int,
        key: str,
        folds: int = 5,
        method: str = "random",
        threads: int = 1,
        report: Callable[[str], None] = print,
        report_every: float = 15.0,
        environment: str = "",
        retry_failed: bool = False,
    ):
        """Plan the search.

        Args:
            problem: what is fitted; its primary metric ranks the configurations.
            recipe: its hyper-parameters are fixed.
            space: maps a name to a list of values or to `{low, high}`, integers with both ends.
            rows: (n,) row numbers.
            folder: of finished fits; searches of other spaces and sizes share it.
            trials: number of configurations.
            key: stands for code and data.
            threads: processes with one thread each that share the fits.
            report_every: seconds between lines of progress.
            environment: identifier of the environment, recorded with each new fit.
            retry_failed: whether failed fits are made again.

        Raises:
            ReseedError: for a bad search space or method.
        """
        if method not in METHODS:
            raise ReseedError(f"tuning method {method!r}: use one of {', '.join(METHODS)}")
        self.recipe, self.threads, self.environment = recipe, threads, environment
        self.report, self.report_every = report, report_every
        self.configurations = sample_configurations(space, trials, seed)
        self.folds = folds
        parts = (rows, problem.target, problem.groups)
        bare = replace(recipe, weights=None, hyperparameters={})
        common = compute_fits_key(key, parts, (problem.metric, bare, seed, folds))
        store = FitStore(folder, common, retry_failed)
        self.fits = _Fits(problem, recipe, self.configurations, seed, rows, folds, store)
        self.maximise = problem.primary.greater_is_better
        fold_rows = min(len(train) for train, _ in self.fits.parts)
        sizes: list[int | None] = [None]
        if method == "halving":
            sizes = [*compute_rung_sizes(fold_rows, len(self.configurations))[:-1], None]
        #: Training rows of each rung (None: all).
        self.sizes = sizes

    def run(self) -> SearchResult:
        """Make the fits that are missing, and rank. Raises ReseedError if every one fails."""
        alive, frames = list(range(len(self.configurations))), []
        for rung in range(len(self.sizes)):
            frames.append(self._fit(rung, alive))
            ranked = _rank(frames[-1], alive, self.maximise)
            alive = _survivors(ranked, len(alive))
        log = pd.concat(frames, ignore_index=True)
        log["hyperparameters"] = [
            json.dumps(self.recipe.hyperparameters | self.configurations[c])
            for c in log.configuration
        ]
        full_work = len(self.configurations) * sum(len(train) for train, _ in self.fits.parts)
        return SearchResult(
            best=self.configurations[ranked.index[0]],
            best_score=float(ranked.iloc[0]),
            log=log,
            relative_work=float(log.rows.sum()) / full_work,
        )

    def run_shard(self, rung: int, start: int, stop: int) -> pd.DataFrame:
        """Make the fits from `start` to `stop` of a rung (see `SearchShard`).

        Fits of earlier rungs that are missing are made too. Returns one row for each fit: none for
        a rung that the search does not have.
        """
        if rung >= len(self.sizes):
            return _frame(rung, [])
        alive = list(range(len(self.configurations)))
        for earlier in range(rung):
            ranked = _rank(self._fit(earlier, alive), alive, self.maximise)
            alive = _survivors(ranked, len(alive))
        return self._fit(rung, alive, start, stop)

    def _fit(
        self, rung: int, alive: list[int], start: int = 0, stop: int | None = None
    ) -> pd.DataFrame:
        """Fits of some configurations at a rung, sorted; those that are missing are made.

        start, stop: positions of the fits (see `SearchShard`); by default all.
        """
        fits = self.fits.at(self.sizes[rung], alive, start, stop)
        missing = [fit for fit in fits if fit.rows is None]
        total = sum(len(fit.folds) for fit in fits)
        progress = _Progress(rung, len(self.sizes), total, fits, self.maximise, self.report)
        # Prepared before the processes start, since encoders use joblib themselves.
        calls = [delayed(_fit)(*self.fits.call(fit, n)) for n, fit in enumerate(missing)]
        with parallel_config("loky", n_jobs=self.threads, inner_max_num_threads=1):
            for n, rows in Parallel(return_as="generator_unordered")(calls):
                missing[n].rows = [row | {"environment": self.environment} for row in rows]
                self.fits.store.save(missing[n].key, missing[n].rows)
                if progress.is_due(self.report_every):
                    progress.show()
        if fits:
            progress.show()
        return _frame(rung, fits)


@dataclass
class _Fit:
    """A configuration on some folds and `size` training rows (None: all).

    rows: results of each fold (None: not fitted yet).
    """

    configuration: int
    folds: list[int]
    size: int | None
    key: str
    rows: list[dict[str, Any]] | None = None


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
        store: FitStore,
    ):
        self.problem, self.recipe, self.seed, self.store = problem, recipe, seed, store
        self.configurations = configurations
        self._prepared: dict[int | None, list[Arrays]] = {}
        self.parts = make_folds(problem.target, problem.task, rows, folds, seed, problem.groups)
        self.preparation = Preparation(
            problem.inputs, problem.target, problem.features, recipe.encoder
        )
        model = self._first_estimator()
        self.stops_early = model is not None and model.uses_validation
        self.stack = min(folds, recipe.stack) if hasattr(model, "fit_many") else 1

    def _first_estimator(self) -> Estimator | None:
        """The estimator of the first configuration whose factory does not fail.

        It shows whether the model stops early and stacks. None if the factory fails for every
        configuration: then every fit fails and records the error.
        """
        factory = load_factory(self.recipe.factory)
        for number in range(len(self.configurations)):
            try:
                return build_estimator(
                    *(factory, self.problem.task, self.problem.classes),
                    *(self._hyperparameters(number), self.seeds, self.recipe.device),
                    weights=self.recipe.weights,
                    compute=self.recipe.compute,
                )
            except ReseedError:
                raise
            except Exception:  # of the user's factory; the fits record it
                continue
        return None

    @property
    def seeds(self) -> dict[str, int]:
        """Seed of every fit, the same in every role."""
        return dict.fromkeys(ROLES, self.seed)

    def at(
        self, size: int | None, alive: list[int], start: int = 0, stop: int | None = None
    ) -> list[_Fit]:
        """Fits of some configurations on `size` rows: one a fold, or configuration if it stacks.

        start, stop: positions of their first folds (see `SearchShard`); by default all.
        """
        every = list(range(len(self.parts)))
        groups = [every] if self.stack > 1 else [[fold] for fold in every]
        positions = range(len(alive) * len(every))[start:stop]
        fits = []
        for position, configuration in enumerate(alive):
            for folds in groups:
                if position * len(every) + folds[0] not in positions:
                    continue
                hyperparameters = self._hyperparameters(configuration)
                key = self.store.key(size, hyperparameters, self.stack, folds)
                fits.append(_Fit(configuration, folds, size, key, self.store.load(key)))
        return fits

    def call(self, fit: _Fit, number: int) -> tuple[int, Problem, Recipe, list[PreparedTrial]]:
        """Arguments of `_fit`."""
        problem = replace(self.problem, inputs=None, target=np.empty(0), groups=None)
        hyperparameters = self._hyperparameters(fit.configuration)
        recipe = replace(self.recipe, hyperparameters=hyperparameters, stack=self.stack)
        arrays = self._arrays(fit.size)
        return number, problem, recipe, [PreparedTrial(arrays[f], self.seeds) for f in fit.folds]

    def _hyperparameters(self, configuration: int) -> dict[str, Any]:
        return self.recipe.hyperparameters | self.configurations[configuration]

    def _arrays(self, size: int | None) -> list[Arrays]:
        """Rows of each fold, with an encoder that is fitted on its training rows."""
        if size not in self._prepared:
            self._prepared = {size: self._prepare(size)}
        return self._prepared[size]

    def _prepare(self, size: int | None) -> list[Arrays]:
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
    number: int, problem: Problem, recipe: Recipe, lanes: list[PreparedTrial]
) -> tuple[int, list[dict[str, Any]]]:
    """Fit one configuration on some folds, in a worker process; `number` identifies the call."""
    return number, [
        {
            "rows": len(lane.arrays.y_train) + len(lane.arrays.y_validation),
            "score": outcome.metrics.get(problem.primary.name, math.nan),
            "seconds": outcome.train_seconds,
            "status": outcome.status,
            "error": outcome.error or "",
        }
        for lane, outcome in zip(lanes, run_trials(problem, recipe, lanes), strict=True)
    ]


def _frame(rung: int, fits: list[_Fit]) -> pd.DataFrame:
    """One row for each finished fit, sorted independently of the time at which each finished."""
    names = {"rung": rung}
    rows = [
        names | {"configuration": fit.configuration, "fold": fold} | row
        for fit in fits
        for fold, row in zip(fit.folds, fit.rows or [], strict=False)
    ]
    columns = [*_FIT, "rows", "score", "seconds", "status", "error", "environment"]
    return pd.DataFrame(rows, columns=columns).sort_values(_FIT, ignore_index=True)


def _rank(fits: pd.DataFrame, alive: list[int], maximise: bool) -> pd.Series:
    """Mean scores of the configurations of a rung that failed in no fold, best first.

    Equal means keep the order of the configurations' numbers.
    """
    successful = fits.groupby("configuration").filter(lambda one: (one.status == "ok").all())
    if successful.empty:
        reason = fits.error[fits.status == "failed"].value_counts().index[0]
        raise ReseedError(
            f"tuning: each of the {len(alive)} configurations failed in some fold;"
            f" the most frequent reason: {reason}"
        )
    means = successful.groupby("configuration").score.mean()
    return means.sort_values(ascending=not maximise, kind="stable")


def _survivors(ranked: pd.Series, configurations: int) -> list[int]:
    """The best third of the configurations of a rung, in the order of their numbers."""
    return sorted(ranked.index[: math.ceil(configurations / HALVING_FACTOR)])


class _Progress:
    """Reports the progress of a rung."""

    def __init__(
        self,
        rung: int,
        rungs: int,
        total: int,
        fits: list[_Fit],
        maximise: bool,
        report: Callable[[str], None],
    ):
        self.title = "tuning" if rungs == 1 else f"tuning, rung {rung + 1} of {rungs}"
        self.rung, self.total, self.fits = rung, total, fits
        self.maximise, self.report = maximise, report
        self.reused = len(_frame(rung, fits))
        self.started = self.shown = time.monotonic()

    def is_due(self, seconds: float) -> bool:
        """Whether `seconds` have passed since the last line."""
        return time.monotonic() - self.shown >= seconds

    def show(self) -> None:
        """Report one line: finished and total fits, best mean score, remaining time."""
        self.shown = time.monotonic()
        fits = _frame(self.rung, self.fits)
        done, new = len(fits), len(fits) - self.reused
        text = f"{self.title}: {done}/{self.total} fits"
        means = fits[fits.status == "ok"].groupby("configuration").score.mean()
        if len(means):
            text += f", best mean so far {means.max() if self.maximise else means.min():.5g}"
        if new and done < self.total:
            left = (self.shown - self.started) / new * (self.total - done)
            text += f", about {left:.0f} s left"
        self.report(text)
