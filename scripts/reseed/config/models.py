"""Models: an algorithm with its training recipe."""

from typing import Annotated, Literal

from pydantic import Discriminator, Field, Tag, model_validator

from reseed.config.base import Count, Identifier, Place, Strict, shape_of


class Range(Strict):
    """Whole numbers from `low` to `high`, both included."""

    low: int
    high: int

    @model_validator(mode="after")
    def _ordered(self) -> "Range":
        if self.high < self.low:
            raise ValueError(f"high ({self.high}) is below low ({self.low})")
        return self


Plain = bool | int | float | str | None
Value = Plain | list[Plain]
Values = Annotated[
    Annotated[list[Value], Tag("list")] | Annotated[Range, Tag("fields")], Discriminator(shape_of)
]
Device = Literal["cpu", "gpu", "auto"]


class Encoder(Strict):
    """What is fitted on a table's training rows before a model: impute, one-hot, scale.

    Images and texts reach a model as they are.
    """

    scaling: Literal["training_rows", "all_rows", "none"] = "training_rows"


class Stack(Strict):
    """How many trials a model trains in one pass, by device (1: one at a time).

    The width is part of a trial's key: the last bits of batched arithmetic depend on it.
    """

    cpu: Count = 1
    gpu: Count = 1


class Model(Strict):
    """One model: an algorithm with its training recipe.

    `code` names files or modules that the factory loads in a way that cannot be followed; their
    content is part of a trial's key, as the factory's own module is. `hold_validation`: a model
    that does not stop early is not trained on the validation rows either, so that it has
    validation scores. `compute`: how to compute (mixed precision and the like), for factories
    that take it.
    """

    name: Identifier
    title: str
    factory: Place
    device: Device = "cpu"
    encoder: Encoder = Encoder()
    stack: Stack = Stack()
    weights: Identifier | None = None
    hold_validation: bool = False
    compute: dict[str, Value] = {}
    code: list[str] = []
    environment: Identifier = "training"
    hyperparameters: dict[str, Value] = {}
    search_space: dict[str, Values] = {}
    seconds_per_trial: Annotated[float, Field(gt=0)] = 1.0
    notes: str | list[str] | None = None
