"""scikit-learn's `cv_results_`, `cross_validate` and searches, as one row a run."""

from __future__ import annotations

import ast
import re
from contextlib import suppress

import numpy as np
import pandas as pd

from reseed.core.errors import ReseedError
from reseed.readers.names import RUN_COLUMNS, find_role
from reseed.readers.source_table import SourceTable

#: Candidates of a search that are compared: the best by mean score.
MOST_CANDIDATES = 10
#: The assumption made where folds are numbered by position.
POSITION_NOTE = (
    "Folds were numbered by their position and taken as one cross-validation: for repeated or "
    "shuffled splits give `test_train_ratio` (0.25 for 5 folds or an 80/20 split)."
)
_SPLIT = re.compile(r"split(\d+)_test_(.+)")
_TIMES = ("fit_time", "score_time")


def unpack_search(source: object) -> object:
    """The results of a search of scikit-learn, or the trials of a study of Optuna."""
    if hasattr(source, "cv_results_"):
        return pd.DataFrame(source.cv_results_)
    if hasattr(source, "trials_dataframe"):
        return source.trials_dataframe()
    if type(source).__name__.endswith("SearchCV"):
        raise ReseedError(f"The {type(source).__name__} was not fitted. Call its `fit` first.")
    return source


def convert_sklearn(table: SourceTable) -> SourceTable:
    """A table of `cv_results_`, or of `cross_validate`; any other table unchanged."""
    if "mean_fit_time" in table.columns and any(map(_SPLIT.fullmatch, table.columns)):
        return _convert_search(table)
    if {*_TIMES} <= {*table.columns} and any(c.startswith("test_") for c in table.columns):
        return _convert_cross_validate(table)
    return table


def _convert_search(table: SourceTable) -> SourceTable:
    """One row a candidate and split; the model is the candidate's parameters that vary.

    Only the `MOST_CANDIDATES` best candidates by mean score (of the first metric) are used. More of
    every score is better: a search chooses its greatest.
    """
    if "iter" in table.columns:  # of a search by halving: fewer candidates, on more rows
        last = table.numbers("iter")
        note = "Of a search by halving the candidates of the last iteration are compared."
        table = table.with_frame(table.frame[last == last.max()].drop(columns="iter"), note)
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
    parts = [
        rows.assign(fold=int(match[1]), **{match[2]: used[column]})
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
    return table.with_frame(
        pd.concat(parts), *notes, format="cv_results", is_positional=True,
        directions=dict.fromkeys(names, True),
        derived="a candidate, by the parameters that vary, is a model; a split is a fold",
    )  # fmt: skip


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
    with suppress(ValueError, SyntaxError):
        return ast.literal_eval(params) if isinstance(params, str) else params
    return params


def _convert_cross_validate(table: SourceTable) -> SourceTable:
    """Without times and training scores; the position within a model and dataset is the fold."""
    scores = [c for c in table.columns if c.startswith("test_")]
    dropped = [c for c in table.columns if c.startswith(("train_", *_TIMES))]
    frame = table.frame.drop(columns=dropped)
    frame = frame.rename(columns={c: c.removeprefix("test_") for c in scores})
    if {*map(find_role, table.columns)} & {*RUN_COLUMNS}:
        return table.with_frame(frame, format="cross_validate")
    return number_folds(table.with_frame(frame), POSITION_NOTE, format="cross_validate")


def number_folds(table: SourceTable, *notes: str, **layout: str) -> SourceTable:
    """The table with the position of each row within its model and dataset as its fold."""
    datasets, models = (
        [c for c in table.columns if find_role(c) == role] for role in ("dataset", "model")
    )
    cell = table.groups([*datasets, *models])
    fold = cell.groupby(cell).cumcount()
    counts = cell[~cell.duplicated()].map(cell.value_counts())
    for _, of_models in counts.groupby(table.groups(datasets), sort=False):
        if of_models.nunique() > 1:
            names = table.text(models[0])[of_models.index]
            listed = ", ".join(f"{n} has {k}" for n, k in zip(names, of_models, strict=True))
            table.add_error(
                f"models differ in their number of folds: {listed}",
                "Score i of each model belongs to the same fold; where folds are missing, add a "
                "column `fold`.",
            )
    return table.with_frame(table.frame.assign(fold=fold), *notes, is_positional=True, **layout)
