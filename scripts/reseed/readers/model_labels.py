"""Runs in the names of models: `bert_seed3` is run 3 of `bert`, and `rf_1` may be of `rf`."""

from __future__ import annotations

import re

from reseed.readers.columns import ColumnMap
from reseed.readers.options import ReadOptions
from reseed.readers.proposals import Option, propose_column
from reseed.readers.run_columns import RunColumn, cross_runs, parse_endings, parse_run
from reseed.readers.source_table import SourceTable, join_names
from reseed.readers.wide_layouts import ask_numbers

#: Words that name a run and hardly anything else of a model, as `cv5` or `training100` may.
_RUN = re.compile(
    r"(?<![a-z])(seed|random[\s_\-]?state|run|fold|rep|repeat|trial)s?[^a-z]*\d", re.I
)


def split_model_labels(
    table: SourceTable, columns: ColumnMap, counted: str = ""
) -> tuple[SourceTable, dict[str, str | list[str]]]:
    """The table with a column of each number that all names of models hold, and its columns.

    Only where no column holds these numbers, and each of two models or more has several runs.

    counted: what a number at the end of a name counts, as the user says.
    """
    column = columns.get("model")
    if not isinstance(column, str):
        return table, dict(columns)
    text = table.text(column)
    labels = [*text.unique()]
    stated = {label: run for label in labels if (run := _parse(label)) is not None}
    runs = cross_runs(stated or parse_endings(labels, counted), 1 if counted else 2)
    names = [name for run in [*runs.values()][:1] for name in run.numbers]
    if not runs or len(runs) < len(labels) or {*columns} & {*names}:
        if counted:
            raise table.error(
                f"`headings: {counted}`, but headings ({join_names(labels)}) hold no {counted} of "
                "several models that no column holds",
                "Leave out `headings`.",
            )
        return table, dict(columns)
    read = {name: text.map({label: run.numbers[name] for label, run in runs.items()})
            for name in names}  # fmt: skip
    model = text.map({label: run.metric for label, run in runs.items()})
    note = (
        f"The names of models hold their runs ({join_names([*runs], 2)}): read as model and "
        f"{' and '.join(names)}."
    )
    frame = table.frame.assign(**{column: model, **read})
    return table.with_frame(frame, note), {**columns, **{name: name for name in names}}


def ask_numbered_models(table: SourceTable, columns: ColumnMap, options: ReadOptions) -> None:
    """Raise the question what numbers behind all names of models count: `rf_1`, `rf_2`, `svm_1`.

    Not where the user or a tool says what names the model; where the user does, a note.
    """
    column = columns["model"]
    if options.headings or table.layout.is_log or table.layout.derived or isinstance(column, list):
        return
    labels = [*table.text(column).unique()]
    runs = cross_runs(parse_endings(labels, "seed"), 1)
    names = {run.metric for run in runs.values()}
    are_said = any(name.endswith("=") for name in names) or any(map(_parse, labels))
    if are_said or not len(names) < len(runs) == len(labels):
        return
    if table.layout.format == "models_in_columns":
        raise ask_numbers(table, labels, Option({"headings": "model"}, " (each column is one)"))
    what = f"the names of models ({join_names(labels)}) differ in numbers"
    if "model" in options.columns:
        table.notes.append(f"Each was read as a model: {what}.")
        return
    table.ask(
        f"{what}, and nothing says what they count",
        (
            "If they count runs, write them into a column, such as `seed` or `fold` (folders: name "
            "them `seed_1`, `seed_2`, …).",
            propose_column("model", column, "names models with these numbers"),
        ),
    )
    table.raise_errors()


def _parse(label: str) -> RunColumn | None:
    run = parse_run(label) if _RUN.search(label) else None
    return run if run and run.metric else None
