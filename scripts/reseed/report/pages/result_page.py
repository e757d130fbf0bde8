"""The page of a result: its answer, one row a pair or model with a picture, figures and data."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from html import escape

import pandas as pd
from reseed.core.csv_files import format_csv
from reseed.report.pages.pictures import Picture
from reseed.report.pages.render import build_page


def build_result_page(
    title: str,
    answer: Sequence[str],
    rows: pd.DataFrame,
    plots: Sequence[str],
    verdicts: Sequence[str],
    pictures: Sequence[tuple[str, Picture]],
    boards: Mapping[str, pd.DataFrame],
    tables: Mapping[str, pd.DataFrame],
    notes: Sequence[str],
) -> str:
    """One self-contained page.

    Args:
        title: heading of the page.
        answer: sentences that come first.
        rows: cells of text, and `plots`, the picture of each row as SVG.
        verdicts: one sentence a row, or none.
        pictures: (caption, picture) of each figure.
        boards: heading → table of text.
        tables: name → numbers, to download as CSV.
        notes: how the source was read.
    """
    shown = {heading: board.to_html(index=False, border=0) for heading, board in boards.items()}
    files = {
        name: base64.b64encode(format_csv(table).encode()).decode("ascii")
        for name, table in tables.items()
        if len(table)
    }
    return build_page(
        "result.html", title=title, answer=answer, rows=rows_table(rows, plots),
        verdicts=[one for one in verdicts if one not in answer], pictures=pictures, boards=shown,
        files=files, notes=notes,
    )  # fmt: skip


def rows_table(rows: pd.DataFrame, plots: Sequence[str]) -> str:
    """The rows as an HTML table, with a column of pictures after the estimate."""
    names = list(rows)
    place = next((i + 1 for i, name in enumerate(names) if "[" in name), len(names))
    headings = [f"<th>{escape(str(name))}</th>" for name in names]
    lines = []
    for cells, plot in zip(rows.itertuples(index=False), plots, strict=True):
        texts = [f"<td>{escape(str(cell))}</td>" for cell in cells]
        texts.insert(place, f'<td class="plot">{plot}</td>')
        lines.append(f"<tr>{''.join(texts)}</tr>")
    headings.insert(place, "<th></th>")
    return (
        f"<table><thead><tr>{''.join(headings)}</tr></thead><tbody>{''.join(lines)}</tbody></table>"
    )
