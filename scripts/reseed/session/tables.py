"""Outcomes of trainings in the tables that analyses read (`reseed.core.schemas`)."""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from reseed.collection.about import find_repeated_outputs
from reseed.core.environment import compute_environment_id, count_cores, describe_environment
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
    IMPORTED_SCALE,
    DatasetInfo,
    ExperimentInfo,
    MachineInfo,
    ModelInfo,
    StudyInfo,
    TrialCounts,
)
from reseed.metrics.registry import Metric
from reseed.session.inputs import Learnt
from reseed.session.models import Model
from reseed.session.splits import Design, Place
from reseed.training.run import Outcome

EXPERIMENT = "study"
DATASET = "data"
#: A trial: the model, its split, its model seed.
Key = tuple[Model, Place, int]


def rows_of(outcomes: dict[Key, Outcome], design: Design, varied: str, where: str) -> pd.DataFrame:
    """One row a trial, as `reseed.collection.trials.collect_trials` gives."""
    rows = [
        _identity(key, design, varied)
        | {
            "status": outcome.status,
            "error": outcome.error,
            "converged": outcome.converged,
            "train_seconds": outcome.train_seconds,
            "fingerprint": outcome.fingerprint,
            "environment": where,
            "hyperparameters": "{}",
            **outcome.metrics,
            **{f"validation_{name}": v for name, v in outcome.validation_metrics.items()},
        }
        for key, outcome in outcomes.items()
    ]
    return pd.DataFrame(rows)


def _identity(key: Key, design: Design, varied: str) -> dict:
    model, place, seed = key
    fixed = (EXPERIMENT, varied, DATASET, design.scheme, design.test_ratio)
    identity = (*fixed, model.name, model.name, "default")
    numbers = (place.data_seed, 0, place.fold, *(seed for _ in MODEL_SEED_COLUMNS))
    return dict(zip([*CELL_COLUMNS, *TRIAL_COLUMNS], [*identity, *numbers], strict=True))


def describe(
    study: dict[str, str],
    data: Learnt,
    models: list[Model],
    metric: Metric,
    metrics: pd.DataFrame,
    device: str,
    notes: list[str],
) -> StudyInfo:
    """Facts of the study of a session, as `reseed.collection.about` describes one.

    `study` holds its texts, and under `dataset` the title of its data.
    """
    facts = describe_environment(device, 1)
    nouns = {"data": "data_seed", "model": "init"}
    seeds = {name: sorted(map(int, metrics[column].unique())) for name, column in nouns.items()}
    machine = facts | {
        "environment": compute_environment_id(facts),
        "cores": count_cores(),
        "trials": len(metrics),
    }
    return StudyInfo(
        **study,
        scale=IMPORTED_SCALE,
        notes=notes,
        models={
            m.name: ModelInfo(
                title=m.name, hyperparameters=m.hyperparameters, search_space={}, notes=None
            )
            for m in models
        },
        variants={},
        experiments={
            EXPERIMENT: ExperimentInfo(
                title="Trained in this session",
                arms={m.name: m.name for m in models},
                varied=metrics["varied"].iloc[0],
                seeds=seeds,
            )
        },
        datasets={DATASET: _describe_data(study["dataset"], data, metric)},
        trials=TrialCounts.of_trials(metrics, same_outputs=find_repeated_outputs(metrics)),
        train_seconds=float(metrics["train_seconds"].sum()),
        seconds_per_trial=metrics.groupby("model")["train_seconds"].median().to_dict(),
        machines=[MachineInfo(**machine)],
        commits=[],
    )


def _describe_data(title: str, data: Learnt, metric: Metric) -> DatasetInfo:
    counts = None
    if data.classes is not None:
        sizes = np.bincount(data.targets.target, minlength=len(data.classes))
        counts = dict(zip(data.classes, sizes.tolist(), strict=True))
    return DatasetInfo(
        name=DATASET,
        kind="rows as given",
        title=title,
        task=data.task,
        target="y",
        rows=len(data.targets),
        features=[],
        classes=data.classes,
        positive=data.classes[1] if data.task == "binary" else None,
        class_counts=counts,
        stand_in=None,
        licence="",
        citation="",
        source={},
        notes=[],
        unit="",
        metric=metric.name,
        metric_title=metric.title,
        greater_is_better=metric.greater_is_better,
        metric_is_share=metric.share,
        targets_sha256=data.targets.sha256(),
    )


def failure_notes(metrics: pd.DataFrame) -> list[str]:
    """One sentence a model of which trainings failed, with the most frequent reason."""
    found = []
    for model, rows in metrics.groupby("model", sort=False):
        reasons = Counter(rows.loc[rows["status"] != "ok", "error"])
        if reasons:
            reason, _ = reasons.most_common(1)[0]
            count = sum(reasons.values())
            found.append(f"{model}: {count} of {len(rows)} trainings failed, most by {reason}.")
    return found


def predictions(
    outcomes: dict[Key, Outcome], design: Design, varied: str, data: Learnt
) -> tempfile.TemporaryDirectory:
    """Raw outputs, targets and curves as `reseed.collection.items.collect_items` writes them."""
    folder = tempfile.TemporaryDirectory(prefix="reseed-")
    place = Path(folder.name) / EXPERIMENT
    place.mkdir()
    scores, curves, held = [], [], {}
    for key, outcome in outcomes.items():
        identity = _identity(key, design, varied)
        parts = {part: _flat(outcome.outputs.get(part)) for part in ("test", "validation")}
        classes = len(data.classes) if data.task == "multiclass" else 1
        scores.append(identity | {"status": outcome.status, "classes": classes} | parts)
        curves += [identity | point for point in outcome.curve]
        if outcome.validation_rows is not None:
            held.setdefault(key[1], outcome.validation_rows)
    truths = [
        dict(zip(SPLIT_COLUMNS, (p.data_seed, 0, p.fold), strict=True))
        | {"dataset": DATASET, "scheme": design.scheme}
        | {
            part: data.targets.target[rows].astype(np.float64)
            for part, rows in (("test", p.split.test), ("validation", held.get(p, [])))
        }
        for p in design.places
    ]
    for name, table, schema in (
        ("scores", scores, SCORES),
        ("targets", truths, TARGETS),
        ("curves", curves, CURVES),
    ):
        pq.write_table(pa.Table.from_pylist(table, schema=schema), place / f"{name}.parquet")
    return folder


def _flat(outputs: np.ndarray | None) -> np.ndarray | None:
    return None if outputs is None else outputs.ravel()
