"""Titles of arms, and what groups their exhibits."""

from __future__ import annotations

import pandas as pd

from reseed.exhibits.data import ExhibitData
from reseed.exhibits.settings import metric_title

#: What tells cells of one exhibit apart beside the arm; named in a title only where it differs.
PLACE = [
    "experiment", "dataset", "scheme", "hyperparameters_source", "data_seed", "repeat", "fold",
]  # fmt: skip
_WORDS = {"data_seed": "data seed ", "repeat": "repeat ", "fold": "fold "}


def arm_title(data: ExhibitData, arm: str) -> str:
    """Title of an arm: its own where the study gives one, else its model's, with its marks."""
    its_model = data.about["models"].get(arm, {}).get("title")
    for experiment in data.about["experiments"].values():
        title = experiment.get("arms", {}).get(arm)
        if title and title != its_model:
            return title
    return data.model(arm)


def place_title(data: ExhibitData, rows: pd.DataFrame, place: pd.Series | dict) -> str:
    """Dataset, and of the rest of the place what differs within `rows`."""
    parts = [data.dataset(place["dataset"])]
    for name in PLACE:
        if name == "dataset" or name not in rows or rows[name].nunique() < 2:
            continue
        value = place[name]
        parts.append(data.experiment(value) if name == "experiment" else f"{_WORDS.get(name, '')}"
                     f"{value}")  # fmt: skip
    return ", ".join(str(part) for part in parts)


def cell_title(data: ExhibitData, rows: pd.DataFrame, cell: pd.Series | dict) -> str:
    """The arm, and its place where arms alone do not tell the cells apart; never empty."""
    parts, arms = [], rows["arm"].nunique()
    if arms > 1:
        parts.append(arm_title(data, cell["arm"]))
    place = [name for name in PLACE if name in rows]
    apart = rows[[*place, "arm"]].drop_duplicates().shape[0] > arms
    if apart and rows[place].drop_duplicates().shape[0] > 1:
        parts.append(_place_without_dataset(data, rows, cell))
    return ": ".join(part for part in parts if part) or arm_title(data, cell["arm"])


def _place_without_dataset(data: ExhibitData, rows: pd.DataFrame, cell: pd.Series | dict) -> str:
    title = place_title(data, rows, cell)
    dataset = data.dataset(cell["dataset"])
    return title if rows["dataset"].nunique() > 1 else title.removeprefix(dataset).lstrip(", ")


def by_metric(data: ExhibitData, title: str, metric: str) -> str:
    """`Magic, AUC`."""
    return f"{title}, {metric_title(metric)}"
