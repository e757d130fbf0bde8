"""A statement that an exhibit tests, as a study's file gives it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Statement:
    """A statement to test: the estimates of a claim lie in a region.

    text: the statement in words. claim: name of the exhibit's claim that measures it. above, below:
    ends of the region (None: no end). published: the paper's own number as text, or empty. source:
    its place in the paper.
    """

    text: str
    claim: str
    above: float | None = None
    below: float | None = None
    published: str = ""
    source: str = ""
