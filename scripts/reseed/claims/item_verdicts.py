"""What a comparison on one test set says in plain words: seeds and test items both drawn."""

from __future__ import annotations

import math
from collections.abc import Mapping

from reseed.claims.verdicts import adjusted_p, interval_places, number, share_text

OUTCOMES = ("difference", "equivalent", "no difference shown", "no variation")
BOTH = "seeds and items"


def outcome(row: Mapping) -> str:
    """One of `OUTCOMES` for a row of the analysis `item_pairs`."""
    if row["low"] == row["high"]:
        return "no variation"
    if row["p_holm"] <= row["alpha"] and row["difference"] > 0:
        return "difference"
    return "equivalent" if _within_rope(row) else "no difference shown"


def _within_rope(row: Mapping) -> bool:
    return row.get("equivalence_p_holm", math.nan) <= row["alpha"]


def verdict(row: Mapping) -> str:
    """The row as one or a few sentences, naming what it generalises to."""
    a, b, found = row["arm_a"], row["arm_b"], outcome(row)
    better = "" if row["greater_is_better"] else ", lower is better"
    unit = f" {row['unit']}" if row["unit"] else ""
    if found == "no variation":
        if row["difference"] == 0:
            return (
                f"{a} and {b} give the same {row['metric']} on every item that tells them apart: "
                f"no verdict from {row['items']:.0f} items."
            )
        return (
            f"No verdict on {a} and {b}: every item gives the same difference "
            f"{row['difference'] * row['factor']:.3g}{unit} ({row['metric']}{better}), so "
            f"{row['items']:.0f} test items say no more than one."
        )
    places = interval_places(row["low"] * row["factor"], row["high"] * row["factor"])
    low, high, difference = (
        number(row[name] * row["factor"], places) for name in ("low", "high", "difference")
    )
    numbers = (
        f"difference {difference}{unit} ({row['metric']}{better}), {100 * row['level']:g} % "
        f"interval {low} to {high}, {adjusted_p(row)}"
    )
    rope = f"±{row.get('rope', math.nan) * row['factor']:.3g}{unit}"
    if found == "difference":
        head, tail = f"{a} beats {b}", ""
        if _within_rope(row):
            tail = f" It is smaller than {rope}, the region of practical equivalence."
    elif found == "equivalent":
        head = f"{a} and {b} are equivalent within {rope}"
        tail = f" Two one-sided tests: {adjusted_p(row, 'equivalence_p_holm')}."
    else:
        head = f"No difference shown between {a} and {b}"
        tail = " This does not show that they are equal."
    return f"{head}: {numbers}.{tail} {_scope(row)}{_single(row)}"


def _scope(row: Mapping) -> str:
    items = f"{row['items']:.0f} test items"
    runs = f"{row['runs_a']:.0f} and {row['runs_b']:.0f} runs"
    if row["runs_a"] == row["runs_b"]:
        runs = f"{row['runs_a']:.0f} runs each"
    if row["scope"] == BOTH:
        few = min(row["runs_a"], row["runs_b"]) < 3
        note = (
            " Two runs hardly tell the spread over seeds: a third would narrow the interval." * few
        )
        return (
            f"Judged over {runs} and {items}: new seeds and new items are both allowed for.{note}"
        )
    return (
        f"Judged over {items} for the models as trained ({runs}): other seeds may order them "
        "otherwise."
    )


def _single(row: Mapping) -> str:
    if row["scope"] != BOTH or not math.isfinite(row["single_a"]):
        return ""
    shares = share_text(row["single_a"]), share_text(row["single_b"])
    return (
        f" One run of each, tested over the items alone, would have declared {row['arm_a']} better "
        f"in {shares[0]} and {row['arm_b']} better in {shares[1]} of {row['single_pairs']:.0f} "
        "pairs of runs."
    )
