"""Shares of the variance: each crossed seed, their interactions, and the residual."""

from __future__ import annotations

import numpy as np
import pandas as pd

from reseed.plugins.options import NoOptions
from reseed.rendering import coverage, numbers
from reseed.rendering.arms import arm_title
from reseed.rendering.data import ExhibitData, footnote, metric_title, require_rows
from reseed.rendering.tables import Rows, Table

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
    small = rows["least_levels"] < _LEAST
    left_out = _left_out(data, rows[small])
    rows = require_rows(rows[~small], f"No grid has {_LEAST} seeds a side at this scale.")
    places = {
        d: numbers.decimals(np.sqrt(part["total"]), least=4) for d, part in rows.groupby("dataset")
    }
    lines, columns = Rows(), _columns(rows)
    for values, cell in rows.groupby(_KEY, sort=False):
        entry = dict(zip(_KEY, values, strict=True))
        parts = cell.set_index("component")
        first = cell.iloc[0]
        line = {
            "Algorithm": arm_title(data, entry["arm"], entry["experiment"]),
            "Grid": first["levels"] + (f" ({first['failed']} failed)" if first["failed"] else ""),
            "Total SD": numbers.fixed(np.sqrt(first["total"]), places[entry["dataset"]]),
        }
        for name, title in columns.items():
            known = name in parts.index
            line[title] = (
                numbers.share_with_interval(parts.loc[name], "share") if known else numbers.NONE
            )
        heading = f"{data.dataset(entry['dataset'])}, {metric_title(data.metric(entry['dataset']))}"
        more = rows["experiment"].nunique() > 1
        lines.add(line, heading + (f": {data.experiment(entry['experiment'])}" if more else ""))
    reasons = sorted({r for r in rows["reason"] if r})
    level = rows["level"].max()
    share = _shares(rows)
    return lines.table(
        data,
        rows,
        footnote(
            data, rows, left_out, *(f"Not estimated: {reason}." for reason in reasons), per="grid"
        ),
        definitions=[
            f"Shares of the total variance, with {100 * level:g} % intervals (generalised pivotal"
            " quantities, Gaussian effects; approximate for a grid of two seeds with holes, none"
            " for one of more).",
            coverage.at(level, coverage.SHARES.replace("They", "These intervals", 1)),
            f"Grid: {_grids(rows)}, crossed.",
        ],
        findings=_findings(share),
        headline=_headline(share),
    )


def _left_out(data: ExhibitData, rows: pd.DataFrame) -> str:
    grids = rows.drop_duplicates(_KEY)
    named = [f"{data.dataset(row['dataset'])}, {data.experiment(row['experiment']).lower()}"
             for _, row in grids.drop_duplicates(["dataset", "experiment"]).iterrows()]  # fmt: skip
    return f"Left out, with fewer than {_LEAST} seeds a side: {'; '.join(named)}." if named else ""


def _columns(rows: pd.DataFrame) -> dict[str, str]:
    """Heading of each component: seeds, interactions, then the residual."""
    names = dict.fromkeys(rows["component"])
    effects = [name for name in names if name not in ("none", "residual")]
    found = {name: _title(name) for name in sorted(effects, key=lambda name: name.count(":"))}
    return found | {"residual": "Interaction and rest"}


def _title(component: str) -> str:
    first, *others = (_FACTORS.get(name, name) for name in component.split(":"))
    return " × ".join([first, *(other.lower() for other in others)])


def _grids(rows: pd.DataFrame) -> str:
    """The crossed seeds: `model seed × data seed`."""
    return " or ".join(
        " × ".join(_FACTORS.get(name, name).lower() for name in factors.split(", "))
        for factors in dict.fromkeys(rows["factors"])
    )


def _shares(rows: pd.DataFrame) -> pd.DataFrame:
    return rows[rows["component"] != "none"].pivot_table(
        index=_KEY, columns="component", values=["share", "share_low", "share_high"]
    )


def _headline(share: pd.DataFrame) -> str:
    both = _both(share)
    if both.empty:
        return ""
    more = int((both["share"]["data_seed"] > both["share"]["model_seed"]).sum())
    return f"The split outweighs the model seed in {more} of {numbers.counted(len(both), 'grid')}"


def _both(share: pd.DataFrame) -> pd.DataFrame:
    """The grids of model seeds × data seeds."""
    wanted = {("share", "model_seed"), ("share", "data_seed")}
    if not wanted <= set(share.columns):
        return share.iloc[:0]
    return share[share["share"][["model_seed", "data_seed"]].notna().all(axis=1)]


def _findings(share: pd.DataFrame) -> list[str]:
    both = _both(share)
    others = share.drop(both.index)
    found = [_largest(others)] if len(others) else []
    if both.empty:
        return found
    seed, split = both["share"]["model_seed"], both["share"]["data_seed"]
    models = both.index.get_level_values("arm").nunique()
    datasets = both.index.get_level_values("dataset").nunique()
    of = f"{numbers.counted(models, 'algorithm')} on {numbers.counted(datasets, 'dataset')}"
    text = (
        f"Of the variance of a score over both seeds the data seed makes"
        f" {numbers.from_to(split, numbers.rounded_percent)} and the model seed"
        f" {numbers.from_to(seed, numbers.rounded_percent)} ({of}), the data seed more for"
        f" {int((split > seed).sum())} of {len(both)}"
    )
    if "share_low" in both.columns.get_level_values(0):
        clear = both["share_low"]["data_seed"] > both["share_high"]["model_seed"]
        text += (
            f"; for {int(clear.sum())} the interval of the data seed's share lies wholly above that"
            " of the model seed's"
        )
    return [f"{text}.", *found]


def _largest(share: pd.DataFrame) -> str:
    """The seed with the largest share, by number of grids of other seeds."""
    alone = share["share"][[name for name in share["share"] if name in _FACTORS]]
    counts = alone.dropna(how="all").idxmax(axis=1).value_counts()
    phrase = ", ".join(f"{_FACTORS[name].lower()} in {count}" for name, count in counts.items())
    return f"The largest share of one seed by itself, of {len(share)} grids: {phrase or 'none'}."
