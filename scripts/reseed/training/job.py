"""A training job: the trials of one block, each trained, recorded, and never trained twice."""

import hashlib
import json
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from reseed.atomic import replacing, write_json
from reseed.coordinates import Coordinates, Setting, as_columns, parse_trial_path
from reseed.data.store import Prepared, read_prepared
from reseed.errors import ReseedError
from reseed.models.registry import load_factory
from reseed.provenance import digest, machine
from reseed.seeds import make_deterministic
from reseed.splits import Split, read_split
from reseed.training.preprocessing import PreparationCache
from reseed.training.trial import Outcome, run_trial
from reseed.training.tuning import search
from reseed.trials import is_finished, write_trial

LIBRARIES = ("numpy", "pandas", "scikit-learn", "scipy", "torch", "xgboost-cpu", "xgboost")


class Bench:
    """What the trials of one job share: the prepared data, splits and hyper-parameters.

    Args:
        results: the results folder.
        job: the setting as `plan.Work.job` describes it.
        key: hash of the code and configuration behind the job.
        device: `cpu` or `cuda`.
        threads: threads a trial may use.
    """

    def __init__(self, results: Path, job: dict, key: str, device: str, threads: int):
        self.results, self.job, self.key = results, job, key
        self.device, self.threads = device, threads
        names = ("dataset", "scheme", "model", "hyperparameters")
        self.setting = Setting(**{name: job[name] for name in names})
        self.factory = load_factory(job["recipe"]["factory"])
        self.data: Prepared = read_prepared(results / "data" / self.setting.dataset)
        self.flags = make_deterministic() if "torch" in sys.modules else {}
        self._cache = PreparationCache()
        self._split: tuple[str, Split, str] | None = None

    @property
    def classes(self) -> int:
        """Number of classes (2 stands for regression too, where nobody reads it)."""
        return max(2, len(self.data.meta.get("classes") or []))

    def split(self, trial: Coordinates) -> tuple[Split, str]:
        """The trial's split and the hash of its rows."""
        name = trial.partition
        if self._split is None or self._split[0] != name:
            folder = self.results / "splits" / self.setting.dataset / self.setting.scheme
            path = folder / f"data-seed-{trial.data_seed}.parquet"
            split = read_split(path, trial.repeat or 0, trial.fold or 0)
            rows = b"|".join(
                np.asarray(part, dtype="<i8").tobytes()
                for part in (split.train, split.validation, split.test)
            )
            self._split = name, split, hashlib.sha256(rows).hexdigest()
        return self._split[1], self._split[2]

    def hyperparameters(self, tuning: Path | None) -> dict:
        """Given values, overlaid with the winner of the search at `tuning`."""
        given = self.job["recipe"]["hyperparameters"]
        if tuning is None:
            return given
        return given | json.loads(tuning.read_text(encoding="utf-8"))["best"]

    def trial_key(self, trial: Coordinates, hyperparameters: dict) -> str:
        """Hash of everything that decides what a trial gives."""
        _, rows = self.split(trial)
        return digest(self.key, self.data.meta["content_sha256"], rows, hyperparameters)

    def train(self, trial: Coordinates, hyperparameters: dict) -> Outcome:
        """Train one trial from scratch."""
        split, _ = self.split(trial)
        meta = self.data.meta
        return run_trial(
            self.data.features,
            self.data.target,
            meta["features"],
            meta["task"],
            self.classes,
            split.train,
            split.validation,
            split.test,
            self.factory,
            hyperparameters,
            trial.seeds,
            device=self.device,
            threads=self.threads,
            scaling=self.job["recipe"]["scaling"],
            cache=self._cache,
        )

    def record(self, trial: Coordinates, hyperparameters: dict, outcome: Outcome, keep: str):
        """The trial's row (see `trials.SCHEMA`)."""
        row = vars(outcome) | as_columns(self.setting, trial)
        row["hyperparameters"] = json.dumps(hyperparameters, sort_keys=True)
        row["correct"] = None
        if keep == "correctness" and outcome.y_score is not None:
            row["correct"] = self._correct(trial, outcome.y_score)
        if outcome.y_score is not None:
            row["y_score"] = outcome.y_score.ravel() if keep == "scores" else None
        return row

    def _correct(self, trial: Coordinates, y_score: np.ndarray) -> list[bool]:
        if self.data.meta["task"] == "regression":
            raise ReseedError(
                f"{self.setting.dataset}: keep: correctness needs classes, and this is a "
                "regression. Use keep: scores."
            )
        target = self.data.target[self.split(trial)[0].test]
        return (predicted_class(y_score) == target).tolist()


def tune(bench: Bench, best: Path, report: Callable[[str], None]) -> None:
    """Search a setting's hyper-parameters on the partition that `best`'s path names.

    Writes `best` (JSON: the chosen values, their score, the search's work and time) and the full
    log beside it. Interrupted searches leave their finished fits in a folder beside them.
    """
    trial = parse_trial_path(str(best.with_suffix(".parquet")))
    split, _ = bench.split(trial)
    recipe, plan, meta = bench.job["recipe"], bench.job["search"], bench.data.meta
    chunks = best.with_suffix(".chunks")
    started = time.perf_counter()
    found = search(
        bench.data.features,
        bench.data.target,
        meta["features"],
        meta["task"],
        bench.classes,
        np.concatenate([split.train, split.validation]),
        recipe["factory"],
        recipe["hyperparameters"],
        recipe["search_space"],
        plan["trials"],
        trial.init,
        chunks,
        folds=plan["folds"],
        groups=bench.data.groups,
        method=plan["method"],
        device=bench.device,
        threads=bench.threads,
        scaling=recipe["scaling"],
        code_key=bench.key,
        report=report,
    )
    with replacing(best.with_suffix(".parquet")) as temporary:
        found.log.to_parquet(temporary, index=False)
    summary = {
        "best": found.best,
        "best_score": found.best_score,
        "fits": len(found.log),
        "failed_fits": int((found.log["status"] != "ok").sum()),
        "relative_work": found.relative_work,
        "fit_seconds": float(found.log["seconds"].sum()),
        "wall_seconds": time.perf_counter() - started,
        "key": bench.key,
    }
    write_json(best, summary)
    shutil.rmtree(chunks, ignore_errors=True)


def predicted_class(y_score: np.ndarray) -> np.ndarray:
    """Class numbers: probability of class 1 above one half, or the most probable of k classes."""
    return y_score.argmax(axis=1) if y_score.ndim == 2 else (y_score > 0.5).astype(np.int64)


def train_block(
    bench: Bench,
    files: list[Path],
    tuning_of: Callable[[Coordinates], Path | None],
    keep: str,
    report: Callable[[str], None],
) -> None:
    """Train every trial of `files` that is not already there under the same key."""
    facts = machine(LIBRARIES, bench.device, bench.threads) | {"determinism": bench.flags}
    for number, path in enumerate(files, 1):
        trial = parse_trial_path(str(path))
        hyperparameters = bench.hyperparameters(tuning_of(trial))
        key = bench.trial_key(trial, hyperparameters)
        place = f"{number}/{len(files)} {trial.file.removesuffix('.parquet')}"
        if is_finished(path, key, keep):
            report(f"{place}: already trained")
            continue
        outcome = bench.train(trial, hyperparameters)
        row = bench.record(trial, hyperparameters, outcome, keep)
        write_trial(path, row, facts | {"key": key, "keep": keep, "job": bench.job})
        detail = outcome.error or ", ".join(f"{k} {v:.4f}" for k, v in outcome.metrics.items())
        report(f"{place}: {outcome.status} in {outcome.train_seconds:.2f} s: {detail}")
