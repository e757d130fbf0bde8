"""What is wrong with a table, and what its reader proposes: options that can be tried."""

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
#: Columns that one proposal names, of all that would do.
MAX_PROPOSED = 4


@dataclass(frozen=True)
class Option:
    """Fields of `ReadOptions` with new values, and what follows them in a sentence."""

    changes: Mapping[str, Any]
    remark: str = ""

    def __str__(self) -> str:
        shown = [one for field, value in self.changes.items() for one in _show(field, value)]
        return " and ".join(shown) + self.remark


@dataclass(frozen=True)
class Proposal:
    """A sentence that names options, each of which leads to a reading."""

    before: str
    options: tuple[Option, ...]
    after: str = "."

    def __str__(self) -> str:
        *first, last = map(str, self.options)
        return f"{self.before}{' or '.join(filter(None, [', '.join(first), last]))}{self.after}"


@dataclass(frozen=True)
class FirstOf:
    """Proposals of which the first that leads to a reading is shown; a text always does."""

    proposals: tuple[Sentence, ...]

    def __str__(self) -> str:
        return str(next(iter(self.proposals), ""))


#: A fix is sentences, some of which propose options.
Sentence = str | Proposal | FirstOf
Fix = Sentence | Iterable[Sentence]


@dataclass(frozen=True)
class Problem:
    """What is wrong with a table, in which rows, and how to fix it.

    is_question: it is known what the table holds, but not this.
    """

    what: str
    fix: tuple[Sentence, ...]
    rows: str = ""
    is_question: bool = False

    def __str__(self) -> str:
        where = f"({self.rows}): " if self.rows else ""
        return " ".join(filter(None, [f"{where}{self.what}.", *map(str, self.fix)]))


class TableError(ReseedError):
    """The problems of one table."""

    def __init__(self, path: str, problems: Iterable[Problem]):
        self.path, self.problems = path, tuple(problems)
        texts = [*map(str, self.problems)]
        if len(texts) == 1:
            super().__init__(f"{path}{' ' if self.problems[0].rows else ': '}{texts[0]}")
            return
        lines = [f"  {number}. {text}" for number, text in enumerate(texts, 1)]
        super().__init__("\n".join([f"{path} has {len(lines)} errors:", *lines]))

    @property
    def is_question(self) -> bool:
        """Whether any of the problems is a question."""
        return any(one.is_question for one in self.problems)


def propose(before: str, *changes: Mapping[str, Any], after: str = ".") -> Proposal:
    """A sentence that proposes the first of these changes."""
    return Proposal(before, tuple(map(Option, changes[:MAX_PROPOSED])), after)


def propose_column(name: str, column: str | list[str], meaning: str) -> Proposal:
    """A column of the table, or several together, as one of Reseed's, if it means this."""
    said = repr(column) if isinstance(column, str) else " and ".join(column)
    return propose(f"If {said} {meaning}: ", {"columns": {name: column}})


def _show(field: str, value: Any) -> list[str]:
    """`field: value` in YAML, one for each column."""
    if field == "columns":
        return [f"`columns: {{{name}: {_quote(column)}}}`" for name, column in value.items()]
    return [f"`{field}: {_quote(value)}`"]


def _quote(value: Any) -> str:
    if isinstance(value, str):
        return value if _PLAIN.fullmatch(value) else json.dumps(value, ensure_ascii=False)
    return f"[{', '.join(map(_quote, value))}]" if isinstance(value, list) else json.dumps(value)
