"""Probability and time to reach a score, for each arm."""

from __future__ import annotations

import math

import pandas as pd
from reseed.exhibits.curves_figure import NOTHING, measure_in_text, measure_title
from reseed.plugins.options import Arms as Options
from reseed.rendering import coverage, numbers
from reseed.rendering.arms import cells, select_rows
from reseed.rendering.data import ExhibitData, footnote, require_rows
from reseed.rendering.headlines import LEAST, listed
from reseed.rendering.tables import Rows, Table

DRAWS = ("papers.picard.convergence:analyse",)


def table(data: ExhibitData, options: Options) -> Table:
    """One row for each arm, a section for each dataset and target."""
    rows = require_rows(select_rows(data, options), NOTHING)
    lines, raw = Rows(), []
    for title, part in cells(data, rows):
        row = part.iloc[0]
        line = {
            "Arm": title,
            "n": numbers.seeds(int(row["n"]), int(row["left_out"])),
            "Reach it": numbers.share_with_interval(row, "share"),
            "Median epoch": f"{_epoch(row['median'])} [{_epoch(row['median_low'])},"
            f" {_epoch(row['median_high'])}]",
            "Epochs with restarts": _epoch(row["restarts"]),
            "Converged at (median)": f"{part['converged'].median():,.0f}",
            "Final, mean ± SD": numbers.plus_minus(part["final"].mean(), part["final"].std(), 4),
        }
        measure = measure_title(row["measure"])
        lines.add(line, f"{data.dataset(row['dataset'])}: {measure} {row['target']:.4g}")
        raw.append(row)
    level, first = rows["level"].iloc[0], rows.iloc[0]
    target = "the median final value of all runs on the dataset"
    return lines.table(
        data,
        pd.DataFrame(raw),
        footnote(
            data,
            rows,
            f"The target is {target if first['target_is'] != 'given' else 'given'}. In brackets"
            f" {100 * level:g} % intervals: {coverage.COUNTS}, and order statistics of the epochs,"
            " likewise."
            " Never: a run ended before it got there. With restarts: mean number of epochs until"
            " success if a run that fails is followed by one with a new seed.",
            _broken(raw),
            per="arm",
        ),
        headline=_headline(data, rows),
        findings=_findings(data, rows),
    )


def _broken(arms: list[pd.Series]) -> str:
    """Sentence on failed runs, which count here but not in final values; empty without any."""
    broken = int(sum(row["broken"] for row in arms))
    if not broken:
        return ""
    runs = numbers.counted(broken, "failed run")
    return f"{runs} with a curve: among those that never reach it, not among the final values."


def _count(row: pd.Series) -> str:
    return f"{row['share'] * row['n']:.0f} of {row['n']:,.0f}"


def _headline(data: ExhibitData, rows: pd.DataFrame) -> str:
    first = [(title, part.iloc[0]) for title, part in cells(data, rows)]
    known = [(title, row) for title, row in first if row["n"] >= LEAST]
    if not known:
        return ""
    shares = numbers.from_to((row["share"] for _, row in known), numbers.percent)
    return listed(
        "Runs that reach the target", [(title, _count(row)) for title, row in known], shares
    )


def _findings(data: ExhibitData, rows: pd.DataFrame) -> list[str]:
    return [
        f"{title}: {_count(row)} runs reach a {measure_in_text(row['measure'])} of"
        f" {row['target']:.3g}; with restarts that takes {_epoch(row['restarts'])} epochs on"
        " average."
        for title, row in ((title, part.iloc[0]) for title, part in cells(data, rows))
    ]


def _epoch(value: float) -> str:
    if not math.isfinite(value):
        return "never"
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
