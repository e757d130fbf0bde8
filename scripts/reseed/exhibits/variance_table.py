"""Shares of the variance: model seed, data seed, and the rest, from the crossed grid."""

from __future__ import annotations

import numpy as np
import pandas as pd

from reseed.exhibits import numbers
from reseed.exhibits.data import METRICS, ExhibitData, footnote
from reseed.exhibits.tables import Table, empty_table

_COMPONENTS = {
    "model_seed": "Model seed",
    "data_seed": "Data seed",
    "residual": "Interaction and rest",
}


def table(data: ExhibitData, options: dict) -> Table:
    """One row a dataset and model of each crossed experiment."""
    rows = data.rows()
    if rows.empty:
        return empty_table(data, "Model seeds and data seeds were not crossed at this scale.")
    key = ["experiment", "dataset", "scheme", "model", "hyperparameters_source"]
    places = {
        d: numbers.decimals(np.sqrt(part["total"]), least=4) for d, part in rows.groupby("dataset")
    }
    shown, sections = [], []
    for values, cell in rows.groupby(key, sort=False):
        entry = dict(zip(key, values, strict=True))
        parts = cell.set_index("component")
        first = cell.iloc[0]
        grid = f"{first['model_seeds']}×{first['data_seeds']}"
        line = {
            "Algorithm": data.model(entry["model"]),
            "Grid": grid + (f" ({first['failed']} failed)" if first["failed"] else ""),
            "Total SD": numbers.fixed(np.sqrt(first["total"]), places[entry["dataset"]]),
        }
        for name, title in _COMPONENTS.items():
            line[title] = _share(parts.loc[name]) if name in parts.index else numbers.NONE
        shown.append(line)
        experiment = data.experiment(entry["experiment"])
        more = rows["experiment"].nunique() > 1
        metric = METRICS[data.metric(entry["dataset"])]
        sections.append(
            f"{data.dataset(entry['dataset'])}, {metric}" + (f": {experiment}" if more else "")
        )
    reasons = sorted({r for r in rows["reason"] if r})
    level = f"{rows['level'].max():.0%}".replace("%", " %")
    return Table(
        data,
        pd.DataFrame(shown),
        rows,
        footnote(
            data,
            rows,
            f"Shares of the total variance, with {level} intervals (generalised pivotal quantities,"
            " Gaussian effects; approximate for a grid with holes).",
            "Grid: model seeds × data seeds.",
            *(f"Not estimated: {reason}." for reason in reasons),
            per="grid",
        ),
        sections=sections,
        text_columns=1,
        findings=_findings(data, rows),
    )


def _share(part: pd.Series) -> str:
    text = numbers.percent(part["share"])
    if np.isfinite(part["share_low"]):
        text += f" [{100 * part['share_low']:.0f}, {100 * part['share_high']:.0f}]"
    return text


def _findings(data: ExhibitData, rows: pd.DataFrame) -> list[str]:
    share = rows[rows["component"] != "none"].pivot_table(
        index=["experiment", "dataset", "scheme", "model", "hyperparameters_source"],
        columns="component",
        values=["share", "share_low", "share_high"],
    )
    if share.empty:
        return []
    seed, split = share["share"]["model_seed"], share["share"]["data_seed"]
    found = (
        "Of the variance of a score over both seeds, the data seed makes"
        f" {numbers.percent(split.median())} and the model seed {numbers.percent(seed.median())}"
        f" (medians of {len(share)} grids; model seed from {numbers.percent(seed.min())} to"
        f" {numbers.percent(seed.max())})."
    )
    if "share_low" in share.columns.get_level_values(0):
        clear = share["share_low"]["data_seed"] > share["share_high"]["model_seed"]
        found += (
            f" In {int(clear.sum())} grids the interval of the data seed's share lies wholly above"
            " that of the model seed's."
        )
    return [found]
