"""`Result`: one answer in every output; and how the console and notebooks show it."""

from __future__ import annotations

import io
import json
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from reseed.comparison.notebook import show_result
from reseed.core.atomic import write_text
from reseed.core.csv_files import write_csv
from reseed.core.study_info import build_study_info
from reseed.verdicts.decide import ALL_DATASETS
from reseed.verdicts.shown import ResultRow, Shown, group_rows, tabulate

if TYPE_CHECKING:
    from reseed.report.rendering.tables import Table

#: Rows that the console and notebooks show; files have all.
MOST_ROWS = 12
#: Cells without a value.
_EMPTY = ("–", "—", "")
#: Width of output that is not a terminal: tables are not wrapped.
UNLIMITED = 10_000


class Result:
    """What every comparison returns: the answer, rows with intervals, tables, figures and notes."""

    @property
    def shown(self) -> Shown:
        """What all outputs show."""
        raise NotImplementedError

    @property
    def answer(self) -> list[str]:
        """The sentences that come first."""
        return list(self.shown.answer)

    def _make_table(self, name: str) -> Table:
        """The rows as a table of text, with the numbers behind them; `Comparison` has several."""
        from reseed.report.rendering.data import ExhibitData
        from reseed.report.rendering.tables import Table

        shown = self.shown
        info = build_study_info({}, {}, title=shown.title)
        data = ExhibitData(None, pd.DataFrame(), info, title=shown.title)
        numbers = next(iter(shown.tables.values()))
        return Table(data, shown.frame(), numbers, " ".join(shown.notes), text_columns=2)

    def to_latex(self, name: str = "") -> str:
        """A table as LaTeX; its first line names the packages it needs."""
        from reseed.report.rendering.latex import latex

        return latex(self._make_table(name))

    def to_markdown(self, name: str = "") -> str:
        """A table as Markdown."""
        from reseed.report.rendering.table_files import markdown

        return markdown(self._make_table(name))

    def to_csv(self, path: str | Path) -> None:
        """Write the numbers behind the rows as CSV."""
        write_csv(next(iter(self.shown.tables.values())), Path(path))

    def to_json(self) -> str:
        """Answer, tables and notes as JSON text; missing numbers are null."""
        shown = self.shown
        tables = {name: list_records(table) for name, table in shown.tables.items()}
        content = {"answer": list(shown.answer), **tables, "notes": list(shown.notes)}
        return json.dumps(content, indent=2, ensure_ascii=False)

    def to_html(self, path: str | Path | None = None) -> str:
        """The report as one self-contained page, which is written to `path` if given."""
        from reseed.report.pages.result_page import build_result_page

        page = build_result_page(self.shown)
        if path is not None:
            write_text(Path(path), page)
        return page

    def save(self, folder: str | Path) -> Path:
        """Write the tables as CSV."""
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        for name, table in self.shown.tables.items():
            if len(table):
                write_csv(table, folder / f"{name}.csv")
        return folder

    def render(self, width: int | None = None, color: bool = False, pairs: bool = False) -> str:
        """The text of the command.

        Args:
            width: columns of the terminal, to which tables are fitted; None for no limit.
            color: whether to use terminal colors.
            pairs: whether to list every compared pair.
        """
        return render_shown(self.shown, width, color, pairs)

    def __str__(self) -> str:
        return self.render(max(80, shutil.get_terminal_size((100, 24)).columns))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """What a notebook shows: the answer, rows with pictures, the first figure, notes."""
        from reseed.report.pages.result_page import draw_component

        shown = self.shown
        return show_result(shown.answer, draw_component(shown, MOST_ROWS), shown.notes)


def list_records(table: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows of a table for JSON; missing numbers are None."""
    records: list[dict[str, Any]] = json.loads(table.to_json(orient="records", double_precision=15))
    return records


def open_console(width: int | None, color: bool) -> Any:
    """A console of rich that writes to a text (`read_console`)."""
    from rich.console import Console

    return Console(
        file=io.StringIO(), width=width or UNLIMITED, force_terminal=color, highlight=False,
        no_color=not color, emoji=False, markup=False, legacy_windows=False,
    )  # fmt: skip


def read_console(console: Any) -> str:
    """What was printed, without blanks at ends of lines."""
    return "\n".join(line.rstrip() for line in console.file.getvalue().splitlines())


def render_shown(
    shown: Shown, width: int | None = None, color: bool = False, pairs: bool = False
) -> str:
    """The answer, the rows (and pairs), next steps and notes as text."""
    console = open_console(width, color)
    for sentence in shown.answer:
        console.print(sentence, style="bold")
    sections = group_rows(shown.rows, MOST_ROWS)
    if sections[:1] and sections[0][0] == ALL_DATASETS and not pairs:
        sections = sections[:1]  # the answer over all datasets; the page has each
    for dataset, rows in sections:
        console.print()
        if dataset:
            console.print(dataset, style="bold")
        _print_rows(console, rows, shown.noun, shown.heading)
    if hidden := len(shown.rows) - sum(len(rows) for _, rows in sections):
        console.print(f"… and {hidden:,} more rows: --html FILE shows them, --csv FILE has all.")
    if pairs and shown.pairs:
        console.print()
        _print_rows(console, shown.pairs, "Pair", "Difference")
    if shown.next_steps:
        console.print()
    for title, text in shown.next_steps.items():
        console.print(f"{title}: {text}")
    console.print()
    for note in shown.notes:
        console.print(f"Note: {note}")
    return read_console(console)


def _print_rows(console: Any, rows: Sequence[ResultRow], noun: str, heading: str) -> None:
    """Rows with as many columns as fit: the last ones go first, the verdict never."""
    alone = [replace(row, dataset="") for row in rows] if noun != "Pair" else rows
    frame = tabulate(alone, noun, heading)
    frame = frame.loc[:, ~frame.isin(_EMPTY).all()]
    strips = draw_strips(rows)
    if any(strips):
        frame["Scores"] = strips
    kept = [one for one in frame if one in (noun, "Dataset", "Verdict", heading)]
    others = [one for one in frame if one not in kept]
    unlimited = console.options.update(width=UNLIMITED)
    while True:
        table = build_table(frame[[*kept, *others]], noun)
        if not others or console.measure(table, options=unlimited).maximum <= console.width:
            break
        others.pop()
    console.print(table)


#: Cells of a strip of scores, and marks for one, two and more scores in a cell.
_CELLS, _MARKS = 24, " ·:⁝"


def draw_strips(rows: Sequence[ResultRow]) -> list[str]:
    """The scores of each row as a line of marks on one axis; empty where they do not vary."""
    known = [score for row in rows for score in row.scores]
    if not known or min(known) == max(known) or max(len(row.scores) for row in rows) < 2:
        return [""] * len(rows)
    strips = []
    for row in rows:
        counts = np.histogram(row.scores, _CELLS, (min(known), max(known)))[0]
        strips.append("".join(_MARKS[min(count, len(_MARKS) - 1)] for count in counts))
    return strips


def build_table(frame: pd.DataFrame, noun: str) -> Any:
    """A table of rich: words are broken between lines and never cut; numbers stay whole."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for name in frame:
        is_text = name in (noun, "Dataset", "Verdict", "Scores")
        table.add_column(
            str(name), justify="left" if is_text else "right", overflow="fold",
            no_wrap=name == "Scores", min_width=12 if name == "Verdict" else None,
        )  # fmt: skip
    for row in frame.astype(str).itertuples(index=False):
        table.add_row(*row)
    return table
