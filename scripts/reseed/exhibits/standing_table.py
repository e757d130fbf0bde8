"""Published scores within the distribution over seeds."""

from __future__ import annotations

import math

import pandas as pd

from reseed.plugins.options import Experiments as Options
from reseed.rendering import coverage, numbers
from reseed.rendering.arms import cell_titles
from reseed.rendering.data import ExhibitData, footnote, require_rows
from reseed.rendering.headlines import LEAST
from reseed.rendering.settings import metric_title
from reseed.rendering.tables import Rows, Table

DRAWS = ("standing",)


def table(data: ExhibitData, options: Options) -> Table:
    """One row for each published score and arm."""
    rows = data.rows(options.experiments)
    known = require_rows(
        rows if rows.empty else rows[rows["reason"] == ""],
        "None of the given scores belongs to an arm that was run here.",
    )
    titles = cell_titles(data, known)
    lines = Rows()
    for title, (_, row) in zip(titles, known.iterrows(), strict=True):
        lines.add(_line(title, row))
    level = known["level"].max()
    missing = rows[rows["reason"] != ""]
    return lines.table(
        data,
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
        findings=_findings(titles, known),
        headline=_headline(titles, known),
    )


def _line(title: str, row: pd.Series) -> dict:
    digits = numbers.decimals([row["sd"]], least=3)
    best = "more than were run" if math.isinf(row["best_of"]) else f"{row['best_of']:,.0f}"
    return {
        "Arm": title,
        "Source": row["source"],
        "Score": f"{numbers.fixed(row['score'], digits)} {metric_title(row['metric'])}",
        "Seeds here, mean ± SD": f"{numbers.plus_minus(row['mean'], row['sd'], digits)}"
        f" (n = {row['n']:,.0f})",
        "Beats": numbers.share_with_interval(row, "percentile"),
        "Best of": best,
        "SD from the mean": numbers.fixed(row["sds"], 1),
    }


def _headline(titles: list[str], rows: pd.DataFrame) -> str:
    enough = rows[rows["n"] >= LEAST]
    if enough.empty:
        return ""
    beats = numbers.from_to(enough["percentile"], numbers.percent)
    if len(enough) > 1:
        return f"{len(enough)} given scores beat {beats} of their own seeds"
    row = enough.iloc[0]
    arm = titles[rows.index.get_loc(row.name)]
    return f"{arm}: {row['score']:g} beats {beats} of {row['n']:,.0f} seeds"


def _findings(titles: list[str], rows: pd.DataFrame) -> list[str]:
    return [
        f"{title}, {row['source']}: {row['score']:g} beats {numbers.percent(row['percentile'])} of"
        f" {row['n']:,.0f} of its own seeds (interval"
        f" {numbers.from_to(row[['percentile_low', 'percentile_high']], numbers.percent)})."
        for title, (_, row) in zip(titles, rows.iterrows(), strict=True)
    ]
