"""Published medians and ranges next to the measured ones."""

from __future__ import annotations

import pandas as pd
from reseed.core.coordinates import base_name
from reseed.plugins.options import NoOptions
from reseed.report.exhibits.spread_table import LEAST
from reseed.report.rendering import numbers
from reseed.report.rendering.data import (
    VARIED,
    ExhibitData,
    marks,
    metric_title,
    require_rows,
    units,
)
from reseed.report.rendering.tables import Rows, Table
from reseed.verdicts.formatting import format_level

from papers.raste.published import PublishedRow

_CELL = [
    "table", "dataset", "metric", "algorithm", "varied_seed", "test_ratio", "hyperparameters",
]  # fmt: skip
# Decimals that the paper prints.
_PRINTED = 4
_SHOWN = {"median": "Median", "range": "Range"}
# Columns that identify a measured number, whichever published tables print it.
_MEASURED = ["measured_dataset", "measured_model", "varied_seed", "held", "test_ratio",
             "hyperparameters_source", "statistic"]  # fmt: skip

DRAWS = ("papers.raste.published:analyse",)


def table(data: ExhibitData, options: NoOptions) -> Table:
    """One row for each published cell that was measured; the CSV holds all published numbers.

    The measured range is that expected with the number of seeds of the paper. Numbers measured on
    stand-ins are not compared with published ones.
    """
    rows = data.rows()
    measured = PublishedRow.select(rows, lambda row: pd.notna(row.measured) and row.n >= LEAST)
    require_rows(measured, "No published number was measured at this scale.")
    lines, places = Rows(), _count_decimals(measured)
    for _, cell in _each_once(measured).groupby(_CELL, sort=False):
        parts = {row.statistic: row for row in PublishedRow.read(cell)}
        first = PublishedRow.read_first(cell)
        line = {
            ("", "Algorithm"): data.model(first.measured_model),
            ("", "Varied"): VARIED[first.varied_seed],
            ("", "Test"): f"{first.test_ratio:g}",
            ("", "Tuning"): first.hyperparameters,
            ("", "n"): numbers.seeds(int(first.n), int(first.failed)),
        }
        for name, title in _SHOWN.items():
            compared = _compare(parts.get(name), name, places)
            line |= {(title, column): text for column, text in compared.items()}
        title = data.dataset(first.measured_dataset)
        lines.add(line, f"Table {first.table}: {title}, {metric_title(first.metric)}")
    return lines.table(
        data,
        rows,
        _footnote(data, rows, measured),
        definitions=_definitions(measured),
        text_columns=4,
    )


def _each_once(measured: pd.DataFrame) -> pd.DataFrame:
    """The cells without those that a later table of the paper repeats."""
    return measured.drop_duplicates([*_MEASURED, "published"])


def _count_decimals(measured: pd.DataFrame) -> dict[str, int]:
    """Decimals of each statistic, by its intervals; at most those that the paper prints."""
    by = measured.groupby("statistic")
    return {
        str(name): min(numbers.interval_decimals(zip(part["measured_low"], part["measured_high"],
                                                     strict=True), otherwise=part["measured"]),
                       _PRINTED)
        for name, part in by
    }  # fmt: skip


def _compare(part: PublishedRow | None, statistic: str, places: dict[str, int]) -> dict[str, str]:
    """Cells of one statistic; the measured range has another number of seeds and is not shown."""
    names = ["Published", *(["Measured"] if statistic == "median" else []), "Interval", "Inside"]
    if part is None:
        return dict.fromkeys(names, numbers.NONE)
    digits = places[statistic]
    judged = not (part.stand_in or pd.isna(part.inside))
    cells = {
        "Published": numbers.fixed(part.published, _PRINTED),
        "Measured": numbers.fixed(part.measured, digits),
        "Interval": numbers.interval(part.measured_low, part.measured_high, digits) or numbers.NONE,
        "Inside": ("yes" if part.inside else "no") if judged else numbers.NONE,
    }
    return {name: cells[name] for name in names}


def _footnote(data: ExhibitData, rows: pd.DataFrame, measured: pd.DataFrame) -> str:
    absent = len(rows) - len(measured)
    shown = PublishedRow.read(measured)
    datasets = list(dict.fromkeys(row.measured_dataset for row in shown))
    sources = ", ".join(sorted({row.hyperparameters_source for row in shown}))
    failed = measured.drop_duplicates(_MEASURED[:-1])["failed"].sum()
    parts = [
        f"{data.scale} Seeds per cell: {numbers.from_to(measured['n'], to='–')}.",
        f"Failed trials (left out): {int(failed)}.",
        f"Measured hyper-parameters: {sources}.",
        f"{absent} of {len(rows)} published numbers were not run at this scale, or on fewer than"
        f" {LEAST} seeds; the CSV lists them." if absent else "",
        *contradictions(data, rows),
        *units(data, datasets),
        *marks(data, datasets, [row.measured_model for row in shown]),
    ]  # fmt: skip
    return " ".join(part for part in parts if part)


def _definitions(measured: pd.DataFrame) -> list[str]:
    level = format_level(PublishedRow.read_first(measured).level)
    return [
        f"Interval ({level}): where the number of as many seeds as the paper took falls; of the"
        " median by order statistics of the seeds, of the range for Gaussian seeds at the measured"
        " SD. Inside: whether the published number lies in it; not assessed for a stand-in.",
        "Where model seeds vary, the median depends on the one fixed data split, and the"
        " paper's split is not known: it is not judged.",
        "The CSV holds IQR and relative variation too; a number that a later table of the paper"
        " repeats is shown once.",
    ]


def contradictions(data: ExhibitData, rows: pd.DataFrame) -> list[str]:
    """Sentences on cells with different numbers in two published tables."""
    same = [*(name for name in _CELL if name != "table"), "statistic"]
    names_of: dict[str, set[str]] = {}
    for _, part in rows.groupby(same, sort=False):
        cells = PublishedRow.read(part)
        if len({cell.published for cell in cells}) > 1:
            tables = numbers.several(f"{table}" for table in sorted({cell.table for cell in cells}))
            names_of.setdefault(tables, set()).add(_name_cell(data, cells[0]))
    return [
        f"The paper's Tables {tables} print different numbers for {numbers.several(sorted(names))}."
        for tables, names in names_of.items()
    ]


def _name_cell(data: ExhibitData, cell: PublishedRow) -> str:
    """`RF on Magic at test ratio 0.2`, with the names that the paper prints if one is unknown."""
    models = [name for name in data.info.models if base_name(name) == cell.algorithm]
    datasets = [name for name in data.info.datasets if base_name(name) == cell.dataset]
    titles = cell.algorithm, cell.dataset
    if models and datasets:
        titles = data.model(models[0]).rstrip("†‡"), data.dataset(datasets[0])
    return f"{' on '.join(titles)} at test ratio {cell.test_ratio:g}"
