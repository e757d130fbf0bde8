"""Reads tables of Markdown and LaTeX as headings and rows of text."""

from __future__ import annotations

import re
from itertools import takewhile

#: Suffixes of files whose text holds a table.
MARKDOWN = (".md", ".markdown")
LATEX = (".tex",)
_RULE = re.compile(r"\|?\s*:?-{2,}:?\s*(\|\s*:?-*:?\s*)*")
_TABULAR = re.compile(r"\\begin\{(tabular[*xy]?|longtable|array)\}(.*?)\\end\{\1\}", re.DOTALL)
_COMMENT = re.compile(r"(?<!\\)%.*")
#: Commands between rows: rules and spaces.
_RULES = re.compile(
    r"\\(toprule|midrule|bottomrule|hline|cline|cmidrule|addlinespace|specialrule)"
    r"(\([^)]*\))?(\[[^]]*\])?(\{[^{}]*\})*"
)
#: Commands around a cell whose argument is its text.
_WRAPPER = re.compile(
    r"\\(?:textbf|textit|emph|textcolor\s*\{[^{}]*\}|underline|mathbf|text|mathrm|textsc|texttt|bm|ul|small|tiny)"
    r"\s*\{([^{}]*)\}"
)
#: Commands that say nothing of a cell: citations, labels, colours.
_NO_TEXT = re.compile(
    r"~?\\(?:cite[a-z]*|ref|label|footnote(?:mark|text)?|rowcolor|cellcolor|color|url"
    r"|vspace|hspace|rule)\*?(?:\s*\[[^]]*\])*(?:\s*\{[^{}]*\})*"
)
#: Marks of footnotes, alone or raised.
_FOOTNOTE = re.compile(
    r"\$?\^\{?\s*(?:\\?(?:dagger|ddagger|ast|star|S|P|diamond|sharp)|[†‡*§¶])+\s*\}?\$?|[†‡§¶]"
    r"|\\(?:dagger|ddagger|ast|star)\b"
)
_ESCAPED = re.compile(r"\\([%&_#$])")

#: Headings and rows of cells.
TextTable = tuple[list[str], list[list[str]]]


def parse_markdown(text: str) -> TextTable:
    """The first table of a Markdown file: lines of cells between `|`, and a line of dashes.

    Raises ValueError if there is none, or if a row has another number of cells.
    """
    lines = text.splitlines()
    are_rules = ("|" in line and _RULE.fullmatch(line.strip()) for line in lines)
    rules = [number for number, is_rule in enumerate(are_rules) if is_rule and number > 0]
    if not rules:
        raise ValueError("it holds no table: a line of headings between `|`, then `|---|---|`")
    below = takewhile(lambda line: "|" in line, lines[rules[0] + 1 :])
    return _check(_split_markdown(lines[rules[0] - 1]), [*map(_split_markdown, below)])


def _split_markdown(line: str) -> list[str]:
    cells = re.split(r"(?<!\\)\|", line.strip().removeprefix("|").removesuffix("|"))
    texts = (re.sub(r"\[([^]]+)\]\([^)]*\)|\*\*|__|`", r"\1", cell) for cell in cells)
    return [text.replace("\\|", "|").strip() for text in texts]


def parse_latex(text: str) -> TextTable:
    """The first `tabular` of a LaTeX file; its first row holds the headings.

    Raises ValueError if there is none, if cells span columns or rows, and as `parse_markdown`.
    """
    tabular = _TABULAR.search(_COMMENT.sub("", text))
    if not tabular:
        raise ValueError("it holds no `tabular`")
    body = tabular[2]
    if re.search(r"\\multi(column|row)", body):
        raise ValueError(
            "cells span several columns or rows (\\multicolumn, \\multirow): write one row of "
            "headings and one cell a column"
        )
    body = re.sub(r"^\s*(\[[^]]*\])?(\{(?:[^{}]|\{[^{}]*\})*\}\s*)+", "", body)  # column types
    lines = re.split(r"\\\\(?:\[[^]]*\])?", _RULES.sub("", body))
    rows = [[*map(_clean_latex, re.split(r"(?<!\\)&", line))] for line in lines]
    rows = [row for row in rows if any(row)]
    if not rows:
        raise ValueError("its `tabular` is empty")
    return _check(rows[0], rows[1:])


def read_caption(text: str) -> str:
    """The caption of a LaTeX table; empty without one."""
    caption = re.search(r"\\caption(?:\[[^]]*\])?\{((?:[^{}]|\{[^{}]*\})*)\}", text)
    return _clean_latex(caption[1]) if caption else ""


def _clean_latex(cell: str) -> str:
    """The text of a cell without fonts and math: `\\textbf{94.8} $\\pm$ 0.2` as `94.8 ± 0.2`."""
    cell = _FOOTNOTE.sub("", _NO_TEXT.sub("", cell))
    while (plain := _WRAPPER.sub(r"\1", cell)) != cell:
        cell = plain
    cell = re.sub(r"\\pm\b", "±", _ESCAPED.sub(r"\1", cell))
    cell = re.sub(r"(?<!\\)\$|\\[,;!: ]|~", " ", cell)
    cell = cell.replace("\\uparrow", "↑").replace("\\downarrow", "↓")
    cell = re.sub(r"[_^]?\{([^{}]*)\}", r"\1", cell)
    return " ".join(cell.split())


def _check(header: list[str], rows: list[list[str]]) -> TextTable:
    for number, row in enumerate(rows, 1):
        if len(row) != len(header):
            raise ValueError(
                f"row {number} of the table has {len(row)} cells, the headings are {len(header)}"
            )
    return header, rows
