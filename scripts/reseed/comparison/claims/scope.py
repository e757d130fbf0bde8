"""What comparisons over items hold for."""

from __future__ import annotations

from collections.abc import Iterable

from reseed.comparison.claims.designs import SOURCES
from reseed.comparison.claims.formatting import join_names
from reseed.comparison.claims.pair_row import PairRow


def _list_sampled(row: PairRow) -> list[str]:
    return [source for source in SOURCES[:-1] if row.levels[source] > 1]


def _list_new(sampled: list[str]) -> list[str]:
    kept = [one for one in sampled if not (one == "item" and "cluster" in sampled)]
    return [f"new {source}s" for source in kept]


def name_generality(rows: Iterable[PairRow]) -> str:
    """`new seeds and new items`: what comparisons over items hold for; empty if they differ."""
    names = set()
    for row in rows:
        sampled = [source for source in SOURCES[:-1] if row.levels[source] > 1]
        new = [one for one in sampled if not (one == "item" and "cluster" in sampled)]
        held = [] if "seed" in sampled else ["exactly these trained models"]
        names.add(join_names([*(f"new {one}s" for one in new), *held]))
    return names.pop() if len(names) == 1 else ""
