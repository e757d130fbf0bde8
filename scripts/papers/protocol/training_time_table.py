"""Training time of each arm relative to a baseline."""

from __future__ import annotations

import pandas as pd
from reseed.comparison.claims.formatting import format_level
from reseed.plugins.options import Experiments as Options
from reseed.report.rendering import numbers
from reseed.report.rendering.arms import arm_title
from reseed.report.rendering.data import ExhibitData, footnote, require_rows
from reseed.report.rendering.settings import group_by_setting
from reseed.report.rendering.tables import Rows, Table, TableRow

from papers.protocol.training_time import TimeRow

DRAWS = ("papers.protocol.training_time:analyse",)


def table(data: ExhibitData, options: Options) -> Table:
    """One row for each arm and setting, with the baseline."""
    rows = data.rows(options.experiments)
    known = TimeRow.select(rows, lambda row: row.reason == "")
    require_rows(known, "No two arms were trained on the same split and seeds.")
    lines = Rows()
    for title, part in group_by_setting(data, known):
        for row in TimeRow.read(part):
            lines.add(_line(data, row), title)
    level = format_level(TimeRow.read_first(known).level)
    text = (
        "Time: median seconds of a training. Ratio: geometric mean over runs on the same"
        f" split and seeds, with its {level} t interval. It depends on what"
        " else ran on the machine. Same outputs: such runs with bitwise equal outputs."
    )
    return lines.table(
        data,
        rows,
        footnote(data, known, text, per="arm"),
        text_columns=2,
    )


def _times(row: TimeRow) -> str:
    places = numbers.decimals([row.ratio])
    return numbers.with_interval(row.ratio, row.low, row.high, places)


def _line(data: ExhibitData, row: TimeRow) -> TableRow:
    places = numbers.decimals([row.seconds, row.baseline_seconds])
    return {
        "Arm": arm_title(data, row.arm, row.experiment),
        "Baseline": arm_title(data, row.baseline, row.experiment),
        "Time": f"{row.seconds:,.{places}f} s",
        "Time, baseline": f"{row.baseline_seconds:,.{places}f} s",
        "Ratio": _times(row),
        "Same outputs": numbers.NONE
        if pd.isna(row.same_outputs)
        else f"{row.same_outputs:.0f} of {row.n:.0f}",
        "Runs": f"{row.n:.0f}",
    }
