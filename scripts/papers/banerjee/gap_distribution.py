"""Distribution of logit gaps of single runs and of their ensemble [Banerjee et al., Figure 4]."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
import pandas as pd
from reseed.analyses.shared.data import Data
from reseed.analyses.shared.outputs import Outputs, SplitOptions, select_outputs
from reseed.core.schemas import ARM_OUTPUT_COLUMNS, Row
from reseed.plugins.options import Count

from papers.banerjee.arm_columns import with_above
from papers.banerjee.logit_gaps import logit_gaps
from papers.banerjee.reference_pools import GapOptions, Pools, ensembles, measure_arms

READS = "predictions"

#: Items with a logit gap within this are uncertain: odds below 3 to 1.
SMALL = 1.0

COLUMNS = [
    *ARM_OUTPUT_COLUMNS, "left", "right", "n", "failed", "items", "runs_mean", "runs_min",
    "runs_max", "ensemble", "runs_small", "ensemble_small", "runs_above", "reason",
]  # fmt: skip


class Options(SplitOptions, GapOptions):
    """n_bins: bins of the logit gap between the bounds."""

    n_bins: Count = 60


def analyse(data: Data, options: Options) -> pd.DataFrame:
    """One row an arm and bin of the logit gap: the share of test items in it.

    `runs_mean`, `runs_min`, `runs_max` over all runs of the arm, `ensemble`: that of their mean
    logit. Gaps are clipped, so the outermost bins contain all gaps beyond.
    `runs_small`, `ensemble_small`: the share of items with a gap of at most `SMALL`, for any bins;
    `runs_above`: number of runs with a greater share than the ensemble.
    """
    rows = measure_arms(
        select_outputs(data, options), options, partial(_rows, options=options), "others"
    )
    return with_above(pd.DataFrame(rows, columns=COLUMNS))


def _rows(one: Outputs, parts: Pools, options: Options) -> Iterator[Row]:
    bound = options.gap_bound
    edges = np.linspace(-bound, bound, options.n_bins + 1)
    shares = np.array([_shares(parts.gaps[run], edges) for run in parts.candidates])
    outside = options.outside
    ensemble = logit_gaps(ensembles(one, parts.candidates[None]), bound, outside)[0]
    together = _shares(ensemble, edges)
    small = np.array([_small(parts.gaps[run]) for run in parts.candidates])
    for i in range(len(edges) - 1):
        yield {
            "left": edges[i],
            "right": edges[i + 1],
            "runs_mean": shares[:, i].mean(),
            "runs_min": shares[:, i].min(),
            "runs_max": shares[:, i].max(),
            "ensemble": together[i],
            "runs_small": small.mean(),
            "ensemble_small": _small(ensemble),
            "runs_above": int((small > _small(ensemble)).sum()),
        }


def _small(gaps: np.ndarray) -> float:
    return float((np.abs(gaps) <= SMALL).mean())


def _shares(gaps: np.ndarray, edges: np.ndarray) -> np.ndarray:
    return np.histogram(gaps, edges)[0] / gaps.size
