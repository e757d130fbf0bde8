"""How many runs make a reliable ensemble [Banerjee et al., sec. V-A, Table I, Figures 5 to 8]."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
import pandas as pd
from pydantic import Field
from reseed.analyses.shared.arms import ARM
from reseed.analyses.shared.data import Data
from reseed.analyses.shared.outputs import Outputs, SplitOptions, select_outputs
from reseed.analyses.shared.published import read_published_table
from reseed.core.schemas import ARM_OUTPUT_COLUMNS, Row
from reseed.plugins.options import Count, PublishedFiles

from papers.banerjee.alpha_hat import bootstrap_alpha_hat
from papers.banerjee.arm_columns import with_shares
from papers.banerjee.calibration import expected_calibration_error
from papers.banerjee.ensembles import churn_against, draw_members
from papers.banerjee.logit_gaps import logit_gaps
from papers.banerjee.reference_pools import (
    GapOptions,
    Pools,
    ThresholdOptions,
    ensembles,
    measure_arms,
)
from papers.banerjee.representatives import round_up_to_grid, split_ks_distance

READS = "predictions"

_TABLE1 = "banerjee_table1_ensembles", ("ensemble_size", "percent_of_models_within_alpha_threshold")
COLUMNS = [
    *ARM_OUTPUT_COLUMNS, "size", "ensemble", "n", "references", "pool", "failed", "items",
    "alpha_hat", "alpha_hat_grid", "ks", "accuracy", "churn_ensemble", "ece", "threshold", "delta",
    "epsilon", "n_bootstrap", "published_share", "reason",
]  # fmt: skip


class Options(SplitOptions, GapOptions, ThresholdOptions, PublishedFiles):
    """sizes: of the ensembles (the paper's; larger ones than the pool are left out). The size of
        the whole pool is added.
    n_ensembles: random ensembles of each size.
    n_bootstrap: bootstraps of Algorithm 1.
    n_bins: bins of the ECE.
    published: the arm that reproduces the paper's. The published share of ensembles within the
        threshold is added to its rows (`banerjee_table1_ensembles`).
    """

    sizes: list[Count] = Field([1, 3, 5, 10, 20, 30, 70, 100, 150, 200], min_length=1)
    n_ensembles: Count = 500
    n_bootstrap: Count = 20
    n_bins: Count = 15
    published: str | None = None


def analyse(data: Data, options: Options) -> pd.DataFrame:
    """One row an ensemble of `size` runs drawn without replacement from an arm's candidates.

    At size 1 each run is measured once. Measured as in `trimming`, against the arm's reference
    runs, which must not be in the pool (`reference` is always "half"). `churn_ensemble` is against
    the ensemble of the whole pool; at that size there is one ensemble. Large ensembles of one pool
    share most of their members, so they are more similar than ensembles of new runs would be.
    """
    rows = measure_arms(
        select_outputs(data, options), options, partial(_rows, options=options), "half",
        threshold=options.threshold,
    )  # fmt: skip
    table = pd.DataFrame(rows, columns=COLUMNS)
    arm = options.published
    if arm is not None:
        printed = read_published_table(data.published, *_TABLE1)
        shares = (printed.set_index(_TABLE1[1][0])[_TABLE1[1][1]] / 100).to_dict()
        mine = table[ARM] == arm
        table.loc[mine, "published_share"] = table.loc[mine, "size"].map(shares)
    return with_shares(table)


def _rows(one: Outputs, parts: Pools, options: Options) -> Iterator[Row]:
    pool = parts.candidates
    sizes = sorted({s for s in options.sizes if s < len(pool)} | {len(pool)})
    shared = {
        "references": parts.n_references,
        "pool": len(pool),
        "delta": parts.delta(options.epsilon),
        "epsilon": options.epsilon,
        "n_bootstrap": options.n_bootstrap,
    }
    whole = ensembles(one, pool[None]).labels[0]
    for size in sizes:
        columns = _measure(one, parts, size, whole, options)
        for i in range(len(columns["ks"])):
            measured = {name: values[i] for name, values in columns.items()}
            yield shared | {"size": size, "ensemble": i} | measured


def _measure(one: Outputs, parts: Pools, size: int, whole: np.ndarray, options: Options) -> Row:
    """Columns (ensembles,) of the ensembles of one size."""
    pool = parts.candidates
    if size == 1:
        drawn = pool[:, None]  # each run once: drawn with repetition, runs would count twice
    else:
        count = 1 if size == len(pool) else options.n_ensembles
        drawn = pool[draw_members(len(pool), size, count, one.rng("members", str(size)))]
    count = len(drawn)
    blocks = [_of_block(one, drawn[i : i + 64], whole, options) for i in range(0, count, 64)]
    columns = {name: np.concatenate([part[name] for part in blocks]) for name in blocks[0]}
    gaps, reference = columns.pop("gaps"), parts.gaps[parts.references]
    alpha = bootstrap_alpha_hat(
        gaps, reference, rng=one.rng("alpha-hat", str(size)),
        n_bootstrap=options.n_bootstrap, delta=parts.delta(options.epsilon),
    )  # fmt: skip
    return columns | {
        "alpha_hat": alpha.mean,
        "alpha_hat_grid": round_up_to_grid(alpha.replicates).mean(axis=0),
        "ks": split_ks_distance(gaps, reference, rng=one.rng("ks", str(size))),
    }


def _of_block(one: Outputs, drawn: np.ndarray, whole: np.ndarray, options: Options) -> Row:
    block = ensembles(one, drawn)
    labels, correct = block.labels, block.correct
    return {
        "gaps": logit_gaps(block, options.gap_bound, options.outside),
        "accuracy": correct.mean(axis=1),
        "churn_ensemble": churn_against(labels, whole) / len(whole),
        "ece": expected_calibration_error(block.confidence, correct, options.n_bins),
    }
