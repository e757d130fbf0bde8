"""Runs in the names of models: `bert_seed3` is run 3 of `bert`."""

from __future__ import annotations

import re
from collections import Counter

from reseed.readers.columns import ColumnMap
from reseed.readers.run_columns import RunColumn, parse_run, parse_short_endings
from reseed.readers.source_table import SourceTable, join_names

#: Words that name a run and hardly anything else of a model, as `cv5` or `training100` may.
_RUN = re.compile(
    r"(?<![a-z])(seed|random[\s_\-]?state|run|fold|rep|repeat|trial)s?[^a-z]*\d", re.I
)


def split_model_labels(
    table: SourceTable, columns: ColumnMap
) -> tuple[SourceTable, dict[str, str | list[str]]]:
    """The table with a column of each number that all names of models hold, and its columns.

    Only where no column holds these numbers, and each of two models or more has several runs.
    """
    column = columns.get("model")
    if not isinstance(column, str):
        return table, dict(columns)
    text = table.text(column)
    labels = [*text.unique()]
    runs = {label: run for label in labels if (run := _parse(label)) is not None}
    runs = runs or parse_short_endings(labels)
    models = Counter(run.metric for run in runs.values())
    kinds = {tuple(run.numbers) for run in runs.values()}
    is_split = len(runs) == text.nunique() and len(kinds) == 1 and not {*columns} & {*min(kinds)}
    if not is_split or len(models) < 2 or min(models.values()) < 2:
        return table, dict(columns)
    names = [*min(kinds)]
    read = {name: text.map({label: run.numbers[name] for label, run in runs.items()})
            for name in names}  # fmt: skip
    model = text.map({label: run.metric for label, run in runs.items()})
    note = (
        f"The names of models hold their runs ({join_names([*runs], 2)}): read as model and "
        f"{' and '.join(names)}."
    )
    frame = table.frame.assign(**{column: model, **read})
    return table.with_frame(frame, note), {**columns, **{name: name for name in names}}


def _parse(label: str) -> RunColumn | None:
    run = parse_run(label) if _RUN.search(label) else None
    return run if run and run.metric else None
