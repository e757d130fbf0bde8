"""Base classes and value types of the options of analyses and exhibits.

Separate from `reseed.config`, so that a change of the configuration classes does not rerun
analyses.
"""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from reseed.core.pair_tests import PAIR_TESTS


class Strict(BaseModel):
    """Options that reject unknown names and values of another type (true is not a number).

    The docstring of a kind's `Options` has a line for each field. The default None stands for a
    default that depends on the data, as the line says. A configured null stands for the default.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)

    def explicit(self) -> dict[str, Any]:
        """The options that were set, by their names in a study file."""
        return self.model_dump(exclude_unset=True, exclude_none=True, by_alias=True)


def pair_test(name: str) -> Any:
    """The field of an option in `PAIR_TESTS`."""
    option = PAIR_TESTS[name]
    return Field(option.default, description=f"{option.help}.")


class NoOptions(Strict):
    """Options of a kind without options."""


#: A confidence level, the size of a test, a power: strictly between 0 and 1.
Level = Annotated[float, Field(gt=0, lt=1)]
Share = Annotated[float, Field(ge=0, le=1)]
Positive = Annotated[float, Field(gt=0)]
#: Half-width of practical equivalence in units of the score, or by metric; None: no region.
Rope = Positive | dict[str, Positive] | None
#: A number of draws, resamples or bins.
Count = Annotated[int, Field(ge=1)]
Names = Annotated[list[str], Field(min_length=1)]


class PublishedFiles(Strict):
    """files: tables of published numbers (`config/published/{name}.csv`) that the analysis reads.
    A change of one reruns the analysis.
    """

    files: list[str] = []


class Experiments(Strict):
    """experiments: experiments to show, in this order (None: all)."""

    experiments: Names | None = None


class TheseExperiments(Strict):
    """experiments: experiments to show, in this order."""

    experiments: Names


class Arms(Experiments):
    """arms: arms to show (None: all)."""

    arms: Names | None = None
