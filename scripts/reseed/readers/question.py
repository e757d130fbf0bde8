"""What is wrong with a table, or open: one error that holds all, with the option of each answer."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from reseed.core.errors import ReseedError

#: A name that YAML reads as itself: no number, no word for a value, no sign of its syntax.
_PLAIN = re.compile(
    r"(?!(?:true|false|null|yes|no|on|off|y|n)$)(?=[^\W\d])(?:(?!: | #|:$)[^\[\]{},])+", re.I
)
#: Options that one sentence names.
MAX_PROPOSED = 4


@dataclass(frozen=True)
class Option:
    """Fields of `ReadOptions` with new values, and what they mean."""

    changes: Mapping[str, Any]
    meaning: str = ""

    def __str__(self) -> str:
        shown = [one for field, value in self.changes.items() for one in _show(field, value)]
        return " and ".join(shown) + (f" ({self.meaning})" if self.meaning else "")


@dataclass(frozen=True)
class Part:
    """One open point of a reading, and its answers."""

    text: str
    options: tuple[Option, ...]

    def __str__(self) -> str:
        return "\n".join([f"{self.text}:", *(f"    {one}" for one in self.options)])


@dataclass(frozen=True)
class Problem:
    """What is wrong with a table, in which rows, and how to fix it."""

    what: str
    fix: str
    rows: str = ""

    def __str__(self) -> str:
        where = f"({self.rows}): " if self.rows else ""
        return " ".join(filter(None, [f"{where}{self.what}.", self.fix]))


class TableError(ReseedError):
    """The problems of one table."""

    def __init__(self, path: str, problems: Iterable[Problem]):
        self.problems = tuple(problems)
        texts = [*map(str, self.problems)]
        if len(texts) == 1:
            super().__init__(f"{path}{' ' if self.problems[0].rows else ': '}{texts[0]}")
            return
        lines = [f"  {number}. {text}" for number, text in enumerate(texts, 1)]
        super().__init__("\n".join([f"{path} has {len(lines)} errors:", *lines]))


class Question(ReseedError):
    """All that is open in a table; `first` shows its first rows by the first answers."""

    def __init__(self, path: str, parts: Iterable[Part], first: str = ""):
        self.path, self.parts = path, tuple(parts)
        lines = [f"{path}: {self.parts[0]}"]
        if len(self.parts) > 1:
            numbered = (f"  {number}. {one}" for number, one in enumerate(self.parts, 1))
            lines = [f"{path}: {len(self.parts)} things are open.", *numbered]
        super().__init__("\n".join([*lines, *([first] if first else [])]))


def propose(before: str, *changes: Mapping[str, Any], after: str = ".") -> str:
    """A sentence that names the first of these options."""
    *first, last = (str(Option(one)) for one in changes[:MAX_PROPOSED])
    return f"{before}{' or '.join(filter(None, [', '.join(first), last]))}{after}"


def _show(field: str, value: Any) -> list[str]:
    """`field: value` in YAML, one for each column."""
    if field in ("columns", "keep"):
        return [f"`{field}: {{{_quote(n)}: {_quote(column)}}}`" for n, column in value.items()]
    return [f"`{field}: {_quote(value)}`"]


def _quote(value: Any) -> str:
    if isinstance(value, str):
        return value if _PLAIN.fullmatch(value) else json.dumps(value, ensure_ascii=False)
    return f"[{', '.join(map(_quote, value))}]" if isinstance(value, list) else json.dumps(value)
