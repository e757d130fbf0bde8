"""Accuracies that are the majority class's: a model that never names the rare class."""

from __future__ import annotations

import pandas as pd
from reseed.rendering.data import ExhibitData
from reseed.rendering.numbers import percent

# Points by which a mean accuracy must leave the majority's share to say anything of a model.
_MARGIN = 0.01
# Shares of the majority from which this is asked at all.
_RARE = 0.9


def majority_share(data: ExhibitData, dataset: str) -> float:
    """Share of the largest class of a dataset, 0 where classes are not known."""
    counts = (data.info.datasets[dataset].class_counts or {}).values()
    return max(counts) / sum(counts) if counts else 0.0


def is_majority(data: ExhibitData, dataset: str, accuracy: pd.Series) -> bool:
    """Whether these accuracies are those of naming the largest class always."""
    share = majority_share(data, dataset)
    return share >= _RARE and bool(((accuracy - share).abs() <= _MARGIN).all())


def why_majority(data: ExhibitData, datasets: list[str]) -> str:
    """The line that says which panels of accuracy are not shown; empty if none."""
    if not datasets:
        return ""
    named = ", ".join(f"{data.dataset(d)} ({percent(majority_share(data, d))})" for d in datasets)
    return f"Accuracy is not shown where it is the share of the largest class: {named}."
