"""Tables as CSV (raw numbers), Markdown and LaTeX, with a JSON sidecar for the report."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from reseed.core.atomic import write_text
from reseed.core.checked_io import write_json
from reseed.core.csv_files import write_csv
from reseed.report.rendering.latex import latex
from reseed.report.rendering.tables import Table

# Markdown ignores underscores inside a word, brackets without a link, and "less than".
_SPECIAL = re.compile(
    r"[\\|*~`]|<(?=[A-Za-z/!?])|\[(?=.*\][(\[])|(?<![^\W_])_|_(?![^\W_])", re.DOTALL
)
#: Formats of a table, besides the JSON sidecar.
FORMATS = ("csv", "md", "tex")


def write_table(table: Table, stem: str | Path, formats: tuple[str, ...] = FORMATS) -> None:
    """Write the sidecar `stem`.json, and the table in these formats."""
    stem = Path(stem)
    files = {suffix: stem.with_name(f"{stem.name}.{suffix}") for suffix in formats}
    if "csv" in files:
        raw = table.raw if len(table.raw.columns) else table.shown
        write_csv(raw, files["csv"])
    for suffix, written in (("md", markdown), ("tex", latex)):
        if suffix in files:
            write_text(files[suffix], written(table))
    write_json(
        stem.with_name(f"{stem.name}.json"),
        {
            "kind": table.data.kind,
            "form": "table",
            "title": table.data.title,
            "caption": table.heading,
            "footnote": table.footnote,
            "definitions": list(table.definitions),
            "empty": table.empty,
            "files": [path.name for path in files.values()],
            "headings": table.levels(),
            "rows": [[section, cells] for section, cells in table.lines()],
            "details": list(table.details),
            "text_columns": table.text_columns,
            "paragraphs": list(table.paragraphs),
        },
    )


def markdown(table: Table) -> str:
    """Pipe table with title, caption and footnote; grouped headings are joined by a colon."""
    levels = table.levels()
    names = [": ".join(part for part in parts if part) for parts in zip(*levels, strict=True)]
    width = len(names)
    rule = ["---" if i < table.text_columns else "---:" for i in range(width)]
    lines = [_pipe(names), "|" + "|".join(rule) + "|"]
    for section, cells in table.lines():
        if section:
            lines.append(_pipe([f"**{_plain(section)}**", *[""] * (width - 1)], escaped=True))
        lines.append(_pipe(cells))
    details = "\n".join(f"- {_plain(detail)}" for detail in _details(table))
    title = f"**{_plain(table.data.title)}**"
    parts = [title, _plain(table.heading), "\n".join(lines), _plain(table.note), details]
    return "\n\n".join(part for part in parts if part) + "\n"


def _details(table: Table) -> list[str]:
    """The sentences of the rows, each after its section if there are several."""
    if len(set(table.sections)) < 2 or not table.details:
        return [detail for detail in table.details if detail]
    pairs = zip(table.sections, table.details, strict=True)
    return [": ".join(filter(None, [where, detail])) for where, detail in pairs if detail]


def _plain(text: str) -> str:
    """The text on one line, with the syntax of Markdown and HTML escaped."""
    return _SPECIAL.sub(r"\\\g<0>", text).replace("\n", " ")


def _pipe(cells: Sequence[str], escaped: bool = False) -> str:
    return "| " + " | ".join(cell if escaped else _plain(cell) for cell in cells) + " |"
