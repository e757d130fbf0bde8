"""Recognises columns that each hold one run: `fold_3`, `seed 7`, `fold0_acc`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

_NUMBERED = re.compile(r"(fold|split|cv|seed|run)[ _\-.#=]*(\d+)", re.IGNORECASE)
#: The same with a metric before or after it.
_MEASURED = re.compile(rf"(?:(.+?)[\W_]+)?{_NUMBERED.pattern}(?:[\W_]+(.+))?", re.IGNORECASE)
#: Stem of a column → Reseed's column; `run` is the common word for a repeated training.
_STEMS = {"fold": "fold", "split": "fold", "cv": "fold", "seed": "seed", "run": "seed"}
#: The assumption made where folds are numbered by position.
POSITION_NOTE = (
    "Folds were numbered by their position and taken as one cross-validation: for repeated or "
    "shuffled splits give `test_train_ratio` (0.25 for 5 folds or an 80/20 split)."
)


class RunColumn(NamedTuple):
    """What a column's name says of the run it holds; `metric` is empty if it names none."""

    kind: str
    number: int
    metric: str = ""


def find_numbered_columns(columns: Iterable[str]) -> dict[str, RunColumn]:
    """Columns named by a run's number alone (`fold_3`, `seed 7`, `4`), if there are several."""
    runs = {}
    for column in columns:
        match = _NUMBERED.fullmatch(column.strip())
        if match:
            runs[column] = RunColumn(_STEMS[match[1].lower()], int(match[2]))
        elif re.fullmatch(r"\d+", column.strip()):
            runs[column] = RunColumn("fold", int(column))
    return runs if len(runs) > 1 else {}


def parse_measured_run(column: str) -> RunColumn | None:
    """A column named by a run's number and a metric (`fold0_acc`, `auc seed=3`), else None."""
    match = _MEASURED.fullmatch(column.strip())
    if not match or bool(match[1]) == bool(match[4]):
        return None
    return RunColumn(_STEMS[match[2].lower()], int(match[3]), match[1] or match[4])
