"""Tries what an error proposes, and drops what does not lead to a reading."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from reseed.core.errors import ReseedError
from reseed.readers.options import ReadOptions
from reseed.readers.proposals import FirstOf, Option, Proposal, Sentence, TableError

#: After this time, or if one reading takes as long, a proposal is printed untried.
_SECONDS = 4.0
Result = TypeVar("Result")


def read_with_advice(read: Callable[[ReadOptions], Result], options: ReadOptions) -> Result:
    """What `read` returns; an error proposes only what was tried and leads to a reading.

    Raises:
        ReseedError: that of `read`, without the proposals that fail.
    """
    start = time.monotonic()
    try:
        return read(options)
    except TableError as error:
        refused = error
    now = time.monotonic()
    trial = _Trial(read, options, refused, now if now - start > _SECONDS else now + _SECONDS)
    raise TableError(
        refused.path,
        [replace(one, fix=tuple(map(trial.keep, one.fix))) for one in refused.problems],
    )


@dataclass(frozen=True)
class _Trial(Generic[Result]):
    """Reads again with one option more, until a point in time."""

    read: Callable[[ReadOptions], Result]
    options: ReadOptions
    refused: TableError
    until: float

    def keep(self, sentence: Sentence) -> Sentence:
        """The sentence with the options that lead to a reading; empty without any."""
        if isinstance(sentence, FirstOf):
            kept = (self.keep(one) for one in sentence.proposals)
            return next((one for one in kept if one), "")
        if isinstance(sentence, str):
            return sentence
        useful = tuple(filter(self._leads_on, sentence.options))
        return Proposal(sentence.before, useful, sentence.after) if useful else ""

    def _leads_on(self, option: Option) -> bool:
        if time.monotonic() > self.until:
            return True
        changes: dict[str, Any] = {**option.changes}
        if "columns" in changes:
            changes["columns"] = {**self.options.columns, **changes["columns"]}
        try:
            self.read(replace(self.options, **changes))
        except TableError as error:
            is_nearer = len(error.problems) < len(self.refused.problems)
            return str(error) != str(self.refused) and (error.is_question or is_nearer)
        except ReseedError:
            return False
        return True
