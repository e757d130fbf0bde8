"""Instability, declared wins, family-wise error and cost of each way of deciding (Table 3)."""

from __future__ import annotations

import pandas as pd

from reseed.exhibits import numbers
from reseed.exhibits.data import ExhibitData, footnote
from reseed.exhibits.settings import settings
from reseed.exhibits.tables import Table, empty_table
from reseed.options import Experiments

TITLES = {
    "single": "One run, the higher wins",
    "written": "Protocol as written",
    "corrected": "Corrected protocol",
}


DRAWS = ("protocol",)


class Options(Experiments):
    """Which experiments are shown."""


def table(data: ExhibitData, options: dict) -> Table:
    """One row a way of deciding in each setting."""
    rows = data.rows(options.get("experiments"))
    known = rows if rows.empty else rows[rows["reason"] == ""]
    if known.empty:
        return empty_table(data, "No two models share folds and seeds at this scale.")
    shown, sections = [], []
    for title, part in settings(data, known):
        for _, row in part.iterrows():
            shown.append(_line(row))
            sections.append(title)
    first = known.iloc[0]
    note = footnote(
        data,
        known,
        f"Level {first['alpha']:g}. Instability: share of evaluations whose order of two models is"
        " not that of all trials' means (of the protocols: means over all folds, a seed drawn for"
        " each). Error: share of experiments with equal models in which any is called better. A/A:"
        " seeds of one model pose as models on these very rows. Simulated: equally good models"
        f" cross-validated on fresh samples of {first['items']:,.0f} rows. In brackets: 95 %"
        " intervals. Cost: training time by that of one run of each model.",
    )
    return Table(
        data, pd.DataFrame(shown), rows, note, sections=sections, findings=_findings(data, known)
    )


def _line(row: pd.Series) -> dict:
    return {
        "Way of deciding": TITLES[row["setting"]],
        "Instability": numbers.percent(row["instability"], 1),
        "Wins": f"{row['wins']:.1f} / {row['pairs']:.0f}",
        "Error, A/A": numbers.percent(row["aa"], 1),
        "Error, simulated": f"{numbers.percent(row['simulated'], 1)}"
        f" [{100 * row['simulated_low']:.1f}, {100 * row['simulated_high']:.1f}]",
        "Runs a model": f"{row['runs']:,.0f}",
        "Cost": f"{numbers.fixed(row['overhead'], 1)} ×",
    }


def _findings(data: ExhibitData, rows: pd.DataFrame) -> list[str]:
    found = []
    for title, part in settings(data, rows):
        by_way = part.set_index("setting")
        single, written, corrected = (by_way.loc[name] for name in TITLES)
        found.append(
            f"{title}: on equally good models the protocol as written calls one better in"
            f" {numbers.percent(written['simulated'], 1)} of simulated experiments (promised:"
            f" {numbers.percent(written['alpha'])}), corrected in"
            f" {numbers.percent(corrected['simulated'], 1)}; it costs"
            f" {written['overhead']:.0f} times a single run."
        )
        found.append(
            f"{title}: with one run, {numbers.percent(single['instability'], 1)} of evaluations"
            f" turn the order of two models round; with all folds, one seed for each,"
            f" {numbers.percent(written['instability'], 1)}."
        )
    return list(dict.fromkeys(found))
