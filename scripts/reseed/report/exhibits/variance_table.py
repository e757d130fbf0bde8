"""Shares of the variance: each crossed seed, their interactions, and the residual."""

from __future__ import annotations

import numpy as np
import pandas as pd

from reseed.analyses.variance_components import ComponentRow
from reseed.plugins.options import NoOptions
from reseed.report.rendering import coverage, numbers
from reseed.report.rendering.arms import arm_title
from reseed.report.rendering.data import (
    ExhibitData,
    footnote,
    list_reasons,
    metric_title,
    require_rows,
)
from reseed.report.rendering.tables import Rows, Table
from reseed.verdicts.formatting import format_level

DRAWS = ("variance_components",)

_FACTORS = {
    "model_seed": "Model seed",
    "init": "Initial weights",
    "order": "Batch order",
    "dropout": "Dropout",
    "augment": "Augmentation",
    "data_seed": "Data seed",
}
_KEY = ["experiment", "dataset", "scheme", "arm", "model", "hyperparameters_source"]
# Fewest levels of a factor for its variance.
_LEAST = 3


def table(data: ExhibitData, options: NoOptions) -> Table:
    """One row for each dataset and model of each crossed experiment."""
    rows = data.require_rows("No two seeds were crossed at this scale.")
    small = ComponentRow.where(rows, lambda row: row.least_levels < _LEAST)
    left_out = _left_out(data, rows[small])
    rows = require_rows(rows[~small], f"No grid has {_LEAST} seeds a side at this scale.")
    places = {
        d: numbers.decimals(np.sqrt(part["total"]), least=4) for d, part in rows.groupby("dataset")
    }
    lines, columns = Rows(), _columns(rows)
    has_several = rows["experiment"].nunique() > 1
    for _, cell in rows.groupby(_KEY, sort=False):
        parts = {row.component: row for row in ComponentRow.read(cell)}
        first = ComponentRow.read_first(cell)
        line = {
            "Algorithm": arm_title(data, first.arm, first.experiment),
            "Grid": first.levels + (f" ({first.failed} failed)" if first.failed else ""),
            "Total SD": numbers.fixed(np.sqrt(first.total), places[first.dataset]),
        }
        for name, title in columns.items():
            is_known = name in parts
            line[title] = (
                numbers.share_with_interval(vars(parts[name]), "share")
                if is_known
                else numbers.NONE
            )
        heading = f"{data.dataset(first.dataset)}, {metric_title(data.metric(first.dataset))}"
        more = f": {data.experiment(first.experiment)}" if has_several else ""
        lines.add(line, heading + more)
    level = rows["level"].max()
    return lines.table(
        data,
        rows,
        footnote(
            data,
            rows,
            left_out,
            *(f"Not estimated: {reason}." for reason in list_reasons(rows)),
            per="grid",
        ),
        definitions=[
            f"Shares of the total variance, with {format_level(level)} intervals (generalised"
            " pivotal quantities, Gaussian effects; approximate for a grid of two seeds with holes,"
            " none for one of more).",
            coverage.at(level, coverage.SHARES.replace("They", "These intervals", 1)),
            f"Grid: {_grids(rows)}, crossed.",
        ],
    )


def _left_out(data: ExhibitData, rows: pd.DataFrame) -> str:
    named = dict.fromkeys(
        f"{data.dataset(row.dataset)}, {data.experiment(row.experiment).lower()}"
        for row in ComponentRow.read(rows)
    )
    return f"Left out, with fewer than {_LEAST} seeds a side: {'; '.join(named)}." if named else ""


def _columns(rows: pd.DataFrame) -> dict[str, str]:
    """Heading of each component: seeds, interactions, then the residual."""
    names = dict.fromkeys(rows["component"])
    effects = [name for name in names if name not in ("none", "residual")]
    titles = {name: _title(name) for name in sorted(effects, key=lambda name: name.count(":"))}
    return titles | {"residual": "Interaction and rest"}


def _title(component: str) -> str:
    first, *others = (_FACTORS.get(name, name) for name in component.split(":"))
    return " × ".join([first, *(other.lower() for other in others)])


def _grids(rows: pd.DataFrame) -> str:
    """The crossed seeds: `model seed × data seed`."""
    return " or ".join(
        " × ".join(_FACTORS.get(name, name).lower() for name in factors.split(", "))
        for factors in dict.fromkeys(rows["factors"])
    )
