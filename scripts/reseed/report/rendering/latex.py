"""Tables for a LaTeX `article` with `booktabs` and `adjustbox`, of one or two columns.

A narrow table is a `table`, as wide as one of two columns. Any other is a `table*`, which spans
both columns and in an article of one column is a `table`. `adjustbox` shrinks what is wider or
higher than its page. So that it stays readable, a wide table is split into blocks of columns, one
below the other, and a long one continues in another float: LaTeX breaks neither over pages.
"""

from __future__ import annotations

import math
import re
import textwrap
import unicodedata
from collections.abc import Sequence

from reseed.core.titles import split_number
from reseed.report.rendering.tables import Table, groups

# Characters of a line: in one of two columns, and at full width before it becomes too small.
_NARROW, _WIDE = 48, 140
# Characters of a line of a column of sentences, by the number of such columns.
_WRAPPED = {1: 64, 2: 42}
_LEAST_WRAPPED = 24
#: Points of the text of a one-column article at 10 pt, on letter paper, with a margin; of a line.
_TEXT_HEIGHT, _LINE = 525.0, 9.5
_HEADING = 14  # characters of a line of a heading over short cells

_LATEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
    "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "<": "$<$", ">": "$>$", "|": "$|$", '"': "''", "`": r"\`{}", "\n": " ", "\t": " ", "\r": " ",
    "–": "--", "—": "---", "−": "$-$", "‑": "-", "×": r"$\times$", "±": r"$\pm$",
    "·": r"$\cdot$", "≤": r"$\le$", "≥": r"$\ge$", "≈": r"$\approx$", "≠": r"$\ne$",
    "²": "$^2$", "³": "$^3$", "¹": "$^1$", "°": r"$^\circ$", "µ": r"$\mu$", "½": r"$\frac12$",
    "…": r"\ldots{}", "’": "'", "‘": "`", "“": "``", "”": "''", "√": r"$\surd$", "€": "EUR ",
    "∞": r"$\infty$", "†": r"$\dagger$", "‡": r"$\ddagger$", "§": r"\S{}", "→": r"$\to$",
    "↑": r"$\uparrow$", "↓": r"$\downarrow$", "\u200b": r"\allowbreak{}", "•": r"$\bullet$",
    "ı": r"{\i}", "ß": r"{\ss}", "æ": r"{\ae}", "Æ": r"{\AE}", "œ": r"{\oe}", "Œ": r"{\OE}",
    "✓": r"$\surd$", "ø": r"{\o}", "Ø": r"{\O}", "ł": r"{\l}", "Ł": r"{\L}",
    "\u00a0": "~", "\u202f": "~", "\u2009": r"\,",
    **{letter: rf"$\{name}$" for letter, name in zip(
        "αβγδεζηθικλμνξπρστυφχψωΓΔΘΛΞΠΣΦΨΩ",
        ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa",
         "lambda", "mu", "nu", "xi", "pi", "rho", "sigma", "tau", "upsilon", "phi", "chi", "psi",
         "omega", "Gamma", "Delta", "Theta", "Lambda", "Xi", "Pi", "Sigma", "Phi", "Psi", "Omega"],
        strict=True)},
}  # fmt: skip
_ACCENTS = {
    "\u0300": "`", "\u0301": "'", "\u0302": "^", "\u0303": "~", "\u0304": "=", "\u0307": ".",
    "\u0308": '"', "\u030a": "r", "\u030c": "v", "\u0327": "c",
}  # fmt: skip
# A checksum may break after every few characters.
_HASH, _BREAKS = re.compile(r"\b(?=\w*\d)[0-9A-Za-z]{17,}\b"), re.compile(r"\w{4}\B")
_OVER_MATHS = {"\u0302": r"\hat", "\u0303": r"\tilde", "\u0304": r"\bar", "\u0307": r"\dot"}


def escape_latex(text: str) -> str:
    """ASCII text that LaTeX prints literally; unprintable characters become their code."""
    written: list[str] = []
    last = ""
    for character in unicodedata.normalize("NFD", text):
        if unicodedata.combining(character):
            if written:
                written[-1] = _accented(written[-1], last, character)
            continue
        known = character.isascii() and character.isprintable()
        plain = character if known else f"[U+{ord(character):04X}]"
        if character == last == "-":
            plain = "{}-"  # LaTeX prints two hyphens as a dash
        written.append(_LATEX.get(character, plain))
        last = character
    return "".join(written)


