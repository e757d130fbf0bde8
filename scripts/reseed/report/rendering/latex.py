"""Tables for a plain LaTeX `article` with `booktabs` and nothing else, of one or two columns.

A narrow table is a `table`, as wide as one of two columns. Any other is a `table*`, which spans
both columns and in an article of one column is a `table`.

LaTeX breaks neither the rows of a table nor a float over pages. So widths are computed here with
the advance widths of Computer Modern. The largest size that fits is used, and columns of sentences
wrap. A table that is still too wide is split into blocks of columns, one below the other. A table
that is too high continues in another float.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from reseed.core.titles import split_number
from reseed.report.rendering.tables import Table, groups

# Points of the text of a one-column article at 10 pt, on A4 and letter paper, with a margin.
TEXT_WIDTH, TEXT_HEIGHT = 340.0, 525.0
#: Points of a column of a two-column article on A4 paper.
COLUMN_WIDTH = 220.0
_GAP = 3.0  # \tabcolsep
# Size → (points of an em in its font, points between lines).
_SIZES = {r"\footnotesize": (8.0, 9.5), r"\scriptsize": (7.5, 8.0)}
_NARROWEST = 58.0  # points of a column of sentences

# Advance widths of cmr10 in thousandths of an em, by character.
_ADVANCE = {
    "ijl.,:;!'’|’": 278, "I()[]ftr-": 390, "cesvxz k": 450, " ": 333, "abdghnopquy0123456789": 556,
    "/*+=<>": 778, "mwM%&@…": 910, "W—": 1030, "–": 500, "·": 278, "\u200b": 0,
}  # fmt: skip
_CODE = 4200  # of a character printed as its code
_WIDTH = {character: width for text, width in _ADVANCE.items() for character in text}

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
# The sign of a number, not a hyphen.
_MINUS = re.compile(r"(?<![\w.)\]])-(?=\d)")
_OVER_MATHS = {"\u0302": r"\hat", "\u0303": r"\tilde", "\u0304": r"\bar", "\u0307": r"\dot"}


def escape_latex(text: str) -> str:
    """ASCII text that LaTeX prints literally; unprintable characters become their code."""
    found: list[str] = []
    last = ""
    for character in unicodedata.normalize("NFD", text):
        if unicodedata.combining(character):
            if found:
                found[-1] = _accented(found[-1], last, character)
            continue
        known = character.isascii() and character.isprintable()
        plain = character if known else f"[U+{ord(character):04X}]"
        if character == last == "-":
            plain = "{}-"  # LaTeX prints two hyphens as a dash
        found.append(_LATEX.get(character, plain))
        last = character
    return "".join(found)


def _accented(text: str, base: str, accent: str) -> str:
    if text.startswith("$"):
        over = _OVER_MATHS.get(accent)
        return rf"${over}{{{text.strip('$')}}}$" if over else text
    mark = _ACCENTS.get(accent)
    return rf"\{mark}{{{text}}}" if mark and base.isalpha() else text


def width_of(text: str, em: float, bold: bool = False) -> float:
    """Approximate width of a text in points, in a roman font whose em has `em` points."""
    plain = [c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c)]
    thousandths = sum(_WIDTH.get(c, 750 if c.isascii() or c in _LATEX else _CODE) for c in plain)
    return thousandths / 1000 * em * (1.15 if bold else 1.0)


@dataclass(frozen=True)
class _Block:
    """Some columns of a table with their widths; None for the natural width."""

    columns: list[int]
    wraps: dict[int, float]


def latex(table: Table) -> str:
    """One or more floats for an article that loads booktabs."""
    lines = list(table.lines())
    columns, narrow = range(len(table.levels()[-1])), r"\footnotesize"
    natural = _widths(table, lines, _SIZES[narrow][0])
    if not table.paragraphs and _room(natural, columns) <= COLUMN_WIDTH:
        float_name, width, size, blocks = "table", COLUMN_WIDTH, narrow, [_Block([*columns], {})]
    else:
        float_name, width = "table*", TEXT_WIDTH
        size, blocks = _layout(table, lines, width)
    title = escape_latex(". ".join(part.rstrip(".") for part in _title(table) if part))
    note = rf"\parbox{{\linewidth}}{{\scriptsize {escape_latex(table.note)}}}"
    tall = 30 + 12 * math.ceil(len(title) / 70), 10 + 8 * math.ceil(len(note) / 85)
    floats = _pack(table, lines, size, blocks, tall, width)
    parts = [r"% Needs \usepackage{booktabs}."]
    for number, tabulars in enumerate(floats):
        head = rf"\caption{{{title}.}}" if number == 0 else r"Table~\thetable{} (continued)\par"
        tail = [r"\par\smallskip", note] if number == len(floats) - 1 else []
        body = r"\par\medskip".join(tabulars)
        parts += [
            rf"\begin{{{float_name}}}[htbp]", r"\centering", head, size,
            rf"\setlength{{\tabcolsep}}{{{_GAP:g}pt}}", body, *tail,
            rf"\end{{{float_name}}}",
        ]  # fmt: skip
    return "\n".join(parts) + "\n"


def _title(table: Table) -> tuple[str, str]:
    """Title and caption. LaTeX numbers tables, so the paper's number follows the title."""
    number, rest = split_number(table.data.title)
    if number and table.data.info.is_reproduction:
        rest = f"{rest.rstrip('.')} ({number} of the paper)"
    return rest, table.heading


