"""A search job: link what the store holds of it, or search and keep the winner with its log."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from reseed.cache import entries as store
from reseed.cache.trial_cache import SettingFiles, proof, read_winner
from reseed.core.atomic import write_json
from reseed.core.code_hash import Watched
from reseed.core.coordinates import Coordinates
from reseed.metrics.registry import first_applicable
from reseed.training.block import Splits, problem_of, recipe_of, register_environment
from reseed.training.tuning import SearchResult, search


def found_by_search(
    files: SettingFiles,
    trial: Coordinates,
    chunks: Path,
    device: str = "cpu",
    threads: int = 1,
    report: Callable[[str], None] = lambda line: None,
) -> SearchResult:
    """Search where a trial of a setting searches; finished fits go to the folder `chunks`."""
    how = files.described["search"]
    split = Splits(files)(trial)
    problem = problem_of(files)
    return search(
        replace(problem, metric=first_applicable(problem.task, how["metrics"])),
        recipe_of(files, files.described["recipe"]["hyperparameters"], device, 1),
        how["space"],
        np.concatenate([split.train, split.validation]),
        chunks,
        trials=how["trials"],
        folds=how["folds"],
        method=how["method"],
        seed=trial.init,
        threads=threads,
        key=files.search_key(trial),
        report=report,
    )


def tune(job: dict, device: str, threads: int, report: Callable[[str], None]) -> None:
    """Choose the hyper-parameters of one setting on one partition.

    Writes the winner (JSON: the chosen values, their score, the search's work and time, its key and
    environment) and the full log beside it. An interrupted search leaves its finished fits in a
    folder of the store and goes on from them. With `mixed: retrain` a search that was made
    elsewhere is made again.
    """
    files = SettingFiles(Path(job["results"]), job["setting"])
    trial = Coordinates(*job["trial"])
    key, target = files.search_key(trial), files.search_files(trial)
    here = register_environment(files.results, device, 1)
    # A second record of a key stands under the name of its environment.
    for suffix in ("", f".{here}"):
        best, log, chunks = (
            store.place(files.results / "store", key, suffix + kind)
            for kind in (".json", ".search.parquet", ".chunks")
        )
        known = _stored(best, log, key)
        if not known or job["mixed"] == "report" or known.get("environment") == here:
            break
    if known:
        report("the store holds this search already")
    else:
        own = Watched(job["setting"]["own_files"])
        own.refuse_edits()
        drop_damaged(chunks)
        started = time.perf_counter()
        found = found_by_search(files, trial, chunks, device, threads, report)
        summary = {
            "best": found.best,
            "best_score": found.best_score,
            "fits": len(found.log),
            "failed_fits": int((found.log["status"] != "ok").sum()),
            "relative_work": found.relative_work,
            "fit_seconds": float(found.log["seconds"].sum()),
            "wall_seconds": time.perf_counter() - started,
            "key": key,
            "proof": proof(key, found.best),
            "environment": here,
        }
        own.refuse_edits()
        as_file = {"index": False, "write_page_checksum": True}
        store.add(log, lambda path: found.log.to_parquet(path, **as_file))
        store.add(best, lambda path: write_json(path, summary))
        shutil.rmtree(chunks, ignore_errors=True)
        report(f"best of {len(found.log)} fits: {json.dumps(found.best)}")
    store.link(log, target.with_suffix(".parquet"))
    store.link(best, target)


def drop_damaged(chunks: Path) -> None:
    """Remove fits of an interrupted search that cannot be read, and those saved after them."""
    files = sorted(chunks.glob("*.parquet"))
    for number, path in enumerate(files):
        try:
            pd.read_parquet(path)
        except (OSError, ValueError):
            store.discard(*files[number:])
            return


def _stored(best: Path, log: Path, key: str) -> dict | None:
    """A search's winner, where it stands whole in the store with its log; what is damaged goes."""
    try:
        found = read_winner(best)
        pd.read_parquet(log, page_checksum_verification=True)
        if found["key"] == key:
            return found
    except FileNotFoundError:  # of one of the two: somebody may be writing both
        return None
    except (OSError, ValueError, KeyError, TypeError):
        pass
    store.discard(best, log)
    return None
