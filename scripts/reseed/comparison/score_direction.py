"""The direction of a score, or the question for it."""

from __future__ import annotations

from reseed.core.errors import ReseedError
from reseed.metrics.directions import resolve_direction
from reseed.readers.columns import find_standard_name
from reseed.readers.item_table import ItemTable
from reseed.readers.metric_choice import ask_direction


def choose_direction(table: ItemTable, requested: bool | None) -> tuple[int, list[str]]:
    """1 if more of a score is better, else −1; and what a reader must be told.

    Without a name, 1 is a hit where scores are 0 and 1, and more is better of columns of tasks.

    Args:
        table: the scores.
        requested: what the user says.

    Raises:
        ReseedError: if nothing says which is better.
    """
    is_hit = bool(table.frame["score"].dropna().isin((0, 1)).all())
    is_unnamed = find_standard_name(table.metric) == "value"
    fallback = True if is_unnamed and (is_hit or table.of_tasks) else None
    found = resolve_direction(table.metric, requested, table.greater_is_better, fallback)
    if found.greater is None:
        what, fix = ask_direction(table.metric)
        raise ReseedError(f"{what[0].upper()}{what[1:]}. {fix}")
    notes = [found.warning] if found.warning else []
    if is_unnamed and table.of_tasks and requested is None:
        notes.append("More of each column is taken as better: of errors set `greater_is_better`.")
    return (1 if found.greater else -1), notes
