"""Chooses the metric that each dataset is compared by, its direction and its unit.

Errors that are read as scores, and mixed or impossible scales of shares, are refused here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from reseed.core.errors import suggest_name
from reseed.metrics.directions import (
    Direction,
    infer_direction,
    read_stated_direction,
    resolve_direction,
)
from reseed.metrics.names import MAX_ROUNDED_SHARE, is_error, is_roc_auc, is_share
from reseed.readers.columns import find_standard_name, normalize_name
from reseed.readers.harnesses import name_filtered
from reseed.readers.long_table import propose_metrics, strip_metric_prefix
from reseed.readers.options import RequestedMetrics, list_metrics_for, list_requested_metrics
from reseed.readers.proposals import Option, Proposal, propose
from reseed.readers.source_table import SourceTable, join_names
from reseed.readers.vocabulary import is_error_heading

# Rounding error relative to the greatest value: a perfect log loss may be -1e-16.
_TOLERANCE = 1e-9
#: Datasets without the requested metric that a note lists.
_MAX_DATASETS = 6
#: Metrics that a message lists.
_MAX_METRICS = 20

#: The options that state a direction.
_GREATER, _LESS = {"greater_is_better": True}, {"greater_is_better": False}
_EITHER = (Option(_GREATER), Option(_LESS, " (less is better, as of errors)"))
#: AUC of a model that guesses.
_GUESSING = 0.5
#: Shares of at least this are percentages; the largest score of a study is seldom below 2 %.
_LEAST_PERCENT = 2


def choose_metrics(
    table: SourceTable, long: pd.DataFrame, requested: RequestedMetrics
) -> tuple[pd.DataFrame, dict[str, str]]:
    """Choose each dataset's metric: the first requested one that it has, or its only one.

    Returns the rows of `long` that remain, and the metric by dataset. A dataset without a requested
    metric is left out, and so are metrics that a dataset never has: no run fails for a metric that
    does not apply. Errors: several metrics of which none is requested, an unknown dataset in
    `requested`, and a metric that no dataset has.
    """
    finite = np.isfinite(long["value"])
    measured = finite.groupby([long["dataset"], long["metric"]], sort=False).transform("any")
    rows = long[measured] if requested is not None else long
    measured_metrics = {
        dataset: list(group.unique())
        for dataset, group in long[measured].groupby("dataset", sort=False)["metric"]
    }
    datasets = list(long["dataset"].unique())
    primary: dict[str, str] = {}
    missing: dict[str, list[str]] = {}
    mixed: dict[str, list[str]] = {}
    for dataset in requested if isinstance(requested, dict) else ():
        if dataset not in datasets:
            table.add_error(
                f"`metric` names the dataset {dataset!r}, which is missing",
                f"It has {', '.join(datasets)}.{suggest_name(dataset, datasets)}",
            )
    for dataset in datasets:
        measured_here = measured_metrics.get(dataset, [])
        metrics = measured_here or list(long["metric"][long["dataset"] == dataset].unique())
        order = list_metrics_for(requested, dataset)
        named = [name for metric in order for name in (metric, name_filtered(metric))]
        chosen = [name for name in named if name in measured_here]
        if chosen or (not order and len(metrics) == 1):
            primary[dataset] = [*chosen, *metrics][0]
        elif order:
            missing[dataset] = metrics
        else:
            mixed[dataset] = metrics
    if mixed:
        dataset, metrics = next(iter(mixed.items()))
        names = join_names(metrics, _MAX_METRICS)
        more = f" (so on {len(mixed) - 1} more datasets)" if len(mixed) > 1 else ""
        table.ask(
            f"mixes several metrics for dataset {dataset}: {names}{more}",
            propose_metrics("Choose the one to compare by: ", metrics),
        )
    _report_missing_metrics(table, requested, primary, missing)
    return rows[rows["dataset"].isin(list(primary))], primary


def _report_missing_metrics(
    table: SourceTable,
    requested: RequestedMetrics,
    primary: dict[str, str],
    missing: dict[str, list[str]],
) -> None:
    """A note on datasets without a requested metric; an error if no dataset has one."""
    wanted = list_requested_metrics(requested)
    names = " or ".join(wanted)
    if missing and not primary:
        dataset, metrics = next(iter(missing.items()))
        table.add_error(
            f"holds no metric {names!r} for dataset {dataset}",
            f"It has {join_names(metrics, _MAX_METRICS)}: set `metric` to one of them."
            f"{suggest_name(wanted[0], metrics)}",
        )
    elif missing:
        table.notes.append(
            f"Left out, as no run there has {names}: {join_names([*missing], _MAX_DATASETS)} "
            f"({len(missing)} of {len(missing) + len(primary)} datasets). To compare them too, "
            "name a metric they have: `metric: [auc, log_loss]`."
        )


def choose_directions(
    table: SourceTable,
    long: pd.DataFrame,
    primary: dict[str, str],
    requested: bool | dict[str, bool] | None,
    scores: Sequence[str] = (),
    has_items: bool = False,
) -> dict[str, bool]:
    """Whether greater is better, by metric of `primary`.

    Taken from the study, else the tool, else the sign of the values, else the metric's name. Of
    items without a name, 1 is a hit where scores are 0 and 1, and so are grades.

    Args:
        table: the source.
        long: its scores.
        primary: the metric by dataset.
        requested: what the user says.
        scores: the columns of the table that hold the scores.
        has_items: whether the scores are of items.

    Errors: one direction for metrics of both directions, a direction of an unknown metric, and no
    known direction.
    """
    by_name = {metric: infer_direction(metric) for metric in sorted(set(primary.values()))}
    requested_by_metric = _read_directions(table, long, by_name, requested, bool(primary))
    is_graded = has_items and any(map(table.holds_grades, scores))
    directions = {}
    for metric, inferred in by_name.items():
        rows = long[long["metric"] == metric]
        is_unnamed = find_standard_name(metric) == "value"
        is_hit = has_items and is_unnamed and rows["value"].dropna().isin((0, 1)).all()
        fallback = True if is_graded or is_hit else table.layout.greater_by_default
        wanted = requested_by_metric.get(_bare_name(table, metric))
        directions[metric] = _choose_direction(table, rows, metric, wanted, inferred, fallback)
    return directions


def _read_directions(
    table: SourceTable,
    long: pd.DataFrame,
    by_name: dict[str, bool | None],
    requested: bool | dict[str, bool] | None,
    has_metrics: bool,
) -> dict[str, bool]:
    """The requested directions by bare name of the metric."""
    if isinstance(requested, bool):
        if len({requested if known is None else known for known in by_name.values()}) > 1:
            table.add_error(
                "`greater_is_better` is given for metrics of both directions: "
                f"{', '.join(by_name)}",
                "State it for each metric: `greater_is_better: {auc: true, log_loss: false}`.",
            )
        requested = dict.fromkeys(by_name, requested)
    requested = requested or {}
    known = {_bare_name(table, name) for name in (*long["metric"].unique(), *table.columns)}
    for metric in requested if has_metrics else ():
        if _bare_name(table, metric) not in known:
            table.add_error(
                f"`greater_is_better` names the metric {metric!r}, which is missing",
                f"It has {', '.join(by_name)}.{suggest_name(metric, list(by_name))}",
            )
    return {_bare_name(table, name): greater for name, greater in requested.items()}


def _choose_direction(
    table: SourceTable,
    rows: pd.DataFrame,
    metric: str,
    requested: bool | None,
    inferred: bool | None,
    fallback: bool | None,
) -> bool:
    of_tool = table.layout.directions.get(metric)
    if table.layout.is_log:
        return _resolve(table, rows, metric, resolve_direction(metric, requested, of_tool))
    if requested is None and of_tool is None and read_stated_direction(metric) is None:
        of_tool = _infer_from_sign(table, rows, metric)
        if None not in (of_tool, inferred) and of_tool != inferred:
            side, better = ("above", "greater") if of_tool else ("below", "less")
            table.notes.append(
                f"{metric}: no value is {side} 0 (scikit-learn's scorers negate errors), so "
                f"{better} was taken as better."
            )
    if requested is None and of_tool is not None:
        return of_tool
    direction = resolve_direction(metric, requested, fallback=fallback)
    if requested is None and table.layout.format == "datasets_in_columns" and fallback:
        table.notes.append(
            "More of each column is taken as better: of errors set `greater_is_better: false`."
        )
    return _resolve(table, rows, metric, direction)


def _resolve(table: SourceTable, rows: pd.DataFrame, metric: str, direction: Direction) -> bool:
    """The direction that was found, with its warning; an error asks for one that is not known."""
    table.notes.extend([direction.warning] if direction.warning else [])
    if direction.greater is None:
        table.ask(*ask_direction(metric, rows["value"]))
    return bool(direction.greater)


def ask_direction(metric: str, values: pd.Series | None = None) -> tuple[str, Proposal]:
    """What is not known, and the question: is more or less of the metric better?

    Only a heading such as `value` may stand for any metric; then its name helps too.
    """
    is_generic = find_standard_name(metric) == "value" and (
        values is None or values.dropna().between(0, 100).all()
    )
    naming = (Option({"metric": "accuracy"}, " (what it measures)"),) if is_generic else ()
    what = f"whether more or less of {metric!r} is better is not known"
    return what, Proposal("Set ", (*_EITHER, *naming))


def _bare_name(table: SourceTable, metric: str) -> str:
    """A metric's name without prefixes: `acc` of `test_acc`."""
    return normalize_name(strip_metric_prefix(table, metric)).removeprefix("test_")


