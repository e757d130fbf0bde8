"""`Result`: one answer in every output; and how the console and notebooks show it."""

from __future__ import annotations

import io
import json
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from reseed.comparison.notebook import show_result
from reseed.comparison.shown import MOST_SENTENCES, Shown
from reseed.core.atomic import write_text
from reseed.core.csv_files import write_csv
from reseed.core.errors import ReseedError
from reseed.core.study_info import build_study_info

if TYPE_CHECKING:
    from matplotlib.figure import Figure

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

    def _draw(self, name: str) -> Figure:
        """The figure of this name, of `shown.figures`."""
        raise NotImplementedError

    @property
    def answer(self) -> list[str]:
        """The sentences that come first."""
        return list(self.shown.answer)

    @property
    def figures(self) -> list[str]:
        """Names of the figures, the first one first."""
        return list(self.shown.figures)

    def plot(self, name: str | None = None) -> Figure:
        """A figure of `figures`, by default the first."""
        chosen = name or next(iter(self.figures), "")
        if chosen not in self.figures:
            raise ReseedError(f"no figure {chosen!r}. There are {', '.join(self.figures)}.")
        return self._draw(chosen)

    def _make_table(self, name: str) -> Table:
        """The rows as a table of text, with the numbers behind them; `Comparison` has several."""
        from reseed.report.rendering.data import ExhibitData
        from reseed.report.rendering.tables import Table

        shown = self.shown
        info = build_study_info({}, {}, title=shown.title)
        data = ExhibitData(None, pd.DataFrame(), info, title=shown.title)
        numbers = next(iter(shown.tables.values()))
        return Table(
            data, shown.frame(), numbers, " ".join(shown.notes), text_columns=shown.text_columns
        )

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

    def to_html(self, path: str | Path | None = None, progress: bool = False) -> str:
        """The report as one self-contained page, which is written to `path` if given.

        `progress` is that of `Comparison.to_html`; this page needs none.
        """
        from reseed.report.pages.pictures import embed
        from reseed.report.pages.result_page import build_result_page

        shown, pictures = self.shown, []
        with tempfile.TemporaryDirectory(prefix="reseed-") as folder:
            for name, caption in shown.figures.items():
                file = Path(folder) / f"{name}.png"
                self.plot(name).savefig(file, dpi=200)
                pictures.append((caption, embed(file)))
        page = build_result_page(
            shown.title, shown.answer, shown.frame(), draw_rows(shown), shown.sentences, pictures,
            shown.boards, shown.tables, shown.notes,
        )  # fmt: skip
        if path is not None:
            write_text(Path(path), page)
        return page

    def save(self, folder: str | Path) -> Path:
        """Write the tables as CSV, and the figures as PDF and PNG."""
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        for name, table in self.shown.tables.items():
            if len(table):
                write_csv(table, folder / f"{name}.csv")
        for name in self.figures:
            figure = self.plot(name)
            for suffix in ("pdf", "png"):
                figure.savefig(folder / f"{name}.{suffix}", dpi=200)
        return folder

    def render(self, width: int | None = None, color: bool = False) -> str:
        """The text of the command.

        Args:
            width: columns of the terminal, to which tables are fitted; None for no limit.
            color: whether to use terminal colors.
        """
        return render_shown(self.shown, width, color)

    def __str__(self) -> str:
        return self.render(max(80, shutil.get_terminal_size((100, 24)).columns))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """What a notebook shows: the answer, rows with pictures, the first figure, notes."""
        from reseed.report.pages.result_page import rows_table

        shown = self.shown
        pictures = draw_rows(shown)[:MOST_ROWS]
        boards = [board.to_html(index=False, border=0) for board in shown.boards.values()]
        caption = next(iter(shown.figures.values()), "")
        return show_result(
            shown.answer, rows_table(shown.frame(MOST_ROWS), pictures), "".join(boards),
            self.plot() if shown.figures else None, caption, shown.sentences[:MOST_ROWS],
            shown.notes,
        )  # fmt: skip


def list_records(table: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows of a table for JSON; missing numbers are None."""
    records: list[dict[str, Any]] = json.loads(table.to_json(orient="records", double_precision=15))
    return records


def draw_rows(shown: Shown) -> list[str]:
    """The interval of each row on one axis, as SVG; empty where it has none."""
    from reseed.report.pages.forest import draw_row

    ends = shown.ends()
    return [
        draw_row(row.value, row.low, row.high, ends, shown.null, f"{row.name}: {row.estimate}")
        for row in shown.rows
    ]


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


def render_shown(shown: Shown, width: int | None = None, color: bool = False) -> str:
    """The answer, the tables, the rows or their sentences, and the notes as text."""
    console = open_console(width, color)
    for sentence in shown.answer:
        console.print(sentence, style="bold")
    for board in shown.boards.values():
        console.print()
        console.print(build_table(board))
    sentences = [one for one in shown.sentences if one not in shown.answer]
    if (shown.rows and not shown.sentences) or len(shown.rows) > MOST_SENTENCES:
        console.print()
        console.print(build_table(shown.frame(MOST_ROWS), shown.text_columns))
        if len(shown.rows) > MOST_ROWS:
            console.print(f"… and {len(shown.rows) - MOST_ROWS} more rows: --csv FILE has all.")
        sentences = sentences[:1]
    if sentences:
        console.print()
    for sentence in sentences:
        console.print(f"- {sentence}")
    console.print()
    for note in shown.notes:
        console.print(f"Note: {note}")
    return read_console(console)


def build_table(frame: pd.DataFrame, left: int = 1) -> Any:
    """A table of rich without empty columns.

    The first `left` columns are names, which are broken where the table is too wide; the others are
    aligned right, and cells with numbers are never broken.
    """
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    frame = frame.loc[:, ~frame.isin(_EMPTY).all()].astype(str)
    for number, column in enumerate(frame):
        is_number = number >= left and frame[column].str.contains(r"\d").any()
        widest = int(frame[column].str.len().max()) if is_number and len(frame) else None
        table.add_column(
            str(column), justify="left" if number < left else "right", overflow="fold",
            min_width=widest,
        )  # fmt: skip
    for row in frame.itertuples(index=False):
        table.add_row(*row)
    return table
