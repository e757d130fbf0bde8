"""By which metric each dataset's models are compared, and whether more of it is better."""

from __future__ import annotations

import numpy as np
import pandas as pd

from reseed.errors import nearest
from reseed.importing.table import Table
from reseed.metric_names import direction

_SHOWN = 6

Wanted = str | list[str] | dict[str, str] | None


def wanted_names(wanted: Wanted) -> list[str]:
    """Every metric that the study names, once, in its order."""
    if wanted is None:
        return []
    if isinstance(wanted, str):
        return [wanted]
    return list(dict.fromkeys(wanted.values() if isinstance(wanted, dict) else wanted))


def choose_metrics(
    table: Table, long: pd.DataFrame, wanted: Wanted
) -> tuple[pd.DataFrame, dict[str, str], list[str]]:
    """Each dataset's metric: the first of the wanted ones that it has, or its only one.

    Returns the rows of `long` that remain, metric by dataset, and notes. A dataset that has none
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
    primary, missing = {}, []
    if isinstance(wanted, dict):
        for dataset in wanted:
            if dataset not in everything:
                table.mistake(
                    f"`metric` names the dataset {dataset!r}, which is not there",
                    f"It has {', '.join(everything)}.{nearest(dataset, everything)}",
                )
    for dataset in everything:
        has = of_dataset.get(dataset) or list(
            dict.fromkeys(long.loc[long["dataset"] == dataset, "metric"])
        )
        order = wanted_names(wanted)
        if isinstance(wanted, dict):
            order = [wanted[dataset]] if dataset in wanted else []
        chosen = [metric for metric in order if metric in of_dataset.get(dataset, [])]
        if chosen:
            primary[dataset] = chosen[0]
        elif order:
            missing.append((dataset, has))
        elif len(has) == 1:
            primary[dataset] = has[0]
        else:
            table.mistake(
                f"mixes several metrics for dataset {dataset}: {', '.join(has)}",
                f"Choose the one to compare by: `metric: {has[0]}`.",
            )
    asked = " or ".join(wanted_names(wanted))
    if missing and not primary:
        dataset, has = missing[0]
        table.mistake(
            f"holds no metric {asked!r} for dataset {dataset}",
            f"It has {', '.join(has)}: set `metric` to one of them.",
        )
    notes = []
    if missing and primary:
        names = [dataset for dataset, _ in missing]
        some = ", ".join(names[:_SHOWN]) + (", …" if len(names) > _SHOWN else "")
        notes.append(
            f"Left out, as no run there has {asked}: {some} ({len(names)} of {len(everything)} "
            "datasets). To compare them too, name a metric they have: `metric: [auc, log_loss]`."
        )
    return rows[rows["dataset"].isin(list(primary))], primary, notes


def directions(
    table: Table, metrics: set[str], given: bool | dict[str, bool] | None
) -> dict[str, bool]:
    """Whether greater is better, by metric: as the study says, else its name, else its tool.

    One answer for metrics whose names say different things, and no answer, are mistakes.
    """
    of_name = {metric: direction(metric) for metric in sorted(metrics)}
    layout = table.layout
    if isinstance(given, bool) and len(set(of_name.values())) > 1:
        table.mistake(
            f"`greater_is_better` is given for metrics of both directions: {', '.join(of_name)}",
            "Say it of each metric: `greater_is_better: {auc: true, log_loss: false}`.",
        )
    found = {}
    for metric, known in of_name.items():
        said = given if isinstance(given, bool) else (given or {}).get(metric)
        options = (said, layout.directions.get(metric), known, layout.greater_by_default)
        answer = next((option for option in options if option is not None), None)
        if answer is None:
            table.mistake(
                f"whether more or less of {metric!r} is better is not known",
                "Set `greater_is_better: true` or `false`.",
            )
        found[metric] = bool(answer)
    return found
