"""A statement of a paper that an exhibit tests, as a study's file gives it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Statement:
    """A statement to test: the average of a claim's estimates lies in a region.

    text: the statement in at most twelve words.
    claim: name of the exhibit's claim that measures it.
    above, below: ends of the region (None: no end).
    limit: why the region ends there, where the paper gives no number.
    published: the paper's own number as text, or empty.
    paper: the same as one number, or as the two ends of a range, in the unit of the estimates.
    conditions: of the paper's number, such as test items and seeds.
    source: its place in the paper.
    only: (column, values) of the claim's rows that the statement speaks about; empty: all.
    each: the statement speaks about every setting, not about their average.
    not_comparable: why these runs cannot test the statement; empty: they can.
    """

    text: str
    claim: str
    above: float | None = None
    below: float | None = None
    limit: str = ""
    published: str = ""
    paper: tuple[float, ...] = ()
    conditions: str = ""
    source: str = ""
    only: tuple[tuple[str, tuple[str, ...]], ...] = ()
    each: bool = False
    not_comparable: str = ""
