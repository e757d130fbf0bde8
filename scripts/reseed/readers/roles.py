"""What each column is: as the user says, else by its whole name where the values fit."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from reseed.core.errors import suggest_name
from reseed.readers.cells import describe_bad_number, is_number
from reseed.readers.names import (
    ALL_RUN_COLUMNS,
    COLUMNS,
    PARTS,
    find_metric,
    find_role,
    list_variants,
    normalize_name,
    rank_role,
)
from reseed.readers.options import ReadOptions, list_columns
from reseed.readers.question import Option, Part
from reseed.readers.shape import MOST_AVERAGED, find_mean
from reseed.readers.source_table import UNNAMED, SourceTable, join_names

#: Roles whose labels have no fractions, and tell rows apart only if they vary.
_LABELS = (*ALL_RUN_COLUMNS, "item", "dataset", "model", "metric", "prompt", "cluster", "step")
#: Of these a single value says something: the name of the one model, dataset, …
_MAY_BE_ONE = ("metric", "model", "dataset", "item", "cluster", "data_seed")
_NUMBERS = ("value", "mean", "sd", "se", "n", "n_train", "n_test", "y_score", "people")
#: Names of columns that are no scores, also where they have no role.
_is_list = re.compile(r"\[[-\d.eE+, ]+\]").fullmatch
_NO_SCORES = (*ALL_RUN_COLUMNS, "step", "n_train", "n_test", "y_true")
#: Roles that several columns may name together.
JOINED = ("model", "dataset", "item", "cluster")


def option(role: str, column: str | list[str], meaning: str = "") -> Option:
    """The answer that a column has a role."""
    return Option({"columns": {role: column}}, meaning)


@dataclass
class Draft:
    """A table on its way to a reading: the role of each column, and what must be asked.

    roles: Reseed's name → a column of the table. sources: the same, with the columns of the source
    that a joined column was made from. said: columns of which the user says the role. is_parted:
    whether a column holds parts of the data, one of which must be chosen.
    """

    table: SourceTable
    options: ReadOptions
    roles: dict[str, str] = field(default_factory=dict)
    sources: dict[str, list[str]] = field(default_factory=dict)
    said: set[str] = field(default_factory=set)
    parts: list[Part] = field(default_factory=list)
    is_parted: bool = False

    def ask(self, text: str, options: Iterable[Option]) -> None:
        """Note an open point with its answers; every option stands once."""
        unique = {str(one): one for one in options}
        self.parts.append(Part(text, tuple(unique.values())))

    def take(self, role: str, column: str, sources: Iterable[str] = ()) -> None:
        """Give a column a role."""
        self.roles[role], self.sources[role] = column, [*(sources or [column])]

    def drop(self, role: str) -> None:
        """Take a role back."""
        self.roles.pop(role, None)
        self.sources.pop(role, None)

    def make(self, role: str, values: pd.Series, sources: Iterable[str] = ()) -> None:
        """Give a role to a new column."""
        self.table = self.table.assign(**{f"({role})": values})
        self.take(role, f"({role})", sources)

    def leave_out(self, rows: pd.Series, why: str) -> None:
        """Go on without these rows, unless they are all."""
        if rows.any() and not rows.all():
            self.table.note(f"{int(rows.sum()):,} rows {why} were left out.")
            self.table = self.table.with_frame(self.table.frame[~rows])

    def number_rows(self, role: str, noun: str = "") -> None:
        """Let each row be one of a role."""
        number = pd.Series(np.arange(len(self.table.frame)), self.table.frame.index)
        self.make(role, number.astype(str))
        self.table.note(f"Each row was read as one {noun or role}.")

    def columns_of(self, *roles: str) -> list[str]:
        """The columns that have these roles, for those that exist."""
        return [self.roles[role] for role in roles if role in self.roles]

    def has(self, *roles: str) -> bool:
        """Whether any of these roles exists."""
        return any(role in self.roles for role in roles)

    def left(self) -> list[str]:
        """Columns without a role that are not empty."""
        used = {*self.said, *(c for own in self.sources.values() for c in own)}
        return [
            c for c in self.table.columns
            if c not in used and not c.startswith("(") and self.table.levels(c) > 0
        ]  # fmt: skip

    def numbers(self) -> list[str]:
        """Columns of numbers without a role, and without the name of a run, that may be scores."""
        return [
            c for c in self.left()
            if self.table.is_numeric(c)
            and (find_metric(c) is not None or not self.table.counts_rows(c))
            and find_role(c) not in _NO_SCORES
        ]  # fmt: skip

    def labels(self) -> list[str]:
        """Columns without a role that may name rows."""
        return [c for c in self.left() if self.table.may_label(c)]

    def find(self, name: str) -> list[str]:
        """Columns of this name; else of it in other writing, or as last part of their heading."""
        columns = self.table.columns
        exact = [c for c in columns if c == name]
        similar = [c for c in columns if normalize_name(c) == normalize_name(name)]
        return exact or similar or [c for c in columns if normalize_name(name) in list_variants(c)]

    def refuse_mixed(self) -> None:
        """Raise the error of a cell that is no number, in a column of them or named as a metric."""
        for column in self.left():
            bad = self.table.parse(column).bad
            if bad is None and find_metric(column) and not self.table.is_numeric(column):
                text = self.table.text(column)
                if text.str.match(r"[-+.]?\d").any() or not self.numbers():
                    bad = text[(text != "") & ~text.map(is_number)]
            if bad is not None and len(bad):
                what, fix = describe_bad_number(column, bad.iloc[0])
                leave = Option({"leave_out": [column]})
                raise self.table.error(what, f"{fix} Or leave it out: {leave}.", bad.index)


def start_draft(table: SourceTable, options: ReadOptions) -> Draft:
    """The draft of a table: without what is left out, with the roles that are known.

    Raises ReseedError for an option that names what does not exist.
    """
    draft = Draft(_tidy(table, options), options, parts=[*table.layout.parts])
    _take_said(draft)
    if not draft.table.layout.is_log:
        _ask_parts(draft)
        _take_named(draft)
    for role, column in table.layout.stated.items():
        if role not in draft.roles and column in draft.table.columns:
            draft.take(role, column)
    if not draft.table.layout.is_log:
        _take_self_named(draft)
        _split_models(draft)
        _drop_constant_runs(draft)
    _check_metrics(draft)
    return draft


def _tidy(table: SourceTable, options: ReadOptions) -> SourceTable:
    """The table without row numbers, empty columns, and what the user leaves out."""
    said = {column for mapped in options.columns.values() for column in list_columns(mapped)}
    counted = [str(i) for i in range(len(table.frame))]
    drop = [
        name
        for name in filter(UNNAMED.fullmatch, table.columns)
        if name not in said and table.text(name).tolist() == counted
    ]
    table = _spread_lists(table)
    frame = table.frame.drop(columns=drop)
    for field_name, names in (("leave_out", options.leave_out), ("keep", options.keep)):
        for name in names:
            if name not in table.columns:
                raise table.error(
                    f"`{field_name}` names the column {name!r}, which is missing",
                    f"{table.column_list}{suggest_name(name, table.columns)}",
                )
    frame = frame.drop(columns=[*dict.fromkeys(options.leave_out)])
    for name, value in options.keep.items():
        frame = frame[table.text(name).loc[frame.index] == str(value)]
        if frame.empty:
            levels = [*table.labels(name)]
            raise table.error(
                f"`keep`: no row has {value!r} in column {name!r}",
                f"It has {join_names(levels, 20)}.{suggest_name(value, levels)}",
            )
    if len(frame) < len(table.frame):
        kept = ", ".join(f"{name} {value}" for name, value in options.keep.items())
        table.note(f"{len(frame):,} of {len(table.frame):,} rows were kept: {kept}.")
    same = frame.shape == table.frame.shape
    return _drop_summary(table if same else table.with_frame(frame))


def _spread_lists(table: SourceTable) -> SourceTable:
    """The table with a row for each number of lists in cells, and a column of their position."""
    for column in table.columns:
        if table.is_numeric(column) or not all(map(_is_list, table.labels(column))):
            continue
        lists = table.text(column).map(json.loads)
        if lists.map(len).nunique() == 1 and "position" not in table.columns:
            frame = table.frame.assign(**{column: lists}).explode(column)
            frame["position"] = frame.groupby(level=0).cumcount()
            return table.with_frame(frame, f"Each number in the lists of {column!r} is a row.")
    return table


def _drop_summary(table: SourceTable) -> SourceTable:
    """The table without a first or last row that holds the mean of the others, with a note."""
    first = table.columns[:1]
    if not first or table.is_numeric(first[0]):
        return table
    values = [c for c in table.columns if table.is_numeric(c) and table.levels(c) > 1]
    digits = table.decimals(values)
    if not (2 <= len(values) <= MOST_AVERAGED and digits.min()):
        return table
    row = find_mean(np.stack([table.numbers(c).to_numpy() for c in values]), digits, at_end=True)
    if row is None:
        return table
    name = table.text(first[0]).iloc[row]
    note = f"The row {name!r} was left out: it holds the mean of the others."
    return table.with_frame(table.frame.drop(index=table.frame.index[row]), note)


def _take_said(draft: Draft) -> None:
    """The roles that the user states."""
    for role, mapped in draft.options.columns.items():
        if role not in COLUMNS:
            draft.table.add_error(
                f"`columns` maps {role!r}, which is not one of Reseed's columns",
                f"Use {', '.join(COLUMNS)}.{suggest_name(role, COLUMNS)}",
            )
        names = [one for name in list_columns(mapped) for one in draft.find(name)[:1]]
        for name in list_columns(mapped):
            if not draft.find(name):
                draft.table.add_error(
                    f"has no column {name!r}, to which `columns` maps {role!r}",
                    f"{draft.table.column_list}{suggest_name(name, draft.table.columns)}",
                )
        if len(names) > 1 and role not in JOINED:
            draft.table.add_error(
                f"`columns` maps {role!r} to several columns",
                f"Only {', '.join(JOINED)} may be joined from several.",
            )
        if draft.table.problems:
            continue
        draft.said.update(names)
        if len(names) == 1:
            draft.take(role, names[0])
            continue
        text = draft.table.text(names[0])  # `svm, C=1`: others than the first have their names
        for column in names[1:]:
            name = f"{normalize_name(column)}=" if role in ("model", "dataset") else ""
            text = text.str.cat(name + draft.table.text(column), sep=", ")
        draft.make(role, text, names)
    draft.table.raise_errors()


def _ask_parts(draft: Draft) -> None:
    """Ask which part of the data counts, where the values of a column name several."""
    for column in draft.table.columns:
        if draft.table.is_numeric(column):
            continue
        levels = {level.lower() for level in draft.table.labels(column) if level}
        if column not in draft.said and len(levels) > 1 and levels <= PARTS:
            values = [one for one in draft.table.labels(column) if one]
            text = f"column {column!r} holds parts of the data, and one is read"
            draft.ask(text, [Option({"keep": {column: one}}) for one in values])
            draft.is_parted = True


def _take_named(draft: Draft) -> None:
    """Roles by whole names, where the values fit."""
    table, found = draft.table, dict[str, list[tuple[float, str]]]()
    for column in draft.table.columns:
        role, rank = rank_role(column)
        is_free = column not in draft.said and find_metric(column) is None
        if role and is_free and role not in draft.roles:
            found.setdefault(role, []).append((rank, column))
    metrics = [c for c in draft.table.columns if find_metric(c) and table.is_numeric(c)]
    has_mean = bool(metrics or {"mean", "value"} & {*found, *draft.roles})
    for role, ranked in found.items():
        names = [name for _, name in sorted(ranked)]
        if role in _LABELS:
            names = [n for n in names if not table.has_fractions(n)]
            varying = [n for n in names if table.levels(n) > 1]
            constant = [n for n in names if table.levels(n) == 1] if role in _MAY_BE_ONE else []
            names = varying or constant
        if role in ALL_RUN_COLUMNS or role == "item":
            texts = (({one.lower() for one in table.labels(n) if one}, n) for n in names)
            names = [n for levels, n in texts if not levels <= PARTS]
        if role in _NUMBERS:
            mixed = [n for n in names if draft.table.parse(n).bad is not None]
            names = [n for n in names if table.is_numeric(n)] or mixed
        is_spread = role in ("sd", "se")
        if (is_spread and not has_mean) or (role == "n" and not {"sd", "se", "mean"} & {*found}):
            continue
        if names:
            draft.take(role, names[0])
    if not draft.has("item"):
        for role in ("prompt", "cluster"):
            if draft.roles.get(role) not in draft.said:
                draft.drop(role)
    # Next to columns of models, people are one of the models.
    if draft.roles.get("people") not in draft.said and not {"item", "model"} <= {*draft.roles}:
        draft.drop("people")
    if not draft.has("y_pred", "y_score") and "y_true" in draft.roles and draft.has("value"):
        draft.drop("y_true")
    old, new = ("repetition", "repeat") if draft.has("fold") else ("repeat", "repetition")
    is_meant = draft.has("fold") or draft.has("item")
    if is_meant and old in draft.roles and new not in draft.roles:
        column = draft.roles[old]
        draft.take(new if column not in draft.said else old, column)
        draft.drop(old if column not in draft.said else "")


def _take_self_named(draft: Draft) -> None:
    """Roles of columns whose every label names runs: `Fold3`, `Fold01.Rep2`."""
    named = draft.columns_of(*ALL_RUN_COLUMNS)
    for column in [*named, *draft.labels()]:
        labels = {} if draft.table.is_numeric(column) else draft.table.read_runs(column)
        if not labels or any(one.rest for one in labels.values()):
            continue
        runs = sorted(next(iter(labels.values())).runs)
        if column not in named and draft.has(*runs):
            continue
        if len(runs) == 1:
            if column not in named:
                draft.take(runs[0], column)
            continue
        text = draft.table.text(column)
        for role in [role for role, own in draft.roles.items() if own == column]:
            draft.drop(role)
        for role in runs:
            if draft.has(role):
                raise draft.table.error(
                    f"column {column!r} holds {text.iloc[0]!r}, and column {draft.roles[role]!r} "
                    f"is the {role} too",
                    "Remove one of them.",
                )
            draft.make(role, text.map({name: one.runs[role] for name, one in labels.items()}),
                       [column])  # fmt: skip
        draft.table.note(f"Column {column!r} was read as {' and '.join(runs)}.")


def _split_models(draft: Draft) -> None:
    """Runs that the names of models hold, `bert_seed1`, where no column says otherwise."""
    column = draft.roles.get("model")
    keys = draft.columns_of("model", "dataset", "metric", "item", "prompt")
    is_said = column in draft.said and len(draft.sources["model"]) > 1
    if column is None or is_said or not draft.table.is_unique(keys):
        return
    text, labels = draft.table.text(column), draft.table.read_runs(column)
    names = {one.rest for one in labels.values()}
    if not labels or "" in names or len(names) == len(labels):
        return
    runs = sorted(next(iter(labels.values())).runs)
    values = {r: text.map({name: one.runs[r] for name, one in labels.items()}) for r in runs}
    for role in (role for role in ALL_RUN_COLUMNS if role in draft.roles):
        stated = draft.table.text(draft.roles[role])
        if role not in values or (stated != values.pop(role)).any():
            return
    shown = join_names([*labels], 2)
    draft.table.note(
        f"The names of models hold their runs ({shown}): read as model and {' and '.join(runs)}."
    )
    for role, numbers in values.items():
        draft.make(role, numbers)
    draft.make("model", text.map({name: one.rest for name, one in labels.items()}), [column])


def _drop_constant_runs(draft: Draft) -> None:
    """Columns of runs that do not vary within a model are none."""
    over = draft.columns_of("model", "dataset")
    stated = {*draft.table.layout.stated.values()}
    for role in ALL_RUN_COLUMNS:
        column = draft.roles.get(role)
        is_known = column in draft.said or column in stated
        if column is None or is_known or not over or role == "data_seed":
            continue
        text = draft.table.text(column)
        groups = draft.table.groups(over)
        if text[text != ""].groupby(groups).nunique().max() < 2:
            draft.drop(role)


def _check_metrics(draft: Draft) -> None:
    """Raise ReseedError for a metric that is on no list, no column, and in no heading or cell."""
    options, table = draft.options, draft.table
    words = set()  # the first or the last ones of a heading may be a metric
    for parts in (normalize_name(c).split("_") for c in table.columns):
        words |= {"_".join(parts[i:]) for i in range(len(parts))}
        words |= {"_".join(parts[:i]) for i in range(1, len(parts))}
    if "metric" in draft.roles:
        words |= {normalize_name(one) for one in table.labels(draft.roles["metric"])}
    for metric in options.metrics:
        known = find_metric(metric) or draft.find(metric) or normalize_name(metric) in words
        if not (known or table.layout.is_log):
            raise table.error(
                f"`metric` is {metric!r}, which is no column and on no list of metrics",
                f"{table.column_list}{suggest_name(metric, table.columns)}",
            )


def list_unused(draft: Draft, used: Iterable[str]) -> list[str]:
    """Columns of the table that a reading does not use."""
    taken = {*used}
    taken |= {c for role, own in draft.sources.items() if draft.roles[role] in taken for c in own}
    return [c for c in draft.table.columns if c not in taken and not c.startswith("(")]
