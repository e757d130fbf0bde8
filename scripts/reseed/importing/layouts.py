"""Tables in which one row holds several runs, or a run's number is its position: made tidy.

scikit-learn's `cross_validate` and `cv_results_`, a column a fold (or seed), a column a model.
"""

from __future__ import annotations

import ast
import re

import numpy as np
import pandas as pd

from reseed.importing.columns import NAMES, RUN, known_name, plain
from reseed.importing.table import Layout, Table
from reseed.metric_names import direction

#: Candidates of a search that are compared, the best by mean score.
MOST_CANDIDATES = 10
_SPLIT = re.compile(r"split(\d+)_test_(.+)")
_NUMBERED = re.compile(r"(fold|split|cv|seed|run|repeat)[ _\-.#]*(\d+)", re.IGNORECASE)
#: What a column's stem says of its number; the plain word for a repeated training is a seed.
_STEMS = {"fold": "fold", "split": "fold", "cv": "fold", "seed": "seed", "run": "seed"}
_POSITION = (
    "Folds were numbered by their position and taken as one cross-validation: for repeated or "
    "shuffled splits give `test_train_ratio` (0.25 for 5 folds or an 80/20 split)."
)


def is_cv_results(columns: list[str]) -> bool:
    """`GridSearchCV.cv_results_` and its kin, as a frame or its CSV."""
    return "mean_fit_time" in columns and any(_SPLIT.fullmatch(c) for c in columns)


def tidy_cv_results(table: Table) -> Table:
    """One row a candidate and split; the model is the candidate's parameters that vary.

    Only the `MOST_CANDIDATES` best by mean score (of the first metric) are kept.
    """
    frame = table.frame
    names = list(dict.fromkeys(m[2] for c in frame if (m := _SPLIT.fullmatch(c))))
    mean = pd.to_numeric(frame.get(f"mean_test_{names[0]}"), errors="coerce")
    best = mean.fillna(-np.inf).sort_values(ascending=False, kind="stable").index
    kept = frame.loc[best[:MOST_CANDIDATES]].sort_index()
    label = _candidates(table).loc[kept.index]
    if "model" in kept:
        label = table.text("model")[kept.index].str.cat(label, sep=": ")
    parts = [
        pd.DataFrame(
            {
                **{name: kept[name] for name in ("dataset",) if name in kept},
                "model": label,
                "fold": int(match[1]),
                "metric": match[2],
                "value": kept[column],
            }
        )
        for column in kept
        if (match := _SPLIT.fullmatch(column))
    ]
    notes = [
        _POSITION,
        "These are the splits on which the search chose: the best of many candidates scores too "
        "high on them. Compare models on splits that chose nothing.",
    ]
    if len(frame) > len(kept):
        notes.append(f"Of {len(frame)} candidates the {len(kept)} best by mean score are compared.")
    layout = Layout(
        "cv_results",
        greater_by_default=True,
        positional=True,
        derived="a candidate, by the parameters that vary, is a model; a split is a fold",
    )
    long = pd.concat(parts)
    if len(names) == 1:  # so that `metric` may name what scikit-learn calls `score`
        long = long.drop(columns="metric").rename(columns={"value": names[0]})
    return table.with_frame(long, layout, *notes)


def _candidates(table: Table) -> pd.Series:
    """`C=1, kernel=rbf` by candidate: the parameters that vary."""
    columns = {c.removeprefix("param_"): c for c in table.columns if c.startswith("param_")}
    if columns:
        values = pd.DataFrame({name: table.text(c) for name, c in columns.items()})
    else:
        values = pd.DataFrame([_parsed(v) for v in table.frame["params"]], index=table.frame.index)
    varying = [c for c in values if values[c].astype(str).nunique() > 1] or list(values)
    return values[varying].apply(
        lambda row: ", ".join(f"{name}={value}" for name, value in row.items() if value != ""),
        axis=1,
    )


def _parsed(params: object) -> dict:
    if isinstance(params, dict):
        return params
    try:
        found = ast.literal_eval(str(params))
    except (ValueError, SyntaxError):
        found = None
    return found if isinstance(found, dict) else {"params": str(params)}


