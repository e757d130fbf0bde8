"""Comparisons of models, grouped and named by the setting in which they were run."""

from __future__ import annotations

import math
from collections.abc import Mapping

import pandas as pd

from reseed.exhibits import numbers
from reseed.exhibits.data import ExhibitData, footnote, metric_title
from reseed.verdicts import ALL_DATASETS, p_text

SETTING = [
    "experiment",
    "varied",
    "dataset",
    "scheme",
    "test_ratio",
    "hyperparameters_source",
]
#: What a run is, by design of the comparison.
RUNS = {"splits": "splits", "seeds": "model seeds", "unpaired": "model seeds"}
#: Labels longer than this leave room for one panel a line only.
LONG_LABEL = 20


def settings(data: ExhibitData, rows: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    """(title, rows) of each setting; the title names only what differs between settings."""
    if rows.empty:
        return []
    within = rows.groupby("dataset")
    told = ("experiment", "scheme", "hyperparameters_source")
    differ = [name for name in told if within[name].nunique().max() > 1]
    found = []
    for key, part in rows.groupby(SETTING, sort=False, dropna=False):
        names = dict(zip(SETTING, key, strict=True))
        parts = [dataset_title(data, names["dataset"])]
        names["experiment"] = data.experiment(names["experiment"])
        parts += [names[name] for name in differ]
        found.append((" · ".join(parts), part))
    return found


def dataset_title(data: ExhibitData, dataset: str) -> str:
    """Title of a dataset, or of all of them."""
    return "All datasets" if dataset == ALL_DATASETS else data.dataset(dataset)


def pair_title(data: ExhibitData, row: Mapping) -> str:
    """`XGB – RF`."""
    return f"{data.model(row['model_a'])} – {data.model(row['model_b'])}"


def in_unit(row: Mapping) -> str:
    """What a difference is measured in: `points of AUC`, `MSE (kW²)`."""
    metric = metric_title(row["metric"])
    if row["unit"] == "points":
        return f"points of {metric}"
    return f"{metric} ({row['unit']})" if row["unit"] else metric


def difference_and_interval(row: Mapping, places: int) -> tuple[str, str]:
    """Both in the unit of the comparison; a dash for an interval that was not had."""
    low, high = (row[end] * row["factor"] for end in ("low", "high"))
    difference = numbers.fixed(row["difference"] * row["factor"], places)
    return difference, numbers.interval(low, high, places) or numbers.NONE


def p_cell(p: float) -> str:
    """A p-value in a cell: `< 0.001`, `0.013`, a dash."""
    return p_text(p).replace("below ", "< ") if math.isfinite(p) else numbers.NONE


def leaders(rows: pd.DataFrame) -> pd.DataFrame:
    """Of each setting the row of its best mean against the next one."""
    known = rows[rows["difference"].notna()]
    found = []
    for _, part in known.groupby(SETTING, sort=False, dropna=False):
        beaten = set(part["model_b"])
        best = part[~part["model_a"].isin(beaten)]
        found.append((best if len(best) else part).nsmallest(1, "difference"))
    return pd.concat(found) if found else known


def every_pair(rows: pd.DataFrame) -> bool:
    """Whether every pair of models was compared in each setting: only then is one the best."""
    for _, part in rows.groupby(SETTING, sort=False, dropna=False):
        models = len({*part["model_a"], *part["model_b"]})
        if len(part) < models * (models - 1) // 2:
            return False
    return True


def note(data: ExhibitData, rows: pd.DataFrame, *sentences: str, per: str = "pair") -> str:
    """The common footnote for comparisons; `n` is told by what a run is, not as seeds."""
    known = rows[rows["dataset"] != ALL_DATASETS]
    common = footnote(data, known.drop(columns=["n"], errors="ignore"))
    counts = []
    if "n" in known and len(known):
        counts = [f"Runs per {per}: {numbers.from_to(known['n'], to='–')}."]
    return " ".join([common, *counts, *(text for text in sentences if text)])
