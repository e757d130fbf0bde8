"""Mean, SD, worst and best of many seeds, against a Gaussian [Picard, Tables 1 and 2]."""

from __future__ import annotations

import math

import pandas as pd

from reseed.exhibits import numbers
from reseed.exhibits.arms import cell_title, chosen
from reseed.exhibits.data import ExhibitData, footnote
from reseed.exhibits.settings import metric_title
from reseed.exhibits.tables import Table, empty_table
from reseed.options import Arms
from reseed.stats.spread import expected_gaussian_range
from reseed.verdicts import p_text

DRAWS = ("extremes",)


class Options(Arms):
    """Which experiments and arms are shown."""


def table(data: ExhibitData, options: dict) -> Table:
    """One row an arm; below it the paper's numbers where the arm repeats one of its rows."""
    rows = chosen(data, options)
    rows = rows if rows.empty else rows[rows["n"] > 1]
    if rows.empty:
        return empty_table(data, "No arm has two finished seeds at this scale.")
    shown, sections = [], []
    places = {d: numbers.decimals(part["sd"], least=3) for d, part in rows.groupby("dataset")}
    for _, row in rows.iterrows():
        digits = places[row["dataset"]]
        shown.append(_line(cell_title(data, rows, row), row, digits))
        if math.isfinite(row["published_mean"]):
            shown.append(_published(row, digits))
        section = f"{data.dataset(row['dataset'])}, {metric_title(row['metric'])}"
        sections += [section] * (len(shown) - len(sections))
    level = rows["level"].max()
    reasons = sorted({reason for reason in rows["reason"] if reason})
    return Table(
        data,
        pd.DataFrame(shown),
        rows,
        footnote(
            data,
            rows,
            "Range in SD: worst to best over the SD; Gaussian: its mean in Gaussian samples of that"
            " size; p: share of them with a range at least as large. A range grows with the number"
            " of seeds: compare it with the Gaussian beside it, not with another row.",
            f"Within: share of all seeds that lie between worst and best, at least, with"
            f" confidence {100 * level:g} % (whatever the distribution).",
            f"Not judged: {'; '.join(reasons)}." if reasons else "",
            per="arm",
        ),
        sections=sections,
        findings=_findings(data, rows),
    )


def _line(title: str, row: pd.Series, digits: int) -> dict:
    return {
        "Arm": title,
        "n": numbers.seeds(int(row["n"]), int(row["failed"])),
        "Mean ± SD": f"{row['mean']:.{digits}f} ± {row['sd']:.{digits}f}",
        "Minimum": numbers.fixed(row["min"], digits),
        "Maximum": numbers.fixed(row["max"], digits),
        "Range": numbers.fixed(row["range"], digits),
        "Range in SD": numbers.fixed(row["range_in_sd"], 2),
        "Gaussian": numbers.fixed(row["range_in_sd_expected"], 2),
        "p": p_text(row["range_p"]).replace("below", "<") if row["range_p"] == row["range_p"]
        else numbers.NONE,
        "Tails": row["tail"] or numbers.NONE,
        "Within": numbers.percent(row["inside_low"], 1),
    }  # fmt: skip


def _published(row: pd.Series, digits: int) -> dict:
    mean, sd, low, high, n = (
        row[f"published_{name}"] for name in ("mean", "std", "min", "max", "seeds")
    )
    return {
        "Arm": "  as published",
        "n": f"{n:,.0f}",
        "Mean ± SD": f"{mean:.{digits}f} ± {sd:.{digits}f}",
        "Minimum": numbers.fixed(low, digits),
        "Maximum": numbers.fixed(high, digits),
        "Range": numbers.fixed(high - low, digits),
        "Range in SD": numbers.fixed((high - low) / sd, 2),
        "Gaussian": numbers.fixed(float(expected_gaussian_range(int(n))), 2),
        "p": numbers.NONE,
        "Tails": numbers.NONE,
        "Within": numbers.NONE,
    }


def _findings(data: ExhibitData, rows: pd.DataFrame) -> list[str]:
    judged = rows[rows["range_ratio"].notna()]
    if judged.empty:
        return []
    beyond = judged[judged["range_p"] < 0.05]
    found = [
        f"From worst to best seed it is {judged['range_in_sd'].min():.1f} to"
        f" {judged['range_in_sd'].max():.1f} SD; a Gaussian sample of the same size has"
        f" {judged['range_in_sd_expected'].min():.1f} to"
        f" {judged['range_in_sd_expected'].max():.1f} on average. The range is larger than a"
        f" Gaussian's (p < 0.05, each for itself) in {len(beyond)} of {len(judged)} arms"
    ]
    names = [cell_title(data, rows, row) for _, row in beyond.iterrows()]
    found[0] += f": {numbers.several(names)}." if len(beyond) else "."
    return found