def _layout(table: Table, lines: list, width: float) -> tuple[str, list[_Block]]:
    """The largest size at which all columns fit side by side, else blocks of columns."""
    count = len(table.levels()[-1])
    everything = list(range(count))
    for size, (em, _) in _SIZES.items():
        natural = _widths(table, lines, em)
        free = width - _room(natural, [i for i in everything if i not in table.paragraphs])
        share = _share(table, natural, everything, free)
        if share is not None:
            return size, [_Block(everything, share)]
    return size, _blocks(table, natural, width)


def _widths(table: Table, lines: list, em: float) -> list[float]:
    headings = _headings(table, lines)
    found = [max(width_of(text, em) for text in heading) for heading in headings]
    for _, cells in lines:
        found = [max(old, width_of(cell, em)) for old, cell in zip(found, cells, strict=True)]
    for level in table.levels()[:-1]:  # a group's heading widens the columns below it
        start = 0
        for name, width in groups(level):
            lack = width_of(name, em) - sum(found[start : start + width]) - 2 * _GAP * (width - 1)
            if lack > 0:
                for i in range(start, start + width):
                    found[i] += lack / width
            start += width
    return found


def _headings(table: Table, lines: list) -> list[list[str]]:
    """Lines of each column's heading: as wide as the cells, or as the longest word."""
    found = []
    for i, name in enumerate(table.levels()[-1]):
        words = name.split() or [""]
        limit = max(width_of(text, 1) for text in (*words, *(cells[i] for _, cells in lines)))
        rows = words[:1]
        for word in words[1:]:
            longer = f"{rows[-1]} {word}"
            if width_of(longer, 1) <= limit:
                rows[-1] = longer
            else:
                rows.append(word)
        found.append([name] if i in table.paragraphs else rows)
    return found


def _room(natural: Sequence[float], columns: Sequence[int]) -> float:
    return sum(natural[i] for i in columns) + 2 * _GAP * max(0, len(columns) - 1)


def _share(
    table: Table, natural: list[float], columns: list[int], free: float
) -> dict[int, float] | None:
    """Widths of the columns of sentences among `columns`; None if `free` is too small."""
    wrapped = [i for i in columns if i in table.paragraphs]
    if not wrapped:
        return {} if free >= 0 else None
    free -= 2 * _GAP * len(wrapped)
    if free < _NARROWEST * len(wrapped):
        return None
    # By the square root: nine times the text gives three times the width.
    weight = {i: math.sqrt(natural[i]) for i in wrapped}
    spare = free - _NARROWEST * len(wrapped)
    return {i: _NARROWEST + spare * weight[i] / sum(weight.values()) for i in wrapped}


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


def _blocks(table: Table, natural: list[float], width: float) -> list[_Block]:
    """Blocks of whole groups of columns; each block repeats the columns that name a row."""
    labels = list(range(_labels(table)))
    cap = 0.15 * (1 + 1 / len(labels)) * width
    widths = [min(natural[i], cap) for i in labels]
    label = {i: w for i, w in enumerate(widths) if w < natural[i] or i in table.paragraphs}
    widths += natural[len(labels) :]
    levels = table.levels()
    units, start = [], 0
    for name, count in groups(levels[0]) if len(levels) > 1 else [("", len(levels[-1]))]:
        columns = [i for i in range(start, start + count) if i not in labels]
        whole = name and _room(widths, [*labels, *columns]) <= width
        units += [columns] if whole else [[i] for i in columns]
        start += count
    blocks: list[_Block] = []
    current: list[int] = []
    for unit in units:
        if current and _room(widths, [*labels, *current, *unit]) > width:
            blocks.append(_Block([*labels, *current], label))
            current = []
        current = [*current, *unit]
    blocks.append(_Block([*labels, *current], label))
    return [_wrapped(table, widths, block, len(labels), width) for block in blocks]


def _wrapped(table: Table, widths: list[float], block: _Block, labels: int, width: float) -> _Block:
    """The block with wrapped columns of sentences, and any column wider than the page."""
    own = block.columns[labels:]
    over = [i for i in own if i in table.paragraphs or widths[i] > 0.65 * width]
    rest = [i for i in block.columns if i not in over]
    free = width - _room(widths, rest) - 2 * _GAP * len(over)
    return _Block(block.columns, block.wraps | {i: free / len(over) for i in over})


