"""Checks of the runs of a table: what is there twice, missing, uneven or too little."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import pandas as pd

from reseed.core.errors import suggest_name
from reseed.core.pair_tests import MIN_DATASETS
from reseed.core.schemas import SPLIT_COLUMNS
from reseed.readers.run_keys import METRIC_KEY, ONE_DATASET, RUN_KEY
from reseed.readers.source_table import MAX_SHOWN, SourceTable, join_names


def refuse_equal_runs(table: SourceTable, columns: Mapping[str, str], long: pd.DataFrame) -> None:
    """Add an error for rows whose labels mean one run, such as `Fold01` and `fold 1`."""
    duplicated = long.duplicated(METRIC_KEY, keep=False)
    if duplicated.any():
        first = long.loc[duplicated.idxmax(), METRIC_KEY]
        same = long[(long[METRIC_KEY] == first).all(axis=1)]
        key = ", ".join(f"{name} {first[name]}" for name in RUN_KEY if name in columns)
        scores = join_names([f"{value:g}" for value in same["value"]])
        table.add_error(
            f"{len(same)} rows are the same run ({key}, metric {first['metric']}), with values "
            f"{scores}",
            "Remove all but one, or name the column that numbers the runs.",
            same["row"],
        )
        table.raise_errors()


def check_run_counts(table: SourceTable, metrics: pd.DataFrame) -> None:
    """Add an error if no model has a second run and there are too few datasets to compare.

    With enough datasets, a note says what one run each can be compared by.
    """
    if metrics.groupby(["dataset", "model"]).size().max() > 1:
        return
    datasets, models = metrics["dataset"].nunique(), metrics["model"].nunique()
    if datasets >= MIN_DATASETS and models > 1:
        table.notes.append(
            "Each model has one run on each dataset: single datasets have no verdict; models are "
            f"compared over the {datasets} datasets."
        )
        return
    if datasets > 1 and models > 1:
        table.add_error(
            f"has one run of each model on each of {datasets} datasets, which are too few",
            f"Models with one run each are compared over {MIN_DATASETS} datasets or more. Add "
            "datasets, or runs with other seeds or folds on each dataset.",
        )
        return
    table.add_error(
        f"has one run of each of {models} models, which shows nothing of how much a result depends "
        "on the seed",
        "Add runs with other seeds or folds (of files: `seed_3` or `fold_3` in each path).",
    )


def check_requested_models(
    table: SourceTable, models: list[str], baseline: str | None, pairs: Iterable[Sequence[str]]
) -> None:
    """Add an error for each model of `baseline` or `pairs` that has no run."""
    of_pairs = [("pairs", model) for pair in pairs for model in pair]
    for field, name in [("baseline", baseline or models[0]), *of_pairs]:
        if name not in models:
            table.add_error(
                f"`{field}` names the model {name!r}, which has no run",
                f"It has {join_names(models, 20)}.{suggest_name(name, models)}",
            )


def warn_of_similar_names(table: SourceTable, metrics: pd.DataFrame) -> None:
    """Warn of models or datasets whose names differ only in case, blanks, `-` and `_`."""
    for noun in ("model", "dataset"):
        names = pd.Series(metrics[noun].unique())
        normalized = names.str.casefold().str.replace(r"[\s_-]+", "-", regex=True)
        for _, similar in names.groupby(normalized, sort=False):
            if len(similar) > 1:
                table.notes.append(
                    f"Warning: {' and '.join(map(repr, similar))} are read as {len(similar)} "
                    f"{noun}s. If they are one, write one name: their runs are counted separately "
                    "here."
                )


def note_absent_models(table: SourceTable, metrics: pd.DataFrame) -> None:
    """Note models that have no run, finished or not, on a dataset where others have."""
    runs = pd.crosstab(metrics["dataset"], metrics["model"])
    absent = [
        f"{join_names(runs.columns[row == 0])} on {dataset}"
        for dataset, row in zip(runs.index, runs.to_numpy(), strict=True)
        if (row == 0).any()
    ]
    more = f" (so on {len(absent) - MAX_SHOWN} more datasets)" if len(absent) > MAX_SHOWN else ""
    if absent:
        table.notes.append(f"Without a run: {'; '.join(absent[:MAX_SHOWN])}{more}.")


def note_uneven_runs(table: SourceTable, metrics: pd.DataFrame) -> None:
    """Note runs that some models of a dataset have and others lack.

    Counted are the units that pairs are compared by: splits if there are several, else model seeds.
    """
    split = metrics.groupby(SPLIT_COLUMNS).ngroup()
    has_splits = split.groupby(metrics["dataset"], sort=False).nunique() > 1
    unit = split.where(metrics["dataset"].map(has_splits), metrics["init"])
    runs = metrics[["dataset", "model"]].assign(unit=unit).drop_duplicates()
    total = runs.groupby("dataset")["unit"].nunique()
    count = runs.groupby(["dataset", "model"], sort=False).size()
    models = count.groupby("dataset", sort=False).size()
    single = [str(dataset) for dataset in models.index[models < 2]]
    uneven = []
    lacks = total.reindex(count.index, level="dataset") - count
    for dataset, missing in lacks[lacks > 0].groupby("dataset", sort=False):
        noun = "splits" if has_splits[dataset] else "model seeds"
        counts = [f"{model} lacks {lacked}" for (_, model), lacked in missing.items()]
        uneven.append(f"{dataset}: of {total[dataset]} {noun}, {join_names(counts)}.")
    if single:
        where = f" on {join_names(single)}" if single != [ONE_DATASET] else ""
        table.notes.append(f"One model only, so nothing is compared{where}.")
    table.notes.extend(uneven[:MAX_SHOWN])
    if len(uneven) > MAX_SHOWN:
        table.notes.append(f"So on {len(uneven) - MAX_SHOWN} more datasets.")
    if uneven:
        table.notes.append(
            "A pair is compared on the runs that both have; on one split with too few shared seeds "
            "it is compared on all runs, unpaired."
        )
