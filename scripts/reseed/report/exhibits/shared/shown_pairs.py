"""Shown differences: their count, with those that only one correction shows, and by model."""

from dataclasses import replace

import pandas as pd

from reseed.claims import phrases
from reseed.claims.pair_verdicts import BY_ONE_CORRECTION, find_conditional


def share_shown(rows: pd.DataFrame, noun: str, plural: str = "") -> phrases.Phrase:
    """`3 of the 12 pairs`; `3 of the 12 pairs (2 of them by one correction only)`.

    Args:
        rows: of the analysis `pairs`.
        noun, plural: of `phrases.share`.
    """
    found = phrases.share(rows, rows["outcome"] == "difference", noun, plural)
    weak = int(find_conditional(rows).sum())
    if not weak:
        return found
    of = f"{weak:,} of them " if len(rows) > 1 else ""
    return replace(found, text=f"{found.text} ({of}{BY_ONE_CORRECTION})")


def list_others(pairs: pd.DataFrame, model: str) -> dict[str, list[str]]:
    """Models compared with a model, by outcome: won, lost, equal (equivalent), or open."""
    found: dict[str, list[str]] = {"won": [], "lost": [], "equal": [], "open": []}
    own = pairs[(pairs["model_a"] == model) | (pairs["model_b"] == model)]
    for a, b, outcome in own[["model_a", "model_b", "outcome"]].itertuples(index=False):
        decided = "won" if a == model else "lost"
        undecided = "equal" if outcome == "equivalent" else "open"
        side = decided if outcome == "difference" else undecided
        found[side].append(b if a == model else a)
    return found
