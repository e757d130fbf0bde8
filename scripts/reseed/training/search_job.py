"""Run a hyper-parameter search or one of its shards, with fits and results in the cache."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from reseed.core.atomic import write_json
from reseed.core.coordinates import Coordinates
from reseed.core.environment import Environment, describe_environment
from reseed.core.errors import Damaged
from reseed.core.ownership import delete, read_twice
from reseed.core.source_guard import SourceGuard
from reseed.metrics.registry import first_applicable
from reseed.planning.specs import SearchSpec
from reseed.training.block import Splits, problem_of, recipe_of
from reseed.training.tuning import Search
from reseed.trials.entries import add_entry, copy_entry, entry_path
from reseed.trials.trial_cache import SearchWinner, TrialCache, read_winner

Report = Callable[[str], None]


def plan_search(
    cache: TrialCache,
    at: Coordinates,
    folder: Path,
    device: str = "cpu",
    threads: int = 1,
    report: Report = lambda line: None,
    environment: str = "",
    retry_failed: bool = False,
) -> Search:
    """The search at these coordinates, with its finished fits in `folder`."""
    settings = cache.spec.search
    assert settings is not None
    split, problem = Splits(cache)(at), problem_of(cache)
    space = {
        name: values if isinstance(values, list) else values.model_dump()
        for name, values in settings.space.items()
    }
    return Search(
        replace(problem, metric=first_applicable(problem.task, settings.metrics)),
        recipe_of(cache, cache.spec.model.hyperparameters, device, 1),
        space,
        np.concatenate([split.train, split.validation]),
        folder,
        trials=settings.trials,
        folds=settings.folds,
        method=settings.method,
        seed=at.init,
        threads=threads,
        key=cache.fits_key(at),
        report=report,
        environment=environment,
        retry_failed=retry_failed,
    )


def run_search(spec: SearchSpec, device: str, threads: int, report: Report) -> None:
    """Choose the hyper-parameters of one setting at one split and seed, or make a shard's fits.

    Writes the winner (`SearchWinner`, as JSON) and the log of all fits; a shard writes a file with
    the number of its fits. Fits that exist in the cache are not repeated. With
    `mixed: retrain`, fits and searches of another environment are made again.
    """
    cache = TrialCache(spec.results, spec.spec)
    key, target = cache.search_key(spec.trial), cache.winner_path(spec.trial)
    assert target is not None
    environment = describe_environment(device, 1, cache.spec.packages)
    here = environment.identifier
    # A second record of a key has the identifier of its environment in its name.
    for suffix in ("", f".{here}"):
        best, log = (
            entry_path(cache.layout.cache, key, suffix + kind)
            for kind in (".json", ".search.parquet")
        )
        cached = _read_cached(cache, best, log, key)
        if cached and cached.failed_fits and spec.retry_failed:
            delete([best, log], cache.layout.root)
            cached = None
        if not cached or spec.mixed == "report" or cached.environment == here:
            break
    facts: dict[str, int] = {}
    if cached:
        report("the cache holds this search already")
    else:
        guard = SourceGuard.read(spec.sources)
        guard.refuse_edits()
        kind = ".fits" if spec.mixed == "report" else f".{here}.fits"
        folder = entry_path(cache.layout.cache, cache.fits_key(spec.trial), kind)
        search = plan_search(
            cache, spec.trial, folder, device, threads, report, here, spec.retry_failed
        )
        if spec.shard is None:
            _store_winner(search, key, environment, guard, best, log, report)
        else:
            fits = search.run_shard(spec.shard.rung, spec.shard.start, spec.shard.stop)
            guard.refuse_edits()
            facts = {"fits": len(fits)}
    if spec.shard is None:
        copy_entry(log, target.with_suffix(".parquet"))
        copy_entry(best, target)
    else:
        write_json(spec.shard.output, {"search": key, **facts})


def _store_winner(
    search: Search,
    key: str,
    environment: Environment,
    guard: SourceGuard,
    best: Path,
    log: Path,
    report: Report,
) -> None:
    """Run the search and write the two files of its cache entry."""
    started = time.perf_counter()
    result = search.run()
    winner = SearchWinner(
        key=key,
        best=result.best,
        best_score=result.best_score,
        fits=len(result.log),
        failed_fits=int((result.log["status"] != "ok").sum()),
        relative_work=result.relative_work,
        fit_seconds=float(result.log["seconds"].sum()),
        wall_seconds=time.perf_counter() - started,
        environment=environment.identifier,
        environment_facts=environment.facts,
    )
    guard.refuse_edits()
    add_entry(log, lambda path: result.log.to_parquet(path, index=False, write_page_checksum=True))
    add_entry(best, lambda path: write_json(path, winner.as_json()))
    report(f"best of {winner.fits} fits: {json.dumps(winner.best)}")


def _read_cached(cache: TrialCache, best: Path, log: Path, key: str) -> SearchWinner | None:
    """A winner that is complete in the cache with its log. Damaged entries are deleted."""
    try:
        winner = read_winner(best)
        read_twice(
            log, lambda: pd.read_parquet(log, page_checksum_verification=True), optional=True
        )
        if winner.key == key:
            return winner
    except FileNotFoundError:  # another process may be writing the pair
        return None
    except Damaged:
        pass
    delete([best, log], cache.layout.root)
    return None
