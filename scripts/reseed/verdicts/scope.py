"""What comparisons over items hold for."""

from __future__ import annotations

from collections.abc import Mapping

from reseed.verdicts.designs import SOURCES
from reseed.verdicts.formatting import join_names


def name_generality(levels: Mapping[str, float]) -> str:
    """`new seeds and new items`, by the number of levels of each source."""
    sampled = [source for source in SOURCES[:-1] if levels.get(source, 0) > 1]
    new = [one for one in sampled if not (one == "item" and "cluster" in sampled)]
    held = [] if "seed" in sampled else ["exactly these trained models"]
    return join_names([*(f"new {one}s" for one in new), *held])
