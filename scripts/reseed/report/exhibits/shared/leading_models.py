"""Parts of the leaderboard: the models with the best means by dataset, and what ranks are over."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

import pandas as pd

from reseed.comparison.claims import phrases
from reseed.comparison.claims.claim import Claim, Sample
from reseed.report.rendering.numbers import several
from reseed.report.rendering.settings import count_settings, joined


def count_best_means(
    title: str,
    parts: Iterable[tuple[str, pd.DataFrame]],
    name: Callable[[pd.Series], str],
) -> Claim:
    """On how many datasets each model has the best mean, where no rank is over all of them.

    parts: title and rows of each setting. name: title of the model of a row.
    """
    best = pd.concat(part[part["rank"] == part["rank"].min()].head(1) for _, part in parts)
    counts = Counter(name(row) for _, row in best.iterrows()).most_common()
    names = {
        "where": phrases.name(title),
        "by_model": phrases.tally(best, [f"{model} on {count}" for model, count in counts]),
        "settings": count_settings(best),
    }
    lead = "{where}: the" if title else "The"
    text = f"{lead} best mean on {{settings}}: {{by_model}} ({{n}} each)."
    return Claim(joined("best_means", title), text, best, names, Sample.of(best, "n", "run"))


def rank_note(over: pd.DataFrame) -> str:
    """What mean ranks are over; empty without them."""
    if over.empty:
        return ""
    text = "Mean rank: over the datasets, 1 is best; ±: SD over runs."
    short = over[over["n"] < over["datasets"]].drop_duplicates("place")
    parts = [f"{row['n']:.0f} of {row['datasets']:.0f}" for _, row in short.iterrows()]
    if parts:
        text += (
            f" Ranks are over the {several(parts)} datasets on which every model has a finished"
            " run."
        )
    return text
