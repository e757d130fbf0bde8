"""Probability and time to reach a score, for each arm."""

from __future__ import annotations

import math

import pandas as pd
from reseed.plugins.options import Arms as Options
from reseed.report.exhibits.curves_figure import NOTHING, measure_title
from reseed.report.rendering import coverage, numbers
from reseed.report.rendering.arms import cells, select_rows
from reseed.report.rendering.data import ExhibitData, footnote, require_rows
from reseed.report.rendering.tables import Rows, Table
from reseed.verdicts.formatting import format_level

from papers.picard.convergence import ReachRow

DRAWS = ("papers.picard.convergence:analyse",)


def table(data: ExhibitData, options: Options) -> Table:
    """One row for each arm, a section for each dataset and target."""
    rows = require_rows(select_rows(data, options), NOTHING)
    lines, arms = Rows(), cells(data, rows)
    shared = [ReachRow.read_first(part) for _, part in arms]
    for (title, part), row in zip(arms, shared, strict=True):
        median = map(_epoch, (row.median, row.median_low, row.median_high))
        line = {
            "Arm": title,
            "n": numbers.seeds(int(row.n), int(row.left_out)),
            "Reach it": numbers.share_with_interval(vars(row), "share"),
            "Median epoch": "{} [{}, {}]".format(*median),
            "Epochs with restarts": _epoch(row.restarts),
            "Converged at (median)": f"{part['converged'].median():,.0f}",
            "Final, mean ± SD": numbers.plus_minus(part["final"].mean(), part["final"].std(), 4),
        }
        measure = measure_title(row.measure)
        lines.add(line, f"{data.dataset(row.dataset)}: {measure} {row.target:.4g}")
    first, every = shared[0], pd.DataFrame([part.iloc[0] for _, part in arms])
    target = "the median final value of all runs on the dataset"
    return lines.table(
        data,
        every,
        footnote(
            data,
            rows,
            f"The target is {target if first.target_is != 'given' else 'given'}. In brackets"
            f" {format_level(first.level)} intervals: {coverage.COUNTS}, and order statistics of"
            " the epochs, likewise."
            " Never: a run ended before it got there. With restarts: mean number of epochs until"
            " success if a run that fails is followed by one with a new seed.",
            _broken(int(sum(row.broken for row in shared))),
            per="arm",
        ),
    )


def _broken(broken: int) -> str:
    """Sentence on failed runs, which count here but not in final values; empty without any."""
    if not broken:
        return ""
    runs = numbers.counted(broken, "failed run")
    return f"{runs} with a curve: among those that never reach it, not among the final values."


def _epoch(value: float) -> str:
    if not math.isfinite(value):
        return "never"
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
