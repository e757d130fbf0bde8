"""Instability, wins, family-wise error and cost of each decision rule (protocol, Table 3)."""

from __future__ import annotations

import pandas as pd

from reseed.plugins.options import Experiments as Options
from reseed.rendering import numbers
from reseed.rendering.data import ExhibitData, footnote
from reseed.rendering.settings import settings
from reseed.rendering.tables import Rows, Table

TITLES = {
    "single": "One run, the higher wins",
    "written": "Protocol as written",
    "corrected": "Corrected protocol",
}
#: Names of the tests for studies that reproduce no paper.
_TESTS = {
    "written": "Uncorrected (Wilcoxon, Holm)",
    "corrected": "Corrected resampled t, Holm",
}

DRAWS = ("protocol",)

# Fewest simulated experiments for an error rate in the heading.
_LEAST = 100


def table(data: ExhibitData, options: Options) -> Table:
    """One row for each decision rule and setting."""
    known = data.require_rows(
        data.no_pairs("No two models share folds and seeds at this scale."),
        options.experiments,
        keep=lambda rows: rows["reason"] == "",
    )
    titles = TITLES if data.info.is_reproduction else TITLES | _TESTS
    lines = Rows()
    for title, part in settings(data, known):
        for _, row in part.iterrows():
            lines.add({"Way of deciding": titles[row["setting"]]} | _line(row), title)
    note = footnote(
        data,
        known,
        f"Level {known['alpha'].iloc[0]:g}. Instability: share of evaluations whose order of two"
        " models is not that of all trials' means (of the tests: means over all folds, a seed drawn"
        " for each). Error: share of experiments with equal models in which any is called better."
        " A/A: seeds of one model pose as models on these very rows. Simulated: equally good models"
        f" split likewise on fresh samples of {numbers.from_to(known['items'])} rows. In brackets:"
        " 95 % intervals. Cost: training time by that of one run of each model.",
    )
    return lines.table(
        data,
        data.rows(options.experiments),
        note,
        findings=_findings(data, known),
        headline=_headline(data, known),
    )


def _line(row: pd.Series) -> dict:
    return {
        "Instability": numbers.percent(row["instability"], 1),
        "Wins": f"{row['wins']:.1f} / {row['pairs']:.0f}",
        "Error, A/A": numbers.percent(row["aa"], 1),
        "Error, simulated": f"{numbers.percent(row['simulated'], 1)}"
        f" [{100 * row['simulated_low']:.1f}, {100 * row['simulated_high']:.1f}]",
        "Runs a model": f"{row['runs']:,.0f}",
        "Cost": f"{row['overhead']:.1f} ×" if pd.notna(row["overhead"]) else numbers.NONE,
    }


def _ways(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """The rows of each decision rule, one for each setting."""
    return {name: rows[rows["setting"] == name] for name in TITLES}


def _shares(rows: pd.DataFrame, name: str) -> str:
    return numbers.from_to(rows[name], lambda share: numbers.percent(share, 1))


def _headline(data: ExhibitData, rows: pd.DataFrame) -> str:
    ways = _ways(rows)
    if ways["written"]["simulations"].min() < _LEAST:
        return ""
    promised = numbers.percent(rows["alpha"].iloc[0])
    written, corrected = (
        numbers.from_to(ways[name]["simulated"], numbers.percent)
        for name in ("written", "corrected")
    )
    if not data.info.is_reproduction:
        return f"On equally good models: uncorrected wrong in {written}, corrected in {corrected}"
    return f"Promised to err in {promised}: as written in {written}, corrected in {corrected}"


def _findings(data: ExhibitData, rows: pd.DataFrame) -> list[str]:
    """Error rate and cost over all settings, then instability."""
    ways = _ways(rows)
    single, written, corrected = ways.values()
    titles = [title for title, _ in settings(data, rows)]
    where = f"on {titles[0]}" if len(titles) == 1 else f"in {len(titles)} settings"
    count = numbers.from_to(written["simulations"])
    cost = ""
    if written["overhead"].notna().any():
        cost = f"; it costs {numbers.from_to(written['overhead'])} times a single run"
    averaged = ""
    if written["instability"].notna().any():  # several seeds
        averaged = f"; with all folds, one seed for each, {_shares(written, 'instability')}"
    test = "the protocol as written" if data.info.is_reproduction else "the uncorrected test"
    return [
        f"On equally good models {test} calls one better in"
        f" {_shares(written, 'simulated')} of {count} simulated experiments {where} (promised:"
        f" {numbers.percent(rows['alpha'].iloc[0])}), corrected in"
        f" {_shares(corrected, 'simulated')}{cost}.",
        f"With one run, {_shares(single, 'instability')} of evaluations turn the order of two"
        f" models round{averaged} ({where}, {numbers.from_to(written['runs'])} runs of each"
        " model).",
    ]