def _pack(table, lines, size, blocks, tall: tuple[float, float], width: float) -> list[list[str]]:
    """LaTeX tabulars of each float: blocks below one another, on as many pages as needed."""
    em, leading = _SIZES[size]
    floats: list[list[str]] = [[]]
    used = tall[0]
    natural = _widths(table, lines, _SIZES[r"\scriptsize"][0] * 0.9)
    headings = _headings(table, lines)
    for block in blocks:
        whole = _total(natural, block, width)
        rows = max(len(headings[i]) for i in block.columns)
        head = leading * (len(table.levels()) + 1 + rows)
        chunk: list = []
        height = head
        for line in lines:
            more = _height(line, block, em, leading, width)
            if chunk and height + more > TEXT_HEIGHT - tall[0] - tall[1]:
                text = _tabular(table, chunk, block, whole, headings)
                used = _place(floats, used, height, text, tall)
                chunk, height = [], head
            chunk.append(line)
            height += more
        text = _tabular(table, chunk, block, whole, headings)
        used = _place(floats, used, height, text, tall)
    return floats


def _place(floats: list, used: float, height: float, text: str, tall: tuple[float, float]) -> float:
    """Append a tabular to the last float or a new one; return the points used of that float."""
    if floats[-1] and used + height + tall[1] > TEXT_HEIGHT:
        floats.append([])
        used = tall[0]
    floats[-1].append(text)
    return used + height + 6


def _height(line: tuple, block: _Block, em: float, leading: float, width: float) -> float:
    section, cells = line
    rows = [math.ceil(1.25 * width_of(cells[i], em) / w) for i, w in block.wraps.items()]
    title = 0.0
    if section:
        title = leading * (0.5 + math.ceil(width_of(section, em, bold=True) / width))
    return title + leading * max([1, *rows])


def _tabular(
    table: Table, lines: list, block: _Block, whole: float, headings: list[list[str]]
) -> str:
    """LaTeX of some lines of a table. whole: width of all its columns in points."""
    names = table.levels()
    count = len(block.columns)
    spec = "".join(_column(table, i, block) for i in block.columns)
    levels = [[level[i] for i in block.columns] for level in names]
    out = [rf"\begin{{tabular}}{{@{{}}{spec}@{{}}}}", r"\toprule", *_head(levels, block)]
    out.append(_row([_heading(table, headings[i], i, block) for i in block.columns]))
    out.append(r"\midrule")
    for number, (section, cells) in enumerate(lines):
        if section:
            space = r"\addlinespace " if number else ""
            heading = escape_latex(section)
            wide = rf"\multicolumn{{{count}}}{{@{{}}p{{{whole:.0f}pt}}@{{}}}}"
            out.append(rf"{space}{wide}{{\raggedright\textbf{{{heading}}}\strut}} \\")
        out.append(_row([_cell(cells[i], i, block) for i in block.columns]))
    return "\n".join([*out, r"\bottomrule", r"\end{tabular}"])


def _row(cells: list[str]) -> str:
    """A row whose start is not read as an argument of the row or rule before it."""
    text = " & ".join(cells)
    return f"{'{}' if text.startswith(('[', '*')) else ''}{text} \\\\"


def _total(natural: list[float], block: _Block, width: float) -> float:
    widths = [block.wraps.get(i, own) for i, own in enumerate(natural)]
    return min(width, _room(widths, block.columns))


def _column(table: Table, index: int, block: _Block) -> str:
    if index in block.wraps:
        return f"p{{{block.wraps[index]:.0f}pt}}"
    return "l" if index < table.text_columns else "r"


def _cell(text: str, index: int, block: _Block) -> str:
    text = _MINUS.sub("−", text)
    if index not in block.wraps:
        return escape_latex(text)
    escaped = escape_latex(_HASH.sub(lambda found: _BREAKS.sub("\\g<0>\u200b", found[0]), text))
    for sign in (r"\_", "/", "=", ":"):
        escaped = escaped.replace(sign, sign + r"\allowbreak{}")
    # \raggedright would redefine the end of the row; ended by \par it adds an empty line.
    return rf"\rightskip=0pt plus 1fil\relax {escaped}"


def _head(levels: list[list[str]], block: _Block) -> list[str]:
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


def _heading(table: Table, rows: list[str], index: int, block: _Block) -> str:
    if len(rows) == 1 or index in block.wraps:
        return _cell(" ".join(rows), index, block)
    side = "l" if index < table.text_columns else "r"
    return rf"\shortstack[{side}]{{" + r"\\".join(map(escape_latex, rows)) + "}"