def _accented(text: str, base: str, accent: str) -> str:
    if text.startswith("$"):
        over = _OVER_MATHS.get(accent)
        return rf"${over}{{{text.strip('$')}}}$" if over else text
    mark = _ACCENTS.get(accent)
    return rf"\{mark}{{{text}}}" if mark and base.isalpha() else text


def latex(table: Table) -> str:
    """One or more floats for an article that loads booktabs and adjustbox."""
    lines = list(table.lines())
    widths = _widths(table, lines)
    blocks = _blocks(table, widths)
    is_narrow = not table.paragraphs and _room(widths, range(len(widths))) <= _NARROW
    name = "table" if is_narrow else "table*"
    title = escape_latex(". ".join(part.rstrip(".") for part in _title(table) if part))
    note = re.sub(r"\\`\{\}(.*?)\\`\{\}", r"\\texttt{\1}", escape_latex(table.note))  # options
    note = rf"\parbox{{\linewidth}}{{\scriptsize {note}}}"
    taken = 50 + 12 * math.ceil(len(title) / 70) + 8 * math.ceil(len(note) / 85)
    room = max(_TEXT_HEIGHT - taken, _TEXT_HEIGHT / 4)
    pages = _paginate(table, lines, blocks, widths, room)
    title += "" if title.endswith(("?", "!")) else "."
    parts = [r"% Needs \usepackage{booktabs,adjustbox}."]
    for number, tabulars in enumerate(pages):
        caption = rf"\caption{{{title}}}" if number == 0 else r"Table~\thetable{} (continued)\par"
        share = room / len(tabulars)
        parts += [rf"\begin{{{name}}}[htbp]", r"\centering", caption, r"\footnotesize"]
        parts.append(r"\setlength{\tabcolsep}{3pt}")
        size = rf"max width=\linewidth, max totalheight={share:.0f}pt"
        boxes = (f"\\begin{{adjustbox}}{{{size}}}\n{one}\n\\end{{adjustbox}}" for one in tabulars)
        parts.append("\n\\par\\medskip\n".join(boxes))
        parts += [r"\par\smallskip", note] if number == len(pages) - 1 else []
        parts.append(rf"\end{{{name}}}")
    return "\n".join(parts) + "\n"


def _title(table: Table) -> tuple[str, str]:
    """Title and caption. LaTeX numbers tables, so the paper's number follows the title."""
    number, rest = split_number(table.data.title)
    if number and table.data.info.is_reproduction:
        rest = f"{rest.rstrip('.')} ({number} of the paper)"
    return rest, table.heading


