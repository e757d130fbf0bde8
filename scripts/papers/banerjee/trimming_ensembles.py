"""How many runs make a reliable ensemble [Banerjee et al., sec. V-A, Table I, Figures 5 to 8]."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
from pydantic import Field
from reseed.analyses.shared.arms import ARM
from reseed.analyses.shared.data import Data
from reseed.analyses.shared.outputs import PLACE, Outputs, SplitOptions, selected
from reseed.analyses.shared.published_rows import read_published
from reseed.plugins.options import Count, PublishedFiles
from reseed.stats.calibration import expected_calibration_error
from reseed.stats.ensembles import churn_against, draw_members
from reseed.stats.representatives import round_up_to_grid, split_ks_distance
from reseed.stats.trimming import bootstrap_alpha_hat

from papers.banerjee.reference_pools import GapOptions, Pools, ThresholdOptions, ensembles, measured

READS = "predictions"

#: The paper's sizes; those beyond the pool are left out, and the whole pool is put last.
SIZES = (1, 3, 5, 10, 20, 30, 70, 100, 150, 200)
_TABLE1 = "banerjee_table1_ensembles", ("ensemble_size", "percent_of_models_within_alpha_threshold")
COLUMNS = [
    *PLACE, "size", "ensemble", "n", "references", "pool", "failed", "items", "alpha_hat",
    "alpha_hat_grid", "ks", "accuracy", "churn_ensemble", "ece", "threshold", "delta", "epsilon",
    "n_bootstrap", "published_share", "reason",
]  # fmt: skip


class Options(SplitOptions, GapOptions, ThresholdOptions, PublishedFiles):
    """sizes: of the ensembles; that of the whole pool is put last.
    n_ensembles: drawn of each size.
    n_bootstrap: bootstraps of Algorithm 1.
    n_bins: bins of the ECE.
    published: the arm that repeats the paper's; its share of ensembles within the threshold is put
        beside (`banerjee_table1_ensembles`).
    """

    sizes: list[Count] = Field(list(SIZES), min_length=1)
    n_ensembles: Count = 500
    n_bootstrap: Count = 20
    n_bins: Count = 15
    published: str | None = None


def analyse(data: Data, options: dict) -> pd.DataFrame:
    """One row an ensemble of `size` runs drawn without replacement from an arm's candidates.

    Measured as in `trimming`, against the arm's reference runs, which must be apart from the pool
    (`reference` is always "half"). `churn_ensemble` is against the ensemble of the whole pool; at
    that size there is one ensemble. Large ensembles of one pool share most of their members, so
    that they look more alike than ensembles of new runs would.
    """
    found = selected(data, options)
    options = options | {"reference": "half"}
    rows = measured(found, options, _rows)
    table = pd.DataFrame(rows, columns=COLUMNS)
    arm = options.get("published")
    if arm is not None:
        printed = read_published(data.published, *_TABLE1)
        shares = (printed.set_index(_TABLE1[1][0])[_TABLE1[1][1]] / 100).to_dict()
        mine = table[ARM] == arm
        table.loc[mine, "published_share"] = table.loc[mine, "size"].map(shares)
    return table


def _rows(one: Outputs, parts: Pools, options: dict) -> Iterator[dict]:
    pool = parts.candidates
    sizes = sorted({s for s in options.get("sizes", SIZES) if s < len(pool)} | {len(pool)})
    shared = {
        "references": parts.n_references,
        "pool": len(pool),
        "delta": parts.delta,
        "epsilon": parts.epsilon,
        "n_bootstrap": options.get("n_bootstrap", 20),
    }
    whole = ensembles(one, pool[None]).labels[0]
    for size in sizes:
        columns = _measure(one, parts, size, whole, options)
        for i in range(len(columns["ks"])):
            own = {name: values[i] for name, values in columns.items()}
            yield shared | {"size": size, "ensemble": i} | own


def _measure(one: Outputs, parts: Pools, size: int, whole: np.ndarray, options: dict) -> dict:
    """Measurements (ensembles,) of the ensembles of one size."""
    pool = parts.candidates
    count = 1 if size == len(pool) else options.get("n_ensembles", 500)
    drawn = pool[draw_members(len(pool), size, count, one.rng("members", str(size)))]
    found = [_of_block(one, drawn[i : i + 64], whole, options) for i in range(0, count, 64)]
    columns = {name: np.concatenate([part[name] for part in found]) for name in found[0]}
    gaps, reference = columns.pop("gaps"), parts.gaps[parts.references]
    alpha = bootstrap_alpha_hat(
        gaps, reference, rng=one.rng("alpha-hat", str(size)),
        n_bootstrap=options.get("n_bootstrap", 20), delta=parts.delta,
    )  # fmt: skip
    return columns | {
        "alpha_hat": alpha.mean,
        "alpha_hat_grid": round_up_to_grid(alpha.replicates).mean(axis=0),
        "ks": split_ks_distance(gaps, reference, rng=one.rng("ks", str(size))),
    }


def _of_block(one: Outputs, drawn: np.ndarray, whole: np.ndarray, options: dict) -> dict:
    block = ensembles(one, drawn)
    labels, correct = block.labels, block.correct
    return {
        "gaps": block.gaps(options.get("gap_bound", 15.0), options.get("outside", "bound")),
        "accuracy": correct.mean(axis=1),
        "churn_ensemble": churn_against(labels, whole) / len(whole),
        "ece": expected_calibration_error(block.confidence, correct, options.get("n_bins", 15)),
    }
