"""The metric that each dataset is compared by, its direction and its unit.

Errors that are read as scores, and mixed or impossible scales of shares, are refused here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd

from reseed.core.errors import suggest_name
from reseed.metrics.names import MAX_ROUNDED_SHARE, is_error, is_roc_auc, is_share
from reseed.readers.names import (
    NAMES,
    choose_direction,
    find_metric,
    name_filtered,
    normalize_name,
    read_arrow,
)
from reseed.readers.options import RequestedMetrics, list_metrics
from reseed.readers.question import Option, Part, propose
from reseed.readers.source_table import SourceTable, join_names

# Rounding error relative to the greatest value: a perfect log loss may be -1e-16.
_TOLERANCE = 1e-9
#: Datasets without the requested metric that a note lists.
_MAX_DATASETS = 6
#: Metrics that a message lists.
_MAX_METRICS = 20
#: The options that state a direction.
_GREATER, _LESS = {"greater_is_better": True}, {"greater_is_better": False}
#: AUC of a model that guesses.
_GUESSING = 0.5
#: Shares of at least this are percentages; the largest score of a study is seldom below 2 %.
_LEAST_PERCENT = 2


def choose_metrics(
    table: SourceTable, long: pd.DataFrame, requested: RequestedMetrics
) -> tuple[pd.DataFrame, dict[str, str]]:
    """Choose each dataset's metric: the first requested one that it has, or its only one.

    Returns the rows of `long` that remain, and the metric by dataset. Left out are a dataset
    without a requested metric, and metrics that a dataset never has: no run fails for a metric that
    does not apply.
    """
    finite = np.isfinite(long["value"])
    measured = finite.groupby([long["dataset"], long["metric"]], sort=False).transform("any")
    rows = long[measured] if requested is not None else long
    by_dataset = {
        dataset: list(group.unique())
        for dataset, group in long[measured].groupby("dataset", sort=False)["metric"]
    }
    datasets = list(long["dataset"].unique())
    primary: dict[str, str] = {}
    missing: dict[str, list[str]] = {}
    for dataset in requested if isinstance(requested, dict) else ():
        if dataset not in datasets:
            table.add_error(
                f"`metric` names the dataset {dataset!r}, which is missing",
                f"It has {join_names(datasets, _MAX_DATASETS)}.{suggest_name(dataset, datasets)}",
            )
    for dataset in datasets:
        here = by_dataset.get(dataset, [])
        metrics = here or list(long["metric"][long["dataset"] == dataset].unique())
        order = list_metrics(requested, dataset)
        named = [name for metric in order for name in (metric, name_filtered(metric))]
        chosen = [name for name in named if name in here]
        similar = {normalize_name(name): name for name in reversed(here)}
        chosen += [similar[normalize_name(m)] for m in named if normalize_name(m) in similar]
        if chosen or (not order and len(metrics) == 1):
            primary[dataset] = [*chosen, *metrics][0]
        elif order:
            missing[dataset] = metrics
        else:
            table.add_error(
                f"mixes several metrics for dataset {dataset}: {join_names(metrics, _MAX_METRICS)}",
                propose("Choose the one to compare by: ", *({"metric": name} for name in metrics)),
            )
            break
    wanted = list_metrics(requested)
    names = " or ".join(wanted)
    if missing and not primary:
        dataset, metrics = next(iter(missing.items()))
        table.add_error(
            f"holds no metric {names!r} for dataset {dataset}",
            f"It has {join_names(metrics, _MAX_METRICS)}: set `metric` to one of them."
            f"{suggest_name(wanted[0], metrics)}",
        )
    elif missing:
        table.note(
            f"Left out, as no run there has {names}: {join_names([*missing], _MAX_DATASETS)} "
            f"({len(missing)} of {len(missing) + len(primary)} datasets). To compare them too, "
            "name a metric they have: `metric: [auc, log_loss]`."
        )
    return rows[rows["dataset"].isin(list(primary))], primary


def choose_directions(
    table: SourceTable,
    long: pd.DataFrame,
    metrics: Iterable[str],
    requested: bool | Mapping[str, bool] | None,
) -> dict[str, bool | None]:
    """Whether greater is better, by metric; None where nothing says it.

    The option decides, then the heading's own arrow or what a log states (a conflict is an error),
    then the list of metrics; errors that are negative were negated, as scikit-learn's scorers do.
    """
    names = sorted(set(metrics))
    known = {name: find_metric(name) for name in names}
    if isinstance(requested, bool):
        found = {requested if one is None else one.greater for one in known.values()}
        if len(found) > 1 and not any(read_arrow(name) is not None for name in names):
            table.add_error(
                "`greater_is_better` is given for metrics of both directions: " + ", ".join(names),
                "State it for each metric: `greater_is_better: {auc: true, log_loss: false}`.",
            )
        by_name = dict.fromkeys(map(_bare, names), requested)
    else:
        by_name = {_bare(name): up for name, up in (requested or {}).items()}
        has = {_bare(name) for name in (*long["metric"].unique(), *table.columns)}
        for name in requested or {}:
            if names and _bare(name) not in has:
                table.add_error(
                    f"`greater_is_better` names the metric {name!r}, which is missing",
                    f"It has {join_names(names, _MAX_METRICS)}.{suggest_name(name, names)}",
                )
    directions: dict[str, bool | None] = {}
    for name in names:
        wanted, stated = by_name.get(_bare(name)), table.layout.directions.get(name)
        rows = long[long["metric"] == name]
        if wanted is stated is None and read_arrow(name) is None:
            stated = _infer_from_sign(table, rows, name)
        try:
            directions[name], warning = choose_direction(name, wanted, stated)
        except ValueError as error:
            table.add_error(str(error), "Leave the option out, or correct the source.")
            continue
        if warning:
            table.note(warning)
    return directions


def ask_direction(metric: str, values: pd.Series | None = None) -> Part:
    """The question whether more or less of a metric is better.

    Only a heading such as `value` may stand for any metric; then its name helps too.
    """
    is_generic = normalize_name(metric) in NAMES["value"] and (
        values is None or bool(values.dropna().between(0, 100).all())
    )
    naming = (Option({"metric": "accuracy"}, "what it measures"),) if is_generic else ()
    name = "the numbers" if normalize_name(metric) in ("value", "") else repr(metric)
    return Part(
        f"whether more or less of {name} is better is not known",
        (Option(_GREATER), Option(_LESS, "as of errors"), *naming),
    )


def _bare(metric: str) -> str:
    """A metric's name without the part of the data: `acc` of `test_acc`."""
    return normalize_name(metric).removeprefix("test_")


