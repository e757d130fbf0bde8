"""A statement of a paper that an analysis tests, as a study's file gives it."""

from __future__ import annotations

from dataclasses import dataclass

#: Columns and the values of the rows that are meant.
Where = tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True)
class Statement:
    """A statement to test: the average of a column over rows of an analysis lies in a region.

    The fields are those of `config.statements.StatementEntry` at one scale; `not_comparable` is
    empty where runs can test it.
    """

    text: str
    value: str
    scale: str
    title: str
    analysis: str = ""
    ends: tuple[str, ...] = ()
    where: Where = ()
    per: tuple[str, ...] = ()
    least: tuple[tuple[str, float], ...] = (("n", 2.0),)
    over: Where = ()
    within: tuple[str, ...] = ()
    pooled: bool = False
    n: tuple[str, ...] = ("n",)
    noun: str = "seed"
    cases: str = ""
    p: str = ""
    power: str = ""
    unit: str = ""
    above: float | None = None
    below: float | None = None
    limit: str = ""
    published: str = ""
    paper: tuple[float, ...] = ()
    conditions: str = ""
    source: str = ""
    each: bool = False
    not_comparable: str = ""
