"""Tables in which one row holds several runs, or a run's number is its position: made tidy.

scikit-learn's `cross_validate` and `cv_results_`, a column a fold (or seed), a model or a dataset.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from reseed.importers.columns import RUN, known_name, parts_of, plain
from reseed.importers.source_table import Layout, Table, few
from reseed.importers.vocabulary import (
    STEPS,
    SUMMARIES,
    TAKEN,
    is_size,
    is_spread_of,
    may_be_dataset,
    words_of,
)
from reseed.metrics.names import MAX_ROUNDED_SHARE, infer_direction, is_share

#: Columns read as a model or dataset each that a note names.
_NAMED = 30
#: Candidates of a search that are compared, the best by mean score.
MOST_CANDIDATES = 10
_SPLIT = re.compile(r"split(\d+)_test_(.+)")
_NUMBERED = re.compile(r"(fold|split|cv|seed|run)[ _\-.#=]*(\d+)", re.IGNORECASE)
#: A metric before or behind it.
_MEASURED = re.compile(rf"(?:(.+?)[\W_]+)?{_NUMBERED.pattern}(?:[\W_]+(.+))?", re.IGNORECASE)
#: What a column's stem says of its number; the plain word for a repeated training is a seed.
_STEMS = {"fold": "fold", "split": "fold", "cv": "fold", "seed": "seed", "run": "seed"}
_TIMES = ("fit_time", "score_time")
#: What a row of a table with a column a model may be.
_ROWS = {"dataset", "item", *RUN}
#: What numbering folds by position takes for granted.
POSITION = (
    "Folds were numbered by their position and taken as one cross-validation: for repeated or "
    "shuffled splits give `test_train_ratio` (0.25 for 5 folds or an 80/20 split)."
)


@dataclass(frozen=True)
class Told:
    """What the user says of a table: `columns` (Reseed's name: the table's), `metrics` wanted,
    and which is wanted on each dataset, where they differ."""

    columns: dict[str, str | list[str]]
    metrics: tuple[str, ...] = ()
    by_dataset: dict[str, str] = field(default_factory=dict)

    def known(self, column: str) -> str | None:
        """Reseed's name for a column, as the user maps it or as its name says."""
        mapped = (name for name, own in self.columns.items() if column in parts_of(own))
        return next(mapped, known_name(column))

    def named(self, table: Table) -> set[str | None]:
        """Reseed's names that the table's columns have (None: some have none), or are mapped."""
        return {self.known(column) for column in table.columns} | set(self.columns)

    def is_metric(self, column: str) -> bool:
        """Whether a column holds a metric: one that is wanted, or one by its name."""
        wanted = plain(column) in map(plain, self.metrics)
        return wanted or infer_direction(column) is not None

    def runs(self, table: Table) -> dict[str, tuple[str, int, str]]:
        """Columns that hold a run each: what it is, its number, its metric where the name tells it.

        None that is known otherwise.
        """
        unknown = [c for c in table.columns if self.known(c) is None]
        told = {c: run for c in unknown if (run := _measured(c))}
        # `split0_test_score` is a run's score, of a metric that the heading does not tell.
        plain_scores = {c for c, (*_, name) in told.items() if known_name(name) == "value"}
        measured = {
            c: (*run, "" if c in plain_scores else name)
            for c, (*run, name) in told.items()
            if c in plain_scores or self.is_metric(name)
        }
        if len(measured) > 1:
            return measured
        bare = numbered(c for c in unknown if not self.is_metric(c))
        return {column: (*run, "") for column, run in bare.items()}

    def free_numbers(self, table: Table) -> list[str]:
        """Columns that hold numbers and that are nothing known."""
        free = [c for c in table.columns if c.strip() and self.known(c) is None]
        return [c for c in free if table.is_numeric(c, lenient=True)]


def is_cv_results(table: Table, told: Told) -> bool:
    """`GridSearchCV.cv_results_` and its kin, as a frame or its CSV."""
    columns = table.columns
    return "mean_fit_time" in columns and any(_SPLIT.fullmatch(c) for c in columns)


