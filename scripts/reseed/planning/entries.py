"""Configuration classes as the plain data that readers of datasets receive."""

from typing import cast

from reseed.config.datasets import Dataset, Weights
from reseed.data.entries import DatasetEntry, WeightsEntry


def as_entry(dataset: Dataset) -> DatasetEntry:
    """A dataset as plain data."""
    return cast(DatasetEntry, dataset.model_dump())


def as_weights_entry(weights: Weights) -> WeightsEntry:
    """Pretrained weights as plain data."""
    return cast(WeightsEntry, weights.model_dump())
