"""What the options of analyses and exhibits are made of: a strict class, and usual ranges.

Light, and apart from `reseed.config`: an analysis is not made anew when the configuration's own
classes change.
"""

from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field


class Strict(BaseModel):
    """A class that refuses unknown names, and values of another type (true is no number).

    The docstring of a kind's `Options` holds a line a field. A default of None stands for one that
    depends on the data, which the line says; a configured null stands for the default.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)

    def explicit(self) -> dict:
        """The options that are set, by the names that a study file uses."""
        return self.model_dump(exclude_unset=True, exclude_none=True, by_alias=True)


class NoOptions(Strict):
    """The options of a kind that takes none."""


#: A confidence level, a test's size, a power: strictly between 0 and 1.
Level = Annotated[float, Field(gt=0, lt=1)]
Share = Annotated[float, Field(ge=0, le=1)]
Positive = Annotated[float, Field(gt=0)]
#: Half-width of practical equivalence in units of the score, or by metric; None: no region.
Rope = Positive | dict[str, Positive] | None
#: How many draws, resamples, bins.
Count = Annotated[int, Field(ge=1)]
Names = Annotated[list[str], Field(min_length=1)]


def _differ(ends: list[float]) -> list[float]:
    if ends[0] == ends[1]:
        raise ValueError("both ends are the same")
    return ends


#: Two different ends.
Ends = Annotated[list[float], Field(min_length=2, max_length=2), AfterValidator(_differ)]


class PublishedFiles(Strict):
    """files: tables of published numbers (`config/published/{name}.csv`) that the analysis reads;
    when one changes, the analysis is made anew.
    """

    files: list[str] = []


class Experiments(Strict):
    """experiments: those shown, in this order (None: all)."""

    experiments: Names | None = None


class TheseExperiments(Strict):
    """experiments: those shown, in this order."""

    experiments: Names


class Arms(Experiments):
    """arms: those shown (None: all)."""

    arms: Names | None = None