def _infer_from_sign(table: SourceTable, rows: pd.DataFrame, metric: str) -> bool | None:
    """Direction by the sign of an error's values: negated errors are better the greater they are.

    Applies to any loss whose direction is `greater_by_default`. An error of both signs is refused.
    """
    values = rows["value"].where(np.isfinite(rows["value"]))
    tolerance = _TOLERANCE * values.abs().max()
    below, above = values < -tolerance, values > tolerance
    if is_error(metric) and below.any() and above.any():
        table.add_error(
            f"{metric!r} has values below 0 and above it, but an error is never below 0",
            (
                "Give all of them negated or none.",
                Proposal("Where it is no such error, set ", _EITHER),
            ),
            rows.loc[below, "row"],
        )
    elif is_error(metric) and (below.any() or above.any()):
        return bool(below.any())
    elif table.layout.greater_by_default and below.any() and not above.any():
        return True
    return None


_ONE_UNIT = (
    "Give all as shares (0.85) or all in percent.",
    propose("Where they are in percent, set ", {"unit": "points"}),
)


def check_same_unit(
    table: SourceTable, long: pd.DataFrame, primary: dict[str, str], unit: str
) -> None:
    """Add an error if some scores are shares and others percentages.

    Not checked if the study states the `unit`: a weak model may be right in less than one percent.
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
            mixed.append((str(dataset), ", ".join(percents), ", ".join(shares)))
    median = rows.groupby("dataset")["value"].transform("median")
    outliers = rows[(rows["value"] > MAX_ROUNDED_SHARE) & (median <= MAX_ROUNDED_SHARE)]
    outliers = outliers[~outliers["dataset"].isin([dataset for dataset, *_ in mixed])]
    for name, part in outliers.groupby("dataset", sort=False):
        table.add_error(
            f"{primary[str(name)]} on {name} is {part['value'].iloc[0]:g} here, and most are "
            "shares of at most 1",
            _ONE_UNIT,
            part.index,
        )
    if mixed:
        first, in_percent, as_share = mixed[0]
        more = f" (so on {len(mixed) - 1} more datasets)" if len(mixed) > 1 else ""
        table.add_error(
            f"{primary[first]} on {first} seems to be in percent of {in_percent}, and a share of "
            f"{as_share}{more}",
            _ONE_UNIT,
        )


def check_score_meaning(
    table: SourceTable,
    long: pd.DataFrame,
    primary: Mapping[str, str],
    requested: bool | Mapping[str, bool] | None,
    unit: str,
    scores: Sequence[str],
) -> None:
    """Add an error where the scores contradict the name of their metric.

    Checked are headings such as `metric_error` of a metric of which more is better; an AUC below
    0.5 in most runs on a dataset; and shares outside 0 to 1 and 0 to 100. A requested direction
    confirms the first two, a `unit` the last.

    Args:
        scores: the columns of the table that hold the scores.
    """
    by_metric = dict(iter(long[np.isfinite(long["value"])].groupby(["dataset", "metric"])))
    for dataset, metric in primary.items():
        if infer_direction(metric) is not True or table.layout.directions.get(metric) is False:
            continue
        rows = by_metric.get((dataset, metric), long.iloc[:0])
        has_direction = isinstance(requested, bool) or bool(requested)
        if not has_direction and not rows.empty:
            _check_heading(table, metric, scores)
            if not table.problems:  # a low AUC of a column of errors is the same mistake
                _check_auc(table, rows, dataset, metric)
        if not unit and is_share(metric) and not rows.empty:
            _check_share(table, rows, dataset, metric)
        if table.problems:  # one dataset shows what is wrong
            return


def _check_heading(table: SourceTable, metric: str, scores: Sequence[str]) -> None:
    for column in scores:
        if is_error_heading(column) and not is_error_heading(metric):
            table.add_error(
                f"column {column!r} seems to hold errors, but more of {metric!r} is better",
                (
                    propose(f"If it holds errors such as 1 − {metric}, less is better: ", _LESS),
                    propose(f"If it holds {metric} itself: ", _GREATER),
                ),
            )


def _check_auc(table: SourceTable, rows: pd.DataFrame, dataset: str, metric: str) -> None:
    if is_roc_auc(metric) and 0 <= rows["value"].median() < _GUESSING:
        table.ask(
            f"{metric} on {dataset} is below {_GUESSING:g}, which is guessing, in most runs "
            f"(median {rows['value'].median():.3g})",
            (
                propose(f"If these are errors (1 − {metric}), less is better: ", _LESS),
                propose("If the models are this weak: ", _GREATER),
            ),
            rows["row"][rows["value"] < _GUESSING],
        )


def _check_share(table: SourceTable, rows: pd.DataFrame, dataset: str, metric: str) -> None:
    greatest = rows["value"].max()
    is_outside = rows["value"] < 0
    if MAX_ROUNDED_SHARE < greatest < _LEAST_PERCENT:
        is_outside |= rows["value"] > MAX_ROUNDED_SHARE
    elif greatest >= _LEAST_PERCENT:
        is_outside |= rows["value"] > 100 * MAX_ROUNDED_SHARE
    if is_outside.any():
        table.add_error(
            f"{metric} on {dataset} is {rows['value'][is_outside].iloc[0]:g} here, but a share is "
            "0 to 1, or 0 to 100 in percent",
            (
                "Correct these rows, or say what the numbers are: of any other quantity, its "
                "`unit`.",
                propose("In percent, ", {"unit": "points"}),
            ),
            rows["row"][is_outside],
        )
