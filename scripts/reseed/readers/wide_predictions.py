"""Tables with the target of each test case, and a column of each model's predictions."""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np

from reseed.readers.columns import normalize_name
from reseed.readers.item_predictions import parse_labels
from reseed.readers.options import ReadOptions
from reseed.readers.run_columns import parse_run
from reseed.readers.source_table import SourceTable, join_names
from reseed.readers.vocabulary import is_summary, may_be_item, split_heading

_WORD = r"(?:y_?)?(?:pred(?:icted|iction)?s?|prob(?:ability|a)?|output)"
#: What says that a column holds predictions, before or after the name of the model.
_AFFIX = re.compile(rf"^{_WORD}[\s_\-.:]+(?=.)|(?<=.)[\s_\-.:]+{_WORD}$", re.I)
#: Names of targets that a table of features may have as well.
_OF_FEATURES = {"label", "labels", "target"}
#: Words of columns that say whether a prediction was right.
_OF_MARKS = {"correct", "right", "hit", "hits", "acc", "passed"}
#: Reseed's columns that a table with a column a model does not have.
_LONG = {"model", "value", "metric", "y_pred", "y_score"}


class _Found(NamedTuple):
    """Columns: of test cases (None: each row is one), of targets, of predictions by model.

    kind: `y_pred` for labels, `y_score` for numbers.
    """

    item: str | None
    truth: str
    models: dict[str, str]
    kind: str


def is_column_of_predictions(table: SourceTable, options: ReadOptions) -> bool:
    """Whether each model has a column of predictions, next to one of targets."""
    return _find(table, options) is not None


def tidy_columns_of_predictions(table: SourceTable, options: ReadOptions) -> SourceTable:
    """One row a model and test case."""
    found = _find(table, options)
    if found is None:
        raise KeyError("y_true")
    item, frame = found.item, table.frame
    notes = [f"One column of predictions a model: {join_names([*found.models], 10)}."]
    if item is None:
        item, frame = "item", frame.assign(item=np.arange(len(frame)))
        notes.append("Each row was read as one test case.")
    rest = [c for c in frame.columns if c not in found.models.values()]
    named = frame.rename(columns={column: model for model, column in found.models.items()})
    long = named.melt(rest, [*found.models], "model", found.kind, ignore_index=False)
    parsed = {model: parse_run(model) for model in found.models}
    runs = {model: run for model, run in parsed.items() if run and run.metric}
    kinds = {tuple(run.numbers) for run in runs.values()}
    if len(runs) == len(parsed) and len(kinds) == 1:  # `bert_seed_3`: a model and a run of it
        for kind in kinds.pop():
            long[kind] = long["model"].map(
                {model: run.numbers[kind] for model, run in runs.items()}
            )
        long["model"] = long["model"].map({model: run.metric for model, run in runs.items()})
        notes.append("Numbers of runs were read from the names of the columns.")
    return table.with_frame(long.rename(columns={item: "item", found.truth: "y_true"}), *notes)


def _find(table: SourceTable, options: ReadOptions) -> _Found | None:
    names = {c: options.find_standard_name(c) for c in table.columns}
    truths = [column for column, name in names.items() if name == "y_true"]
    if len(truths) != 1 or _LONG & set(names.values()) or options.metrics:
        return None
    [truth] = truths
    free = [column for column in options.find_free_columns(table) if not is_summary(column)]
    named = [column for column in free if _AFFIX.search(column)]
    items = [c for c, name in names.items() if name == "item"]
    items = items or [c for c in free if may_be_item(c) and c not in named]
    columns = named or [c for c in free if c not in items]
    if len(columns) < 2 or any(split_heading(column) & _OF_MARKS for column in columns):
        return None
    kind = _find_kind(table, truth, columns)
    if not kind or (kind == "y_score" and not named and normalize_name(truth) in _OF_FEATURES):
        return None
    short = [_AFFIX.sub("", column) for column in columns]
    models = short if len(set(short) - set(names)) == len(columns) else columns
    item = items[0] if items else None
    return _Found(item, truth, dict(zip(models, columns, strict=True)), kind)


def _find_kind(table: SourceTable, truth: str, columns: list[str]) -> str:
    """What all columns hold: `y_pred`, labels that targets have; `y_score`, numbers; "", other."""
    labels = [parse_labels(table.text(truth), table.text(column)) for column in columns]
    if all(set(given[given != ""].dropna()) <= set(target) for target, given in labels):
        return "y_pred"
    numbers = [c for c in columns if table.is_numeric(c)]
    if len(numbers) < len(columns):
        return ""
    if table.text(truth).nunique() > 2:
        return "y_score" if table.is_numeric(truth) else ""
    shares = table.with_numbers(columns)[columns]
    return "y_score" if shares.min().min() >= 0 and shares.max().max() <= 1 else ""
