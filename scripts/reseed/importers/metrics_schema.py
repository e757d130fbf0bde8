"""Imported runs in the columns of collected trials, and the facts that go with them."""

from __future__ import annotations

from numbers import Real

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
    IMPORTED_SCALE,
    DatasetInfo,
    ExperimentInfo,
    ModelInfo,
    StudyInfo,
    TrialCounts,
)
from reseed.importers.long_table import FINISHED, KEY, STATUS
from reseed.importers.source_table import Table

EXPERIMENT = "results"
#: The split scheme where the file shows no folds.
GIVEN = "given"
#: More folds than this, and no repeats told, are hardly one cross-validation.
_MOST_FOLDS = {True: 10, False: 20}
#: Test rows over training rows: whoever gives more means a percentage, or turned it round.
_MOST_RATIO = 10


def one_row_a_run(table: Table, long: pd.DataFrame, primary: dict[str, str]) -> pd.DataFrame:
    """Metrics as columns; `reason` says why a run has no score on its dataset's metric.

    Raises ReseedError for a metric of `primary` with the name of another column here; others of
    such a name are left out.
    """
    own = {*KEY, "reason", *CELL_COLUMNS, *TRIAL_COLUMNS, *OUTCOME_COLUMNS}
    for metric in primary.values():
        if metric in own:
            raise table.refuse(
                f"its metric {metric!r} has a name that Reseed uses for something else",
                f"Rename it: `{metric}_score`.",
            )
    code = long.groupby(KEY, sort=False).ngroup().to_numpy()
    runs = long.drop_duplicates(KEY)[KEY].reset_index(drop=True)
    for metric in [name for name in dict.fromkeys(long["metric"]) if name not in own]:
        chosen = (long["metric"] == metric).to_numpy()
        column = np.full(len(runs), np.nan)
        values = long["value"].to_numpy()[chosen]
        column[code[chosen]] = np.where(np.isfinite(values), values, np.nan)
        runs[metric] = column
    reason = np.full(len(runs), "", dtype=object)
    told = (long["reason"] != "").to_numpy()
    reason[code[told]] = long["reason"].to_numpy()[told]
    score = pd.Series(np.nan, runs.index)
    for metric in set(primary.values()):
        chosen = runs["dataset"].map(primary) == metric
        score[chosen] = runs.loc[chosen, metric]
    missing = "no finite value of " + runs["dataset"].map(primary)
    runs["reason"] = pd.Series(reason).where((reason != "") | score.notna().to_numpy(), missing)
    return runs


def unfinished_runs(table: Table, runs: pd.DataFrame) -> None:
    """Notes on which words of a status were taken for a failure; a mistake where no run is left."""
    told = runs.loc[runs["reason"].str.startswith(STATUS), "reason"].value_counts(sort=False)
    words = [f"{reason!r}" for reason in told.index.str.removeprefix(STATUS)]
    if len(told) and told.sum() == len(runs):
        table.mistake(
            f"no run is finished: the status is {' or '.join(words)}",
            f"Write `finished` for runs that are, or rename the column. Read as finished: "
            f"{', '.join(sorted(FINISHED - {''}))}.",
        )
    for word, count in zip(words, told, strict=True):
        runs_told = f"{count} run{'s' if count > 1 else ''}"
        table.notes.append(f"Status {word} was taken as failed ({runs_told}).")


def given_ratio(table: Table, given: object) -> float | dict[str, float] | None:
    """`test_train_ratio` as the study gives it; one that is no such number is a mistake."""
    for ratio in given.values() if isinstance(given, dict) else [given]:
        number = isinstance(ratio, Real) and not isinstance(ratio, bool)
        if ratio is not None and not (number and 0 < ratio <= _MOST_RATIO):
            table.mistake(
                f"`test_train_ratio` is {ratio!r}",
                f"Give test rows over training rows, a number above 0 and up to {_MOST_RATIO}: "
                "0.25 for 5 folds or an 80/20 split.",
            )
            return _MOST_RATIO  # without a use, but no second mistake
    return given


