"""By which metric each dataset's models are compared, whether more is better, and in which unit."""

from __future__ import annotations

import numpy as np
import pandas as pd

from reseed.core.errors import suggest_name
from reseed.importers.columns import plain
from reseed.importers.long_table import short
from reseed.importers.source_table import Table, few
from reseed.metrics.names import MAX_ROUNDED_SHARE, infer_direction, is_error, is_share

# What a value may be off by, of the greatest: a perfect log loss may be -1e-16.
_OFF = 1e-9

Wanted = str | list[str] | dict[str, str] | None


def wanted_names(wanted: Wanted) -> list[str]:
    """Every metric that the study names, once, in its order."""
    if wanted is None:
        return []
    if isinstance(wanted, str):
        return [wanted]
    return list(dict.fromkeys(wanted.values() if isinstance(wanted, dict) else wanted))


def wanted_on(wanted: Wanted, dataset: str) -> list[str]:
    """The metrics that the study names for a dataset, in its order."""
    return wanted_names(wanted.get(dataset) if isinstance(wanted, dict) else wanted)


def choose_metrics(
    table: Table, long: pd.DataFrame, wanted: Wanted
) -> tuple[pd.DataFrame, dict[str, str]]:
    """Each dataset's metric: the first of the wanted ones that it has, or its only one.

    Returns the rows of `long` that remain, and metric by dataset. A dataset that has none
    of the wanted metrics is left out, and a metric that a dataset never has is none of its own:
    so no run fails for want of a metric that does not apply. A dataset with several metrics of
    which none is chosen, an unknown dataset in `wanted`, and a metric that nothing has, are
    mistakes.
    """
    finite = np.isfinite(long["value"])
    measured = finite.groupby([long["dataset"], long["metric"]], sort=False).transform("any")
    rows = long[measured] if wanted is not None else long
    of_dataset = {
        dataset: list(dict.fromkeys(group))
        for dataset, group in long[measured].groupby("dataset", sort=False)["metric"]
    }
    everything = list(dict.fromkeys(long["dataset"]))
    primary, missing = {}, {}
    for dataset in wanted if isinstance(wanted, dict) else ():
        if dataset not in everything:
            table.mistake(
                f"`metric` names the dataset {dataset!r}, which is not there",
                f"It has {', '.join(everything)}.{suggest_name(dataset, everything)}",
            )
    for dataset in everything:
        measured_here = of_dataset.get(dataset, [])
        has = measured_here or list(dict.fromkeys(long["metric"][long["dataset"] == dataset]))
        order = wanted_on(wanted, dataset)
        chosen = [metric for metric in order if metric in measured_here]
        if chosen or (not order and len(has) == 1):
            primary[dataset] = [*chosen, *has][0]
        elif order:
            missing[dataset] = has
        else:
            table.mistake(
                f"mixes several metrics for dataset {dataset}: {', '.join(has)}",
                f"Choose the one to compare by: `metric: {has[0]}`.",
            )
    asked = " or ".join(wanted_names(wanted))
    if missing and not primary:
        dataset, has = next(iter(missing.items()))
        table.mistake(
            f"holds no metric {asked!r} for dataset {dataset}",
            f"It has {', '.join(has)}: set `metric` to one of them.",
        )
    elif missing:
        table.notes.append(
            f"Left out, as no run there has {asked}: {few([*missing], 6)} ({len(missing)} of "
            f"{len(everything)} datasets). To compare them too, name a metric they have: `metric: "
            "[auc, log_loss]`."
        )
    return rows[rows["dataset"].isin(list(primary))], primary