def tidy_cv_results(table: Table, told: Told) -> Table:
    """One row a candidate and split; the model is the candidate's parameters that vary.

    Only the `MOST_CANDIDATES` best by mean score (of the first metric) are kept.
    """
    frame = table.frame
    splits = {c: match for c in frame if (match := _SPLIT.fullmatch(c))}
    names = list(dict.fromkeys(match[2] for match in splits.values()))
    mean = pd.to_numeric(frame.get(f"mean_test_{names[0]}"), errors="coerce")
    best = mean.fillna(-np.inf).sort_values(ascending=False, kind="stable").index
    kept = frame.loc[best[:MOST_CANDIDATES]].sort_index()
    label = _candidates(table).loc[kept.index]
    if "model" in kept:
        label = table.text("model")[kept.index].str.cat(label, sep=": ")
    rows = kept[[c for c in kept if c == "dataset"]].assign(model=label)
    # One metric names its column, so that `metric` may name what scikit-learn calls `score`.
    parts = [
        rows.assign(fold=int(match[1]), **{names[0]: kept[column]})
        if len(names) == 1
        else rows.assign(fold=int(match[1]), metric=match[2], value=kept[column])
        for column, match in splits.items()
    ]
    notes = [
        POSITION,
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
    return table.with_frame(pd.concat(parts), layout, *notes)


def _candidates(table: Table) -> pd.Series:
    """`C=1, kernel=rbf` by candidate: the parameters that vary.

    `params` tells a parameter that is None from one that a candidate has not; where it holds what
    no literal is (estimators, in a CSV), the columns `param_…` do.
    """
    index = table.frame.index
    columns = {c.removeprefix("param_"): c for c in table.columns if c.startswith("param_")}
    params = [_parsed(value) for value in table.frame.get("params", [None] * len(index))]
    if not all(isinstance(own, dict) for own in params):
        columns = columns or {c: c for c in table.columns if c == "params"}
        values = pd.DataFrame({name: table.text(c) for name, c in columns.items()}, index)
        params = [{n: v for n, v in row.items() if v} for row in values.to_dict("records")]
    names = dict.fromkeys(name for own in params for name in own)
    varying = [n for n in names if len({str(own.get(n, "")) for own in params}) > 1] or names
    labels = [", ".join(f"{n}={own[n]}" for n in varying if n in own) for own in params]
    return pd.Series([label or f"candidate {i}" for i, label in enumerate(labels)], index)


def _parsed(params: object) -> object:
    """The dict that a cell of text shows; any other cell as it is."""
    if not isinstance(params, str):
        return params
    try:
        return ast.literal_eval(params)
    except (ValueError, SyntaxError):
        return params


def is_cross_validate(table: Table, told: Told) -> bool:
    """What `cross_validate` returns, as a frame or its CSV; models one below the other."""
    scores = any(c.startswith("test_") for c in table.columns)
    return {"fit_time", "score_time"} <= set(table.columns) and scores


def tidy_cross_validate(table: Table, told: Told) -> Table:
    """A column `fold` (position within a model and dataset), without times and training scores.

    Models with different numbers of folds are a mistake: their positions are not the same splits.
    """
    known = {c: told.known(c) for c in table.columns}
    scores = [c for c in table.columns if c.startswith("test_") and known[c] in (None, "value")]
    own = [c for c in table.columns if known[c] is None and c.startswith(("train_", *_TIMES))]
    frame, notes = table.frame.drop(columns=own), []
    run = [c for c in table.columns if known[c] in ("model", "dataset", *RUN)]
    if "fold" not in known.values():
        number = frame.groupby([table.text(c) for c in run] or [0] * len(frame)).cumcount()
        if number.any():
            frame, notes = frame.assign(fold=number), [POSITION]
            _same_number_of_folds(table, known, number)
    # One score alone needs no prefix, so that `metric` may name what scikit-learn calls `score`.
    metrics = ("test_",) if len(scores) > 1 else ()
    layout = Layout(
        "cross_validate", metrics=metrics, greater_by_default=True, positional=bool(notes)
    )
    return table.with_frame(frame, layout, *notes)


def _same_number_of_folds(table: Table, known: dict[str, str | None], number: pd.Series) -> None:
    none = pd.Series("", number.index)
    dataset, model = (
        table.joined_text(columns) if (columns := [c for c in known if known[c] == name]) else none
        for name in ("dataset", "model")
    )
    folds = (number + 1).groupby([dataset, model], sort=False).max()
    for _, counts in folds.groupby(level=0, sort=False):
        if counts.nunique() > 1:
            told = ", ".join(f"{model} has {n}" for (_, model), n in counts.items())
            table.mistake(
                f"models differ in their number of folds: {told}",
                "Row i of each model belongs to the same fold; where folds are missing, add a "
                "column `fold`.",
            )


def numbered(columns: Iterable[str]) -> dict[str, tuple[str, int]]:
    """Columns that hold a run each, by name (`fold_3`, `seed 7`, `4`): (what it is, its number)."""
    found = {}
    for column in columns:
        match = _NUMBERED.fullmatch(column.strip())
        if match:
            found[column] = (_STEMS[match[1].lower()], int(match[2]))
        elif re.fullmatch(r"\d+", column.strip()):
            found[column] = ("fold", int(column))
    return found if len(found) > 1 else {}


def _measured(column: str) -> tuple[str, int, str] | None:
    """`fold0_acc`, `auc seed=3`: what it is, its number, the metric."""
    match = _MEASURED.fullmatch(column.strip())
    if not match or bool(match[1]) == bool(match[4]):
        return None
    return _STEMS[match[2].lower()], int(match[3]), match[1] or match[4]


def is_column_a_run(table: Table, told: Told) -> bool:
    """Whether scores stand in one column a fold or seed, and the model in a column of its own.

    Bare numbers beside a metric are none of it: probabilities of classes, years, cut-offs.
    """
    named = told.named(table)
    runs = told.runs(table)
    if "model" not in named or "value" in named or not runs:
        return False
    if any(metric for _, _, metric in runs.values()):
        return "metric" not in named
    return not _bare(runs) or not any(map(told.is_metric, _beside(table, told)))


def _bare(runs: dict) -> bool:
    return any(column.strip().isdigit() for column in runs)


def _beside(table: Table, told: Told) -> list[str]:
    """Columns of numbers beside those of runs, such as their mean: a run has no value in them."""
    runs = told.runs(table)
    return [c for c in told.free_numbers(table) if c not in runs]


def tidy_columns_of_runs(table: Table, told: Told) -> Table:
    """One row a model and fold (or seed), and metric where columns are of several."""
    runs, beside = told.runs(table), _beside(table, told)
    rest = [c for c in table.columns if c not in (*runs, *beside)]
    several = len({metric for _, _, metric in runs.values()}) > 1
    frame, parts = table.as_numbers(runs), []
    for column, (kind, number, metric) in runs.items():
        own = {"metric": metric, "value": frame[column]}
        own = own if several else {metric or "value": frame[column]}
        parts.append(frame[rest].assign(**{kind: number}, **own))
    notes = [f"Read {len(runs)} columns ({few(list(runs), 3)}) as one run each."]
    if beside:
        notes.append(f"Left out: {', '.join(beside)}, which hold no value of a run.")
    if _bare(runs):
        notes.append(
            "Columns with a bare number were taken as folds; name them `seed 0`, `seed 1`, … if "
            "they are seeds."
        )
    by_fold = {kind for kind, *_ in runs.values()} == {"fold"}
    notes += [POSITION] if by_fold else []
    return table.with_frame(pd.concat(parts), Layout("runs_in_columns", positional=by_fold), *notes)


def is_column_a_model(table: Table, told: Told) -> bool:
    """Whether scores stand in one column a model, beside a column of runs, datasets or items.

    Not beside the targets of items: there the columns hold predictions. Where there is nothing but
    such columns, nobody can tell what a row is.
    """
    named = told.named(table)
    if named & {"model", "value", "metric", "y_true"}:
        return False
    models, _ = _scores(table, told)
    if len(models) < 2 or any(map(told.is_metric, models)):
        return False
    alone = len(models) == len(table.columns) and not told.runs(table)
    return alone or bool(named & _ROWS)


def _scores(table: Table, told: Told) -> tuple[list[str], list[str]]:
    """Columns of numbers that may be scores of what their heading names, and those that say what
    something took or sum others up."""
    free = told.free_numbers(table)
    other = [
        c
        for c in free
        if words_of(c) & (STEPS | TAKEN)
        or plain(c) in SUMMARIES
        or is_size(c)
        or is_spread_of(c, free)
    ]
    return [c for c in free if c not in other], other


def tidy_columns_of_models(table: Table, told: Told) -> Table:
    """One row a model and run. Columns that cannot be scores of the wanted metric are a mistake."""
    models, other = _scores(table, told)
    if not _ROWS & told.named(table):
        raise table.refuse(
            f"each column seems to hold the scores of a model ({few(models, _NAMED)}), and nothing "
            "says what a row is",
            "Add a column `fold`, `seed` or `dataset` that does (in pandas "
            "`df.rename_axis('fold')`, where row i is fold i of every model); if a column is no "
            "model, name it (`metric`).",
        )
    _may_be_scores(table, models, "model", told.metrics)
    return _stacked(table, models, other, "model", "which by their names are no models")


def is_column_a_dataset(table: Table, told: Told) -> bool:
    """Whether scores stand in one column a dataset, beside a column of models.

    Only where the user says what they measure, and no column says that it does.
    """
    named = told.named(table)
    if "model" not in named or named & {"dataset", "value", "metric", "item"}:
        return False
    datasets = _datasets(table, told)
    measured = told.metrics and all(infer_direction(metric) is not None for metric in told.metrics)
    return bool(measured) and len(datasets) > 1 and not any(map(told.is_metric, datasets))


def _datasets(table: Table, told: Told) -> list[str]:
    """Columns of numbers that may be scores on a dataset; those that the user names, if any are."""
    if told.by_dataset:
        return [c for c in told.free_numbers(table) if c in told.by_dataset]
    return [c for c in _scores(table, told)[0] if may_be_dataset(c)]


def tidy_columns_of_datasets(table: Table, told: Told) -> Table:
    """One row a dataset and run, with its metric where datasets differ in it."""
    datasets = _datasets(table, told)
    metrics = [told.by_dataset.get(dataset, told.metrics[0]) for dataset in datasets]
    for metric in dict.fromkeys(metrics):
        own = [dataset for dataset, m in zip(datasets, metrics, strict=True) if m == metric]
        _may_be_scores(table, own, "dataset", (metric,))
    left = [c for c in told.free_numbers(table) if c not in datasets]
    if not told.by_dataset:
        why = "which by their names are no datasets"
        return _stacked(table, datasets, left, "dataset", why)
    long = _stacked(table, datasets, left, "dataset", "for which no `metric` is named")
    metric = long.frame["dataset"].map(told.by_dataset)
    return replace(long, frame=long.frame.assign(metric=metric))


def _stacked(table: Table, columns: list[str], left: list[str], noun: str, why: str) -> Table:
    """The columns' values below each other, each beside its heading as `noun`; `left` are gone.

    why: they are, for the note.
    """
    rest = [c for c in table.columns if c not in (*columns, *left)]
    long = table.as_numbers(columns).melt(rest, columns, noun, "value", ignore_index=False)
    notes = [f"Read {len(columns)} columns ({few(columns, _NAMED)}) as one {noun} each."]
    if left:
        notes.append(f"Left out: {', '.join(left)}, {why}.")
    return table.with_frame(long, replace(table.layout, format=f"{noun}s_in_columns"), *notes)


def _may_be_scores(table: Table, columns: list[str], noun: str, metrics: tuple[str, ...]) -> None:
    """A share lies between 0 and 1, or of all models between 0 and 100."""
    if not metrics or not all(map(is_share, metrics)):
        return
    scores = {c: pd.to_numeric(table.text(c), errors="coerce").abs() for c in columns}
    greatest = 1 if any(column.max() <= 1 for column in scores.values()) else 100
    outside = [m for m, column in scores.items() if column.max() > greatest * MAX_ROUNDED_SHARE]
    if outside:
        raise table.refuse(
            f"each column of numbers is read as a {noun}, but {', '.join(outside)} cannot be "
            f"{' or '.join(metrics)}, which lies between 0 and {greatest} here",
            f"Remove what is no {noun}, or write all scores on one scale.",
        )
