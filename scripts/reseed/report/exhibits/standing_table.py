"""Published scores within the distribution over seeds."""

from __future__ import annotations

import math

import pandas as pd

from reseed.comparison.claims import phrases
from reseed.comparison.claims.claim import Claim, Estimate, Sample
from reseed.comparison.claims.phrases import Phrase
from reseed.plugins.options import Experiments as Options
from reseed.report.rendering import coverage, numbers
from reseed.report.rendering.arms import cell_titles
from reseed.report.rendering.data import ExhibitData, footnote, require_rows
from reseed.report.rendering.headlines import LEAST
from reseed.report.rendering.settings import metric_title
from reseed.report.rendering.tables import Rows, Table, TableRow

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
        claims=_claims(titles, known),
    )


def _line(title: str, row: pd.Series) -> TableRow:
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


def _claims(titles: list[str], rows: pd.DataFrame) -> list[Claim]:
    """The share of its own seeds that each given score beats."""
    enough = rows[rows["n"] >= LEAST]
    found = []
    if len(enough) > 1:
        text = "{scores} beat {beats} of their own seeds"
        names = {
            "scores": phrases.count(enough, "given score"),
            "beats": phrases.extent(enough, "percentile", numbers.percent, is_comparable=True),
        }
        sample = Sample.of(enough, "n", "seed")
        found.append(
            Claim("percentiles", f"{text} ({{n}} each).", enough, names, sample, headline=text)
        )
    for number, (title, index) in enumerate(zip(titles, rows.index, strict=True), 1):
        row = rows.loc[[index]]
        ends = (row["percentile_low"].iloc[0], row["percentile_high"].iloc[0])
        names = {
            "where": phrases.name(title),
            "source": phrases.name(row["source"].iloc[0]),
            "score": phrases.single(row, "score", "{:g}".format),
            "beats": phrases.single(row, "percentile", numbers.percent),
            "ends": Phrase(numbers.from_to(ends, numbers.percent), "each", (index,)),
        }
        found.append(
            Claim(
                f"percentile_{number}",
                "{where}, {source}: {score} beats {beats} of its own seeds ({n}, interval {ends}).",
                row,
                names,
                Sample.of(row, "n", "seed"),
                headline="{where}: {score} beats {beats} of {n}"
                if len(enough) == 1 and index in enough.index
                else "",
                statistic="percentile",
                null="the median seed, 50 %",
                estimates=[
                    Estimate.truncated(
                        title, row["percentile"].iloc[0], ends, row["level"].iloc[0], (0.0, 1.0)
                    )
                ],
            )
        )
    return found
