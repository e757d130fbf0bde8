"""Shares of the variance: model seed, data seed, and the rest, from the crossed grid."""

from __future__ import annotations

import numpy as np
import pandas as pd

from reseed.exhibits import numbers
from reseed.exhibits.data import ExhibitData, footnote, metric_title
from reseed.exhibits.tables import Rows, Table, empty_table

_COMPONENTS = {
    "model_seed": "Model seed",
    "data_seed": "Data seed",
    "residual": "Interaction and rest",
}
_KEY = ["experiment", "dataset", "scheme", "model", "hyperparameters_source"]
# Levels of a factor below which its variance is a number without meaning.
_LEAST = 3


def table(data: ExhibitData, options: dict) -> Table:
    """One row a dataset and model of each crossed experiment."""
    rows = data.rows()
    if rows.empty:
        return empty_table(data, "Model seeds and data seeds were not crossed at this scale.")
    small = rows[["model_seeds", "data_seeds"]].min(axis=1) < _LEAST
    left_out = _left_out(data, rows[small])
    rows = rows[~small]
    if rows.empty:
        return empty_table(data, f"No grid has {_LEAST} seeds a side at this scale.")
    places = {
        d: numbers.decimals(np.sqrt(part["total"]), least=4) for d, part in rows.groupby("dataset")
    }
    lines = Rows()
    for values, cell in rows.groupby(_KEY, sort=False):
        entry = dict(zip(_KEY, values, strict=True))
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
        heading = f"{data.dataset(entry['dataset'])}, {metric_title(data.metric(entry['dataset']))}"
        more = rows["experiment"].nunique() > 1
        lines.add(line, heading + (f": {data.experiment(entry['experiment'])}" if more else ""))
    reasons = sorted({r for r in rows["reason"] if r})
    level = f"{rows['level'].max():.0%}".replace("%", " %")
    share = _shares(rows)
    return lines.table(
        data,
        rows,
        footnote(
            data, rows, left_out, *(f"Not estimated: {reason}." for reason in reasons), per="grid"
        ),
        definitions=[
            f"Shares of the total variance, with {level} intervals (generalised pivotal quantities,"
            " Gaussian effects; approximate for a grid with holes).",
            "Grid: model seeds × data seeds, crossed.",
        ],
        findings=_findings(share),
        headline=_headline(share),
    )


def _left_out(data: ExhibitData, rows: pd.DataFrame) -> str:
    grids = rows.drop_duplicates(_KEY)
    named = [f"{data.dataset(row['dataset'])}, {data.experiment(row['experiment']).lower()}"
             for _, row in grids.drop_duplicates(["dataset", "experiment"]).iterrows()]  # fmt: skip
    return f"Left out, with fewer than {_LEAST} seeds a side: {'; '.join(named)}." if named else ""


def _share(part: pd.Series) -> str:
    text = numbers.percent(part["share"])
    if np.isfinite(part["share_low"]):
        text += f" [{100 * part['share_low']:.0f}, {100 * part['share_high']:.0f}]"
    return text


def _shares(rows: pd.DataFrame) -> pd.DataFrame:
    return rows[rows["component"] != "none"].pivot_table(
        index=_KEY, columns="component", values=["share", "share_low", "share_high"]
    )


def _headline(share: pd.DataFrame) -> str:
    if share.empty:
        return ""
    more = int((share["share"]["data_seed"] > share["share"]["model_seed"]).sum())
    return f"The split outweighs the model seed in {more} of {numbers.counted(len(share), 'grid')}"


def _findings(share: pd.DataFrame) -> list[str]:
    if share.empty:
        return []
    seed, split = share["share"]["model_seed"], share["share"]["data_seed"]
    models = share.index.get_level_values("model").nunique()
    datasets = share.index.get_level_values("dataset").nunique()
    of = f"{numbers.counted(models, 'algorithm')} on {numbers.counted(datasets, 'dataset')}"
    found = (
        f"Of the variance of a score over both seeds the data seed makes {_from_to(split)} and the"
        f" model seed {_from_to(seed)} ({of}), the data seed more for"
        f" {int((split > seed).sum())} of {len(share)}"
    )
    if "share_low" in share.columns.get_level_values(0):
        clear = share["share_low"]["data_seed"] > share["share_high"]["model_seed"]
        found += (
            f"; for {int(clear.sum())} the interval of the data seed's share lies wholly above that"
            " of the model seed's"
        )
    return [f"{found}."]


def _from_to(share: pd.Series) -> str:
    low, high = (numbers.percent(end) for end in (share.min(), share.max()))
    return low if low == high else f"{low} to {high}"
