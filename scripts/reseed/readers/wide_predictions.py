"""Tables with the target of each test case, and a column of each model's predictions."""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np

from reseed.readers.columns import normalize_name
from reseed.readers.item_predictions import parse_labels
from reseed.readers.options import ReadOptions
from reseed.readers.proposals import propose
from reseed.readers.source_table import SourceTable, join_names
from reseed.readers.vocabulary import is_summary, may_be_item, split_heading

_WORD = r"(?:y_?)?(?:pred(?:icted|iction)?s?|prob(?:ability|a)?|output|oof)"
#: What says that a column holds predictions, before or after the name of the model.
_AFFIX = re.compile(rf"^{_WORD}[\s_\-.:]+(?=.)|(?<=.)[\s_\-.:]+{_WORD}$", re.I)
#: A column of a class's probability: of its model, and of the class.
_CLASS = re.compile(
    r"(.+?)[\s_\-.:]+(?:y_?)?(?>probability|proba|prob|p)[\s_\-.:]*(?:class[\s_\-.:]*)?(\w+)", re.I
)
#: Distance of a sum of rounded probabilities from 1.
_ROUNDING = 0.02
#: Names of targets that a table of features may have as well.
_OF_FEATURES = {"label", "labels", "target"}
#: Words of columns that say whether a prediction was right.
_OF_MARKS = {"correct", "right", "hit", "hits", "acc", "passed"}
#: Reseed's columns that a table with a column a model does not have.
_LONG = {"model", "value", "metric", "y_pred", "y_score"}


class _Found(NamedTuple):
    """Columns: of test cases (None: each row is one), of targets, of predictions by model.

    kind: `y_pred` for labels, `y_score` for numbers. is_open: whether the columns may as well be
        features of 0 and 1, as the target is.
    """

    item: str | None
    truth: str
    models: dict[str, str]
    kind: str
    is_open: bool


def is_column_of_predictions(table: SourceTable, options: ReadOptions) -> bool:
    """Whether each model has a column of predictions, next to one of targets."""
    return _find(_join_classes(table, options), options) is not None


def tidy_columns_of_predictions(table: SourceTable, options: ReadOptions) -> SourceTable:
    """One row a model and test case; a question where the columns may be features."""
    joined = _join_classes(table, options)
    recognised = _find(joined, options)
    if recognised is None:
        raise KeyError("y_true")
    if joined is not table:
        table = joined
        table.notes.append("Of the probabilities of its classes each model predicts the greatest.")
    if recognised.is_open and options.format == "auto":
        table.ask(
            f"columns {join_names([*recognised.models.values()])} hold 0 and 1 as "
            f"{recognised.truth!r} does, and nothing says whether they are predictions of "
            "models or features",
            propose("If they are predictions: ", {"columns": {"y_true": recognised.truth}}),
        )
        table.raise_errors()
    item, frame = recognised.item, table.frame
    notes = [f"One column of predictions a model: {join_names([*recognised.models], 10)}."]
    if item is None:
        item, frame = "item", frame.assign(item=np.arange(len(frame)))
        notes.append("Each row was read as one test case.")
    rest = [c for c in frame.columns if c not in recognised.models.values()]
    named = frame.rename(columns={column: model for model, column in recognised.models.items()})
    long = named.melt(rest, [*recognised.models], "model", recognised.kind, ignore_index=False)
    # A column that the user maps keeps its name.
    standard = {"item": item, "y_true": recognised.truth}
    names = {column: name for name, column in standard.items() if name not in options.columns}
    return table.with_frame(long.rename(columns=names), *notes)


def _join_classes(table: SourceTable, options: ReadOptions) -> SourceTable:
    """The table with each model's most probable class, where each class has a probability."""
    truths = [c for c in table.columns if options.find_standard_name(c) == "y_true"]
    truths = truths or [c for c in table.columns if c.lower() == "y"]
    if len(truths) != 1:
        return table
    labels = dict.fromkeys(normalize_name(label) for label in table.text(truths[0]))
    models: dict[str, dict[str, str]] = {}
    for column in options.find_free_columns(table):
        match = _CLASS.fullmatch(column)
        if match and normalize_name(match[2]) in labels and table.is_numeric(column):
            models.setdefault(match[1], {})[normalize_name(match[2])] = column
    columns = [column for by_class in models.values() for column in by_class.values()]
    if len(models) < 2 or any(by_class.keys() != labels.keys() for by_class in models.values()):
        return table
    numbers = table.with_numbers(columns)
    names = {normalize_name(label): label for label in table.text(truths[0])}
    predicted = {}
    for model, by_class in models.items():
        shares = numbers[[*by_class.values()]].to_numpy()
        if not np.all(np.abs(shares.sum(axis=1) - 1) < _ROUNDING):
            return table
        predicted[f"{model}_pred"] = np.array([names[one] for one in by_class])[
            shares.argmax(axis=1)
        ]
    frame = table.frame.drop(columns=columns).assign(**predicted)
    return table.with_frame(frame.rename(columns={"y": "y_true", "Y": "y_true"}))


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
    is_open = (
        not named and normalize_name(truth) in _OF_FEATURES and "y_true" not in options.columns
    )
    is_open &= set(table.text(truth)) <= {"0", "1", "0.0", "1.0"}
    return _Found(item, truth, dict(zip(models, columns, strict=True)), kind, is_open)


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
