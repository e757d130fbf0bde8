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
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed, parallel_config

from reseed.coordinates import ROLES
from reseed.errors import ReseedError
from reseed.metrics import GREATER_IS_BETTER, PRIMARY
from reseed.models.registry import Estimator, build, load_factory
from reseed.training.preprocessing import Arrays, prepare
from reseed.training.search_design import (
    HALVING_FACTOR,
    cross_validation,
    rung_sizes,
    sample_configurations,
)
from reseed.training.search_log import SearchLog, question_key
from reseed.training.trial import VALIDATION_FRACTION, failed, hold_out, train_and_evaluate

METHODS = ("random", "halving")


@dataclass(frozen=True)
class SearchResult:
    """The outcome of a search.

    ``best``: the search space's names with the values chosen. ``log``: one row a fit with
    ``rung, configuration, fold, rows, hyperparameters (JSON), score, seconds, status, error``;
    ``score`` is the task's primary metric. ``relative_work``: rows fitted, as a share of what a
    full random search of as many configurations fits (1 for ``random``).
    """

    best: dict[str, Any]
    best_score: float
    log: pd.DataFrame
    relative_work: float


def search(
    features: pd.DataFrame,
    target: np.ndarray,
    features_meta: list[dict],
    task: str,
    n_classes: int,
    rows: np.ndarray,
    factory: str,
    hyperparameters: dict[str, Any],
    search_space: dict[str, Any],
    trials: int,
    seed: int,
    work: Path,
    *,
    folds: int = 5,
    groups: np.ndarray | None = None,
    method: str = "random",
    device: str = "cpu",
    threads: int = 1,
    scaling: str = "training_rows",
    code_key: str = "",
    report: Callable[[str], None] = print,
    save_every: float = 15.0,
) -> SearchResult:
    """Choose hyper-parameters on the given training rows (row numbers).

    ``hyperparameters`` are what the search leaves fixed; ``search_space`` maps a name to a list
    of values or to ``{low, high}``, whole numbers with both ends. Folds are stratified for
    classes and hold whole ``groups`` (one label a table row) if given. A network stops early on
    `VALIDATION_FRACTION` of its training fold. Every fit has the same model seed, ``seed``.
    ``threads`` processes with one thread each share the fits. A configuration that fails in any
    fold is never chosen. ``code_key`` joins the question that stored fits must match.

    ``halving``: all configurations are compared on a ninth (or so) of each training fold, the
    best third of them on three times the rows, and so on up to all rows.

    Raises ReseedError for a bad search space or method, or if every configuration fails.
    """
    if method not in METHODS:
        raise ReseedError(f"tuning method {method!r}: use one of {', '.join(METHODS)}")
    configurations = sample_configurations(search_space, trials, seed)
    parts = cross_validation(target, task, rows, folds, seed, groups)
    how = (factory, task, n_classes, dict.fromkeys(ROLES, seed), device)
    stops_early = _build(how, hyperparameters | configurations[0]).uses_validation
    table = (features, target, features_meta)
    key = question_key(
        (features, target, rows, groups),
        (features_meta, how, hyperparameters, configurations, folds, method, scaling, code_key),
    )
    log = SearchLog(work, key)
    fold_rows = min(len(train) for train, _ in parts)
    sizes = rung_sizes(fold_rows, len(configurations)) if method == "halving" else [None]
    maximise = GREATER_IS_BETTER[PRIMARY[task]]
    alive = list(range(len(configurations)))
    for rung, size in enumerate(sizes):
        arrays = []
        for train, test in parts:
            if size is not None and size < fold_rows:
                train = hold_out(train, size, target, task, seed)[1]
            validation = train[:0]
            if stops_early:
                train, validation = hold_out(train, VALIDATION_FRACTION, target, task, seed, groups)
            arrays.append(prepare(*table, train, validation, test, scaling))
        calls = [
            delayed(_fit)((rung, c, f), arrays[f], how, hyperparameters | configurations[c])
            for c in alive
            for f in range(folds)
            if not log.has(rung, c, f)
        ]
        progress = _Progress(rung, len(sizes), len(alive) * folds, len(calls), maximise, report)
        try:
            with parallel_config("loky", n_jobs=threads, inner_max_num_threads=1):
                for result in Parallel(return_as="generator_unordered")(calls):
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
        json.dumps(hyperparameters | configurations[c]) for c in frame.configuration
    ]
    full_work = len(configurations) * sum(len(train) for train, _ in parts)
    return SearchResult(
        best=configurations[ranked.index[0]],
        best_score=float(ranked.iloc[0]),
        log=frame,
        relative_work=float(frame.rows.sum()) / full_work,
    )


def _build(how: tuple, hyperparameters: dict[str, Any]) -> Estimator:
    factory, task, n_classes, model_seeds, device = how
    return build(load_factory(factory), task, n_classes, hyperparameters, model_seeds, device)


def _fit(
    unit: tuple[int, int, int], arrays: Arrays, how: tuple, hyperparameters: dict[str, Any]
) -> dict[str, Any]:
    """Fit one configuration on one fold, in a worker process; never raises."""
    task = how[1]
    started = time.perf_counter()
    try:
        outcome = train_and_evaluate(_build(how, hyperparameters), arrays, task)
    except Exception as error:
        outcome = failed(error, time.perf_counter() - started)
    rung, configuration, fold = unit
    return {
        "rung": rung,
        "configuration": configuration,
        "fold": fold,
        "rows": len(arrays.y_train) + len(arrays.y_validation),
        "score": outcome.metrics.get(PRIMARY[task], math.nan),
        "seconds": outcome.train_seconds,
        "status": outcome.status,
        "error": outcome.error or "",
    }


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
