"""Facts of a study of imported results (`about.json`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
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
Titles = Mapping[str, str]


@dataclass(frozen=True)
class StudyTexts:
    """Name and texts of a study; titles of models and datasets by name."""

    name: str | None = None
    title: str = ""
    question: str = ""
    citation: str = ""
    notes: tuple[str, ...] = ()
    model_titles: Titles = field(default_factory=dict)
    dataset_titles: Titles = field(default_factory=dict)

    @classmethod
    def from_job(cls, study: Mapping[str, Any]) -> StudyTexts:
        """The texts of a study as the job that imports its results states them."""
        titles = study.get("titles") or {}
        return cls(
            name=study.get("study") or study.get("name"),
            title=study.get("title") or "",
            question=study.get("question") or "",
            citation=study.get("citation") or "",
            notes=tuple(study.get("notes") or ()),
            model_titles=titles.get("models") or {},
            dataset_titles=titles.get("datasets") or {},
        )


def describe_imported_study(
    metrics: pd.DataFrame, datasets: dict[str, DatasetInfo], texts: StudyTexts, notes: Sequence[str]
) -> StudyInfo:
    """Facts of imported results, as `reseed.trials.about.describe_study` returns for trials.

    notes: how the results were read.
    """
    models = {
        name: find_title(texts.model_titles, name) for name in dict.fromkeys(metrics["model"])
    }
    seeds = {
        kind: sorted(map(int, metrics[column].unique())) for kind, column in _SEED_COLUMNS.items()
    }
    experiment = ExperimentInfo(
        title="Given results", arms=models, varied=_join_varied(metrics["varied"]), seeds=seeds
    )
    return build_study_info(
        {EXPERIMENT: experiment},
        datasets,
        metrics,
        study=texts.name,
        title=texts.title,
        question=texts.question,
        citation=texts.citation,
        notes=[*texts.notes, *notes],
        models={name: ModelInfo(title=title) for name, title in models.items()},
    )


def find_title(titles: Titles, name: str) -> str:
    """The title of a name; a variant `name~change=value` has the title of `name`."""
    base, _, changes = name.partition("~")
    return titles.get(name) or (titles.get(base) if "=" in changes else None) or name


def _join_varied(varied: pd.Series) -> str:
    names = sorted({name for text in varied.unique() for name in text.split("+")} - {"none"})
    return "+".join(names) or "none"
