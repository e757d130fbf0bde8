"""Imported runs in the schema of `metrics.parquet` (`reseed.core.schemas`), and their facts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from reseed.core.schemas import (
    CELL_COLUMNS,
    MODEL_SEED_COLUMNS,
    OUTCOME_COLUMNS,
    SPLIT_COLUMNS,
    TRIAL_COLUMNS,
)
from reseed.core.study_info import (
    DatasetInfo,
    ExperimentInfo,
    ModelInfo,
    StudyInfo,
    build_study_info,
)
from reseed.readers.options import Ratio
from reseed.readers.question import propose
from reseed.readers.run_keys import FINISHED, ONE_DATASET, RUN_KEY, STATUS_PREFIX
from reseed.readers.source_table import SourceTable

#: Name of the one experiment of imported results.
EXPERIMENT = "results"
#: The split scheme if no folds are known.
UNKNOWN_SCHEME = "given"
#: Most folds that are taken as one cross-validation if repeats are unknown.
_MAX_FOLDS = 10
#: Repeated folds that are numbered through are at least two repeats of two folds.
_FEWEST_FLATTENED = 3
#: A greater ratio of test to training rows is a percentage, or inverted.
_MAX_RATIO = 10

#: Kind of seed → the column that holds it.
_SEED_COLUMNS = {"data": "data_seed", "repeat": "repeat", "fold": "fold", "model": "init"}
#: Name and texts of a study: name (or study), title, question, citation and notes; titles of
#: datasets and of models by name.
Texts = Mapping[str, Any]


class _Splits(NamedTuple):
    """How the runs on one dataset are split.

    varied: `data`, `model`, `data+model` or `none`. unrepeated_folds: the number of folds if there
    are no repeats, else 0.
    """

    scheme: str
    varied: str
    unrepeated_folds: int


#: Names of columns that are no metric.
_RESERVED = {*RUN_KEY, "reason", *CELL_COLUMNS, *TRIAL_COLUMNS, *OUTCOME_COLUMNS}


def rename_reserved_metrics(table: SourceTable, primary: Mapping[str, str]) -> dict[str, str]:
    """New names of primary metrics that have the name of another column here, such as `error`."""
    renamed = {m: f"{m}_score" for m in dict.fromkeys(primary.values()) if m in _RESERVED}
    for metric, name in renamed.items():
        table.notes.append(f"The metric {metric!r} is named {name!r} in results.")
    return renamed


def pivot_metrics(table: SourceTable, long: pd.DataFrame, primary: dict[str, str]) -> pd.DataFrame:
    """One row a run with metrics as columns; `reason` says why a run lacks its primary metric.

    Metrics that are not primary and have the name of another column are left out.
    """
    code = long.groupby(RUN_KEY, sort=False).ngroup().to_numpy()
    runs = long.drop_duplicates(RUN_KEY)[RUN_KEY].reset_index(drop=True)
    for metric in [name for name in dict.fromkeys(long["metric"]) if name not in _RESERVED]:
        chosen = (long["metric"] == metric).to_numpy()
        column = np.full(len(runs), np.nan)
        values = long["value"].to_numpy()[chosen]
        column[code[chosen]] = np.where(np.isfinite(values), values, np.nan)
        runs[metric] = column
    reason = np.full(len(runs), "", dtype=object)
    has_reason = (long["reason"] != "").to_numpy()
    reason[code[has_reason]] = long["reason"].to_numpy()[has_reason]
    score = pd.Series(np.nan, runs.index)
    for metric in set(primary.values()):
        rows = runs["dataset"].map(primary) == metric
        score[rows] = runs.loc[rows, metric]
    missing = "no finite value of " + runs["dataset"].map(primary)
    runs["reason"] = pd.Series(reason).where((reason != "") | score.notna().to_numpy(), missing)
    return runs


def check_finished_runs(table: SourceTable, runs: pd.DataFrame) -> None:
    """Note which values of a status were read as failed; add an error if no run is finished."""
    failed = runs["reason"].str.startswith(STATUS_PREFIX)
    counts = runs.loc[failed, "reason"].value_counts(sort=False)
    words = [f"{reason!r}" for reason in counts.index.str.removeprefix(STATUS_PREFIX)]
    if len(counts) and counts.sum() == len(runs):
        table.add_error(
            f"no run is finished: the status is {' or '.join(words)}",
            f"Write `finished` for runs that are, or rename the column. Read as finished: "
            f"{', '.join(sorted(FINISHED - {''}))}.",
        )
    for word, count in zip(words, counts, strict=True):
        noun = f"{count} run{'s' if count > 1 else ''}"
        table.notes.append(f"Status {word} was taken as failed ({noun}).")


def choose_ratio(table: SourceTable, columns: Mapping[str, str], requested: Ratio | None) -> Ratio:
    """Test rows over training rows: as requested, else by dataset from columns of split sizes.

    Tests that correct for overlapping splits need it (`analyses.shared.pairing`). Errors: a value
    that is no such number, and sizes that are not positive.
    """
    if requested is None:
        return _read_ratios(table, columns)
    for value in requested.values() if isinstance(requested, Mapping) else [requested]:
        is_number = isinstance(value, Real) and not isinstance(value, bool)
        if not (is_number and 0 <= value <= _MAX_RATIO):
            table.add_error(
                f"`test_train_ratio` is {value!r}",
                f"Give test rows over training rows, a number from 0 (new data in each run) "
                f"up to {_MAX_RATIO}: 0.25 for 5 folds or an 80/20 split.",
            )
            return _MAX_RATIO  # not used, but prevents a second error
    return requested


def _read_ratios(table: SourceTable, columns: Mapping[str, str]) -> dict[str, float]:
    """Test rows over training rows by dataset: the mean over its runs that state both sizes.

    Empty without the columns `n_train` and `n_test`.
    """
    if not {"n_train", "n_test"} <= set(columns):
        return {}
    names = [str(columns[name]) for name in ("n_train", "n_test")]
    train, test = map(table.numbers, names)
    bad = (train <= 0) | (test <= 0)
    if bad.any():
        table.add_error(
            f"columns {names[0]!r} and {names[1]!r} must hold numbers of rows above 0",
            "Give how many rows each run trained and was tested on, or remove both columns.",
            bad.index[bad],
        )
        return {}
    ratio = test / train
    if "dataset" not in columns:
        means = {ONE_DATASET: float(ratio.mean())}
    else:
        by_dataset = ratio.groupby(table.text(columns["dataset"])).mean()
        means = {str(name): float(mean) for name, mean in by_dataset.items()}
    return {name: mean for name, mean in means.items() if np.isfinite(mean)}


def to_metrics_schema(
    table: SourceTable, columns: Mapping[str, str], runs: pd.DataFrame, ratio: Ratio
) -> pd.DataFrame:
    """The runs with the columns of `metrics.parquet` (`reseed.core.schemas`).

    Several splits with an unknown overlap (no `ratio`) are an error.
    """
    if not isinstance(ratio, Mapping):
        ratio = dict.fromkeys(runs["dataset"], ratio)
    ratios = runs["dataset"].map(ratio).astype(np.float64)
    splits = {
        str(dataset): _describe_splits(part)
        for dataset, part in runs.groupby("dataset", sort=False)
    }
    _check_known_overlap(table, columns, {d: s for d, s in splits.items() if d not in ratio})
    names = [c for c in runs.columns if c not in (*RUN_KEY, "reason")]
    head = {
        "experiment": EXPERIMENT,
        "varied": runs["dataset"].map({d: s.varied for d, s in splits.items()}),
        "dataset": runs["dataset"],
        "scheme": runs["dataset"].map({d: s.scheme for d, s in splits.items()}),
        "test_ratio": ratios / (1 + ratios),
        "arm": runs["model"],
        "model": runs["model"],
        "hyperparameters_source": "given",
        **{name: runs[name] for name in SPLIT_COLUMNS},
        **{role: runs["seed"] for role in MODEL_SEED_COLUMNS},
        "status": np.where(runs["reason"] == "", "ok", "failed"),
        "error": runs["reason"].where(runs["reason"] != "", None),
        "converged": None,
        "train_seconds": np.nan,
        "fingerprint": "",
        "environment": "",
        "hyperparameters": "{}",
    }
    frame = pd.DataFrame(head, index=runs.index)
    return frame[[*CELL_COLUMNS, *TRIAL_COLUMNS, *OUTCOME_COLUMNS]].join(runs[names])


def _describe_splits(runs: pd.DataFrame) -> _Splits:
    """What varies in the runs on one dataset, and how its rows were split."""
    folds, repeats = runs["fold"].nunique(), runs["repeat"].nunique()
    scheme = f"kfold-{folds}x{repeats}" if folds > 1 else UNKNOWN_SCHEME
    seeds = {"data": ["data_seed", "repeat"], "model": ["seed"]}  # a fold is not a seed
    varied = [name for name, columns in seeds.items() if runs[columns].nunique().max() > 1]
    is_unrepeated = repeats == 1 and runs["data_seed"].nunique() == 1
    return _Splits(scheme, "+".join(varied) or "none", folds if is_unrepeated else 0)


def _check_known_overlap(
    table: SourceTable, columns: Mapping[str, str], splits: dict[str, _Splits]
) -> None:
    """Add errors for random splits, or repeated folds, without a ratio of test to training rows."""
    drawn = [
        d for d, one in splits.items() if "data" in one.varied and one.scheme == UNKNOWN_SCHEME
    ]
    many = [d for d, one in splits.items() if one.unrepeated_folds > _MAX_FOLDS]
    if drawn:
        seeds, evaluations = (_as_runs(table, columns, name) for name in ("seed", "repetition"))
        table.add_error(
            f"its runs on {drawn[0]} use several random splits (data_seed or repeat), whose "
            "training rows overlap",
            (
                "Give `test_train_ratio`, test rows over training rows (0.25 for an 80/20 split, 0 "
                "if each run has new data), so that intervals and tests can correct for it.",
                propose("If these are trainings on one split: ", seeds),
                propose("If they are evaluations of one trained model: ", evaluations),
            ),
        )
    if many:
        folds = splits[many[0]].unrepeated_folds
        fix = [
            "Give `test_train_ratio`, test rows over training rows (0.25 for 5 folds or an "
            f"80/20 split, 0.111 for 10 folds, {1 / (folds - 1):.3g} if these are {folds} "
            "folds of one cross-validation), or a column `repeat`."
        ]
        if table.layout.is_positional:
            seeds = {"columns": {"seed": "fold"}}
            fix.append(propose("Where these are seeds of one split: ", seeds))
        table.add_error(
            f"has {folds} folds on {many[0]} and no column identifies repeats: repeated folds or "
            "random splits overlap more than the folds of one cross-validation",
            fix,
        )
    counts = sorted(
        {n for one in splits.values() if (n := one.unrepeated_folds) > _FEWEST_FLATTENED}
    )
    if counts and not table.layout.is_positional and not many:
        table.notes.append(
            f"No column identifies repeats: {' or '.join(map(str, counts))} folds were taken as "
            "one cross-validation. If they are repeats of fewer folds, number the repeats in a "
            "column `repeat`, or give `test_train_ratio` (0.25 for repeats of 5 folds): the "
            "training sets overlap more, and intervals are wider."
        )


def _as_runs(table: SourceTable, columns: Mapping[str, str], name: str) -> dict[str, Any]:
    """The option that takes the random splits of a table as another kind of run."""
    column = columns.get("repeat", columns.get("data_seed", ""))
    if column.startswith("("):
        return {"headings" if table.layout.format == "runs_in_columns" else "rows": name}
    return {"columns": {name: column}}


def describe_imported_study(
    metrics: pd.DataFrame, datasets: dict[str, DatasetInfo], study: Texts, notes: Sequence[str]
) -> StudyInfo:
    """Facts of imported results, as `reseed.trials.about.describe_study` returns for trials.

    notes: how the results were read.
    """
    models = {name: find_title(study, "models", name) for name in dict.fromkeys(metrics["model"])}
    varied = sorted({name for text in metrics["varied"].unique() for name in text.split("+")})
    experiment = ExperimentInfo(
        title="Given results",
        arms=models,
        varied="+".join(name for name in varied if name != "none") or "none",
        seeds={kind: sorted(map(int, metrics[c].unique())) for kind, c in _SEED_COLUMNS.items()},
    )
    texts: dict[str, Any] = {
        name: study.get(name) or "" for name in ("title", "question", "citation")
    }
    return build_study_info(
        {EXPERIMENT: experiment},
        datasets,
        metrics,
        study=study.get("study") or study.get("name"),
        notes=[*(study.get("notes") or ()), *notes],
        models={name: ModelInfo(title=title) for name, title in models.items()},
        **texts,
    )


def find_title(study: Texts, kind: str, name: str) -> str:
    """The title of one of the `models` or `datasets`; of `name~change=value` that of `name`."""
    titles = (study.get("titles") or {}).get(kind) or {}
    base, _, changes = name.partition("~")
    return titles.get(name) or (titles.get(base) if "=" in changes else None) or name
