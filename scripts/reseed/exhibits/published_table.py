"""Published medians and ranges beside the measured ones."""

from __future__ import annotations

import numpy as np
import pandas as pd

from reseed.exhibits import numbers
from reseed.exhibits.data import METRICS, VARIED, ExhibitData, stand_ins, units
from reseed.exhibits.spread_table import fewer_seeds
from reseed.exhibits.tables import Table, empty_table

_CELL = [
    "table", "dataset", "metric", "algorithm", "varied_seed", "test_ratio", "hyperparameters",
]  # fmt: skip
_SHOWN = {"median": "Median", "range": "Range"}


def table(data: ExhibitData, options: dict) -> Table:
    """One row a published cell that was measured; the CSV holds every published number."""
    rows = data.rows()
    measured = rows[rows["measured"].notna()] if len(rows) else rows
    if measured.empty:
        return empty_table(data, "No published number was measured at this scale.")
    shown, sections = [], []
    for key, cell in measured.groupby(_CELL, sort=False):
        entry = dict(zip(_CELL, key, strict=True))
        first = cell.iloc[0]
        parts = cell.set_index("statistic")
        line = {
            ("", "Algorithm"): data.model(first["measured_model"]),
            ("", "Varied"): VARIED[entry["varied_seed"]],
            ("", "Test ratio"): f"{entry['test_ratio']:g}",
            ("", "Hyper-parameters"): entry["hyperparameters"],
            ("", "n"): numbers.seeds(int(first["n"]), int(first["failed"])),
        }
        for name, title in _SHOWN.items():
            part = parts.loc[name] if name in parts.index else None
            line |= {(title, column): text for column, text in _compare(part).items()}
        shown.append(line)
        title = data.dataset(first["measured_dataset"])
        sections.append(f"Table {entry['table']}: {title}, {METRICS[entry['metric']]}")
    frame = pd.DataFrame(shown)
    frame.columns = pd.MultiIndex.from_tuples(frame.columns)
    return Table(
        data,
        frame,
        rows,
        _footnote(data, rows, measured),
        sections=sections,
        text_columns=4,
        findings=_findings(rows, measured),
    )


def _compare(part: pd.Series | None) -> dict[str, str]:
    names = ["Published", "Measured", "Interval", "Ratio", "Inside"]
    if part is None:
        return dict.fromkeys(names, numbers.NONE)
    inside = numbers.NONE if pd.isna(part["inside"]) else ("yes" if part["inside"] else "no")
    values = [
        numbers.fixed(part["published"], 4),
        numbers.fixed(part["measured"], 4),
        numbers.interval(part["measured_low"], part["measured_high"], 4) or numbers.NONE,
        numbers.ratio(part["ratio"]),
        inside,
    ]
    return dict(zip(names, values, strict=True))


def _footnote(data: ExhibitData, rows: pd.DataFrame, measured: pd.DataFrame) -> str:
    low, high = int(measured["n"].min()), int(measured["n"].max())
    absent = len(rows) - len(measured)
    datasets = list(dict.fromkeys(measured["measured_dataset"]))
    level = f"{measured['level'].max():.0%}".replace("%", " %")
    sources = ", ".join(sorted(measured["hyperparameters_source"].unique()))
    cells = measured.drop_duplicates(["experiment", "measured_dataset", "held", *_CELL[3:]])
    recipes = data.recipes(measured["measured_model"])
    parts = [
        f"Scale: {data.about['scale']}. Seeds per cell: {low if low == high else f'{low}–{high}'}.",
        f"Failed trials (left out): {int(cells['failed'].sum())}.",
        f"Measured hyper-parameters: {sources}.",
        f"Interval ({level}): of the median by bootstrap over seeds; of the range, what as many"
        " Gaussian seeds as the paper took would give at the measured SD. Ratio: measured over"
        " published.",
        "Where model seeds vary, the median hangs on the one data split that is held, and the"
        " paper's split is not known: a published median outside the interval is no contradiction.",
        fewer_seeds(measured[measured["hyperparameters"] == "fixed"]),
        f"{absent} of {len(rows)} published numbers were not run at this scale; the CSV lists them,"
        " and IQR and relative variation too."
        if absent
        else "The CSV holds IQR and relative variation too.",
        *units(data, datasets),
        *stand_ins(data, datasets),
        f"† {'; '.join(recipes)}." if recipes else "",
    ]
    return " ".join(part for part in parts if part)


def _findings(rows: pd.DataFrame, measured: pd.DataFrame) -> list[str]:
    real = measured[~measured["stand_in"].astype(bool)]
    found = []
    for name, word in (("median", "median"), ("range", "range")):
        more = fewer_seeds(real[real["hyperparameters"] == "fixed"]) if name == "range" else ""
        part = real[real["statistic"] == name]
        ratio = part["ratio"].replace(np.inf, np.nan).dropna()
        judged = part["inside"].dropna()
        if len(ratio):
            found.append(
                f"On the paper's own datasets the measured {word} is"
                f" {numbers.ratio(ratio.median())} times the published one (median of"
                f" {len(ratio)} cells, from {numbers.ratio(ratio.min())} to"
                f" {numbers.ratio(ratio.max())}); the published {word} lies in the"
                f" measured interval in {int(judged.sum())} of {len(judged)}. {more}".strip()
            )
    missing = int(rows["measured"].isna().sum())
    if missing:
        found.append(f"{missing} of {len(rows)} published numbers were not measured.")
    return found
