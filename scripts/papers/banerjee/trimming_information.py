"""Information of alpha-hat on held-out disagreement beyond accuracy, churn and ECE."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from math import nan

import numpy as np
import pandas as pd
from reseed.analyses.shared.data import Data
from reseed.analyses.shared.outputs import Outputs, SplitOptions, select_outputs
from reseed.core.schemas import ARM_OUTPUT_COLUMNS, Row
from reseed.plugins.options import Count, Level

from papers.association import partial_rank_correlation
from papers.banerjee.reference_pools import DeltaOptions, GapOptions, Pools, measure_arms
from papers.banerjee.representatives import MEASURES, half_threshold, heldout_information

READS = "predictions"


COLUMNS = [
    *ARM_OUTPUT_COLUMNS, "measure", "n", "failed", "items", "r", "r_sd", "partial", "partial_low",
    "partial_high", "partial_sd", "given", "share_zero", "level", "n_halves", "delta", "reason",
]  # fmt: skip
_PLAIN = ("accuracy", "churn", "ece")
_LEAST = len(_PLAIN) + 5  # runs that a partial correlation needs


class Options(SplitOptions, GapOptions, DeltaOptions):
    """n_halves: random halves of the test items.
    n_bootstrap: bootstraps of Algorithm 1 in each half.
    level: confidence level of the interval of a partial correlation.
    n_bins: bins of the ECE.
    """

    n_halves: Count = 20
    n_bootstrap: Count = 10
    level: Level = 0.95
    n_bins: Count = 15


def analyse(data: Data, options: Options) -> pd.DataFrame:
    """One row an arm and measure: its rank correlation with the disagreement on unseen items.

    On one random half of the test items each run is measured (alpha-hat and KS distance against
    the other runs, accuracy, mean churn, ECE); on the other half its mean churn against the other
    runs is the quantity that a good measure predicts. `r`: Spearman's ρ; `partial`: partial
    correlation given `given` (for alpha-hat and KS: accuracy, churn and ECE; for each of these
    the other two), both means over halvings with their SD over halvings. The interval is that of
    one halving at this number of runs: further halvings reuse the same runs, and do not narrow it.
    `share_zero`: share of values that are 0; alpha-hat is 0 for every run that needs no trimming,
    and does not order these. NaN if a measure is determined by the others.
    """
    rows = measure_arms(
        select_outputs(data, options),
        options,
        partial(_rows, options=options),
        "others",
        least=_LEAST,
    )
    return pd.DataFrame(rows, columns=COLUMNS)


def _rows(one: Outputs, parts: Pools, options: Options) -> Iterator[Row]:
    level = options.level
    halves = list(
        heldout_information(
            parts.gaps, one.labels, one.correct, one.confidence,
            n_halves=options.n_halves, n_bootstrap=options.n_bootstrap,
            rng=one.rng("held out"), epsilon=options.epsilon, n_bins=options.n_bins,
        )
    )  # fmt: skip
    for measure in MEASURES:
        given = [name for name in _PLAIN if name != measure]
        plain = [partial_rank_correlation(half[measure], half["disagreement"]) for half in halves]
        partial = [
            partial_rank_correlation(
                half[measure], half["disagreement"], np.column_stack([half[g] for g in given]),
                level,
            )
            for half in halves
        ]  # fmt: skip
        yield {
            "measure": measure,
            "given": ", ".join(given),
            "r": _mean([c.r for c in plain]),
            "r_sd": _sd([c.r for c in plain]),
            "partial": _mean([c.r for c in partial]),
            "partial_low": _mean([c.low for c in partial]),
            "partial_high": _mean([c.high for c in partial]),
            "partial_sd": _sd([c.r for c in partial]),
            "share_zero": float(np.mean([half[measure] == 0 for half in halves])),
            "level": level,
            "n_halves": len(halves),
            "delta": half_threshold(parts.gaps.shape[1] // 2, options.epsilon),
        }


def _mean(values: list[float]) -> float:
    """Mean on Fisher's scale of the correlations that exist; NaN if none does."""
    known = np.array([v for v in values if np.isfinite(v)])
    return float(np.tanh(np.arctanh(np.clip(known, -0.9999, 0.9999)).mean())) if known.size else nan


def _sd(values: list[float]) -> float:
    known = [v for v in values if np.isfinite(v)]
    return float(np.std(known, ddof=1)) if len(known) > 1 else nan
