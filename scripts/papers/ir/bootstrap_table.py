"""Standard deviations of each score: test-set bootstrap, seeds, and what was published."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial

import numpy as np
import pandas as pd
from reseed.comparison.claims import phrases
from reseed.comparison.claims.claim import Claim
from reseed.comparison.claims.estimates import NO_NULL, Estimate, Sample
from reseed.report.exhibits.shared.ratio_intervals import describe_intervals
from reseed.report.rendering import numbers
from reseed.report.rendering.arms import cells
from reseed.report.rendering.data import ExhibitData, footnote, require_rows
from reseed.report.rendering.least import LEAST
from reseed.report.rendering.settings import cell_noun
from reseed.report.rendering.tables import GroupedRow, Rows, Table
from scipy import stats

from papers.ir.seed_scores import ScoreRow
from papers.ir.seed_scores_table import (
    METRICS,
    Options,
    by_group,
    by_metric,
    by_test_set,
    decimals_of,
    name_rows,
    select_f1,
    select_varying,
)

_BOOTSTRAP, _SEEDS = "mean ± bootstrap SD", "SD over seeds"

DRAWS = ("papers.ir.seed_scores:analyse",)


def table(data: ExhibitData, options: Options) -> Table:
    """One row for each model and test set; below it the row of the paper, as printed."""
    rows = require_rows(
        data.rows(options.experiments), "No per-item scores of a classifier at this scale."
    )
    lines, places = Rows(), decimals_of(rows, "sd", "bootstrap_sd")
    for title, part in by_test_set(data, rows):
        for arm, cell in cells(data, part):
            scores = by_metric(cell)
            lines.add(_line(arm, scores, places), title)
            if not all(math.isnan(row.published_mean) for row in scores.values()):
                lines.add(_published_line(arm, scores), title)
    note = footnote(
        data,
        rows,
        f"Bootstrap: SD of one trained model over {rows['n_boot'].max():.0f} resamples of the test"
        " items, root mean square over seeds. Seeds: SD over seeds on the same test items. The"
        " first is the effect of which test items were drawn, the second that of the run. Scores"
        " that do not vary over seeds have no ratio. The interval of a ratio takes the SD of the"
        " bootstrap as known.",
        "Published: one model of the paper, as printed; its test sets are not these ones (the SDs"
        " imply other sizes than it states)."
        if rows["published_mean"].notna().any()
        else "",
    )
    f1 = select_f1(rows)
    return lines.table(
        data,
        rows,
        note,
        claims=[
            *by_group(partial(_claim, data, rows), f1[f1["ratio"].notna()], options.groups),
            *_bootstrap_claims(data, rows),
        ],
    )


def _bootstrap_claims(data: ExhibitData, rows: pd.DataFrame) -> Iterator[Claim]:
    """The SD of F1 of one trained model over resampled test sets.

    The interval is that of the SD of so many Gaussian resamples of one model, so it is wide enough
    for the mean over seeds.
    """
    f1 = select_f1(rows)
    f1 = f1[f1["bootstrap_sd"] > 0]
    if f1.empty:
        return
    freedom = f1["n_boot"] - 1
    tail = (1 - f1["level"]) / 2
    low, high = (f1["bootstrap_sd"] * np.sqrt(freedom / stats.chi2.isf(q, freedom))
                 for q in (tail, 1 - tail))  # fmt: skip
    f1 = f1.assign(sd_of_resamples=f1["bootstrap_sd"], low=low, high=high)
    names = name_rows(data, rows, f1)
    sd = phrases.extent(f1, "sd_of_resamples", "{:.4f}".format, is_comparable=True)
    yield Claim(
        "bootstrap_sd",
        "over resampled test sets the {metric} of one model has an SD of {sd}",
        f1,
        {"metric": phrases.name("F1"), "sd": sd},
        Sample.of(f1, "n_boot", "resample"),
        statistic="SD of F1 over resampled test sets",
        null=NO_NULL,
        estimates=Estimate.of_rows(f1, names, "bootstrap_sd", (0.0, math.inf), ("low", "high")),
    )


def _line(title: str, scores: dict[str, ScoreRow], places: dict[str, int]) -> GroupedRow:
    line = {("", "Model"): title}
    for metric, name in METRICS.items():
        score, digits = scores[metric], places[metric]
        line[name, _BOOTSTRAP] = numbers.plus_minus(score.mean, score.bootstrap_sd, digits)
        line[name, _SEEDS] = numbers.fixed(score.sd, digits)
    return line


def _published_line(title: str, scores: dict[str, ScoreRow]) -> GroupedRow:
    """The paper's row; it prints means with two decimals and SDs with three."""
    line = {("", "Model"): f"{title}, published"}
    for metric, name in METRICS.items():
        score = scores[metric]
        line[name, _BOOTSTRAP] = f"{score.published_mean:.2f} ± {score.published_bootstrap_sd:.3f}"
        line[name, _SEEDS] = numbers.NONE
    return line


def _claim(data: ExhibitData, rows: pd.DataFrame, f1: pd.DataFrame) -> Iterator[Claim]:
    """The claim on rows of F1 with both SDs."""
    if f1.empty:
        return
    moving, noun = select_varying(f1), cell_noun(f1)
    parts = {
        "metric": phrases.name("F1"),
        "more": phrases.share(f1, f1["ratio"] > 1, *noun),
        "cells": phrases.share(f1, f1["ratio"] > 1, "setting"),
        "still": phrases.share(f1, ~f1.index.to_series().isin(moving.index), *noun),
    }
    finding = (
        "the SD of {metric} over seeds is larger than the SD over resampled test sets for {more}"
    )
    if len(moving):
        parts["ratio"] = phrases.extent(
            moving, "ratio", numbers.ratio, of="where F1 varies over seeds"
        )
        finding += "; where {metric} varies over seeds, it is {ratio} times as large"
    if len(moving) < len(f1):
        finding += "; {metric} does not vary over seeds for {still}"
    # Equal scores of a few seeds leave an SD of 0, which is no interval.
    ends = moving[["ratio_low", "ratio_high"]].reindex(f1.index)
    intervals, counts = describe_intervals(f1.assign(**ends), f1["level"].max())
    shown = ": shown for {above}" if counts else " in {cells}"
    headline = f"The seed changes {{metric}} more than the test items do{shown}"
    yield Claim(
        name="seed_over_test_set",
        finding=finding,
        headline=headline if f1["n"].max() >= LEAST else "",
        note=intervals,
        rows=f1,
        phrases=parts | counts,
        sample=Sample.of(f1, "n", "seed"),
        statistic="SD over seeds divided by SD over resampled test sets",
        estimates=Estimate.of_rows(moving, name_rows(data, rows, moving), "ratio", (0.0, math.inf)),
        null="ratio 1",
    )
