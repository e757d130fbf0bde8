"""The configuration: a pydantic class for every file under `config/`.

The JSON schemas under `config/schema/` are generated from these classes.
`reseed.planning.project` reads the files.
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
