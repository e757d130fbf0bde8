"""Churn of every pair of runs and the alpha-hats of both [Banerjee et al., sec. V-B2]."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Annotated

import numpy as np
import pandas as pd
from pydantic import Field
from reseed.analyses.shared.data import Data
from reseed.analyses.shared.outputs import Outputs, SplitOptions, select_outputs
from reseed.core.schemas import ARM_OUTPUT_COLUMNS, Row
from reseed.plugins.options import Count

from papers.banerjee.arm_columns import with_correlation
from papers.banerjee.ensembles import pairwise_churn
from papers.banerjee.reference_pools import PoolOptions, Pools, ThresholdOptions, measure_arms
from papers.banerjee.trimming import candidate_alpha_hat

READS = "predictions"

COLUMNS = [
    *ARM_OUTPUT_COLUMNS, "seed_a", "seed_b", "n", "candidates", "failed", "items", "churn",
    "disagreeing_items", "alpha_a", "alpha_b", "alpha_low", "alpha_high", "both_admitted",
    "threshold", "delta", "reason",
]  # fmt: skip


class Options(SplitOptions, PoolOptions, ThresholdOptions):
    """n_bootstrap: bootstraps of Algorithm 1.
    max_runs: most candidates of an arm; the first ones are paired.
    """

    n_bootstrap: Count = 100
    max_runs: Annotated[int, Field(ge=2)] = 200


def analyse(data: Data, options: Options) -> pd.DataFrame:
    """One row a pair of candidate runs of an arm: Table III and Figure 10.

    `churn`: share of test items on which the two predict different classes
    (`disagreeing_items` of `items`); `alpha_a`, `alpha_b`: their alpha-hats, of which `alpha_low`
    is the smaller and `alpha_high` the greater; `both_admitted`: the greater is at most
    `threshold`. Pairs share runs, so they are not independent.
    """
    rows = measure_arms(
        select_outputs(data, options), options, partial(_rows, options=options), options.reference,
        threshold=options.threshold,
    )  # fmt: skip
    return with_correlation(pd.DataFrame(rows, columns=COLUMNS))


def _rows(one: Outputs, parts: Pools, options: Options) -> Iterator[Row]:
    most = options.max_runs
    delta = parts.delta(options.epsilon)
    alpha = candidate_alpha_hat(one, parts, options.n_bootstrap, delta).mean[:most]
    chosen = parts.candidates[:most]
    counts = pairwise_churn(one.labels[chosen])
    items, threshold = len(one.y_true), options.threshold
    for i, j in zip(*np.triu_indices(len(chosen), 1), strict=True):
        low, high = sorted((float(alpha[i]), float(alpha[j])))
        yield {
            "delta": delta,
            "seed_a": _format_seeds(one.seeds[chosen[i]]),
            "seed_b": _format_seeds(one.seeds[chosen[j]]),
            "disagreeing_items": int(counts[i, j]),
            "churn": counts[i, j] / items,
            "alpha_a": float(alpha[i]),
            "alpha_b": float(alpha[j]),
            "alpha_low": low,
            "alpha_high": high,
            "both_admitted": high <= threshold,
        }


def _format_seeds(seeds: tuple[int, ...]) -> str:
    return str(seeds[0]) if len(set(seeds)) == 1 else "-".join(map(str, seeds))