def in_contract(table: Table, runs: pd.DataFrame, ratio: float | dict[str, float]) -> pd.DataFrame:
    """The runs in the columns of `metrics.parquet` (`reseed.core.schemas`).

    ratio: test rows over training rows, of all datasets or by dataset. Several splits whose overlap
    is not told are a mistake.
    """
    if not isinstance(ratio, dict):
        ratio = dict.fromkeys(runs["dataset"], ratio)
    ratios = runs["dataset"].map(ratio).astype(np.float64)
    setting = pd.DataFrame(
        {dataset: _setting(part) for dataset, part in runs.groupby("dataset", sort=False)}
    ).T
    _overlap_is_told(table, setting.drop(index=[name for name in ratio if name in setting.index]))
    names = [c for c in runs.columns if c not in (*KEY, "reason")]
    head = {
        "experiment": EXPERIMENT,
        "varied": runs["dataset"].map(setting["varied"]),
        "dataset": runs["dataset"],
        "scheme": runs["dataset"].map(setting["scheme"]),
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


def _setting(runs: pd.DataFrame) -> dict:
    """What varies in the runs on one dataset, and how its rows were split."""
    scheme, folds, repeats = GIVEN, runs["fold"].nunique(), runs["repeat"].nunique()
    if folds > 1:
        scheme = f"kfold-{folds}x{repeats}"
    seeds = {"data": ["data_seed", "repeat"], "model": ["seed"]}  # folds are no seed
    varied = [name for name, columns in seeds.items() if runs[columns].nunique().max() > 1]
    unnamed = folds if repeats == 1 and runs["data_seed"].nunique() == 1 else 0
    return {"scheme": scheme, "varied": "+".join(varied) or "none", "folds": unnamed}


def _overlap_is_told(table: Table, setting: pd.DataFrame) -> None:
    random_splits = setting["varied"].str.contains("data") & (setting["scheme"] == GIVEN)
    if random_splits.any():
        table.mistake(
            f"its runs on {random_splits.idxmax()} use several random splits (data_seed or "
            "repeat), whose training rows overlap",
            "Give `test_train_ratio`, test rows over training rows (0.25 for an 80/20 split), so "
            "that intervals and tests can allow for it.",
        )
    most = _MOST_FOLDS[table.layout.positional]
    many = setting["folds"] > most
    if many.any():
        table.mistake(
            f"has {setting.loc[many, 'folds'].iloc[0]} folds on {many.idxmax()} and no column "
            "tells repeats apart: repeated folds or random splits overlap more than the folds of "
            "one cross-validation",
            "Give `test_train_ratio`, test rows over training rows (0.25 for 5 folds or an 80/20 "
            "split, 0.111 for 10 folds), or a column `repeat`."
            + " Where these are seeds of one split: `columns: {seed: fold}`."
            * table.layout.positional,
        )


def imported_study_info(
    metrics: pd.DataFrame,
    primary: dict[str, str],
    directions: dict[str, bool],
    tasks: dict[str, dict],
    unit: str,
    study: dict,
    notes: list[str],
) -> StudyInfo:
    """Facts of imported results: see `reseed.core.study_info`."""
    seeds = {"data_seed": "data", "repeat": "repeat", "fold": "fold", "init": "model"}
    titles = study.get("titles") or {}
    models = {
        name: _title(titles.get("models", {}), name) for name in dict.fromkeys(metrics["model"])
    }
    datasets = {
        name: DatasetInfo(
            title=_title(titles.get("datasets", {}), name),
            task=tasks.get(name, {}).get("task"),
            metric=metric,
            greater_is_better=directions[metric],
            unit="",
            metric_unit=unit,
            rows=None,
            features=[],
            class_counts=None,
            stand_in=None,
            licence="not stated",
            citation="",
            source={},
            notes=[],
        )
        for name, metric in primary.items()
    }
    return StudyInfo(
        study=study.get("study") or study.get("name"),
        **{name: study.get(name) or "" for name in ("title", "question", "citation")},
        scale=IMPORTED_SCALE,
        notes=[*(study.get("notes") or []), *notes],
        models={
            name: ModelInfo(title=title, hyperparameters={}, search_space={}, notes=None)
            for name, title in models.items()
        },
        variants={},
        experiments={
            EXPERIMENT: ExperimentInfo(
                title="Given results",
                arms=models,
                varied=_union(metrics["varied"]),
                seeds={
                    noun: sorted(map(int, metrics[column].unique()))
                    for column, noun in seeds.items()
                },
            )
        },
        datasets=datasets,
        trials=TrialCounts.of_trials(metrics),
        train_seconds=0.0,
        seconds_per_trial={},
        machines=[],
        commits=[],
    )


def _title(titles: dict[str, str], name: str) -> str:
    """The title of a name; of a variant whose name says what it changes, that of what it varies."""
    base, _, changes = name.partition("~")
    return titles.get(name) or (titles.get(base) if "=" in changes else None) or name


def _union(varied: pd.Series) -> str:
    names = sorted({name for text in varied.unique() for name in text.split("+")} - {"none"})
    return "+".join(names) or "none"
