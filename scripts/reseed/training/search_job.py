"""Run a hyper-parameter search: link its result from the cache, or search and store it."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from reseed.cache.entries import add_entry, delete_files, entry_path, link_entry
from reseed.cache.trial_cache import SearchWinner, TrialCache, read_winner
from reseed.core.atomic import write_json
from reseed.core.coordinates import Coordinates
from reseed.core.errors import Damaged
from reseed.core.source_guard import SourceGuard
from reseed.metrics.registry import first_applicable
from reseed.planning.specs import SearchSpec
from reseed.training.block import Splits, problem_of, recipe_of, record_environment
from reseed.training.tuning import SearchResult, search

Report = Callable[[str], None]


def search_at(
    cache: TrialCache,
    at: Coordinates,
    chunks: Path,
    device: str = "cpu",
    threads: int = 1,
    report: Report = lambda line: None,
) -> SearchResult:
    """Search at these coordinates. Finished fits are stored in the folder `chunks`."""
    settings = cache.spec.search
    assert settings is not None
    split, problem = Splits(cache)(at), problem_of(cache)
    space = {
        name: values if isinstance(values, list) else values.model_dump()
        for name, values in settings.space.items()
    }
    return search(
        replace(problem, metric=first_applicable(problem.task, settings.metrics)),
        recipe_of(cache, cache.spec.model.hyperparameters, device, 1),
        space,
        np.concatenate([split.train, split.validation]),
        chunks,
        trials=settings.trials,
        folds=settings.folds,
        method=settings.method,
        seed=at.init,
        threads=threads,
        key=cache.search_key(at),
        report=report,
    )


def run_search(spec: SearchSpec, device: str, threads: int, report: Report) -> None:
    """Choose the hyper-parameters of one setting at one split and seed.

    Writes the winner (`SearchWinner`, as JSON) and the log of all fits. An interrupted search
    continues from its finished fits in the cache. With `mixed: retrain`, a search that was made in
    another environment is made again.
    """
    cache = TrialCache(spec.results, spec.spec)
    key, target = cache.search_key(spec.trial), cache.winner_path(spec.trial)
    assert target is not None
    here = record_environment(cache, device, 1)
    # A second record of a key has the identifier of its environment in its name.
    for suffix in ("", f".{here}"):
        best, log, chunks = (
            entry_path(cache.layout.cache, key, suffix + kind)
            for kind in (".json", ".search.parquet", ".chunks")
        )
        cached = _read_cached(best, log, key)
        if cached and cached.failed_fits and spec.retry_failed:
            delete_files([best, log])
            cached = None
        if not cached or spec.mixed == "report" or cached.environment == here:
            break
    if cached:
        report("the cache holds this search already")
    else:
        guard = SourceGuard.read(spec.sources)
        guard.refuse_edits()
        drop_damaged(chunks)
        started = time.perf_counter()
        result = search_at(cache, spec.trial, chunks, device, threads, report)
        winner = SearchWinner(
            key=key,
            best=result.best,
            best_score=result.best_score,
            fits=len(result.log),
            failed_fits=int((result.log["status"] != "ok").sum()),
            relative_work=result.relative_work,
            fit_seconds=float(result.log["seconds"].sum()),
            wall_seconds=time.perf_counter() - started,
            environment=here,
        )
        guard.refuse_edits()
        add_entry(
            log, lambda path: result.log.to_parquet(path, index=False, write_page_checksum=True)
        )
        add_entry(best, lambda path: write_json(path, winner.as_json()))
        shutil.rmtree(chunks, ignore_errors=True)
        report(f"best of {winner.fits} fits: {json.dumps(winner.best)}")
    link_entry(log, target.with_suffix(".parquet"))
    link_entry(best, target)


def drop_damaged(chunks: Path) -> None:
    """Delete fits of an interrupted search that cannot be read, and those saved after them."""
    files = sorted(chunks.glob("*.parquet"))
    for number, path in enumerate(files):
        try:
            pd.read_parquet(path)
        except (OSError, ValueError):
            delete_files(files[number:])
            return


def _read_cached(best: Path, log: Path, key: str) -> SearchWinner | None:
    """A winner that is complete in the cache with its log. Damaged entries are deleted."""
    try:
        winner = read_winner(best)
        pd.read_parquet(log, page_checksum_verification=True)
        if winner.key == key:
            return winner
    except FileNotFoundError:  # another process may be writing the pair
        return None
    except (Damaged, OSError, ValueError):
        pass
    delete_files([best, log])
    return None
