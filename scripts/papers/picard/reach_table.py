"""Probability and time to reach a score, for each arm."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
from reseed.comparison.claims import phrases
from reseed.comparison.claims.claim import Claim
from reseed.comparison.claims.estimates import NO_NULL, Estimate, Sample
from reseed.comparison.claims.formatting import format_level
from reseed.plugins.options import Arms as Options
from reseed.report.exhibits.curves_figure import NOTHING, measure_in_text, measure_title
from reseed.report.rendering import coverage, numbers
from reseed.report.rendering.arms import cells, select_rows
from reseed.report.rendering.data import ExhibitData, footnote, require_rows
from reseed.report.rendering.tables import Rows, Table

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
            f" {format_level(level)} intervals: {coverage.COUNTS}, and order statistics of the"
            " epochs, likewise."
            " Never: a run ended before it got there. With restarts: mean number of epochs until"
            " success if a run that fails is followed by one with a new seed.",
            _broken(raw),
            per="arm",
        ),
        claims=_claims(data, rows),
    )


def _broken(arms: list[pd.Series]) -> str:
    """Sentence on failed runs, which count here but not in final values; empty without any."""
    broken = int(sum(row["broken"] for row in arms))
    if not broken:
        return ""
    runs = numbers.counted(broken, "failed run")
    return f"{runs} with a curve: among those that never reach it, not among the final values."


def _claims(data: ExhibitData, rows: pd.DataFrame) -> list[Claim]:
    """Shares of runs that reach the target, and epochs with restarts, by dataset."""
    arms = [(title, part.iloc[0]) for title, part in cells(data, rows)]
    every = pd.DataFrame([row for _, row in arms])
    titled = pd.Series([title for title, _ in arms], every.index)
    found = []
    for number, (_, part) in enumerate(every.groupby(["dataset", "target"], sort=False)):
        end = f"_{number + 1}" if number else ""
        found.append(
            Claim(
                f"reach{end}",
                "the share of runs that reach a {measure} of {target} is {estimates}",
                part,
                {
                    "measure": phrases.name(measure_in_text(part["measure"].iloc[0])),
                    "target": phrases.setting(part["target"].iloc[0], "{:.3g}".format),
                },
                Sample.of(part, "n", "run"),
                "Runs that reach the target: {values}",
                show=numbers.rounded_percent,
                statistic="share of runs",
                null=NO_NULL,
                estimates=Estimate.of_rows(part, titled[part.index], "share", (0, 1)),
            )
        )
        ended = part[np.isfinite(part["restarts"].astype(float))]
        if len(ended):
            epochs = phrases.listed(
                ended, "restarts", _epochs, titled[ended.index], is_comparable=True
            )
            found.append(
                Claim(
                    f"restarts{end}",
                    "with restarts it takes {epochs} on average to reach it",
                    ended,
                    {"epochs": epochs},
                    Sample.of(ended, "n", "run"),
                    statistic="expected epochs",
                )
            )
    return found


def _epochs(value: float) -> str:
    return f"{_epoch(value)} epochs"


def _epoch(value: float) -> str:
    if not math.isfinite(value):
        return "never"
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
