"""Published scores among their own seeds."""

from __future__ import annotations

import math

import pandas as pd

from reseed.options import Experiments
from reseed.rendering import coverage, numbers
from reseed.rendering.arms import arm_title
from reseed.rendering.data import ExhibitData, footnote
from reseed.rendering.headlines import LEAST
from reseed.rendering.settings import metric_title
from reseed.rendering.tables import Table, empty_table

DRAWS = ("standing",)


class Options(Experiments):
    """Which experiments are shown."""


def table(data: ExhibitData, options: dict) -> Table:
    """One row a given score and arm."""
    rows = data.rows(options.get("experiments"))
    known = rows if rows.empty else rows[rows["reason"] == ""]
    if known.empty:
        return empty_table(data, "None of the given scores belongs to an arm that was run here.")
    several = known["dataset"].nunique() > 1
    shown = [_line(data, row, several) for _, row in known.iterrows()]
    level = known["level"].max()
    missing = rows[rows["reason"] != ""]
    return Table(
        data,
        pd.DataFrame(shown),
        rows,
        footnote(
            data,
            known,
            f"Beats: share of the arm's own seeds that score worse, ties half, with a"
            f" {100 * level:g} % interval by {coverage.COUNTS}. Best of: how many seeds"
            " one has to run for the best of them to be as good on average. A score from"
            " another machine, library or split is no draw from these seeds: a percentile near 0 or"
            " 100 % may say that first.",
            f"Not placed: {'; '.join(f'{r.arm} ({r.reason})' for r in missing.itertuples())}."
            if len(missing)
            else "",
        ),
        text_columns=2,
        findings=_findings(data, known),
        headline=_headline(data, known),
    )


def _line(data: ExhibitData, row: pd.Series, several: bool) -> dict:
    arm = arm_title(data, row["arm"], row["experiment"])
    digits = numbers.decimals([row["sd"]], least=3)
    low, high = 100 * row["percentile_low"], 100 * row["percentile_high"]
    best = "more than were run" if math.isinf(row["best_of"]) else f"{row['best_of']:,.0f}"
    return {
        "Arm": f"{arm}, {data.dataset(row['dataset'])}" if several else arm,
        "Source": row["source"],
        "Score": f"{row['score']:.{digits}f} {metric_title(row['metric'])}",
        "Seeds here, mean ± SD": f"{row['mean']:.{digits}f} ± {row['sd']:.{digits}f}"
        f" (n = {row['n']:,.0f})",
        "Beats": f"{numbers.rounded_percent(row['percentile'])} [{low:.0f}, {high:.0f}]",
        "Best of": best,
        "SD from the mean": numbers.fixed(row["sds"], 1),
    }


def _headline(data: ExhibitData, rows: pd.DataFrame) -> str:
    enough = rows[rows["n"] >= LEAST]
    if enough.empty:
        return ""
    beats = numbers.from_to(enough["percentile"], numbers.percent)
    if len(enough) > 1:
        return f"{len(enough)} given scores beat {beats} of their own seeds"
    row = enough.iloc[0]
    arm = arm_title(data, row["arm"], row["experiment"])
    return f"{arm}: {row['score']:g} beats {beats} of {row['n']:,.0f} seeds"


def _findings(data: ExhibitData, rows: pd.DataFrame) -> list[str]:
    return [
        f"{arm_title(data, row['arm'], row['experiment'])}, {row['source']}: {row['score']:g} beats"
        f" {numbers.percent(row['percentile'])} of {row['n']:,.0f} of its own seeds (interval"
        f" {numbers.from_to(row[['percentile_low', 'percentile_high']], numbers.percent)})."
        for _, row in rows.iterrows()
    ]
