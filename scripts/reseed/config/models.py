"""Models: an algorithm with its training recipe."""

from typing import Annotated, Literal

from pydantic import Discriminator, Field, Tag, model_validator

from reseed.config.base import Count, Identifier, ObjectPath, Strict, get_union_tag


class Range(Strict):
    """Whole numbers from `low` to `high`, both included."""

    low: int
    """Least."""
    high: int
    """Greatest."""

    @model_validator(mode="after")
    def _ordered(self) -> "Range":
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
    """What is fitted on a table's training rows before a model: impute, one-hot, scale.

    Numbers are imputed by the median, with a column that says where one was missing; a missing
    category is one of its own; columns that do not vary are dropped.
    Images and texts reach a model as they are.
    """

    scaling: Literal["training_rows", "all_rows", "none"] = "training_rows"
    """On which rows min-max scaling is fitted; `all_rows` is what Raste et al. do."""


class Stack(Strict):
    """How many trials a model trains in one pass, by device (1: one at a time).

    The width is part of a trial's key: the last bits of batched arithmetic depend on it.
    """

    cpu: Count = 1
    """Trials side by side on a CPU."""
    gpu: Count = 1
    """On a GPU."""


class Model(Strict):
    """One model: an algorithm with its training recipe."""

    name: Identifier
    """The file's name."""
    title: str
    """What tables and figures call it."""
    factory: ObjectPath
    """`module:function` that makes an untrained estimator."""
    device: Device = "cpu"
    """Where it trains; `auto`: on a GPU where one is granted."""
    encoder: Encoder = Encoder()
    """What is done to a table before it."""
    stack: Stack = Stack()
    """Trials it trains in one pass, if it can."""
    weights: Identifier | None = None
    """Pretrained weights: a file in `config/weights/`."""
    hold_validation: bool = False
    """Keep validation rows from a model that does not need them, to score them."""
    compute: dict[str, Value] = {}
    """How to compute (mixed precision …), for factories that take it."""
    code: list[str] = []
    """Files or modules the factory loads in a way that cannot be followed."""
    environment: Identifier = "training"
    """File in `envs/` it runs in, under `--sdm conda`."""
    hyperparameters: dict[str, Value] = {}
    """Given to the factory."""
    search_space: dict[str, SearchValues] = {}
    """What a search draws from: a list of values, or a range of whole numbers."""
    seconds_per_trial: Annotated[float, Field(gt=0)] = 1.0
    """What a trial costs: sizes jobs, changes no result."""
    notes: str | list[str] | None = None
    """What a reader should know."""
