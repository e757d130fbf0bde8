"""Shown differences: their count, with those that only one correction shows, and by model."""

from collections import defaultdict
from dataclasses import replace

import pandas as pd

from reseed.comparison.claims import phrases
from reseed.comparison.claims.pair_verdicts import BY_ONE_CORRECTION, find_conditional


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


def list_others(pairs: pd.DataFrame) -> dict[str, dict[str, list[str]]]:
    """By model, those compared with it, by outcome: won, lost, equal (equivalent), or open."""
    found: dict[str, dict[str, list[str]]] = defaultdict(
        lambda: {"won": [], "lost": [], "equal": [], "open": []}
    )
    for a, b, outcome in pairs[["model_a", "model_b", "outcome"]].itertuples(index=False):
        undecided = "equal" if outcome == "equivalent" else "open"
        is_decided = outcome == "difference"
        found[a]["won" if is_decided else undecided].append(b)
        found[b]["lost" if is_decided else undecided].append(a)
    return found
