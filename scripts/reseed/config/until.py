"""The rule by which the pairs of an experiment are settled."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from reseed.config.base import Count, Fraction, Integer, Strict


class Until(Strict):
    """The rule by which pairs of arms are settled (docs/methods/stopping.md).

    `until: settled` stands for the defaults. The analysis `stopping` says after how many seeds
    each pair is settled.
    """

    first: Annotated[Integer, Field(ge=2)] = 10
    """Seeds of the first round."""
    batch: Count = 5
    """Seeds of each later round."""
    alpha: Fraction = 0.05
    """Probability of ever stopping with a wrong claim on any pair of a dataset."""
    scale: Annotated[float, Field(gt=0)] = 1.0
    """Prior SD of the standardised difference."""
    rope: Annotated[float, Field(gt=0)] | dict[str, Annotated[float, Field(gt=0)]] | None = None
    """Half-width of practical equivalence, in units of the score; by metric if there are several.
    Without it no pair is called equivalent."""
    half_width: Annotated[float, Field(gt=0)] | None = None
    """Half-width of a sufficiently narrow interval, in units of the score: a further reason to
    stop."""


def _read_until(value: Any) -> Any:
    if isinstance(value, str):
        if value != "settled":
            raise ValueError(f"{value!r}: write settled, or the fields of the rule")
        return Until()
    return value


#: `settled`, or the fields of the rule.
GivenUntil = Annotated[
    Until | None,
    BeforeValidator(_read_until, json_schema_input_type=Literal["settled"] | Until | None),
]
