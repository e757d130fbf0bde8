"""Comparisons of models, grouped and named by the setting in which they were run."""

from __future__ import annotations

import pandas as pd

from reseed.exhibits import style
from reseed.exhibits.data import METRICS, ExhibitData, footnote
from reseed.verdicts import ALL_DATASETS

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
LONG_LABEL = 16
#: Colours of lines that stand for pairs, and their dashes after one round.
LINES = [style.BLUE, style.RED, style.GREEN, style.ORANGE, style.PURPLE, style.SKY]
DASHES = ["-", "--", ":"]


def settings(data: ExhibitData, rows: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    """(title, rows) of each setting; the title names only what differs between settings."""
    if rows.empty:
        return []
    within = rows.groupby("dataset")
    differ = [c for c in ("scheme", "hyperparameters_source") if within[c].nunique().max() > 1]
    several = rows["experiment"].nunique() > 1
    found = []
    for key, part in rows.groupby(SETTING, sort=False, dropna=False):
        names = dict(zip(SETTING, key, strict=True))
        parts = [dataset_title(data, names["dataset"])]
        parts += [data.experiment(names["experiment"])] if several else []
        parts += [names[c] for c in differ]
        found.append((" · ".join(parts), part))
    return found


def dataset_title(data: ExhibitData, dataset: str) -> str:
    """Title of a dataset, or of all of them."""
    return "All datasets" if dataset == ALL_DATASETS else data.dataset(dataset)


def metric_title(metric: str) -> str:
    """A metric as it is printed; one of the user's own as it is written."""
    return METRICS.get(metric, metric)


def pair_title(data: ExhibitData, row: pd.Series) -> str:
    """`XGB – RF`."""
    return f"{data.model(row['model_a'])} – {data.model(row['model_b'])}"


def in_unit(row: pd.Series) -> str:
    """What a difference is measured in: `points of AUC`, `MSE (kW²)`."""
    metric = metric_title(row["metric"])
    if row["unit"] == "points":
        return f"points of {metric}"
    return f"{metric} ({row['unit']})" if row["unit"] else metric


def note(data: ExhibitData, rows: pd.DataFrame, *sentences: str, per: str = "pair") -> str:
    """The common footnote for comparisons; `n` is told by what a run is, not as seeds."""
    known = rows[rows["dataset"] != ALL_DATASETS]
    common = footnote(data, known.drop(columns=["n"], errors="ignore"))
    counts = []
    if "n" in known and len(known):
        low, high = int(known["n"].min()), int(known["n"].max())
        counts = [f"Runs per {per}: {low if low == high else f'{low}–{high}'}."]
    return " ".join([common, *counts, *(text for text in sentences if text)])
