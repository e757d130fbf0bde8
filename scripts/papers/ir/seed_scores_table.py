"""Scores over seeds, model by model, with a row for a constant prediction."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import pandas as pd
from reseed.comparison.claims import phrases
from reseed.comparison.claims.claim import Claim
from reseed.comparison.claims.estimates import NO_NULL, Estimate, Sample
from reseed.core.coordinates import base_name
from reseed.plugins.options import Experiments, Names
from reseed.report.rendering import numbers
from reseed.report.rendering.arms import TEST_SET_KEY, arm_title, cells, group_title, titled_groups
from reseed.report.rendering.data import ExhibitData, footnote, require_rows
from reseed.report.rendering.least import LEAST
from reseed.report.rendering.settings import cell_noun
from reseed.report.rendering.tables import Rows, Table, TableRow

from papers.ir.seed_scores import ScoreRow

METRICS = {
    "accuracy": "Accuracy",
    "macro_precision": "Precision (macro)",
    "macro_recall": "Recall (macro)",
    "macro_f1": "F1 (macro)",
}
_MOST_DECIMALS = 4
#: A claim on rows, or none.
MakeClaim = Callable[[pd.DataFrame], Iterator[Claim]]

DRAWS = ("papers.ir.seed_scores:analyse",)


class Options(Experiments):
    """groups: title → models. Each group has separate claims besides those on all models."""

    groups: dict[str, Names] = {}


def table(data: ExhibitData, options: Options) -> Table:
    """One row for each model and test set, then one for predicting the most frequent class."""
    rows = require_rows(
        data.rows(options.experiments), "No per-item scores of a classifier at this scale."
    )
    lines, places = Rows(), decimals_of(rows, "sd")
    for title, part in by_test_set(data, rows):
        for name, cell in cells(data, part):
            line = _line(name, by_metric(cell), places)
            lines.add(line, title)
        if known := by_metric(part.dropna(subset="majority")):
            constant = {
                name: numbers.fixed(known[metric].majority, places[metric])
                for metric, name in METRICS.items()
            }
            always = {"Model": "The commonest class, always"} | constant
            lines.add(dict.fromkeys(line, "") | always, title)
    note = footnote(
        data,
        rows,
        "Mean ± SD over seeds; precision, recall and F1 are means over classes (macro). Distinct:"
        " runs whose outputs differ from all earlier ones. Collapsed: runs that predict one class"
        " throughout. Diverged: share of runs that failed or collapsed. Seed"
        f" {rows['seed'].max():.0f} beats: share of the other seeds that score worse in F1.",
    )
    return lines.table(
        data,
        rows,
        note,
        claims=[
            *by_group(partial(_sd_claim, data, rows, "F1"), select_f1(rows), options.groups),
            *of_groups(
                partial(_sd_claim, data, rows, "precision"),
                select_spread(rows, "macro_precision"),
                options.groups,
            ),
            *_counts(data, rows),
        ],
    )


def by_test_set(data: ExhibitData, rows: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    """(title, rows) of each test set; the title is empty if there is one."""
    parts = titled_groups(data, rows, TEST_SET_KEY)
    return [(title if len(parts) > 1 else "", part) for title, part in parts]


def by_metric(rows: pd.DataFrame) -> dict[str, ScoreRow]:
    """The row of each metric; the last one of several."""
    return {row.metric: row for row in ScoreRow.read(rows)}


def decimals_of(rows: pd.DataFrame, *spreads: str) -> dict[str, int]:
    """Metric → decimals that show the smallest of the SDs with two digits, at most four.

    SDs that are a rounding error do not count.
    """
    return {
        metric: numbers.decimals(
            (
                sd
                for name in spreads
                for sd in part.loc[~phrases.is_degenerate(part[["mean", name]]), name]
            ),
            most=_MOST_DECIMALS,
        )
        for metric, part in rows.groupby("metric")
    }


def _line(title: str, scores: dict[str, ScoreRow], places: dict[str, int]) -> TableRow:
    f1 = scores["macro_f1"]
    return {
        "Model": title,
        **{
            name: numbers.plus_minus(scores[metric].mean, scores[metric].sd, places[metric])
            for metric, name in METRICS.items()
        },
        "Runs": f"{f1.n:.0f}",
        "Distinct": numbers.fixed(f1.distinct, 0),
        "Collapsed": numbers.fixed(f1.collapsed, 0),
        "Diverged": numbers.percent(f1.diverged),
        f"Seed {f1.seed:.0f} beats": numbers.percent(f1.seed_percentile),
    }


def select_spread(rows: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Rows of a metric with a spread over seeds."""
    return rows[(rows["metric"] == metric) & (rows["n"] > 1)]


