"""Tries what an error message proposes, and drops what does not lead to a reading."""

from __future__ import annotations

import re
import time
from collections import ChainMap
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

from reseed.core.errors import ReseedError
from reseed.readers.options import ReadOptions
from reseed.readers.source_table import Question

#: After this time, or if one reading takes as long, a proposal is printed untried.
_SECONDS = 4.0
Result = TypeVar("Result")
#: A field of `ReadOptions` with the value that a message suggests.
_SUGGESTION = re.compile(
    r"`(columns|metric|greater_is_better|format|unit|test_train_ratio|headings|rows): ([^`…]+)`"
)


def read_with_advice(read: Callable[[ReadOptions], Result], options: ReadOptions) -> Result:
    """What `read` returns; an error proposes only what was tried and leads to a reading.

    Raises:
        ReseedError: that of `read`, without the clauses whose suggestion fails.
    """
    start = time.monotonic()
    try:
        return read(options)
    except ReseedError as error:
        text, kind = str(error), Question if isinstance(error, Question) else ReseedError
    now = time.monotonic()
    given_up = now if now - start > _SECONDS else now + _SECONDS
    clauses = re.split(r"(?<=[.;]) (?=\S)", text)
    kept = [
        one
        for one in clauses
        if time.monotonic() > given_up or _is_useful(one, text, read, options)
    ]
    raise kind(re.sub(r";(?=$| [A-Z])", ".", " ".join(kept))) from None


def _is_useful(
    clause: str, text: str, read: Callable[[ReadOptions], Any], options: ReadOptions
) -> bool:
    """Whether a clause suggests nothing, or something that leads to a reading."""
    changes = [_parse(field, value, options) for field, value in _SUGGESTION.findall(clause)]
    columns = [one["columns"] for one in changes if "columns" in one]
    if len(columns) > 1:  # all columns of a clause are mapped together
        changes.append({"columns": dict(ChainMap(*columns))})
    return not changes or any(_leads_to_reading(one, text, read, options) for one in changes)


def _leads_to_reading(
    change: dict[str, Any], text: str, read: Callable[[ReadOptions], Any], options: ReadOptions
) -> bool:
    try:
        read(replace(options, **change))
    except ReseedError as error:
        after = str(error)
        has_fewer = after.count("\n") < text.count("\n")
        return after != text and (isinstance(error, Question) or has_fewer)
    return True


def _parse(field: str, value: str, options: ReadOptions) -> dict[str, Any]:
    """The change of `options` that `field: value` of a message stands for."""
    if field == "columns":
        name, _, column = value.strip("{}").partition(": ")
        several = column.strip("[]").split(", ") if column.startswith("[") else None
        return {"columns": {**options.columns, name: several or column.strip("\"'")}}
    if field == "greater_is_better":
        return {} if value.startswith("{") else {"greater_is_better": value == "true"}
    if field == "test_train_ratio":
        return {"test_train_ratio": float(value)}
    if field == "metric" and value.startswith("["):
        return {"metric": value.strip("[]").split(", ")}
    return {field: value}
