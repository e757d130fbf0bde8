"""Statements of a paper, in a study's file."""

from typing import Annotated

from pydantic import Field

from reseed.config.base import Strict
from reseed.core.identifiers import Scale
from reseed.core.statement import Statement


class StatementEntry(Strict):
    """A statement that a claim of an exhibit tests; the front page shows it with its verdict."""

    text: str
    """The statement in at most twelve words."""
    claim: str
    """Name of the claim of the exhibit that measures it."""
    above: float | None = None
    """The statement is supported if the interval of the average lies above this number."""
    below: float | None = None
    """The statement is supported if the interval of the average lies below this number."""
    limit: str = ""
    """Why the region ends there, where the paper gives no number."""
    published: str = ""
    """The paper's own number, in words."""
    paper: Annotated[list[float], Field(max_length=2)] = []
    """The same as a number, or as the two ends of a range, in the unit of the claim's estimates."""
    conditions: str = ""
    """Of the paper's number: test items, seeds."""
    source: str = ""
    """Place of that number in the paper."""
    only: dict[str, list[str]] = {}
    """Column → values of the rows that the statement speaks about (default: all)."""
    each: bool = False
    """The statement speaks about every setting, not about their average."""
    not_comparable: str = ""
    """Why runs cannot test the statement, at all scales but those of `comparable_at`."""
    comparable_at: list[Scale] = []
    """Scales at which runs can test it although `not_comparable` is given."""

    def to_statement(self, scale: Scale) -> Statement:
        """The statement as exhibits judge it at a scale."""
        given = self.model_dump(exclude={"paper", "only", "comparable_at"})
        if scale in self.comparable_at:
            given["not_comparable"] = ""
        only = tuple((column, tuple(values)) for column, values in self.only.items())
        return Statement(**given, paper=tuple(self.paper), only=only)
