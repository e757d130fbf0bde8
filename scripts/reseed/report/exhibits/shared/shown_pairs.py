"""Shown differences: their count, with those under a condition, and by model."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import pandas as pd

from reseed.comparison.claims import phrases
from reseed.comparison.claims.claim import Claim
from reseed.comparison.claims.pair_row import is_shown
from reseed.comparison.claims.pair_verdicts import qualify_pairs
from reseed.report.rendering.data import ExhibitData
from reseed.report.rendering.settings import (
    describe_detectable,
    describe_half_widths,
    difference_estimates,
    pair_runs,
)


def share_shown(rows: pd.DataFrame, noun: str, plural: str = "") -> phrases.Phrase:
    """`3 of the 12 pairs`; `3 of the 12 pairs (2 of them by one correction only)`.

    Also how many rest on means of runs of which a few lie far from the others.

    Args:
        rows: of the analysis `pairs`.
        noun, plural: of `phrases.share`.
    """
    shown = phrases.share(rows, is_shown(rows), noun, plural)
    conditions = count_conditions(rows)
    if not conditions:
        return shown
    named = [
        f"{count:,} of them {condition}" if len(rows) > 1 else condition
        for condition, count in conditions.items()
    ]
    return replace(shown, text=f"{shown.text} ({'; '.join(named)})")


def claim_shown(
    data: ExhibitData,
    rows: pd.DataFrame,
    finding: str,
    names: Mapping[str, phrases.Phrase],
    headline: str | bool = False,
    basis: str = "",
) -> Claim:
    """The claim on the shown differences of rows of the analysis `pairs`, with their estimates."""
    return Claim(
        "shown_differences",
        finding,
        rows,
        names,
        pair_runs(rows),
        headline=headline,
        basis=basis,
        statistic="mean difference",
        null="no difference",
        estimates=difference_estimates(data, rows),
        precision=describe_detectable(rows) or describe_half_widths(rows),
    )


def count_conditions(rows: pd.DataFrame) -> Counter[str]:
    """Conditions of the shown differences, with the number of pairs under each."""
    return Counter(filter(None, qualify_pairs(rows[is_shown(rows)])))


@dataclass
class Others:
    """The models compared with one: those it beat, those that beat it, equivalent ones, others."""

    won: list[str] = field(default_factory=list)
    equal: list[str] = field(default_factory=list)
    open: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)

    def __len__(self) -> int:
        return sum(map(len, vars(self).values()))


def list_others(pairs: pd.DataFrame) -> dict[str, Others]:
    """By model, those compared with it."""
    others: dict[str, Others] = defaultdict(Others)
    for a, b, outcome in pairs[["model_a", "model_b", "outcome"]].itertuples(index=False):
        if outcome == "difference":
            others[a].won.append(b)
            others[b].lost.append(a)
            continue
        for one, other in ((a, b), (b, a)):
            side = others[one].equal if outcome == "equivalent" else others[one].open
            side.append(other)
    return others