def select_f1(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows of F1 with a spread over seeds, on which most claims are."""
    return select_spread(rows, "macro_f1")


def select_varying(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows whose score varies over seeds by more than rounding."""
    return rows[~phrases.is_degenerate(rows[["mean", "sd"]])]


def name_row(data: ExhibitData, rows: pd.DataFrame, row: ScoreRow) -> str:
    """`XGB on Magic`, with the columns in which `rows` differ."""
    arm = arm_title(data, row.arm, row.experiment)
    return f"{arm} on {group_title(data, rows, vars(row))}"


def name_rows(data: ExhibitData, rows: pd.DataFrame, chosen: pd.DataFrame) -> list[str]:
    """`name_row` of each of the chosen rows."""
    return [name_row(data, rows, row) for row in ScoreRow.read(chosen)]


def by_group(claim: MakeClaim, rows: pd.DataFrame, groups: dict[str, Names]) -> Iterator[Claim]:
    """The claim on all rows of a metric, then those of `of_groups`."""
    yield from claim(rows)
    yield from of_groups(claim, rows, groups)


def of_groups(claim: MakeClaim, rows: pd.DataFrame, groups: dict[str, Names]) -> Iterator[Claim]:
    """The claim on the rows of each group of models, each under another name.

    The claim of the group `deep networks` has the name with `_deep_networks` at its end.
    """
    models = rows["model"].map(base_name)
    for title, names in groups.items():
        for one in claim(rows[models.isin(names)]):
            name = f"{one.name}_{title.lower().replace(' ', '_')}"
            yield replace(one, name=name, subject=title, headline=False)


def _sd_claim(
    data: ExhibitData, rows: pd.DataFrame, metric: str, spreads: pd.DataFrame
) -> Iterator[Claim]:
    """The claim on rows of one metric. metric: its name in sentences."""
    moving = select_varying(spreads)
    if moving.empty:
        return
    most = spreads.loc[[spreads["sd"].idxmax()]]
    still = ~spreads.index.to_series().isin(moving.index)
    rest = "; it does not vary for {still}" if still.any() else ""
    varies = f"where the {metric} varies"
    headline = "Another seed changes {metric} by {sd} (SD) where the {metric} varies at all"
    yield Claim(
        name=f"sd_of_{metric.lower()}",
        finding="another seed changes {metric} by an SD of {sd} where the {metric} varies, most"
        f" for {{most}}{rest}",
        headline=headline if spreads["n"].max() >= LEAST else "",
        basis="" if still.any() else "{cells}",
        rows=spreads,
        phrases={
            "metric": phrases.name(metric),
            "sd": phrases.extent(moving, "sd", "{:.3f}".format, of=varies),
            "still": phrases.share(spreads, still, *cell_noun(spreads)),
            "cells": phrases.count(spreads, *cell_noun(spreads)),
            "most": phrases.name(name_rows(data, rows, most)[0]),
        },
        sample=Sample.of(spreads, "n", "seed"),
        statistic=f"SD of {metric} over seeds",
        null=NO_NULL,
        estimates=Estimate.of_rows(moving, name_rows(data, rows, moving), "sd", (0.0, 1.0)),
    )


def _counts(data: ExhibitData, rows: pd.DataFrame) -> Iterator[Claim]:
    """Runs with bitwise equal outputs, and runs that predict one class."""
    f1 = select_f1(rows)
    for name, lead, column, chosen in (
        ("repeated_outputs", "some seeds give bitwise equal outputs. Numbers of different outputs",
         "distinct", f1[f1["distinct"] < f1["n"]]),
        ("collapsed_runs", "some runs predict one class throughout. Their numbers", "collapsed",
         f1[f1["collapsed"] > 0]),
    ):  # fmt: skip
        if chosen.empty:
            continue
        models = name_rows(data, rows, chosen)
        yield Claim(
            name=name,
            finding=f"{lead}, of {{n}}: {{each_number}}{' for {model}' * (len(models) == 1)}",
            rows=chosen,
            phrases={
                "each_number": phrases.each(chosen, column, "{:.0f}".format, models),
                "model": phrases.name(models[0]),
            },
            sample=Sample.of(chosen, "n", "run"),
            statistic="number of runs",
            equality="counted",
        )
