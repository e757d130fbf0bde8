"""Duplicated, single and uneven runs: what is mended (and said), what is refused."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pandas as pd

from reseed.core.errors import suggest_name
from reseed.core.schemas import SPLIT_COLUMNS
from reseed.importers.columns import RUN, plain, used
from reseed.importers.long_table import KEY, ONE_DATASET
from reseed.importers.source_table import SHOWN, Table, few
from reseed.importers.vocabulary import GAPS, STEPS, SUBSETS, TAKEN, is_spread, sums_up, words_of
from reseed.metrics.names import infer_direction

#: With one run each, models can be compared over so many datasets, by rank.
MIN_DATASETS = 5
#: What a row that sums up models may hold of them, as `DataFrame.agg` calls it.
_STATISTICS = ["mean", "median", "min", "max", "std", "sum"]
#: A rounded mean or SD of models is off by less than so much of the greatest score.
_ROUNDING = 1e-3


def without_empty_steps(
    table: Table, found: dict, long: pd.DataFrame, scores: list[str]
) -> pd.DataFrame:
    """Drop rows of a log whose cell is empty where others of the run hold the score, with a note.

    A logger writes a row a step, and few of them hold what is measured once. A score that was
    logged as NaN is no empty cell.

    Args:
        scores: the columns that `long` holds one below the other.
    """
    steps = [c for c in table.columns if STEPS & words_of(c) and c not in used(found)]
    if not (steps and scores):
        return long
    empty = np.concatenate([table.text(column).eq("") for column in scores])
    place = [long[name] for name in (*KEY, "metric")]
    stray = empty & (~pd.Series(empty, long.index)).groupby(place).transform("any")
    if not stray.any():
        return long
    table.notes.append(
        f"{int(stray.sum())} rows of a log, told apart by {steps[0]!r}, hold no score and were "
        "left out: others of their runs do."
    )
    return long[~stray]


def without_copies(table: Table, found: dict, long: pd.DataFrame) -> pd.DataFrame:
    """Drop rows that repeat another in every column of the file; a note says how many.

    Rows of one run that differ, in a score or in a column that was not read and may tell two runs
    apart, are a mistake.
    """
    place = [*KEY, "metric"]
    again = long.duplicated(place, keep=False)
    if not again.any():
        return long
    some = long[again]
    rows = table.joined_text(table.columns).loc[some["row"]].set_axis(some.index)
    places = [some[name] for name in place]
    unlike = rows.groupby(places).transform("nunique") > 1
    if unlike.any():
        first = long.loc[unlike.index[unlike][0], place]
        _several(table, found, long[(long[place] == first).all(axis=1)])
    extra = long.duplicated(place)
    table.notes.append(
        f"{int(extra.sum())} rows that repeat another row in every column were left out."
    )
    return long[~extra]


def _several(table: Table, found: dict, rows: pd.DataFrame) -> None:
    first = rows.iloc[0]
    named = ", ".join(f"{name} {first[name]}" for name in KEY if name in found)
    unread = table.frame.drop(columns=used(found)).loc[rows["row"]]
    score = plain(first["metric"])
    differ = [c for c in unread if unread[c].nunique(dropna=False) > 1 and plain(c) != score]
    scores = few([f"{value:g}" for value in rows["value"]])
    hint = f" Columns in which these rows differ: {', '.join(differ)}" if differ else ""
    one_seed = "seed" in found and table.text(found["seed"]).nunique() == 1
    free = [name for name in (*RUN, "item") if name not in found]
    fix = "Remove all but one."
    steps = [c for c in differ if STEPS & words_of(c)]
    if steps:
        fix = f"Keep one row of each run, the last or the chosen: {steps[0]!r} counts its steps."
    elif subsets := [c for c in differ if set(table.text(c)[rows["row"]].str.lower()) <= SUBSETS]:
        fix = f"Keep the rows of the test set: {subsets[0]!r} tells parts of the data apart."
    elif free:
        fix = (
            f"Map the column that counts them to one of {', '.join(free)}, or remove the rows that "
            f"do not belong.{_told_apart(found, differ, one_seed)}"
        )
    table.mistake(
        f"{len(rows)} rows are the same run ({named}, metric {first['metric']}), with values "
        f"{scores}",
        fix + hint,
        rows["row"],
    )


def _told_apart(found: dict, differ: list[str], one_seed: bool) -> str:
    """What to do with a column in which rows of a run differ: a setting, or a count of runs.

    one_seed: all runs have the same one, so that another column may count them.
    """
    own = [c for c in differ if infer_direction(c) is None and not words_of(c) & TAKEN]
    if not own:
        return ""
    model = ", ".join([*used({"model": found["model"]}), own[0]])
    counts = f" Where {own[0]!r} counts repeated trainings: `columns: {{seed: {own[0]}}}`."
    fix = f"it names the model too: `columns: {{model: [{model}]}}`."
    return f"{counts * one_seed} Where {own[0]!r} is a setting, {fix}"


def no_summaries(table: Table, long: pd.DataFrame) -> None:
    """A mistake for a model called `mean` or `All` that holds just that of the others in each run.

    The name alone does not tell: a baseline may be called `mean`.
    """
    called = {model for model in long["model"].unique() if sums_up(model)}
    others = long[~long["model"].isin(called) & np.isfinite(long["value"])]
    if not called or others["model"].nunique() < 2:
        return
    place = [*KEY[1:], "metric"]
    found = others.groupby(place)["value"].agg(_STATISTICS)
    greatest = others["value"].abs().groupby(others["metric"]).max()
    for model, rows in long[long["model"].isin(called)].groupby("model", sort=False):
        own = rows["value"].to_numpy()[:, None]
        of_others = found.reindex(pd.MultiIndex.from_frame(rows[place])).to_numpy()
        off = _ROUNDING * rows["metric"].map(greatest).to_numpy()[:, None]
        alike = np.isclose(own, of_others, rtol=0, atol=off) | ~np.isfinite(own)
        if np.isfinite(own).any() and alike.all(axis=0).any():
            table.mistake(
                f"{model!r} is no model: it holds the {model} of the other models in each run",
                "Remove it, or rename the model that is called so.",
                rows["row"],
            )


def no_gaps(table: Table, long: pd.DataFrame) -> None:
    """A mistake for a model called `diff` or the like that holds that of two others in each run."""
    models = long["model"].unique()
    called = [model for model in models if words_of(model) <= GAPS and words_of(model)]
    if not called:
        return
    runs = long.pivot_table(index=[*KEY[1:], "metric"], columns="model", values="value")
    runs = runs.reindex(columns=models)
    off = _ROUNDING * runs.abs().max().max()
    for model in called:
        pairs = permutations([other for other in models if other not in called], 2)
        gaps = (runs[one] - runs[other] - runs[model] for one, other in pairs)
        if any(gap.notna().any() and (gap.abs().dropna() <= off).all() for gap in gaps):
            table.mistake(
                f"{model!r} is no model: it holds how far two others lie apart in each run",
                "Remove it, or rename the model that is called so.",
                long.loc[long["model"] == model, "row"],
            )


def single_runs(table: Table, found: dict, metrics: pd.DataFrame) -> None:
    """A mistake where no model has a second run anywhere and datasets are too few to rank over.

    A note says what one run each can still be compared by.
    """
    if metrics.groupby(["dataset", "model"]).size().max() > 1:
        return
    datasets = metrics["dataset"].nunique()
    if datasets >= MIN_DATASETS and metrics["model"].nunique() > 1:
        table.notes.append(
            "Each model has one run on each dataset: nothing is said of any one dataset; models "
            f"are compared over the {datasets} datasets by rank."
        )
        return
    table.mistake(
        f"has one run of each model (by column {', '.join(map(repr, used({'m': found['model']})))}"
        f": {metrics['model'].nunique()} models), which says nothing of how much a result depends "
        "on the seed",
        "Add runs with other seeds or folds (of files: `seed_3` or `fold_3` in each path), or map "
        "the column that names the model: `columns: {model: …}`." + _of_means(table),
    )


def _of_means(table: Table) -> str:
    """Where a table holds means and SDs alone, what can be asked of them."""
    spreads = [column for column in table.columns if is_spread(column)]
    if not spreads:
        return ""
    return (
        f" A mean with its spread ({spreads[0]!r}) is no run; what two of them alone show, "
        "`reseed means` says (in Python `reseed.compare_means`)."
    )


def unknown_models(table: Table, models: list[str], baseline: str | None, pairs: list) -> None:
    """Models that `baseline` or `pairs` names and that have no runs are mistakes."""
    asked = {"baseline": [baseline] if baseline else [], "pairs": [m for p in pairs for m in p]}
    for field, names in asked.items():
        for name in dict.fromkeys(names):
            if name not in models:
                table.mistake(
                    f"`{field}` names the model {name!r}, which has no run",
                    f"It has {', '.join(models[:20])}.{suggest_name(name, models)}",
                )


def names_alike(table: Table, metrics: pd.DataFrame) -> None:
    """A warning of models or datasets whose names differ in case, blanks and signs alone."""
    for noun in ("model", "dataset"):
        names = pd.Series(metrics[noun].unique())
        same = names.str.casefold().str.replace(r"[\s_-]+", "-", regex=True)
        for _, alike in names.groupby(same, sort=False):
            if len(alike) > 1:
                table.notes.append(
                    f"Warning: {' and '.join(map(repr, alike))} are read as {len(alike)} {noun}s. "
                    "If they are one, write one name: its runs are counted apart here."
                )


def absent_models(table: Table, metrics: pd.DataFrame) -> None:
    """A note on models that have no run, finished or not, on a dataset where others have."""
    runs = pd.crosstab(metrics["dataset"], metrics["model"])
    lacking = [
        f"{', '.join(runs.columns[row == 0])} on {dataset}"
        for dataset, row in zip(runs.index, runs.to_numpy(), strict=True)
        if (row == 0).any()
    ]
    more = f" (so on {len(lacking) - SHOWN} more datasets)" if len(lacking) > SHOWN else ""
    if lacking:
        table.notes.append(f"Without a run: {'; '.join(lacking[:SHOWN])}{more}.")


def uneven_runs(table: Table, metrics: pd.DataFrame) -> None:
    """Notes on runs that some models of a dataset have and others lack.

    Only on what pairs are compared by: splits where there are several, else model seeds.
    """
    single, uneven = [], []
    for dataset, trials in metrics.groupby("dataset", sort=False):
        if trials["model"].nunique() < 2:
            single.append(str(dataset))
            continue
        by_split = len(trials[SPLIT_COLUMNS].drop_duplicates()) > 1
        columns, noun = (SPLIT_COLUMNS, "splits") if by_split else (["init"], "model seeds")
        runs = trials[["model", *columns]].drop_duplicates()
        total = len(runs[columns].drop_duplicates())
        lacking = total - runs.groupby("model", sort=False).size()
        lacking = lacking[lacking > 0]
        if len(lacking):
            told = [f"{model} lacks {count}" for model, count in lacking.items()]
            uneven.append(f"{dataset}: of {total} {noun}, {few(told)}.")
    if single:
        where = f" on {few(single)}" if single != [ONE_DATASET] else ""
        table.notes.append(f"One model only, so nothing is compared{where}.")
    table.notes.extend(uneven[:SHOWN])
    if len(uneven) > SHOWN:
        table.notes.append(f"So on {len(uneven) - SHOWN} more datasets.")
    if uneven:
        table.notes.append(
            "A pair is compared on the runs that both have; on one split, where too few seeds are "
            "shared, on all runs, unpaired."
        )
