"""Duplicated runs and mixed metrics: what is mended (and said), what is refused."""

from __future__ import annotations

import pandas as pd

from reseed.importing.columns import RUN, plain
from reseed.importing.shapes import KEY
from reseed.importing.table import Table
from reseed.metric_names import direction


def without_copies(
    table: Table, found: dict[str, str], long: pd.DataFrame
) -> tuple[pd.DataFrame, list[str]]:
    """Drop rows that repeat another in every column of the file; the note says how many.

    Raises ReseedError where rows of one run differ: two scores, or a column that was not read
    and that may tell two runs apart.
    """
    place = [*KEY, "metric"]
    again = long.duplicated(place, keep=False)
    if not again.any():
        return long, []
    rows = table.frame.loc[long.index[again]].astype(str).agg("\x1f".join, axis=1)
    places = [long.loc[again, name] for name in place]
    unlike = rows.groupby(places).transform("nunique") > 1
    if unlike.any():
        first = long.loc[unlike.index[unlike][0], place]
        raise _several(table, found, long[(long[place] == first).all(axis=1)])
    extra = long.duplicated(place)
    note = f"{int(extra.sum())} rows that repeat another row in every column were left out."
    return long[~extra], [note]


def _several(table: Table, found: dict[str, str], rows: pd.DataFrame) -> Exception:
    first = rows.iloc[0]
    named = ", ".join(f"{name} {first[name]}" for name in KEY if name in found)
    unread = table.frame.drop(columns=list(found.values())).loc[rows.index]
    score = plain(first["metric"])
    differ = [c for c in unread if unread[c].nunique(dropna=False) > 1 and plain(c) != score]
    scores = ", ".join(f"{value:g}" for value in rows["value"].iloc[:5])
    hint = f" Columns in which these rows differ: {', '.join(differ)}" if differ else ""
    free = [name for name in RUN if name not in found]
    fix = "Remove all but one."
    if free:
        fix = (
            f"Map the column that tells them apart to one of {', '.join(free)}, or remove the "
            "rows that do not belong."
        )
    return table.refuse(
        f"{len(rows)} rows are the same run ({named}, metric {first['metric']}), with values "
        f"{scores}",
        fix + hint,
        rows.index,
    )


def metric_of_each_dataset(table: Table, long: pd.DataFrame, wanted: str | None) -> dict[str, str]:
    """The metric by which each dataset's models are compared.

    Datasets may differ in it; one dataset with several metrics needs `metric` in the study.
    """
    names = {
        dataset: list(dict.fromkeys(group))
        for dataset, group in long.groupby("dataset", sort=False)["metric"]
    }
    for dataset, metrics in names.items():
        if wanted is not None and wanted not in metrics:
            raise table.refuse(
                f"holds no metric {wanted!r} for dataset {dataset}",
                f"It has {', '.join(metrics)}: set `metric` to one of them.",
            )
        if wanted is None and len(metrics) > 1:
            raise table.refuse(
                f"mixes several metrics for dataset {dataset}: {', '.join(metrics)}",
                f"Choose the one to compare by: `metric: {metrics[0]}`.",
            )
    return {dataset: wanted or metrics[0] for dataset, metrics in names.items()}


def direction_of(table: Table, metrics: set[str], given: bool | None) -> dict[str, bool]:
    """Whether greater is better, by metric: as the study says, else as the name does."""
    directions = {metric: direction(metric) for metric in metrics}
    if given is not None and len(set(directions.values())) > 1:
        raise table.refuse(
            "`greater_is_better` is given for metrics of both directions: "
            f"{', '.join(sorted(metrics))}",
            "Make one study for each direction.",
        )
    for metric, known in directions.items():
        if given is None and known is None:
            raise table.refuse(
                f"whether more or less of {metric!r} is better is not known",
                "Set `greater_is_better: true` or `false`.",
            )
    return {m: known if given is None else given for m, known in directions.items()}


def refuse_single_runs(table: Table, found: dict[str, str], metrics: pd.DataFrame) -> None:
    """Raise where no model has a second run on any dataset: there is no spread to look at."""
    if metrics.groupby(["dataset", "model"]).size().max() > 1:
        return
    models = metrics["model"].nunique()
    raise table.refuse(
        f"has one run of each model (by column {found['model']!r}: {models} models), which says "
        "nothing of how much a result depends on the seed",
        "Add runs with other seeds or folds, or map the column that names the model: "
        "`columns: {model: …}`.",
    )


def uneven_runs(metrics: pd.DataFrame) -> list[str]:
    """Notes on splits and seeds that some models of a dataset have and others lack."""
    notes = []
    for dataset, trials in metrics.groupby("dataset", sort=False):
        if trials["model"].nunique() < 2:
            notes.append(f"{dataset}: one model only, so nothing is compared.")
            continue
        for columns, noun in ((["data_seed", "repeat", "fold"], "split"), (["init"], "model seed")):
            have = {
                model: set(part[columns].itertuples(index=False, name=None))
                for model, part in trials.groupby("model", sort=False)
            }
            everything = set.union(*have.values())
            lacking = {m: len(everything - own) for m, own in have.items() if everything - own}
            if lacking:
                text = ", ".join(f"{m} lacks {n}" for m, n in lacking.items())
                notes.append(
                    f"{dataset}: of {len(everything)} {noun}s, {text}. Each pair is compared on "
                    "the runs that both have, or as unpaired where they share none."
                )
    return notes