def is_cross_validate(columns: list[str]) -> bool:
    """What `cross_validate` returns, as a frame or its CSV; models one below the other."""
    scores = any(c.startswith("test_") for c in columns)
    return {"fit_time", "score_time"} <= set(columns) and scores


def tidy_cross_validate(table: Table) -> Table:
    """A column `fold` (position within a model and dataset) beside the test scores."""
    place = [c for c in table.columns if known_name(c) in ("model", "dataset", *RUN)]
    scores = [c for c in table.columns if c.startswith("test_") and c not in place]
    frame, notes = table.frame[[*place, *scores]], []
    if not {known_name(c) for c in place} & set(RUN):
        by = [c for c in place if known_name(c) in ("model", "dataset")]
        number = frame.groupby(by, sort=False).cumcount() if by else range(len(frame))
        frame, notes = frame.assign(fold=number), [_POSITION]
    layout = Layout(
        "cross_validate", metrics=("test_",), greater_by_default=True, positional=bool(notes)
    )
    if len(scores) == 1:  # so that `metric` may name what scikit-learn calls `score`
        layout = Layout("cross_validate", greater_by_default=True, positional=bool(notes))
    return table.with_frame(frame, layout, *notes)


def numbered(columns: list[str]) -> dict[str, tuple[str, int]]:
    """Columns that hold a run each, by name (`fold_3`, `seed 7`, `4`): (what it is, its number)."""
    found = {}
    for column in columns:
        match = _NUMBERED.fullmatch(column.strip())
        if match and match[1].lower() in _STEMS:
            found[column] = (_STEMS[match[1].lower()], int(match[2]))
        elif re.fullmatch(r"\d+", column.strip()):
            found[column] = ("fold", int(column))
    return found if len(found) > 1 else {}


def is_column_a_run(table: Table, mapping: dict) -> bool:
    """Whether scores stand in one column a fold or seed, and the model in a column of its own."""
    named = {known_name(c) for c in table.columns} | set(mapping)
    return "model" in named and "value" not in named and bool(numbered(table.columns))


def tidy_columns_of_runs(table: Table) -> Table:
    """One row a model and fold (or seed)."""
    runs = numbered(table.columns)
    rest = [c for c in table.columns if c not in runs]
    parts = [
        table.frame[rest].assign(**{kind: number, "value": table.frame[column]})
        for column, (kind, number) in runs.items()
    ]
    bare = any(column.strip().isdigit() for column in runs)
    notes = [f"Read {len(runs)} columns ({', '.join(list(runs)[:3])}, …) as one run each."]
    if bare:
        notes.append(
            "Columns with a bare number were taken as folds; name them `seed 0`, `seed 1`, … if "
            "they are seeds."
        )
    by_fold = {kind for kind, _ in runs.values()} == {"fold"}
    notes += [_POSITION] if by_fold else []
    return table.with_frame(pd.concat(parts), Layout("runs_in_columns", positional=by_fold), *notes)


def is_column_a_model(table: Table, mapping: dict) -> bool:
    """Whether scores stand in one column a model, beside a column of runs or datasets."""
    named = {known_name(c) for c in table.columns} | set(mapping)
    if named & {"model", "value", "metric", "item"} or not named & {"dataset", *RUN}:
        return False
    models = _models(table)
    return len(models) > 1 and all(direction(c) is None for c in models)


def _models(table: Table) -> list[str]:
    reserved = {name for known in NAMES.values() for name in known}
    free = [c for c in table.columns if plain(c) not in reserved]
    return [c for c in free if c.strip() and table.is_numeric(c, lenient=True)]


def tidy_columns_of_models(table: Table) -> Table:
    """One row a model and run."""
    models = _models(table)
    rest = [c for c in table.columns if c not in models]
    parts = [table.frame[rest].assign(model=m, value=table.frame[m]) for m in models]
    shown = ", ".join(models[:5]) + (", …" if len(models) > 5 else "")
    note = f"Read {len(models)} columns ({shown}) as one model each."
    return table.with_frame(pd.concat(parts), Layout("models_in_columns"), note)
