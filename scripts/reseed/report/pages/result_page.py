"""The page of a result: its answer, one row a model with its runs and its gap, and next steps."""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence
from html import escape

from reseed.core.csv_files import format_csv
from reseed.report.pages.render import build_page
from reseed.report.pages.strips import draw_axis, draw_gap, draw_scores
from reseed.verdicts.shown import ResultRow, Shown, find_ends, group_rows, tabulate

#: Rows that a page draws; its files have all.
_MOST_ROWS = 500
#: Rows of the largest file in a page.
_MOST_ROWS_OF_FILE = 20_000


def build_result_page(shown: Shown) -> str:
    """One self-contained page."""
    files = {
        name: base64.b64encode(format_csv(table).encode()).decode("ascii")
        for name, table in shown.tables.items()
        if 0 < len(table) <= _MOST_ROWS_OF_FILE
    }
    large = [
        f"{name}.csv has {len(table):,} rows and is not in this page: `--folder FOLDER`, in Python "
        "`save(folder)`, writes it."
        for name, table in shown.tables.items()
        if len(table) > _MOST_ROWS_OF_FILE
    ]
    pairs = tabulate(shown.pairs[:_MOST_ROWS], "Pair", "Difference")
    return build_page(
        "result.html", title=shown.title, answer=shown.answer,
        component=draw_component(shown, _MOST_ROWS),
        pairs=pairs.to_html(index=False, border=0) if len(shown.rows) > 2 and len(pairs) else "",
        steps={name: _mark_options(text) for name, text in shown.next_steps.items()},
        files=files, notes=[*shown.notes, *large],
    )  # fmt: skip


def _mark_options(text: str) -> str:
    """HTML in which options, such as `--rope 0.01`, are set as code."""
    return re.sub(r"(--[a-z-]+(?: [\w.]*\d\w*)?)", r"<code>\1</code>", escape(text))


def draw_component(shown: Shown, most: int) -> str:
    """The first rows as an HTML table for each dataset, with pictures of scores and gaps."""
    return "".join(
        (f"<h2>{escape(name)}</h2>" if name else "") + _draw_table(shown, rows)
        for name, rows in group_rows(shown.rows, most)
    )


def _draw_table(shown: Shown, rows: Sequence[ResultRow]) -> str:
    scores = [score for row in rows for score in row.scores]
    axis = (min(scores), max(scores)) if scores and min(scores) < max(scores) else None
    ends = find_ends(rows, shown.null)
    has_gaps = any(row.low < row.high for row in rows)
    has_verdicts = any(row.verdict for row in rows)
    cells = [name for name in rows[0].cells if name in {key for row in rows for key in row.cells}]
    heads = [f"<th>{escape(shown.noun)}</th>"]
    heads += ["<th>Verdict</th>"] if has_verdicts else []
    heads += ['<th class="pic">Score of each run, and their mean</th>'] if axis else []
    heads += [f'<th class="n">{escape(name)}</th>' for name in cells[:1]]
    heads += [f'<th colspan="2">{escape(shown.heading)}</th>'] if has_gaps else []
    heads += [f'<th class="n">{escape(name)}</th>' for name in cells[1:]]
    lines = []
    for row in rows:
        word = row.verdict.partition(":")[0].partition(" ")[0]
        line = [f'<th scope="row">{escape(row.name)}</th>']
        line += [f'<td><span class="chip {word}">{escape(row.verdict)}</span></td>'] * has_verdicts
        line += [f'<td class="pic">{draw_scores(row, axis)}</td>'] if axis else []
        texts = [
            f'<td class="n" data-label="{escape(name)}">{escape(row.cells.get(name, "–"))}</td>'
            for name in cells
        ]
        gap = draw_gap(row, ends, shown.null, word)
        estimate = f'<td class="pic">{gap}</td><td class="n">{escape(row.estimate)}</td>'
        lines.append("".join([*line, *texts[:1], estimate * has_gaps, *texts[1:]]))
    axes = ["<td></td>"] * (1 + has_verdicts)
    axes += [f'<td class="pic">{draw_axis(axis)}</td>'] if axis else []
    axes += ["<td></td>"] + [f'<td class="pic">{draw_axis(ends)}</td>'] * has_gaps
    return (
        '<div class="scroll" tabindex="0" role="region" aria-label="Results"><table class="board">'
        f"<thead><tr>{''.join(heads)}</tr></thead>"
        f"<tbody>{''.join(f'<tr>{line}</tr>' for line in lines)}</tbody>"
        f'<tfoot><tr class="axis">{"".join(axes)}</tr></tfoot></table></div>'
    )
