"""Pools of an arm's runs: reference runs, and the candidates that are measured against them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from reseed.analyses.shared.arms import ARM
from reseed.analyses.shared.outputs import Outputs
from reseed.core.schemas import Row
from reseed.plugins.options import Level, Positive, Share, Strict
from scipy.special import expit, softmax

from papers.banerjee.ensembles import ensemble_scores
from papers.banerjee.logit_gaps import logit_gaps
from papers.banerjee.representatives import half_threshold

#: Fewest runs that can be measured.
LEAST = 4
#: With this many runs or more, the first half is the reference, as in the paper. With fewer, each
#: run is measured against all others.
_HALVES = 20
Reference = Literal["half", "others"]


class GapOptions(Strict):
    """gap_bound: logit gaps are clipped to ± this.
    outside: value of a gap beyond it: the bound, or `zero` as in the authors' code.
    """

    gap_bound: Positive = 15.0
    outside: Literal["bound", "zero"] = "bound"


class PoolOptions(GapOptions):
    """reference: `half` (the first half of the runs; the default from 20 runs on) or `others`
    (leave one out).
    """

    reference: Reference | None = None


class DeltaOptions(Strict):
    """epsilon: probability with which the threshold δ is exceeded by chance."""

    epsilon: Level = 0.01


class ThresholdOptions(DeltaOptions):
    """threshold: the greatest alpha-hat admitted."""

    threshold: Share = 0.05


@dataclass(frozen=True)
class Pools:
    """An arm's runs: `candidates` are measured against `references`.

    references: None: each candidate is measured against all other candidates.

    gaps: (runs, items) of all runs.
    """

    gaps: np.ndarray
    candidates: np.ndarray
    references: np.ndarray | None

    @property
    def n_references(self) -> int:
        """Runs behind a candidate's reference function."""
        return len(self.candidates) - 1 if self.references is None else len(self.references)

    def delta(self, epsilon: float) -> float:
        """The threshold δ at half of the items, exceeded by chance with probability `epsilon`."""
        return half_threshold(self.gaps.shape[1], epsilon)


#: Rows of an arm, from its runs and their pools.
Measure = Callable[[Outputs, Pools], Iterable[Row]]


def pools(
    one: Outputs, options: GapOptions, reference: Reference | None, least: int = LEAST
) -> Pools:
    """Split an arm's runs, in order of their seeds.

    reference: None: `half` from `_HALVES` runs on, else `others`. Raises ValueError where there
    are fewer than `least` runs, or no gap to measure.
    """
    if one.n < least:
        raise ValueError(f"needs at least {least} model seeds that did not fail")
    reference = reference or ("half" if one.n >= _HALVES else "others")
    gaps = logit_gaps(one, options.gap_bound, options.outside)
    if gaps.shape[1] < 2:
        raise ValueError("needs at least two test items")
    order = sorted(range(one.n), key=lambda i: one.seeds[i])
    half = one.n // 2 if reference == "half" else 0
    return Pools(gaps, np.array(order[half:]), np.array(order[:half]) if half else None)


def measure_arms(
    arms: list[Outputs],
    options: GapOptions,
    measure: Measure,
    reference: Reference | None,
    least: int = LEAST,
    **columns: float,
) -> list[Row]:
    """The rows that `measure` makes of each arm's pools, with the counts of the arm.

    columns: further values that every row has. `candidates` counts the measured runs. An arm that
    cannot be measured (ValueError) is one row with its `reason`.
    """
    rows = []
    for one in arms:
        cell = one.key | {
            "n": one.n,
            "failed": one.failed,
            "items": len(one.y_true),
            "reason": "",
            **columns,
        }
        try:
            parts = pools(one, options, reference, least)
            cell |= {"candidates": len(parts.candidates)}
            rows += [cell | row for row in measure(one, parts)]
        except ValueError as error:
            rows.append(cell | {"reason": str(error)})
    return rows


def ensembles(one: Outputs, members: np.ndarray) -> Outputs:
    """Ensembles (rows of run indices) by mean logit, as `Outputs` [Banerjee, eq. 9]."""
    if one.task == "binary":
        probability = expit(ensemble_scores(logit_gaps(one, bound=30.0), members))
    else:
        logs = np.log(np.maximum(one.probability, np.exp(-30.0)))
        probability = softmax(ensemble_scores(logs, members), axis=-1)
    seeds = [(i,) * 4 for i in range(len(members))]
    return replace(one, probability=probability, seeds=seeds, key=one.key | {ARM: "ensemble"})
