"""Tables as CSV (raw numbers), Markdown and LaTeX, with a JSON sidecar for the report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from reseed.atomic import replacing, write_json, write_text
from reseed.exhibits.data import ExhibitData

# Above this many rows a LaTeX table has to break across pages, upright or turned.
_ONE_PAGE, _ONE_TURNED_PAGE = 44, 28
# Above this many characters a row a LaTeX table needs a turned page, at margins of 2 cm.
_WIDEST = 130


@dataclass(frozen=True)
class Table:
    """A table to print, and the numbers behind it.

    `shown` holds text; two-level columns become grouped headings. `raw` holds the same numbers and
    more at full precision. `sections` is empty or names a section for each row of `shown`. The
    first `text_columns` columns are aligned left; those in `paragraphs` hold sentences.
    `findings` are plain sentences that the numbers carry.
    """

    data: ExhibitData
    shown: pd.DataFrame
    raw: pd.DataFrame
    footnote: str
    sections: Sequence[str] = ()
    text_columns: int = 1
    paragraphs: Sequence[int] = ()
    findings: Sequence[str] = field(default_factory=tuple)
    caption: str = ""

    @property
    def heading(self) -> str:
        """The configured caption, then what the exhibit says of itself."""
        return " ".join(part for part in (self.data.caption, self.caption) if part)

    def levels(self) -> list[list[str]]:
        """Column headings, one list a level."""
        columns = self.shown.columns
        if columns.nlevels == 1:
            return [[str(name) for name in columns]]
        return [[str(name) for name in columns.get_level_values(i)] for i in range(columns.nlevels)]

    def lines(self) -> Iterator[tuple[str | None, list[str]]]:
        """(section heading where one begins, cells) of every row."""
        last = None
        rows = self.shown.itertuples(index=False, name=None)
        for section, row in zip(self.sections or [None] * len(self.shown), rows, strict=True):
            yield (section if section != last else None), [str(cell) for cell in row]
            last = section


def empty_table(data: ExhibitData, reason: str) -> Table:
    """A table that says that there is nothing to show, and why."""
    note = f"Scale: {data.about['scale']}."
    return Table(data, pd.DataFrame({"Nothing to show": [reason]}), pd.DataFrame(), note)


def write_table(table: Table, stem: str | Path) -> None:
    """Write `stem`.csv, .md, .tex and .json."""
    stem = Path(stem)
    files = {suffix: stem.with_name(f"{stem.name}.{suffix}") for suffix in ("csv", "md", "tex")}
    raw = table.raw if len(table.raw.columns) else table.shown
    with replacing(files["csv"]) as temporary:
        raw.to_csv(temporary, index=False, lineterminator="\n")
    write_text(files["md"], markdown(table))
    write_text(files["tex"], latex(table))
    write_json(
        stem.with_name(f"{stem.name}.json"),
        {
            "kind": table.data.kind,
            "form": "table",
            "title": table.data.title,
            "caption": table.heading,
            "footnote": table.footnote,
            "findings": list(table.findings),
            "files": [path.name for path in files.values()],
            "headings": table.levels(),
            "rows": [[section, cells] for section, cells in table.lines()],
            "text_columns": table.text_columns,
            "paragraphs": list(table.paragraphs),
        },
    )


def groups(level: list[str]) -> list[tuple[str, int]]:
    """Neighbouring equal headings as (heading, width)."""
    found: list[tuple[str, int]] = []
    for name in level:
        if found and found[-1][0] == name:
            found[-1] = (name, found[-1][1] + 1)
        else:
            found.append((name, 1))
    return found


def markdown(table: Table) -> str:
    """Pipe table with its title, caption and footnote; grouped headings are joined by a colon."""
    levels = table.levels()
    names = [": ".join(part for part in parts if part) for parts in zip(*levels, strict=True)]
    width = len(names)
    rule = ["---" if i < table.text_columns else "---:" for i in range(width)]
    lines = [_pipe(names), "|" + "|".join(rule) + "|"]
    for section, cells in table.lines():
        if section:
            lines.append(_pipe([f"**{_plain(section)}**", *[""] * (width - 1)], escaped=True))
        lines.append(_pipe(cells))
    body = "\n".join(lines)
    parts = [f"**{table.data.title}**", table.heading, body, table.footnote]
    return "\n\n".join(part for part in parts if part) + "\n"


def _plain(text: str) -> str:
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("*", "\\*").replace("\n", " ")


def _pipe(cells: Sequence[str], escaped: bool = False) -> str:
    return "| " + " | ".join(cell if escaped else _plain(cell) for cell in cells) + " |"


_LATEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
    "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", '"': "''",
    "–": "--", "—": "---", "−": "$-$", "×": r"$\times$", "±": r"$\pm$", "·": r"$\cdot$",
    "≤": r"$\le$", "≥": r"$\ge$", "≈": r"$\approx$", "²": "$^2$", "…": r"\ldots{}",
    "’": "'", "“": "``", "”": "''", "√": r"$\surd$", "∞": r"$\infty$", "†": r"$\dagger$",
}  # fmt: skip


def escape_latex(text: str) -> str:
    """Text that LaTeX prints as it stands."""
    return "".join(_LATEX.get(character, character) for character in text)


def latex(table: Table) -> str:
    """A `table`, or a `longtable` where one page is not enough, on a turned page where it is wide.

    The first line of the text names the packages that it needs.
    """
    levels, width = table.levels(), len(table.shown.columns)
    wide = _characters(table) > _WIDEST
    rows = len(table.shown) + len(set(table.sections))
    long = rows > (_ONE_TURNED_PAGE if wide else _ONE_PAGE)
    size = r"\scriptsize" if width > 8 else r"\footnotesize"
    title = escape_latex(". ".join(p.rstrip(".") for p in (table.data.title, table.heading) if p))
    caption = rf"\caption{{{title}.}}"
    note = rf"\parbox{{\linewidth}}{{\footnotesize {escape_latex(table.footnote)}}}"
    head = [r"\toprule", *_latex_head(levels), r"\midrule"]
    body = []
    for number, (section, cells) in enumerate(table.lines()):
        if section:
            space = r"\addlinespace " if number else ""
            heading = escape_latex(section)
            body.append(rf"{space}\multicolumn{{{width}}}{{@{{}}l}}{{\textbf{{{heading}}}}} \\")
        body.append(" & ".join(escape_latex(cell) for cell in cells) + r" \\")
    spec = "@{}" + "".join(_column(table, i) for i in range(width)) + "@{}"
    packages = ["booktabs", *["longtable"] * long, *["pdflscape"] * wide]
    needs = rf"% Needs \usepackage{{{','.join(packages)}}}."
    style = [size, r"\setlength{\tabcolsep}{3pt}"]
    if long:
        lines = [
            r"\begingroup", *style, rf"\begin{{longtable}}{{{spec}}}", caption + r" \\", *head,
            r"\endfirsthead", *head, r"\endhead", r"\bottomrule", r"\endfoot", *body,
            r"\end{longtable}", r"\noindent" + note, r"\endgroup",
        ]  # fmt: skip
    else:
        lines = [
            r"\begin{table}[htbp]", r"\centering", caption, *style, rf"\begin{{tabular}}{{{spec}}}",
            *head, *body, r"\bottomrule", r"\end{tabular}", r"\par\smallskip", note, r"\end{table}",
        ]  # fmt: skip
    if wide:
        lines = [r"\begin{landscape}", *lines, r"\end{landscape}"]
    return "\n".join([needs, *lines]) + "\n"


def _characters(table: Table) -> int:
    """Characters of the widest row that the columns make, paragraphs aside."""
    columns = [
        max(len(name), *(len(cells[i]) for _, cells in table.lines()))
        for i, name in enumerate(table.levels()[-1])
        if i not in table.paragraphs
    ]
    return sum(columns) + 2 * len(columns)


def _column(table: Table, index: int) -> str:
    if index in table.paragraphs:
        return rf"p{{{0.7 / len(table.paragraphs):.2f}\linewidth}}"
    return "l" if index < table.text_columns else "r"


def _latex_head(levels: list[list[str]]) -> list[str]:
    lines = []
    for level in levels[:-1]:
        cells, rules, start = [], [], 1
        for name, width in groups(level):
            cells.append(rf"\multicolumn{{{width}}}{{c}}{{{escape_latex(name)}}}" if name else "")
            cells[-1] = cells[-1] or " & ".join([""] * width)
            if name:
                rules.append(rf"\cmidrule(lr){{{start}-{start + width - 1}}}")
            start += width
        lines += [" & ".join(cells) + r" \\", " ".join(rules)]
    return [*lines, " & ".join(escape_latex(name) for name in levels[-1]) + r" \\"]
