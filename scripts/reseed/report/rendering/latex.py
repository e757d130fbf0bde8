"""Tables for a LaTeX `article` with `array`, `booktabs` and `adjustbox`, of one or two columns.

A narrow table is a `table`, as wide as one of two columns. Any other is a `table*`, which spans
both columns and in an article of one column is a `table`. `adjustbox` shrinks what is wider or
higher than its page.
"""

from __future__ import annotations

import math
import re
import unicodedata

import pandas as pd
from reseed.core.titles import split_number
from reseed.report.rendering.tables import Table

#: Most characters of a line in one of two columns; more than 48 are shrunk a little.
_NARROW = 56
#: Points of the text of a one-column article at 10 pt, on letter paper, with a margin.
_TEXT_HEIGHT = 525.0
_SECTION = r"\multicolumn{%d}{@{}l@{}}{\textbf{%s}}"
#: The cells after the title of a section.
_EMPTY = re.compile(r"(?m)^(\\multicolumn\{\d+\}\{@\{\}l@\{\}\}.*?)(?: *& *)+\\\\$")

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
    """A float for an article that loads booktabs and adjustbox."""
    lines, levels = list(table.lines()), table.levels()
    count = len(levels[-1])
    rows = []
    for section, cells in lines:
        if section:
            rows.append([_SECTION % (count, escape_latex(section)), *[""] * (count - 1)])
        rows.append([escape_latex(cell) for cell in cells])
        if rows[-1][0].startswith(("[", "*")):  # no argument of the row before it
            rows[-1][0] = "{}" + rows[-1][0]
    names = [[escape_latex(name) for name in level] for level in levels]
    columns = pd.MultiIndex.from_arrays(names) if len(names) > 1 else names[0]
    frame = pd.DataFrame(rows, columns=columns)
    share = 0.6 / max(len(table.paragraphs), 1)
    wraps = rf">{{\raggedright\arraybackslash}}p{{{share:.2f}\linewidth}}"
    spec = "".join(
        wraps if i in table.paragraphs else "l" if i < table.text_columns else "r"
        for i in range(count)
    )
    body = frame.style.hide(axis="index").to_latex(
        column_format=f"@{{}}{spec}@{{}}", hrules=True, multicol_align="c"
    )
    body = _EMPTY.sub(r"\1 \\\\", body).rstrip()
    title = escape_latex(". ".join(part.rstrip(".") for part in _title(table) if part))
    title += "" if title.endswith(("?", "!")) else "."
    note = re.sub(r"\\`\{\}(.*?)\\`\{\}", r"\\texttt{\1}", escape_latex(table.note))  # options
    taken = 50 + 12 * math.ceil(len(title) / 70) + 8 * math.ceil(len(note) / 85)
    height = max(_TEXT_HEIGHT - taken, _TEXT_HEIGHT / 4)
    widths = (
        max(map(len, (name, *column)))
        for name, *column in zip(levels[-1], *(cells for _, cells in lines), strict=True)
    )
    is_narrow = not table.paragraphs and sum(widths) + count - 1 <= _NARROW
    name = "table" if is_narrow else "table*"
    return "\n".join(
        [
            r"% Needs \usepackage{array,booktabs,adjustbox}.",
            rf"\begin{{{name}}}[htbp]",
            r"\centering",
            rf"\caption{{{title}}}",
            r"\footnotesize",
            r"\setlength{\tabcolsep}{3pt}",
            rf"\begin{{adjustbox}}{{max width=\linewidth, max totalheight={height:.0f}pt}}",
            body,
            r"\end{adjustbox}",
            r"\par\smallskip",
            rf"\parbox{{\linewidth}}{{\scriptsize {note}}}",
            rf"\end{{{name}}}",
            "",
        ]
    )


def _title(table: Table) -> tuple[str, str]:
    """Title and caption. LaTeX numbers tables, so the paper's number follows the title."""
    number, rest = split_number(table.data.title)
    if number and table.data.info.is_reproduction:
        rest = f"{rest.rstrip('.')} ({number} of the paper)"
    return rest, table.heading
