"""Each model's score with its interval over folds (protocol, Tables 1 and 2)."""

from __future__ import annotations

import pandas as pd

from reseed.exhibits import coverage, numbers
from reseed.exhibits.arms import arm_title
from reseed.exhibits.data import ExhibitData, footnote
from reseed.exhibits.settings import metric_title, settings
from reseed.exhibits.tables import Table, empty_table
from reseed.options import Experiments

DRAWS = ("fold_scores",)


class Options(Experiments):
    """Which experiments are shown."""


def table(data: ExhibitData, options: dict) -> Table:
    """One row a model in each setting: the protocol's interval and the corrected one."""
    rows = data.rows(options.get("experiments"))
    if rows.empty:
        return empty_table(data, "No model was run on two splits or more at this scale.")
    shown, sections = [], []
    for title, part in settings(data, rows):
        places = numbers.decimals(part["sd_folds"], least=3)
        for _, row in part.sort_values("mean", ascending=not _up(part)).iterrows():
            shown.append(_line(data, row, places))
            sections.append(f"{title}, {metric_title(row['metric'])}")
    note = footnote(
        data,
        rows.rename(columns={"arm": "model"}),
        f"Mean over folds and repeats, seeds averaged first. Intervals at"
        f" {100 * rows['level'].max():g} %. BCa: over {rows['n_boot'].max():,} resamples of the"
        " folds, as the protocol has it; it takes folds that share training rows for independent"
        " and is too narrow (over 5×2 folds it covers 73 to 75 %). Corrected: Nadeau and Bengio's.",
        coverage.CORRECTED,
        "SD over seeds: within a fold, root mean square. One fold: what a single run would have"
        " told, on the first of them.",
    )
    return Table(data, pd.DataFrame(shown), rows, note, sections=sections)


def _up(part: pd.DataFrame) -> bool:
    return bool(part["greater_is_better"].iloc[0])


def _line(data: ExhibitData, row: pd.Series, places: int) -> dict:
    return {
        "Model": arm_title(data, row["arm"]),
        f"Seed {row['single_seed']:.0f}, one fold": numbers.fixed(row["single"], places),
        "Mean": numbers.fixed(row["mean"], places),
        "BCa, as written": numbers.interval(row["bca_low"], row["bca_high"], places),
        "Corrected": numbers.interval(row["low"], row["high"], places),
        "SD over folds": numbers.fixed(row["sd_folds"], places),
        "SD over seeds": numbers.fixed(row["sd_seeds"], places),
        "Folds": f"{row['folds']:,.0f}",
        "Runs": numbers.seeds(int(row["runs"]), int(row["failed"])),
    }
