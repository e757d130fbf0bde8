"""Parts of the leaderboard: the models with the best means by dataset, and what ranks are over."""

from __future__ import annotations

from collections.abc import Iterable
from math import isfinite
from typing import Any

import pandas as pd

from reseed.report.rendering.arms import arm_title, name_arms
from reseed.report.rendering.data import ExhibitData, metric_title
from reseed.report.rendering.numbers import NONE, several

#: Most models that a sentence names; the others are counted.
_MOST_NAMED = 3


def name_model(data: ExhibitData, row: Any) -> str:
    """Title of the model of a row."""
    return arm_title(data, row.model, row.experiment)


def name_models(data: ExhibitData, board: pd.DataFrame, models: Iterable[str]) -> str:
    """Titles of models of a leaderboard, the first three of many, for a claim."""
    titles = [*name_arms(data, board, models).values()]
    more = len(titles) - _MOST_NAMED
    return f"{', '.join(titles[:_MOST_NAMED])} and {more} more" if more > 0 else several(titles)


def rank_note(over: pd.DataFrame) -> str:
    """What mean ranks are over; empty without them."""
    if over.empty:
        return ""
    text = "Mean rank: over the datasets, 1 is best; ±: SD over runs."
    short = over[over["n"] < over["datasets"]].drop_duplicates("place")
    parts = [f"{row.n:.0f} of {row.datasets:.0f}" for row in short.itertuples()]
    if parts:
        text += (
            f" Ranks are over the {several(parts)} datasets on which every model has a finished"
            " run."
        )
    return text


def score_heading(row: Any) -> str:
    """Metric with its unit and an arrow to the better side: `AUC ↑`, `MSE (kW²) ↓`."""
    unit = f" ({row.unit})" if row.unit not in ("", "points") else ""
    return f"{metric_title(row.metric)}{unit} {'↑' if row.greater_is_better else '↓'}"


def rank_cell(rank: float) -> str:
    """`2`; `1.5` of tied models; a dash without a rank."""
    return NONE if not isfinite(rank) else f"{rank:.0f}" if rank % 1 == 0 else f"{rank:.1f}"
