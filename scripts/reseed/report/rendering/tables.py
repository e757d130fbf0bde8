"""Tables: the text they show, and the numbers behind it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
from reseed.report.rendering.data import ExhibitData
from reseed.report.rendering.numbers import NONE

#: The sign of a number, neither a hyphen nor the value of a parameter, which is copied.
_MINUS = re.compile(r"(?<![\w.)\]=])-(?=\d)")

#: Cells of a row by heading, and by (group, heading) where columns are grouped.
TableRow = dict[str, str]
GroupedRow = dict[tuple[str, str], str]


@dataclass(frozen=True)
class Table:
    """A table to print, and the numbers behind it.

    shown: text; two-level columns become grouped headings.
    raw: the same and further numbers at full precision.
    sections: the section of each row of `shown`, or empty.
    details: a sentence for each row that pages show on demand, or empty.
    text_columns: number of leading columns that are aligned left.
    paragraphs: columns that hold sentences.
    definitions: how the numbers were computed.
    empty: why there is nothing to show, or empty.
    """

    data: ExhibitData
    shown: pd.DataFrame
    raw: pd.DataFrame
    footnote: str
    sections: Sequence[str] = ()
    text_columns: int = 1
    paragraphs: Sequence[int] = ()
    caption: str = ""
    definitions: Sequence[str] = ()
    details: Sequence[str] = ()
    empty: str = ""

    @property
    def heading(self) -> str:
        """The configured caption, then the caption of the exhibit."""
        return " ".join(part for part in (self.data.caption, self.caption) if part)

    @property
    def note(self) -> str:
        """Footnote and definitions, for a file on its own."""
        return " ".join(part for part in (self.footnote, *self.definitions) if part)

    def levels(self) -> list[list[str]]:
        """Column headings, one list a level."""
        columns = self.shown.columns
        if columns.nlevels == 1:
            return [[str(name) for name in columns]]
        return [[str(name) for name in columns.get_level_values(i)] for i in range(columns.nlevels)]

    def lines(self) -> Iterator[tuple[str | None, list[str]]]:
        """(section, cells) of every row, with true minus signs; a section where one begins."""
        last = None
        rows = self.shown.itertuples(index=False, name=None)
        sections: Sequence[str | None] = self.sections or [None] * len(self.shown)
        for section, row in zip(sections, rows, strict=True):
            yield (
                (section if section != last else None),
                [_MINUS.sub("−", str(cell)) for cell in row],
            )
            last = section


class Rows:
    """Collects the rows of a table: cells by heading, with a section and a detail each.

    Headings are texts, or (group, heading) for grouped columns.
    """

    def __init__(self) -> None:
        self._cells: list[Mapping[Any, object]] = []
        self._sections: list[str] = []
        self._details: list[str] = []

    def __len__(self) -> int:
        return len(self._cells)

    def add(
        self,
        cells: Mapping[str, object] | Mapping[tuple[str, str], object],
        section: str = "",
        detail: str = "",
    ) -> None:
        """Add a row."""
        self._cells.append(cells)
        self._sections.append(section)
        self._details.append(detail)

    def table(
        self,
        data: ExhibitData,
        raw: pd.DataFrame,
        footnote: str,
        drop_empty: bool = False,
        **more,
    ) -> Table:
        """The table of these rows; `more` as in `Table`.

        drop_empty: leave out columns that hold dashes alone.
        """
        shown = pd.DataFrame(self._cells).fillna(NONE)  # some rows lack a column
        if drop_empty:
            shown = shown.loc[:, (shown != NONE).any()]
        if any(isinstance(name, tuple) for name in shown.columns):
            shown.columns = pd.MultiIndex.from_tuples(shown.columns)
            if not any(shown.columns.get_level_values(0)):
                shown.columns = shown.columns.droplevel(0)
        sections = self._sections if any(self._sections) else ()
        details = self._details if any(self._details) else ()
        return Table(data, shown, raw, footnote, sections=sections, details=details, **more)


def empty_table(data: ExhibitData, reason: str) -> Table:
    """A table that holds the reason why there is nothing to show."""
    note = data.scale
    shown = pd.DataFrame({"Nothing to show": [reason]})
    return Table(data, shown, pd.DataFrame(), note, empty=reason)


def groups(level: list[str]) -> list[tuple[str, int]]:
    """Neighbouring equal headings as (heading, width)."""
    headings: list[tuple[str, int]] = []
    for name in level:
        if headings and headings[-1][0] == name:
            headings[-1] = (name, headings[-1][1] + 1)
        else:
            headings.append((name, 1))
    return headings