def _widths(table: Table, lines: list) -> list[int]:
    """Characters of each column; those of sentences wrap."""
    most = _WRAPPED.get(len(table.paragraphs), _LEAST_WRAPPED)
    columns = zip(*(cells for _, cells in lines), strict=True)
    headings = _headings(table, lines)
    return [
        min(max(map(len, [*heading, *cells])), most if i in table.paragraphs else _WIDE // 2)
        for i, (heading, cells) in enumerate(zip(headings, columns, strict=True))
    ]


def _headings(table: Table, lines: list) -> list[list[str]]:
    """Lines of each column's heading: about as wide as the cells."""
    headings = []
    for i, name in enumerate(table.levels()[-1]):
        longest = max([_HEADING, *(len(cells[i]) for _, cells in lines)])
        is_one = i in table.paragraphs or not name.strip()
        headings.append([name] if is_one else textwrap.wrap(name, longest, break_long_words=False))
    return headings


def _room(widths: Sequence[int], columns: Sequence[int]) -> int:
    return sum(widths[i] for i in columns) + len(columns) - 1


def _labels(table: Table) -> int:
    """Number of leading text columns that identify the rows of each section; at least 1."""
    rows, section = [], None
    for heading, cells in table.lines():
        section = heading or section
        rows.append((section, *cells))
    words = min([table.text_columns, *(i for i in table.paragraphs if i > 0)])
    for count in range(1, words + 1):
        if len({row[: count + 1] for row in rows}) == len(rows):
            return count
    return 1


def _blocks(table: Table, widths: list[int]) -> list[list[int]]:
    """Columns of each block: whole groups where they fit, after the columns that name a row."""
    everything = range(len(widths))
    if _room(widths, everything) <= _WIDE:
        return [[*everything]]
    labels = list(range(_labels(table)))
    levels = table.levels()
    units, start = [], 0
    for name, count in groups(levels[0]) if len(levels) > 1 else [("", len(levels[-1]))]:
        columns = [i for i in range(start, start + count) if i not in labels]
        is_whole = name and _room(widths, [*labels, *columns]) <= _WIDE
        units += [columns] if is_whole else [[i] for i in columns]
        start += count
    blocks: list[list[int]] = [[*labels]]
    for unit in units:
        if len(blocks[-1]) > len(labels) and _room(widths, [*blocks[-1], *unit]) > _WIDE:
            blocks.append([*labels])
        blocks[-1] += unit
    return blocks


def _paginate(
    table: Table, lines: list, blocks: list[list[int]], widths: list[int], room: float
) -> list[list[str]]:
    """LaTeX tabulars of each float: blocks below one another, on as many pages as needed."""
    pages: list[list[str]] = [[]]
    headings, used = _headings(table, lines), 0.0
    for block in blocks:
        head = _LINE * (len(table.levels()) + max(len(headings[i]) for i in block))
        chunk: list = []
        height = head
        for line in lines:
            more = _LINE * _count_rows(line, block, widths)
            if chunk and height + more > room:
                pages.append([_tabular(table, chunk, block, widths, headings)])
                chunk, height, used = [], head, room
            chunk.append(line)
            height += more
        if pages[-1] and used + height > room:
            pages.append([])
            used = 0.0
        pages[-1].append(_tabular(table, chunk, block, widths, headings))
        used += height + 6
    return [page for page in pages if page]


def _count_rows(line: tuple, block: list[int], widths: list[int]) -> int:
    """Printed lines of a row, with the heading of the section that it starts."""
    section, cells = line
    return bool(section) + max(math.ceil(len(cells[i]) / max(widths[i], 1)) or 1 for i in block)


def _tabular(
    table: Table, lines: list, block: list[int], widths: list[int], headings: list[list[str]]
) -> str:
    """LaTeX of some lines of a table."""
    wraps = {
        i
        for i in block
        if i in table.paragraphs or any(len(cells[i]) > widths[i] for _, cells in lines)
    }
    spec = "".join(_column(table, i, wraps, widths) for i in block)
    levels = [[level[i] for i in block] for level in table.levels()]
    out = [rf"\begin{{tabular}}{{@{{}}{spec}@{{}}}}", r"\toprule", *_head(levels)]
    out.append(_row([_heading(table, headings[i], i, wraps) for i in block]))
    out.append(r"\midrule")
    for number, (section, cells) in enumerate(lines):
        if section:
            space = r"\addlinespace " if number else ""
            wide = rf"\multicolumn{{{len(block)}}}{{@{{}}l@{{}}}}"
            out.append(rf"{space}{wide}{{\textbf{{{escape_latex(section)}}}}} \\")
        out.append(_row([_cell(cells[i], i in wraps) for i in block]))
    return "\n".join([*out, r"\bottomrule", r"\end{tabular}"])


def _row(cells: list[str]) -> str:
    """A row whose start is not read as an argument of the row or rule before it."""
    text = " & ".join(cells)
    return f"{'{}' if text.startswith(('[', '*')) else ''}{text} \\\\"


def _column(table: Table, index: int, wraps: set[int], widths: list[int]) -> str:
    if index in wraps:
        return f"p{{{widths[index] / 2:.0f}em}}"  # a character has about half an em
    return "l" if index < table.text_columns else "r"


def _cell(text: str, wraps: bool) -> str:
    if not wraps:
        return escape_latex(text)
    escaped = escape_latex(_HASH.sub(lambda match: _BREAKS.sub("\\g<0>\u200b", match[0]), text))
    for sign in (r"\_", "/", "=", ":"):
        escaped = escaped.replace(sign, sign + r"\allowbreak{}")
    # \raggedright would redefine the end of the row; ended by \par it adds an empty line.
    return rf"\rightskip=0pt plus 1fil\relax {escaped}"


def _head(levels: list[list[str]]) -> list[str]:
    """Rows of the groups of columns, above the headings of the columns."""
    lines = []
    for level in levels[:-1]:
        cells, rules, start = [], [], 1
        for name, width in groups(level):
            if name:
                cells.append(rf"\multicolumn{{{width}}}{{c}}{{{escape_latex(name)}}}")
                rules.append(rf"\cmidrule(lr){{{start}-{start + width - 1}}}")
            else:
                cells += [""] * width
            start += width
        lines += [_row(cells), " ".join(rules)]
    return lines


def _heading(table: Table, rows: list[str], index: int, wraps: set[int]) -> str:
    if len(rows) == 1 or index in wraps:
        return _cell(" ".join(rows), index in wraps)
    side = "l" if index < table.text_columns else "r"
    return rf"\shortstack[{side}]{{" + r"\\".join(map(escape_latex, rows)) + "}"
