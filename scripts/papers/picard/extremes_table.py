"""Mean, SD, worst and best of many seeds, against a Gaussian [Picard, Tables 1 and 2]."""

from __future__ import annotations

import math

import pandas as pd
from reseed.analyses.shared.data import greater_is_better
from reseed.plugins.options import Arms as Options
from reseed.rendering import numbers
from reseed.rendering.arms import cell_titles, select_rows
from reseed.rendering.data import ExhibitData, footnote, require_rows
from reseed.rendering.settings import metric_title, p_cell
from reseed.rendering.tables import Rows, Table
from reseed.stats.gaussian_range import expected_gaussian_range

DRAWS = ("papers.picard.extremes:analyse",)

# Level at which a range is larger than a Gaussian's.
_ALPHA = 0.05
#: Fewest seeds for a range in the heading.
LEAST = 10
# Values of the analysis for tails that are not Gaussian.
_TAILS = ("heavier", "lighter")
# Most arms that are named; with more, they are counted.
_NAMED = 4


def table(data: ExhibitData, options: Options) -> Table:
    """One row for each arm, followed by the published numbers of the same row."""
    rows = select_rows(data, options)
    rows = require_rows(
        rows if rows.empty else rows[rows["n"] > 1], "No arm has two finished seeds at this scale."
    )
    lines = Rows()
    places = {d: numbers.decimals(part["sd"], least=3) for d, part in rows.groupby("dataset")}
    for title, (_, row) in zip(cell_titles(data, rows), rows.iterrows(), strict=True):
        digits = places[row["dataset"]]
        section = f"{data.dataset(row['dataset'])}, {metric_title(row['metric'])}"
        lines.add(_line(title, row, digits), section)
        if math.isfinite(row["published_mean"]):
            lines.add(_published(row, digits), section)
    level = rows["level"].max()
    reasons = sorted({reason for reason in rows["reason"] if reason})
    return lines.table(
        data,
        rows,
        footnote(
            data,
            rows,
            "Range in SD: worst to best over the SD; Gaussian: its mean in Gaussian samples of that"
            " size; p: share of them with a range at least as large. A range grows with the number"
            " of seeds: compare it with the Gaussian in its row, not with another row.",
            f"Within: share of all seeds that lie between worst and best, at least, with"
            f" confidence {100 * level:g} % (whatever the distribution).",
            f"Not judged: {'; '.join(reasons)}." if reasons else "",
            per="arm",
        ),
        findings=_findings(data, rows),
        headline=_headline(rows),
    )


def _line(title: str, row: pd.Series, digits: int) -> dict:
    return {
        "Arm": title,
        "n": numbers.seeds(int(row["n"]), int(row["failed"])),
        "Mean ± SD": numbers.plus_minus(row["mean"], row["sd"], digits),
        "Minimum": numbers.fixed(row["min"], digits),
        "Maximum": numbers.fixed(row["max"], digits),
        "Range": numbers.fixed(row["range"], digits),
        "Range in SD": numbers.fixed(row["range_in_sd"], 2),
        "Gaussian": numbers.fixed(row["range_in_sd_expected"], 2),
        "p": p_cell(row["range_p"]),
        "Tails": row["tail"] or numbers.NONE,
        "Within": numbers.percent(row["inside_low"], 1),
    }


def _published(row: pd.Series, digits: int) -> dict:
    mean, sd, low, high, n = (
        row[f"published_{name}"] for name in ("mean", "std", "min", "max", "seeds")
    )
    return {
        "Arm": "  as published",
        "n": f"{n:,.0f}",
        "Mean ± SD": numbers.plus_minus(mean, sd, digits),
        "Minimum": numbers.fixed(low, digits),
        "Maximum": numbers.fixed(high, digits),
        "Range": numbers.fixed(high - low, digits),
        "Range in SD": numbers.fixed((high - low) / sd, 2),
        "Gaussian": numbers.fixed(float(expected_gaussian_range(int(n))), 2),
        "p": numbers.NONE,
        "Tails": numbers.NONE,
        "Within": numbers.NONE,
    }


def _beyond(rows: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """(arms with a tested range, those whose range exceeds a Gaussian's)."""
    judged = rows[rows["range_ratio"].notna()]
    return judged, judged[judged["range_p"] < _ALPHA]


def _headline(rows: pd.DataFrame) -> str:
    judged, beyond = _beyond(rows)
    if judged.empty or judged["n"].min() < LEAST:
        return ""
    n = numbers.from_to(judged["n"])
    if len(judged) == 1:
        phrase = "is larger than" if len(beyond) else "is not shown to exceed"
        return f"The range over {n} seeds {phrase} a Gaussian’s"
    return (
        f"A range beyond a Gaussian’s is shown in {len(beyond)} of {len(judged)} arms ({n} seeds)"
    )


def _findings(data: ExhibitData, rows: pd.DataFrame) -> list[str]:
    judged, beyond = _beyond(rows)
    if judged.empty:
        return []
    titles = dict(zip(rows.index, cell_titles(data, rows), strict=True))
    gaussian = numbers.from_to(judged["range_in_sd_expected"], "{:.1f}".format)
    named = numbers.several(titles[i] for i in beyond.index)
    found = [
        f"From worst to best seed it is {_ends(data, judged, titles)}; Gaussian samples of the"
        f" same size have {gaussian} SD on average. A range larger than theirs (p < {_ALPHA:g},"
        f" each for itself) is shown for {numbers.part_of(len(beyond), len(judged), 'arm')}"
        + (f": {named}." if len(beyond) else ".")
    ]
    tails = [f"{row['tail']} for {titles[i]}" for i, row in judged.iterrows()
             if row["tail"] in _TAILS]  # fmt: skip
    if tails:
        found.append(f"Tails that are not a Gaussian's: {numbers.several(tails)}.")
    return found


def _ends(data: ExhibitData, judged: pd.DataFrame, titles: dict) -> str:
    """Worst and best score of each arm with its n, in SDs; many arms are counted."""
    if len(judged) > _NAMED:
        in_sd = numbers.from_to(judged["range_in_sd"], "{:.1f}".format)
        return f"{in_sd} SD ({len(judged)} arms of {numbers.from_to(judged['n'])} seeds)"
    places = numbers.decimals(judged["sd"], least=3)
    phrase = []
    for i, row in judged.iterrows():
        up = greater_is_better(data.info, row["metric"])
        worst, best = row[["min", "max"] if up else ["max", "min"]]
        phrase.append(
            f"{numbers.fixed(worst, places)} to {numbers.fixed(best, places)} for {titles[i]}"
            f" ({row['n']:,.0f} seeds, {row['range_in_sd']:.1f} SD)"
        )
    return numbers.several(phrase)
