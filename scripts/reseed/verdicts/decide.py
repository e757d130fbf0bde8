"""The verdict on two models: one rule for every comparison, and the words for it."""

from __future__ import annotations

from math import isnan
from typing import Literal, NamedTuple

from reseed.verdicts.designs import ITEM_MODEL
from reseed.verdicts.formatting import add_unit
from reseed.verdicts.pair import Pair

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


def decide(row: Pair) -> Verdict:
    """The rule of every verdict, on a tested pair.

    `better`: the interval excludes 0 (over datasets, where there is none: `p_adjusted` is at most
    `alpha`), however small the difference. `equal`: it lies within ±`rope`.
    """
    tested = row.tested
    if row.design == "different splits" and row.n > 0:
        return Verdict("not tested", "no split in common")
    if lacking := _find_lack(row):
        return Verdict("not tested", f"too few {lacking}")
    if isnan(row.p_adjusted):
        return Verdict("not tested", "no variation")
    reason = f"a few {tested.tail}s far from the others" if abs(tested.skewness) > 0 else ""
    is_by_p = isnan(row.low)
    if row.p_adjusted <= row.alpha and row.difference > 0 if is_by_p else row.low > 0:
        return Verdict("better", reason)
    if max(-row.low, row.high) < row.rope or tested.equivalence_p <= row.alpha:
        return Verdict("equal", reason)
    if tested.p_least > row.alpha:
        reason = "too few datasets for any p so small"
    return Verdict("undecided", reason)


def _find_lack(row: Pair) -> str:
    """What there is too little of for a test; empty if there is enough."""
    tested = row.tested
    if row.design == ITEM_MODEL.design:
        if 0 < tested.clusters < _LEAST_CLUSTERS:
            return "clusters"
        return "items" if tested.items < _LEAST_ITEMS else ""
    if row.n < tested.least or not row.n > 0:
        return "datasets" if row.design == "datasets" else "runs"
    return ""


def label_outcome(row: Pair, model: str = "") -> str:
    """The outcome as printed, of `model` against the other one (by default of the better one).

    `better`, `worse`, `equal within ±1 points`, `undecided`, `not tested: too few runs`.
    """
    word: str = row.outcome
    if word == "better" and model == row.model_b:
        word = "worse"
    if word == "equal":
        word = f"equal within {add_unit(f'±{row.rope * row.factor:.3g}', row.unit)}"
    return f"{word}: {row.reason}" if row.reason else word
