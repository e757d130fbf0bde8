"""Models: an algorithm with its training recipe."""

from typing import Annotated, Literal

from pydantic import Discriminator, Field, Tag, model_validator

from reseed.config.base import Count, Identifier, ObjectPath, Strict, get_union_tag


class Range(Strict):
    """Integers from `low` to `high`, both included."""

    low: int
    """Smallest value."""
    high: int
    """Largest value."""

    @model_validator(mode="after")
    def _check_order(self) -> "Range":
        if self.high < self.low:
            raise ValueError(f"high ({self.high}) is below low ({self.low})")
        return self


Scalar = bool | int | float | str | None
Value = Scalar | list[Scalar]
SearchValues = Annotated[
    Annotated[list[Value], Field(min_length=1), Tag("list")] | Annotated[Range, Tag("fields")],
    Discriminator(get_union_tag),
]
Device = Literal["cpu", "gpu", "auto"]


class Encoder(Strict):
    """Encoding of a table before the model, fitted on the training rows.

    A missing number becomes the median, and an indicator column marks it. A missing category is a
    category of its own. Columns are one-hot encoded; constant columns are dropped. Images and texts
    are not encoded.
    """

    scaling: Literal["training_rows", "all_rows", "none"] = "training_rows"
    """Rows on which min-max scaling is fitted; Raste et al. use `all_rows`."""


class Stack(Strict):
    """Number of trials that a model trains in one pass, by device (1: one at a time).

    The number is part of the key of a trial, because the last bits of batched arithmetic depend on
    it.
    """

    cpu: Count = 1
    """Trials in one pass on a CPU. Datasets with `rows` of 100,000 or more: always 1."""
    gpu: Count = 1
    """Trials in one pass on a GPU."""


class Model(Strict):
    """One model: an algorithm with its training recipe."""

    name: Identifier
    """Name of the file."""
    title: str
    """Name in tables and figures."""
    factory: ObjectPath
    """`module:function` that returns an untrained estimator."""
    device: Device = "cpu"
    """Device for training; `auto`: a GPU if the job has one."""
    encoder: Encoder = Encoder()
    """Encoding of a table before the model."""
    stack: Stack = Stack()
    """Trials in one pass, for models that support it."""
    weights: Identifier | None = None
    """Pretrained weights: a file in `config/weights/`."""
    hold_validation: bool = False
    """Do not train on the validation rows, so that a model without early stopping scores them."""
    compute: dict[str, Value] = {}
    """Options of the computation, such as mixed precision, for factories that take them."""
    code: list[str] = []
    """Files that the factory opens, and modules that code analysis cannot follow."""
    environment: Identifier = "training"
    """File in `envs/` for its conda environment, with `--sdm conda`."""
    hyperparameters: dict[str, Value] = {}
    """Hyper-parameters for the factory."""
    search_space: dict[str, SearchValues] = {}
    """Values that a search draws from: a list, or a range of integers."""
    seconds_per_trial: Annotated[float, Field(gt=0)] = 1.0
    """Time of a trial; it sets the size of jobs and changes no result."""
    notes: str | list[str] | None = None
    """Remarks for the report."""
