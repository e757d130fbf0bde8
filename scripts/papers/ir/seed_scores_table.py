"""Scores over seeds, model by model, with a row for a constant prediction."""

from __future__ import annotations

import pandas as pd
from reseed.plugins.options import Experiments as Options
from reseed.rendering import numbers
from reseed.rendering.arms import TEST_SET_KEY, arm_title, cells, group_title, titled_groups
from reseed.rendering.data import ExhibitData, footnote, require_rows
from reseed.rendering.headlines import LEAST
from reseed.rendering.settings import cell_noun
from reseed.rendering.tables import Rows, Table

METRICS = {
    "accuracy": "Accuracy",
    "macro_precision": "Precision (macro)",
    "macro_recall": "Recall (macro)",
    "macro_f1": "F1 (macro)",
}


DRAWS = ("papers.ir.seed_scores:analyse",)


def table(data: ExhibitData, options: Options) -> Table:
    """One row for each model and test set, then one for predicting the most frequent class."""
    rows = require_rows(
        data.rows(options.experiments), "No per-item scores of a classifier at this scale."
    )
    lines = Rows()
    for title, part in by_test_set(data, rows):
        for name, cell in cells(data, part):
            line = _line(name, cell.set_index("metric"))
            lines.add(line, title)
        known = part.dropna(subset="majority").drop_duplicates("metric").set_index("metric")
        if len(known):
            constant = {name: f"{known['majority'][m]:.3f}" for m, name in METRICS.items()}
            own = {"Model": "The commonest class, always"} | constant
            lines.add(dict.fromkeys(line, "") | own, title)
    note = footnote(
        data,
        rows,
        "Mean ± SD over seeds; precision, recall and F1 are means over classes (macro). Distinct:"
        " runs whose outputs differ from all earlier ones. Collapsed: runs that predict one class"
        " throughout. Diverged: share of runs that failed or collapsed. Seed"
        f" {rows['seed'].max():.0f} beats: share of the other seeds that score worse in F1.",
    )
    return lines.table(
        data,
        rows,
        note,
        findings=_findings(data, rows),
        headline=_headline(rows),
    )


def by_test_set(data: ExhibitData, rows: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    """(title, rows) of each test set; the title is empty if there is one."""
    found = titled_groups(data, rows, TEST_SET_KEY)
    return [(title if len(found) > 1 else "", part) for title, part in found]


def _line(title: str, cell: pd.DataFrame) -> dict:
    scores = {
        name: numbers.plus_minus(*cell.loc[metric, ["mean", "sd"]], 3)
        for metric, name in METRICS.items()
    }
    first, f1 = cell.iloc[0], cell.loc["macro_f1"]
    return {
        "Model": title,
        **scores,
        "Runs": f"{first['n']:.0f}",
        "Distinct": numbers.fixed(first["distinct"], 0),
        "Collapsed": numbers.fixed(first["collapsed"], 0),
        "Diverged": numbers.percent(first["diverged"]),
        f"Seed {first['seed']:.0f} beats": numbers.percent(f1["seed_percentile"]),
    }


def measured(rows: pd.DataFrame) -> pd.DataFrame:
    """Cells of F1 with a spread over seeds, on which the findings are."""
    return rows[(rows["metric"] == "macro_f1") & (rows["n"] > 1)]


def where(data: ExhibitData, rows: pd.DataFrame, row: pd.Series) -> str:
    """`XGB on Magic`, with the columns in which `rows` differ."""
    arm = arm_title(data, row["arm"], row["experiment"])
    return f"{arm} on {group_title(data, rows, row)}"


def _headline(rows: pd.DataFrame) -> str:
    f1 = measured(rows)
    f1 = f1[f1["n"] >= LEAST]
    if f1.empty:
        return ""
    sds = numbers.from_to(f1["sd"], "{:.3f}".format)
    return f"SD of F1 over seeds: {sds} in {numbers.counted(len(f1), *cell_noun(f1))}"


def _findings(data: ExhibitData, rows: pd.DataFrame) -> list[str]:
    found, f1 = [], measured(rows)
    if len(f1):
        most = f1.loc[f1["sd"].idxmax()]
        found.append(
            f"The SD of F1 over seeds is {numbers.from_to(f1['sd'], '{:.3f}'.format)} in"
            f" {numbers.counted(len(f1), *cell_noun(f1))} ({numbers.from_to(f1['n'])} seeds each),"
            f" the largest for {where(data, rows, most)}."
        )
    same = f1[f1["distinct"] < f1["n"]]
    for _, row in same.iterrows():
        phrase = (
            f"all {row['n']:.0f} seeds gave the same outputs, bit by bit."
            if row["distinct"] == 1
            else f"{row['n']:.0f} seeds gave {row['distinct']:.0f} different outputs; some seeds do"
            " the very same."
        )
        found.append(f"{where(data, rows, row)}: {phrase}")
    for _, row in f1[f1["collapsed"] > 0].iterrows():
        phrase = f"{row['collapsed']:.0f} of {row['n']:.0f} runs predict one class throughout."
        found.append(f"{where(data, rows, row)}: {phrase}")
    return found