def _infer_from_sign(table: SourceTable, rows: pd.DataFrame, metric: str) -> bool | None:
    """Negated errors are better the greater they are. An error of both signs is refused."""
    known = find_metric(metric)
    if not is_error(metric) or known is None:
        return None
    values = rows["value"].where(np.isfinite(rows["value"]))
    tolerance = _TOLERANCE * values.abs().max()
    below, above = values < -tolerance, values > tolerance
    if not below.any():
        return None
    if above.any():
        table.add_error(
            f"{metric!r} has values below 0 and above it, but an error is never below 0",
            (
                "Give all of them negated or none.",
                propose("Where it is no such error, set ", _GREATER, _LESS),
            ),
            rows.loc[below, "row"],
        )
        return None
    if not known.greater:
        table.note(
            f"{metric}: no value is above 0 (scikit-learn's scorers negate errors), so greater was "
            "taken as better."
        )
    return True


def check_shares(
    table: SourceTable, long: pd.DataFrame, primary: Mapping[str, str], unit: str
) -> None:
    """Add an error for scores that mix shares and percentages, or that are no share.

    Not checked if a `unit` is stated: a weak model may be right in less than one percent.
    """
    in_percent = propose("Where they are in percent, set ", {"unit": "points"})
    for dataset, of_dataset in long.groupby("dataset", sort=False):
        metric = primary.get(str(dataset), "")
        rows = of_dataset[(of_dataset["metric"] == metric) & np.isfinite(of_dataset["value"])]
        if unit or not is_share(metric) or rows.empty:
            continue
        positive = rows[rows["value"] > 0].groupby("model", sort=False)["value"]
        shares = [*positive.max().loc[lambda most: most <= MAX_ROUNDED_SHARE].index]
        percents = [*positive.min().loc[lambda least: least > MAX_ROUNDED_SHARE].index]
        if shares and percents:
            table.add_error(
                f"{metric} on {dataset} seems to be in percent of {join_names(percents)}, and a "
                f"share of {join_names(shares)}",
                ("Give all as shares (0.85) or all in percent.", in_percent),
            )
            return  # one dataset shows what is wrong
        greatest, middle = rows["value"].max(), rows["value"].median()
        are_shares = middle <= MAX_ROUNDED_SHARE or greatest < _LEAST_PERCENT
        most = MAX_ROUNDED_SHARE * (1 if are_shares else 100)
        outside = rows[~rows["value"].between(0, most)]
        if not outside.empty:
            table.add_error(
                f"{metric} on {dataset} is {outside['value'].iloc[0]:g} here, but a share is 0 to "
                "1, or 0 to 100 in percent",
                ("Correct these rows, or say what the numbers are.", in_percent),
                outside["row"],
            )
            return


def ask_about_guessing(
    table: SourceTable, long: pd.DataFrame, primary: Mapping[str, str]
) -> list[Part]:
    """The question whether an AUC below 0.5 in most runs on a dataset is an error."""
    for dataset, rows in long.groupby("dataset", sort=False):
        metric = primary.get(str(dataset), "")
        values = rows["value"][rows["metric"] == metric]
        stated = table.layout.directions.get(metric, read_arrow(metric))
        median = values[np.isfinite(values)].median()
        is_auc = is_roc_auc(metric) and find_metric(metric) is not None and stated is not False
        if is_auc and 0 <= median < _GUESSING:
            text = (
                f"{metric} on {dataset} is below {_GUESSING:g}, which is guessing, in most runs "
                f"(median {median:.3g})"
            )
            errors = Option(_LESS, f"they are errors, 1 − {metric}")
            return [Part(text, (errors, Option(_GREATER, "the models are this weak")))]
    return []
