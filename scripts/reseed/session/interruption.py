"""Keeps the finished trainings of a study that Ctrl-C stops."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

from reseed.core.csv_files import write_csv
from reseed.metrics.registry import Metric
from reseed.session.splits import Design
from reseed.session.tables import TrialKey
from reseed.training.run import Outcome


class StudyInterrupted(KeyboardInterrupt):
    """Ctrl-C stopped `reseed.study`.

    trials: one row a finished training, as `reseed.compare` reads it; a failed one has no score.
    path: the CSV file with the same rows; None if the current folder is not writable.
    """

    def __init__(self, text: str, trials: pd.DataFrame, path: Path | None):
        super().__init__(text)
        self.trials, self.path = trials, path


def interrupt_study(
    finished: dict[TrialKey, Outcome],
    design: Design,
    planned: int,
    metric: Metric,
    resume: str | Path | None = None,
) -> StudyInterrupted:
    """Write the finished trainings to a new CSV file in the current folder.

    planned: number of trainings of the study, if every model depends on its seed. resume: the
    folder from which the study can continue.

    Returns:
        The exception to raise. Its text names the file and the call that compares these trainings.
    """
    trials = _tabulate(finished, design, metric.name)
    try:
        path = _write_new_file(trials)
    except OSError:
        path = None
    source = f'"{path}"' if path else "error.trials"
    where = f"in {path} and " if path else ""
    ratio = design.test_ratio / (1 - design.test_ratio)
    arguments = [source, f'metric="{metric.name}"', f"greater_is_better={metric.greater_is_better}"]
    if "fold" not in trials and np.isfinite(ratio):
        arguments.append(f"test_train_ratio={ratio:.3g}")
    again = (
        f"The same call continues from the trainings in {resume}."
        if resume is not None
        else "`study` itself starts again from the first training; with `resume=FOLDER` it "
        "continues where it stopped, as a study file (`config/studies/`) does."
    )
    text = (
        f"study was interrupted after {len(trials)} of up to {planned} trainings. "
        f"Their scores are kept {where}in `trials` of this exception. Compare them: "
        f"reseed.compare({', '.join(arguments)}). {again}"
    )
    return StudyInterrupted(text, trials, path)


def _tabulate(finished: dict[TrialKey, Outcome], design: Design, metric: str) -> pd.DataFrame:
    """One row a training: model, the numbers of its split, seed, and score."""
    has_folds = any(one.fold for one in design.splits)
    split_column = "repeat" if has_folds else "data_seed"
    rows = [
        {"model": model.name, split_column: split.data_seed}
        | ({"fold": split.fold} if has_folds else {})
        | {"seed": seed, metric: outcome.metrics.get(metric) if outcome.status == "ok" else None}
        for (model, split, seed), outcome in finished.items()
    ]
    return pd.DataFrame(rows)


def _write_new_file(trials: pd.DataFrame) -> Path:
    with tempfile.NamedTemporaryFile(
        prefix="interrupted-study-", suffix=".csv", dir=".", delete=False
    ) as file:
        path = Path(file.name).resolve()
    write_csv(trials, path)
    return path