def directions(
    table: Table,
    long: pd.DataFrame,
    primary: dict[str, str],
    given: bool | dict[str, bool] | None,
) -> dict[str, bool]:
    """Whether greater is better, by metric of `primary`.

    As the study says, else its tool, else the sign of the values, else the metric's name. One
    answer for metrics whose names say different things, one for a metric that is not there, and no
    answer, are mistakes.
    """
    of_name = {metric: infer_direction(metric) for metric in sorted(set(primary.values()))}
    layout = table.layout
    if isinstance(given, bool) and len({given if d is None else d for d in of_name.values()}) > 1:
        table.mistake(
            f"`greater_is_better` is given for metrics of both directions: {', '.join(of_name)}",
            "Say it of each metric: `greater_is_better: {auc: true, log_loss: false}`.",
        )
    said = given if isinstance(given, dict) else {}
    if isinstance(given, bool):
        said = dict.fromkeys(of_name, given)
    there = {_bare(table, name) for name in (*long["metric"].unique(), *table.columns)}
    for metric in [name for name in said if primary and _bare(table, name) not in there]:
        table.mistake(
            f"`greater_is_better` names the metric {metric!r}, which is not there",
            f"It has {', '.join(of_name)}.{suggest_name(metric, list(of_name))}",
        )
    said = {_bare(table, name): greater for name, greater in said.items()}
    found = {}
    for metric, known in of_name.items():
        answer = said.get(_bare(table, metric), layout.directions.get(metric))
        if answer is None:
            answer = _of_sign(table, long[long["metric"] == metric], metric)
            if None not in (answer, known) and answer != known:
                side, better = ("above", "greater") if answer else ("below", "less")
                table.notes.append(
                    f"{metric}: no value is {side} 0 (scikit-learn's scorers negate errors), so "
                    f"{better} was taken as better."
                )
        options = (answer, known, layout.greater_by_default)
        answer = next((option for option in options if option is not None), None)
        if answer is None:
            table.mistake(
                f"whether more or less of {metric!r} is better is not known",
                "Set `greater_is_better: true` or `false`, or say what it measures: "
                "`metric: accuracy`.",
            )
        found[metric] = bool(answer)
    return found


def _bare(table: Table, metric: str) -> str:
    """A metric's name without what is put before it: `acc` of `test_acc`."""
    return plain(short(table, metric)).removeprefix("test_")


def _of_sign(table: Table, rows: pd.DataFrame, metric: str) -> bool | None:
    """What the sign of an error's values says: below 0 it was negated, and greater is better.

    So it is with any loss that a scorer gave. An error of both signs is a mistake.
    """
    values = rows["value"].where(np.isfinite(rows["value"]))
    off = _OFF * values.abs().max()
    below, above = values < -off, values > off
    if is_error(metric) and below.any() and above.any():
        table.mistake(
            f"{metric!r} has values below 0 and above it, but an error is never below 0",
            "Give all of them negated or none; where it is no such error, set "
            "`greater_is_better: true` or `false`.",
            rows.loc[below, "row"],
        )
    elif is_error(metric) and (below.any() or above.any()):
        return bool(below.any())
    elif table.layout.greater_by_default and below.any() and not above.any():
        return True
    return None


_ONE_UNIT = (
    "Give all as shares (0.85) or all in percent; where they are in percent, set `unit: points`."
)


def same_unit(table: Table, long: pd.DataFrame, primary: dict[str, str], unit: str) -> None:
    """That some scores are shares and others percentages is a mistake.

    Not where the study says the `unit`: a weak model may be right on less than one percent.
    """
    metric = long["dataset"].map({d: m for d, m in primary.items() if is_share(m) and not unit})
    rows = long[(long["metric"] == metric) & long["value"].between(0, np.inf, "neither")]
    mixed = []
    ranges = rows.groupby(["dataset", "model"], sort=False)["value"].agg(["min", "max"])
    for dataset, of_models in ranges.groupby(level="dataset", sort=False):
        by_model = of_models.droplevel("dataset")
        shares = by_model.index[by_model["max"] <= MAX_ROUNDED_SHARE]
        percents = by_model.index[by_model["min"] > MAX_ROUNDED_SHARE]
        if len(shares) and len(percents):
            mixed.append((dataset, ", ".join(percents), ", ".join(shares)))
    median = rows.groupby("dataset")["value"].transform("median")
    strays = rows[(rows["value"] > MAX_ROUNDED_SHARE) & (median <= MAX_ROUNDED_SHARE)]
    strays = strays[~strays["dataset"].isin([dataset for dataset, *_ in mixed])]
    for dataset, own in strays.groupby("dataset", sort=False):
        table.mistake(
            f"{primary[dataset]} on {dataset} is {own['value'].iloc[0]:g} here, and most are "
            "shares of at most 1",
            _ONE_UNIT,
            own.index,
        )
    if mixed:
        dataset, percents, shares = mixed[0]
        more = f" (so on {len(mixed) - 1} more datasets)" if len(mixed) > 1 else ""
        table.mistake(
            f"{primary[dataset]} on {dataset} seems to be in percent of {percents}, and a share of "
            f"{shares}{more}",
            _ONE_UNIT,
        )
