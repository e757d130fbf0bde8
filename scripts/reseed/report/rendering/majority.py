"""Accuracies of models that always predict the majority class."""

from __future__ import annotations

import pandas as pd
from reseed.report.rendering.data import ExhibitData
from reseed.report.rendering.numbers import percent

# An accuracy this close to the share of the majority class says nothing about a model.
_MARGIN = 0.01
# Smallest share of the majority class for which accuracies are checked.
_RARE = 0.9


def majority_share(data: ExhibitData, dataset: str) -> float:
    """Share of the largest class of a dataset, 0 where classes are not known."""
    counts = (data.info.datasets[dataset].class_counts or {}).values()
    return max(counts) / sum(counts) if counts else 0.0


def is_majority(data: ExhibitData, dataset: str, accuracy: pd.Series) -> bool:
    """Whether these accuracies are those of always predicting the largest class."""
    share = majority_share(data, dataset)
    return share >= _RARE and bool(((accuracy - share).abs() <= _MARGIN).all())


def why_majority(data: ExhibitData, datasets: list[str]) -> str:
    """Sentence on the panels of accuracy that are not shown; empty if there are none."""
    if not datasets:
        return ""
    named = ", ".join(f"{data.dataset(d)} ({percent(majority_share(data, d))})" for d in datasets)
    return f"Accuracy is not shown where it is the share of the largest class: {named}."
