"""Converts outcomes of a session to the tables that analyses read (`reseed.core.schemas`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from reseed.analyses.shared.predictions import TemporaryFolder
from reseed.core.environment import Environment
from reseed.core.plain_text import bound_text
from reseed.core.schemas import (
    CELL_COLUMNS,
    CURVES,
    MODEL_SEED_COLUMNS,
    SCORES,
    SPLIT_COLUMNS,
    TARGETS,
    TRIAL_COLUMNS,
)
from reseed.core.study_info import (
    DatasetInfo,
    ExperimentInfo,
    MachineInfo,
    ModelInfo,
    StudyInfo,
    build_study_info,
)
from reseed.metrics.registry import Metric
from reseed.session.inputs import TrainingData
from reseed.session.models import Model
from reseed.session.splits import Design, SplitId
from reseed.training.run import Outcome
from reseed.trials.about import find_repeated_outputs

EXPERIMENT = "study"
DATASET = "data"
#: A trial: model, split and model seed.
TrialKey = tuple[Model, SplitId, int]


def build_metrics(
    outcomes: dict[TrialKey, Outcome], design: Design, varied: str, environment: str
) -> pd.DataFrame:
    """One row a trial, as `reseed.trials.collect_trials.collect_trials` returns."""
    rows = [
        _identify_trial(key, design, varied)
        | {
            "status": outcome.status,
            "error": bound_text(outcome.error),
            "converged": outcome.converged,
            "train_seconds": outcome.train_seconds,
            "fingerprint": outcome.fingerprint,
            "environment": environment,
            "hyperparameters": "{}",
            **outcome.metrics,
            **{f"validation_{name}": v for name, v in outcome.validation_metrics.items()},
        }
        for key, outcome in outcomes.items()
    ]
    return pd.DataFrame(rows)


def _identify_trial(key: TrialKey, design: Design, varied: str) -> dict[str, Any]:
    """`CELL_COLUMNS` and `TRIAL_COLUMNS` of a trial."""
    model, split, seed = key
    shared = (EXPERIMENT, varied, DATASET, design.scheme, design.test_ratio)
    cell = (*shared, model.name, model.name, "default")
    trial = (split.data_seed, 0, split.fold, *(seed for _ in MODEL_SEED_COLUMNS))
    return dict(zip([*CELL_COLUMNS, *TRIAL_COLUMNS], [*cell, *trial], strict=True))


def describe_study(
    study: Mapping[str, Any],
    data: TrainingData,
    models: list[Model],
    metric: Metric,
    metrics: pd.DataFrame,
    environment: Environment,
    notes: list[str],
) -> StudyInfo:
    """Facts of the study of a session, as `reseed.trials.about` describes one.

    study: its texts, and as `dataset` the title of its data. metrics: one row a training.
    """
    nouns = {"data": "data_seed", "model": "init"}
    seeds = {name: sorted(map(int, metrics[column].unique())) for name, column in nouns.items()}
    machine = environment.facts | {
        "environment": environment.identifier,
        "trials": len(metrics),
    }
    experiment = ExperimentInfo(
        title="Trained in this session",
        arms={m.name: m.name for m in models},
        varied=metrics["varied"].iloc[0],
        seeds=seeds,
    )
    return build_study_info(
        {EXPERIMENT: experiment},
        {DATASET: describe_data(study["dataset"], data, metric)},
        metrics,
        metrics["model"],
        same_outputs=find_repeated_outputs(metrics),
        notes=notes,
        models={m.name: ModelInfo(title=m.name, hyperparameters=m.hyperparameters) for m in models},
        machines=[MachineInfo(**machine)],
        **study,
    )


def describe_data(title: str, data: TrainingData, metric: Metric) -> DatasetInfo:
    """Facts of the data of a session."""
    counts = None
    if data.classes is not None:
        sizes = np.bincount(data.targets.target, minlength=len(data.classes))
        counts = dict(zip(data.classes, sizes.tolist(), strict=True))
    label = data.classes[1] if data.classes and data.task == "binary" else None
    more: dict[str, Any] = {"name": DATASET, "positive": label}
    return DatasetInfo(
        **more,
        kind="rows as given",
        title=title,
        task=data.task,
        target="y",
        rows=len(data.targets),
        classes=data.classes,
        class_counts=counts,
        metric=metric.name,
        metric_title=metric.title,
        greater_is_better=metric.greater_is_better,
        metric_is_share=metric.share,
        targets_sha256=data.targets.sha256(),
    )


def describe_failures(metrics: pd.DataFrame) -> list[str]:
    """One sentence a model with failed trainings, with the most frequent reason."""
    notes = []
    for model, rows in metrics.groupby("model", sort=False):
        reasons = Counter(rows.loc[rows["status"] != "ok", "error"])
        if reasons:
            reason, _ = reasons.most_common(1)[0]
            count = sum(reasons.values())
            notes.append(f"{model}: {count} of {len(rows)} trainings failed, most by {reason}.")
    return notes


def write_predictions(
    outcomes: dict[TrialKey, Outcome], design: Design, varied: str, data: TrainingData
) -> TemporaryFolder:
    """Write raw outputs, targets and curves as `reseed.trials.collect_items.collect_items` does.

    The folder is deleted with the returned object.
    """
    folder = TemporaryFolder()
    path = folder.path / EXPERIMENT
    path.mkdir()
    classes = len(data.classes) if data.classes and data.task == "multiclass" else 1
    scores, curves = [], []
    validation_rows: dict[SplitId, np.ndarray] = {}
    for key, outcome in outcomes.items():
        trial = _identify_trial(key, design, varied)
        parts = {part: _flatten(outcome.outputs.get(part)) for part in ("test", "validation")}
        scores.append(trial | {"status": outcome.status, "classes": classes} | parts)
        curves += [trial | point for point in outcome.curve]
        if outcome.validation_rows is not None:
            validation_rows.setdefault(key[1], outcome.validation_rows)
    no_rows = np.empty(0, dtype=np.int64)
    targets = [
        dict(zip(SPLIT_COLUMNS, (one.data_seed, 0, one.fold), strict=True))
        | {"dataset": DATASET, "scheme": design.scheme}
        | {
            "test": data.targets.target[one.split.test].astype(np.float64),
            "validation": data.targets.target[validation_rows.get(one, no_rows)].astype(np.float64),
        }
        for one in design.splits
    ]
    for name, rows, schema in (
        ("scores", scores, SCORES),
        ("targets", targets, TARGETS),
        ("curves", curves, CURVES),
    ):
        pq.write_table(pa.Table.from_pylist(rows, schema=schema), path / f"{name}.parquet")
    return folder


def _flatten(outputs: np.ndarray | None) -> np.ndarray | None:
    return None if outputs is None else outputs.ravel()
