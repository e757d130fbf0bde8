"""Parts of the leaderboard: the models with the best means by dataset, and what ranks are over."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from math import isfinite

import pandas as pd

from reseed.comparison.claims import phrases
from reseed.comparison.claims.claim import Claim
from reseed.comparison.claims.estimates import Sample
from reseed.comparison.claims.wording import quote_count
from reseed.report.analyses.leaderboard import BoardRow
from reseed.report.exhibits.shared.shown_pairs import Others
from reseed.report.rendering.arms import arm_title, name_arms
from reseed.report.rendering.data import ExhibitData, metric_title
from reseed.report.rendering.numbers import NONE, fixed, several
from reseed.report.rendering.settings import count_settings, join_titles

#: Most models that a sentence names; the others are counted.
_MOST_NAMED = 3


def name_model(data: ExhibitData, row: BoardRow) -> str:
    """Title of the model of a row."""
    return arm_title(data, row.model, row.experiment)


def name_models(data: ExhibitData, board: pd.DataFrame, models: Iterable[str]) -> str:
    """Titles of models of a leaderboard, the first three of many, for a claim."""
    titles = [quote_count(title) for title in name_arms(data, board, models).values()]
    more = len(titles) - _MOST_NAMED
    return f"{', '.join(titles[:_MOST_NAMED])} and {more} more" if more > 0 else several(titles)


def select_best(board: pd.DataFrame) -> pd.DataFrame:
    """The models of a leaderboard that share the best rank."""
    return board[board["rank"] == board["rank"].min()]


def count_best_means(
    data: ExhibitData, title: str, parts: Iterable[tuple[str, pd.DataFrame]]
) -> Claim:
    """On how many datasets each model has the best mean, where no rank is over all of them.

    parts: title and rows of each setting.
    """
    best = pd.concat(select_best(part).head(1) for _, part in parts)
    counts = Counter(name_model(data, row) for row in BoardRow.read(best)).most_common()
    names = {
        "by_model": phrases.tally(best, [f"{model} on {count}" for model, count in counts]),
        "settings": count_settings(best),
    }
    return Claim(
        join_titles("best_means", title),
        "the best mean on {settings}: {by_model}",
        best,
        names,
        Sample.of(best, "n", "run", each="each"),
        subject=title,
    )


def state_mean_ranks(data: ExhibitData, title: str, known: pd.DataFrame) -> Claim:
    """The three best mean ranks of a comparison over datasets."""
    titles = [name_model(data, row) for row in BoardRow.read(known.head(3))]
    names = {
        "ranks": phrases.each(known.head(3), "mean", lambda rank: fixed(rank, 2), titles),
        "models": phrases.count(known, "model"),
    }
    return Claim(
        join_titles("mean_ranks", title),
        "best mean ranks over {n}: {ranks}, of {models}",
        known,
        names,
        Sample.of(known, "n", "dataset"),
        subject=title,
    )


def rank_note(over: pd.DataFrame) -> str:
    """What mean ranks are over; empty without them."""
    if over.empty:
        return ""
    text = "Mean rank: over the datasets, 1 is best; ±: SD over runs."
    short = BoardRow.select(over, lambda row: row.n < row.datasets).drop_duplicates("place")
    parts = [f"{row.n:.0f} of {row.datasets:.0f}" for row in BoardRow.read(short)]
    if parts:
        text += (
            f" Ranks are over the {several(parts)} datasets on which every model has a finished"
            " run."
        )
    return text


def score_heading(row: BoardRow) -> str:
    """Metric with its unit and an arrow to the better side: `AUC ↑`, `MSE (kW²) ↓`."""
    unit = f" ({row.unit})" if row.unit not in ("", "points") else ""
    return f"{metric_title(row.metric)}{unit} {'↑' if row.greater_is_better else '↓'}"


def rank_cell(rank: float) -> str:
    """`2`; `1.5` of tied models; a dash without a rank."""
    return NONE if not isfinite(rank) else f"{rank:.0f}" if rank % 1 == 0 else f"{rank:.1f}"


def is_above_all(others: Others, models: int) -> bool:
    """Whether a model is significantly better than every other of `models`."""
    return 0 < models - 1 <= len(others.won)
