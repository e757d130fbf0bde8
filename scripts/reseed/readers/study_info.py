"""Facts of a study of imported results (`about.json`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from reseed.core.study_info import (
    DatasetInfo,
    ExperimentInfo,
    ModelInfo,
    StudyInfo,
    build_study_info,
)
from reseed.readers.metrics_schema import EXPERIMENT

#: Kind of seed → the column that holds it.
_SEED_COLUMNS = {"data": "data_seed", "repeat": "repeat", "fold": "fold", "model": "init"}
#: Name and texts of a study: name (or study), title, question, citation and notes; titles of
#: datasets and of models by name.
Texts = Mapping[str, Any]


def describe_imported_study(
    metrics: pd.DataFrame, datasets: dict[str, DatasetInfo], study: Texts, notes: Sequence[str]
) -> StudyInfo:
    """Facts of imported results, as `reseed.trials.about.describe_study` returns for trials.

    notes: how the results were read.
    """
    models = {name: find_title(study, "models", name) for name in dict.fromkeys(metrics["model"])}
    varied = sorted({name for text in metrics["varied"].unique() for name in text.split("+")})
    experiment = ExperimentInfo(
        title="Given results",
        arms=models,
        varied="+".join(name for name in varied if name != "none") or "none",
        seeds={kind: sorted(map(int, metrics[c].unique())) for kind, c in _SEED_COLUMNS.items()},
    )
    texts: dict[str, Any] = {
        name: study.get(name) or "" for name in ("title", "question", "citation")
    }
    return build_study_info(
        {EXPERIMENT: experiment},
        datasets,
        metrics,
        study=study.get("study") or study.get("name"),
        notes=[*(study.get("notes") or ()), *notes],
        models={name: ModelInfo(title=title) for name, title in models.items()},
        **texts,
    )


def find_title(study: Texts, kind: str, name: str) -> str:
    """The title of one of the `models` or `datasets`; of `name~change=value` that of `name`."""
    titles = (study.get("titles") or {}).get(kind) or {}
    base, _, changes = name.partition("~")
    return titles.get(name) or (titles.get(base) if "=" in changes else None) or name
