"""Converts scikit-learn's `cv_results_` and `cross_validate` to one row a run."""

from __future__ import annotations

import ast
import re

import numpy as np
import pandas as pd

from reseed.readers.columns import RUN_COLUMNS
from reseed.readers.options import ReadOptions
from reseed.readers.run_columns import POSITION_NOTE
from reseed.readers.source_table import SourceTable

#: Candidates of a search that are compared: the best by mean score.
MOST_CANDIDATES = 10
_SPLIT = re.compile(r"split(\d+)_test_(.+)")
_TIMES = ("fit_time", "score_time")


def tidy_cv_results(table: SourceTable, options: ReadOptions) -> SourceTable:
    """One row a candidate and split; the model is the candidate's parameters that vary.

    Only the `MOST_CANDIDATES` best candidates by mean score (of the first metric) are used.
    """
    frame = table.frame
    splits = {c: match for c in table.columns if (match := _SPLIT.fullmatch(c))}
    names = list(dict.fromkeys(match[2] for match in splits.values()))
    of_first = frame[[c for c, match in splits.items() if match[2] == names[0]]]
    mean = of_first.apply(pd.to_numeric, errors="coerce").mean(axis=1)
    best = mean.fillna(-np.inf).sort_values(ascending=False, kind="stable").index
    used = frame.loc[best[:MOST_CANDIDATES]].sort_index()
    label = _name_candidates(table).loc[used.index]
    if "model" in used:
        label = table.text("model")[used.index].str.cat(label, sep=": ")
    rows = used[[c for c in used if c == "dataset"]].assign(model=label)
    # One metric names its column, so that `metric` may name what scikit-learn calls `score`.
    parts = [
        rows.assign(fold=int(match[1]), **{names[0]: used[column]})
        if len(names) == 1
        else rows.assign(fold=int(match[1]), metric=match[2], value=used[column])
        for column, match in splits.items()
    ]
    notes = [
        POSITION_NOTE,
        "The search chose on these splits, so the best of many candidates scores too high on them. "
        "Compare models on splits that were not used to choose.",
    ]
    if len(frame) > len(used):
        notes.append(f"Of {len(frame)} candidates the {len(used)} best by mean score are compared.")
    return table.with_frame(pd.concat(parts), *notes)


def _name_candidates(table: SourceTable) -> pd.Series:
    """`C=1, kernel=rbf` by candidate: the parameters that vary.

    `params` distinguishes a parameter that is None from one that a candidate does not have. Columns
    `param_…` are used if `params` holds no literals (estimators, in a CSV).
    """
    index = table.frame.index
    columns = {c.removeprefix("param_"): c for c in table.columns if c.startswith("param_")}
    cells = [_parse_params(value) for value in table.frame.get("params", [None] * len(index))]
    params = [cell for cell in cells if isinstance(cell, dict)]
    if len(params) < len(cells):
        columns = columns or {c: c for c in table.columns if c == "params"}
        values = pd.DataFrame({name: table.text(c) for name, c in columns.items()}, index)
        params = [{n: v for n, v in row.items() if v} for row in values.to_dict("records")]
    names = dict.fromkeys(name for row in params for name in row)
    varying = [n for n in names if len({str(row.get(n, "")) for row in params}) > 1] or names
    labels = [", ".join(f"{n}={row[n]}" for n in varying if n in row) for row in params]
    return pd.Series([label or f"candidate {i}" for i, label in enumerate(labels)], index)


def _parse_params(params: object) -> object:
    """The dict that a text cell represents; any other cell unchanged."""
    if not isinstance(params, str):
        return params
    try:
        return ast.literal_eval(params)
    except (ValueError, SyntaxError):
        return params


def tidy_cross_validate(table: SourceTable, options: ReadOptions) -> SourceTable:
    """Add a column `fold` (position within a model and dataset); drop times and training scores.

    Models with different numbers of folds are an error: their positions are not the same splits.
    """
    names = {c: options.find_standard_name(c) for c in table.columns}
    scores = [c for c in table.columns if c.startswith("test_") and names[c] in (None, "value")]
    dropped = [c for c in table.columns if names[c] is None and c.startswith(("train_", *_TIMES))]
    frame = table.frame.drop(columns=dropped)
    notes: list[str] = []
    if "fold" not in names.values():
        run = [c for c in table.columns if names[c] in ("model", "dataset", *RUN_COLUMNS)]
        same_run = [table.text(c) for c in run] or [pd.Series(0, frame.index)]
        number = frame.groupby(same_run).cumcount()
        if number.any():
            frame, notes = frame.assign(fold=number), [POSITION_NOTE]
            _check_same_folds(table, names, number)
    # A single score needs no prefix, so that `metric` may name what scikit-learn calls `score`.
    prefixes = ("test_",) if len(scores) > 1 else ()
    return table.with_frame(frame, *notes, metric_prefixes=prefixes, is_positional=bool(notes))


def _check_same_folds(table: SourceTable, names: dict[str, str | None], number: pd.Series) -> None:
    empty = pd.Series("", number.index)
    dataset, model = (
        table.joined_text(columns) if (columns := [c for c in names if names[c] == name]) else empty
        for name in ("dataset", "model")
    )
    folds = (number + 1).groupby([dataset, model], sort=False).max()
    for _, counts in folds.groupby(level=0, sort=False):
        if counts.nunique() > 1:
            by_model = counts.droplevel(0).items()
            listed = ", ".join(f"{name} has {n}" for name, n in by_model)
            table.add_error(
                f"models differ in their number of folds: {listed}",
                "Row i of each model belongs to the same fold; where folds are missing, add a "
                "column `fold`.",
            )
