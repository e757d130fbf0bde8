"""Training time of each arm relative to a baseline."""

from __future__ import annotations

import pandas as pd
from reseed.plugins.options import Experiments as Options
from reseed.rendering import numbers
from reseed.rendering.arms import arm_title
from reseed.rendering.data import ExhibitData, footnote, require_rows
from reseed.rendering.headlines import LEAST
from reseed.rendering.settings import settings
from reseed.rendering.tables import Rows, Table

DRAWS = ("papers.protocol.training_time:analyse",)


def table(data: ExhibitData, options: Options) -> Table:
    """One row for each arm and setting, with the baseline."""
    rows = data.rows(options.experiments)
    known = require_rows(
        rows if rows.empty else rows[rows["reason"] == ""],
        "No two arms were trained on the same split and seeds.",
    )
    lines = Rows()
    for title, part in settings(data, known):
        for _, row in part.iterrows():
            lines.add(_line(data, row), title)
    level = 100 * known["level"].iloc[0]
    text = (
        "Time: median seconds of a training. By the other: geometric mean over runs on the same"
        f" split and seeds, with its {level:g} % t interval. Whatever else ran on the machine is"
        " in it. Same outputs: such runs of the two that gave the same, bit by bit."
    )
    return lines.table(
        data,
        rows,
        footnote(data, known, text, per="arm"),
        text_columns=2,
        findings=[_finding(data, row) for _, row in known.iterrows()],
        headline=_headline(data, known),
    )


def _headline(data: ExhibitData, rows: pd.DataFrame) -> str:
    known = rows[rows["n"] >= LEAST]
    if known.empty:
        return ""
    if len(known) > 1:
        times = numbers.from_to(known["ratio"], numbers.ratio)
        return f"{times} times the training time of the other, in {len(known)} comparisons"
    row = known.iloc[0]
    arm = arm_title(data, row["arm"], row["experiment"])
    return f"{arm}: {_times(row)} times the training time"


def _times(row: pd.Series) -> str:
    places = numbers.decimals([row["ratio"]])
    return numbers.with_interval(row["ratio"], row["low"], row["high"], places)


def _line(data: ExhibitData, row: pd.Series) -> dict:
    places = numbers.decimals([row["seconds"], row["baseline_seconds"]])
    return {
        "Trained": arm_title(data, row["arm"], row["experiment"]),
        "Beside": arm_title(data, row["baseline"], row["experiment"]),
        "Time": f"{row['seconds']:,.{places}f} s",
        "The other's": f"{row['baseline_seconds']:,.{places}f} s",
        "By the other": _times(row),
        "Same outputs": numbers.NONE
        if pd.isna(row["same_outputs"])
        else f"{row['same_outputs']:.0f} of {row['n']:.0f}",
        "Runs": f"{row['n']:.0f}",
    }


def _finding(data: ExhibitData, row: pd.Series) -> str:
    arm, baseline = (arm_title(data, row[name], row["experiment"]) for name in ("arm", "baseline"))
    return (
        f"{arm} on {data.dataset(row['dataset'])}: {_times(row)} times the training time of"
        f" {baseline} ({row['n']:.0f} runs of each)."
    )
