"""Dunnett's test of models against a baseline, for the analysis `pairs`."""

from __future__ import annotations

import numpy as np

from reseed.comparison.claims.designs import UNPAIRED
from reseed.core.schemas import Row
from reseed.report.analyses.shared.pairing import ModelGroup, Pairing
from reseed.stats.unpaired import compare_with_baseline


def add_dunnett(group: ModelGroup, rows: list[Row], pairings: list[Pairing], level: float) -> None:
    """Add Dunnett's p-value and simultaneous interval to rows of models with seeds of their own.

    Needs two rows or more with enough runs that have one model, the baseline, in common.

    Args:
        group: of the models.
        rows: of `pairs`, one for each pairing; changed in place.
        pairings: the runs of `model_a` and `model_b` of each row.
        level: simultaneous confidence level.
    """
    chosen = [
        (row, pairing)
        for row, pairing in zip(rows, pairings, strict=True)
        if row["design"] == UNPAIRED.design and row["n"] >= row["min_runs"]
    ]
    names = [{row["model_a"], row["model_b"]} for row, _ in chosen]
    common = set.intersection(*names) if len(names) > 1 else set()
    if len(common) != 1:
        return
    (baseline,) = common
    sides = [
        (pairing.b, pairing.a) if row["model_a"] == baseline else (pairing.a, pairing.b)
        for row, pairing in chosen
    ]
    samples, control = [sample for sample, _ in sides], sides[0][1]
    if all(np.ptp(x) == 0 for x in (control, *samples)):
        return
    test = compare_with_baseline(samples, control, level)
    for k, (row, _) in enumerate(chosen):
        # Positive where `model_a` is better.
        sign = group.sign * (-1 if row["model_a"] == baseline else 1)
        low, high = sorted((sign * float(test.low[k]), sign * float(test.high[k])))
        row |= {"dunnett_p": float(test.p_value[k]), "dunnett_low": low, "dunnett_high": high}
