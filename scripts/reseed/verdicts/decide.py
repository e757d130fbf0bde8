"""The verdict on two models: one rule for every comparison, and the words for it."""

from __future__ import annotations

from math import isnan, nan
from typing import Literal, NamedTuple

from reseed.core.schemas import Row
from reseed.verdicts.designs import ITEM_MODEL
from reseed.verdicts.formatting import add_unit
from reseed.verdicts.pair_row import PairRow

#: Value of `dataset` in rows that compare models over all datasets.
ALL_DATASETS = "all datasets"
#: What is said of `model_a`, which has the better mean, and `model_b`.
Outcome = Literal["better", "equal", "undecided", "not tested"]
#: Those that a test decides.
TESTED: tuple[Outcome, ...] = ("better", "equal", "undecided")
#: With fewer clusters there is no verdict: two show their spread by one number.
_LEAST_CLUSTERS = 3
_LEAST_ITEMS = 2


class Verdict(NamedTuple):
    """What a comparison shows, and why it shows no more, or what its test allows for."""

    outcome: Outcome
    reason: str = ""


def decide(row: Row) -> Verdict:
    """The rule of every verdict, on a tested pair.

    `better`: the interval excludes 0 (over datasets, where there is none: `p_adjusted` is at most
    `alpha`), however small the difference. `equal`: it lies within ±`rope`.
    """
    n, p = row.get("n", nan), row.get("p_adjusted", nan)
    low, high = row.get("low", nan), row.get("high", nan)
    if row["design"] == "different splits" and n > 0:
        return Verdict("not tested", "no split in common")
    if lacking := _find_lack(row):
        return Verdict("not tested", f"too few {lacking}")
    if isnan(p):
        return Verdict("not tested", "no variation")
    unit = row.get("better_unit", "")
    reason = f"a few {unit}s far from the others" if abs(row.get("skewness", 0.0)) > 0 else ""
    is_shown = p <= row["alpha"] and row["difference"] > 0 if isnan(low) else low > 0
    if is_shown:
        return Verdict("better", reason)
    if max(-low, high) < row.get("rope", nan) or row.get("equivalence_p", nan) <= row["alpha"]:
        return Verdict("equal", reason)
    if row.get("p_least", nan) > row["alpha"]:
        reason = "too few datasets for any p so small"
    return Verdict("undecided", reason)


def _find_lack(row: Row) -> str:
    """What there is too little of for a test; empty if there is enough."""
    if row["design"] == ITEM_MODEL.design:
        if 0 < row.get("level_cluster", nan) < _LEAST_CLUSTERS:
            return "clusters"
        return "items" if row.get("level_item", nan) < _LEAST_ITEMS else ""
    n = row.get("n", nan)
    if n < row.get("min_runs", nan) or not n > 0:
        return "datasets" if row["design"] == "datasets" else "runs"
    return ""


def label_outcome(row: PairRow, model: str = "") -> str:
    """The outcome as printed, of `model` against the other one (by default of the better one).

    `better`, `worse`, `equal within ±1 points`, `undecided`, `not tested: too few runs`.
    """
    word: str = row.outcome
    if word == "better" and model == row.model_b:
        word = "worse"
    if word == "equal":
        word = f"equal within {add_unit(f'±{row.rope * row.factor:.3g}', row.unit)}"
    return f"{word}: {row.reason}" if row.reason else word
