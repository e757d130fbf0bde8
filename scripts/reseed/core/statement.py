"""Statements of a paper that analyses test, as a study's file gives them."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

#: What the paper ran: a fact of a trial → the paper's names, or a model or dataset → least number.
Recipe = dict[str, list[str] | dict[str, float]]
#: Fields that only tell the reader; the others say what is judged, and how.
_TEXTS = {"text", "finding", "quote", "exhibit", "title", "noun", "unit", "limit"}
_TEXTS |= {"published", "paper", "conditions", "source"}


class Statement(BaseModel):
    """A statement of a paper: the average of a column over rows of an analysis lies in a region.

    The front page shows it with its verdict.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    text: str
    """The statement in at most twelve words."""
    finding: dict[str, str] = {}
    """Verdict → what the front page then says of it, with `{value}`, `{low}`, `{high}`."""
    quote: str = ""
    """The paper's own words, verbatim."""
    exhibit: str
    """The exhibit that shows what is measured."""
    analysis: str = ""
    """The analysis whose rows are judged (default: that of the exhibit)."""
    where: dict[str, list[str]] = {}
    """Column → values of the rows, without what follows `~` in a name (default: all rows)."""
    least: dict[str, float] = {"n": 2}
    """Column → least value of a row; a row without a value is left out."""
    per: list[str] = []
    """Columns of a setting, if its value is repeated on several rows."""
    over: dict[str, list[str]] = {}
    """Column → values of the rows that the others are divided by."""
    within: list[str] = []
    """Columns that a row and the one it is divided by share."""
    value: str
    """Column that is averaged over the rows. Intervals are at the level of the column `level`."""
    ends: Annotated[list[str], Field(max_length=2)] = []
    """Columns of its interval (default: `{value}_low` and `{value}_high`)."""
    scale: Literal["log", "fisher", "share", "linear"]
    """On which the values are averaged: of ratios and SDs `log`, of correlations `fisher`."""
    pooled: bool = False
    """The value is a ratio of SDs over seeds: average from the scores of the trials."""
    title: str
    """What is measured, in words."""
    n: list[str] = ["n"]
    """Columns with the size of the sample."""
    noun: str = "seed"
    """What they count."""
    cases: str = ""
    """Column with the number of independent cases of a share (default: that of its interval)."""
    p: str = ""
    """Column of a test of each row; without power nothing is contradicted."""
    power: str = ""
    """Column of its power."""
    unit: Literal["", "points"] = ""
    """`points`: shares are shown in points."""
    above: float | None = None
    """The statement is supported if the interval of the average lies above this number."""
    below: float | None = None
    """The statement is supported if the interval of the average lies below this number."""
    limit: str = ""
    """Why the region ends there, where the paper gives no number."""
    published: str = ""
    """The paper's own number, in words."""
    paper: Annotated[list[float], Field(max_length=2)] = []
    """The same as a number, or as the two ends of a range, in the unit of the value."""
    conditions: str = ""
    """Of the paper's number: test items, seeds."""
    source: str = ""
    """Place of that number in the paper."""
    each: bool = False
    """The statement speaks about every setting, not about their average, as do all that set both
    `above` and `below`."""
    independent: list[str] = ["dataset"]
    """Columns of a row. Settings that differ in one have errors that are independent."""
    needs: Recipe = {}
    """What settings must share with the paper to be judged: a list of names from the study's
    `paper`."""

    @property
    def is_of_each(self) -> bool:
        """Whether each setting is judged, not their average."""
        return self.each or None not in (self.above, self.below)

    def definition(self) -> dict[str, Any]:
        """What decides the verdict: two statements with equal definitions judge alike."""
        return self.model_dump(mode="json", exclude=_TEXTS)
