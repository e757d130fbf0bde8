"""What a user may write: a pydantic class for every file under `config/`.

In: YAML files.
Out: checked objects, JSON schemas, messages.
Decides: which fields exist and what they mean.
Imports: core.
Start: `studies.py`.
"""

from reseed.config.base import SCALES, Strict
from reseed.config.datasets import Dataset, Weights
from reseed.config.models import Model
from reseed.config.studies import (
    Arm,
    DatasetReference,
    Exhibit,
    Experiment,
    Main,
    ModelReference,
    Results,
    ResultsFormat,
    Study,
)

__all__ = [
    "SCALES",
    "Arm",
    "Dataset",
    "DatasetReference",
    "Exhibit",
    "Experiment",
    "Main",
    "Model",
    "ModelReference",
    "Results",
    "ResultsFormat",
    "Strict",
    "Study",
    "Weights",
]

CONFIG_CLASSES: dict[str, type[Strict]] = {
    "config": Main,
    "dataset": Dataset,
    "weights": Weights,
    "model": Model,
    "study": Study,
}
