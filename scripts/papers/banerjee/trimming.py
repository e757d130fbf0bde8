"""How representative each run is of its arm: alpha-hat, accuracy, churn and calibration.

Source: Banerjee et al., Algorithm 1 and section V-B: Tables II and IV, Figures 9, 11, 12, 14.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
import pandas as pd
from reseed.analyses.shared.data import Data
from reseed.analyses.shared.outputs import Outputs, SplitOptions, select_outputs
from reseed.analyses.shared.published import read_published_table
from reseed.core.schemas import ARM_OUTPUT_COLUMNS, MODEL_SEED_COLUMNS, Row
from reseed.plugins.options import Count, PublishedFiles

from papers.banerjee.alpha_hat import BootstrapAlphaHat, bootstrap_alpha_hat
from papers.banerjee.arm_columns import with_hidden
from papers.banerjee.calibration import expected_calibration_error
from papers.banerjee.ensembles import churn_against, model_churn
from papers.banerjee.reference_pools import (
    PoolOptions,
    Pools,
    ThresholdOptions,
    ensembles,
    measure_arms,
)
from papers.banerjee.representatives import round_up_to_grid, split_ks_distance

READS = "predictions"


COLUMNS = [
    *ARM_OUTPUT_COLUMNS, *MODEL_SEED_COLUMNS, "n", "references", "candidates", "failed", "items",
    "alpha_hat", "alpha_hat_mc_se", "alpha_hat_grid", "ks", "accuracy", "churn", "churn_ensemble",
    "ece", "ensemble_accuracy", "admitted", "threshold", "delta", "epsilon", "n_bootstrap",
    "published", "reason",
]  # fmt: skip
#: Number of test items of the paper's accuracies and churn. Inferred: the accuracies printed of
#: single models (Tables II and IV) are whole numbers of 8,018ths, and of no other number up to
#: 16,000; CIFAR-10's own test part holds 8,000 images of the eight classes.
PAPER_ITEMS = 8018
_PRINTED = {
    "alpha_hat": ("alpha_hat", 1),
    "accuracy": ("validation_accuracy", 100),
    "churn_ensemble": ("churn_vs_ensemble", PAPER_ITEMS),
    "churn": ("mean_churn", PAPER_ITEMS),
    "ece": ("ece", 1),
}


class RunOptions(SplitOptions, PoolOptions, ThresholdOptions):
    """n_bootstrap: bootstraps of Algorithm 1.
    n_bins: bins of the ECE.
    """

    n_bootstrap: Count = 100
    n_bins: Count = 15


class Options(RunOptions, PublishedFiles):
    """published: arm → the table of published models to add."""

    published: dict[str, str] = {}


def analyse(data: Data, options: Options) -> pd.DataFrame:
    """One row a candidate run of each arm, on one test set.

    `alpha_hat` is exact, `alpha_hat_grid` as the authors' search over 13 levels gives it (0.5: at
    least 0.5); both are means over bootstraps of Algorithm 1, against the average eCDF of the
    arm's reference runs (`reference_pools.pools`). `ks`: KS distance on disjoint halves, to be
    compared with `delta`. `churn`: mean share of test items on which the run and another candidate
    predict different classes; `churn_ensemble`: the same against the ensemble (mean logit) of all
    candidates, whose accuracy is `ensemble_accuracy`. `admitted`: alpha_hat ≤ `threshold`. An arm
    that cannot be measured is one row with its `reason`. `published` rows are the paper's models
    (Tables IV and V), as far as their numbers are printed; NaN else.
    """
    arms = select_outputs(data, options)
    rows = run_rows(arms, options)
    rows += [row for arm in arms for row in _published(arm, data, options)]
    table = pd.DataFrame(rows, columns=COLUMNS)
    return with_hidden(table.assign(published=table["published"].eq(True)))


def run_rows(arms: list[Outputs], options: RunOptions) -> list[Row]:
    """The rows of `analyse` without those of published models."""
    return measure_arms(
        arms, options, partial(_rows, options=options), options.reference,
        threshold=options.threshold,
    )  # fmt: skip


def _published(one: Outputs, data: Data, options: Options) -> Iterator[Row]:
    name = options.published.get(one.key["arm"])
    if name is None:
        return
    printed = read_published_table(
        data.published, name, ["model", *(c for c, _ in _PRINTED.values())]
    )
    for _, line in printed.iterrows():
        numbers = {to: line[column] / unit for to, (column, unit) in _PRINTED.items()}
        seed = {"init": int(line["model"]), "items": PAPER_ITEMS}
        yield one.key | seed | numbers | {"published": True, "reason": ""}


def candidate_alpha_hat(
    one: Outputs, parts: Pools, n_bootstrap: int, delta: float
) -> BootstrapAlphaHat:
    """Alpha-hat of an arm's candidates; every caller gets the same numbers."""
    references = None if parts.references is None else parts.gaps[parts.references]
    return bootstrap_alpha_hat(
        parts.gaps[parts.candidates],
        references,
        rng=one.rng("alpha-hat"),
        n_bootstrap=n_bootstrap,
        delta=delta,
    )


def _rows(one: Outputs, parts: Pools, options: RunOptions) -> Iterator[Row]:
    chosen, delta = parts.candidates, parts.delta(options.epsilon)
    alpha = candidate_alpha_hat(one, parts, options.n_bootstrap, delta)
    together = ensembles(one, chosen[None])
    labels, correct = one.labels[chosen], one.correct[chosen]
    items = labels.shape[1]
    columns = {
        "alpha_hat": alpha.mean,
        "alpha_hat_mc_se": alpha.mc_se,
        "alpha_hat_grid": round_up_to_grid(alpha.replicates).mean(axis=0),
        "ks": _distances(one, parts),
        "accuracy": correct.mean(axis=1),
        "churn": model_churn(labels) / items,
        "churn_ensemble": churn_against(labels, together.labels[0]) / items,
        "ece": expected_calibration_error(one.confidence[chosen], correct, options.n_bins),
        "admitted": alpha.mean <= options.threshold,
    }
    shared = {
        "references": parts.n_references,
        "ensemble_accuracy": float(together.correct.mean()),
        "delta": delta,
        "epsilon": options.epsilon,
        "n_bootstrap": len(alpha.replicates),
    }
    for i, run in enumerate(chosen):
        seeds = dict(zip(MODEL_SEED_COLUMNS, one.seeds[run], strict=True))
        yield shared | seeds | {name: values[i] for name, values in columns.items()}


def _distances(one: Outputs, parts: Pools) -> np.ndarray:
    rng, gaps = one.rng("ks"), parts.gaps
    if parts.references is not None:
        return split_ks_distance(gaps[parts.candidates], gaps[parts.references], rng=rng)
    return np.array([
        split_ks_distance(gaps[run : run + 1], np.delete(gaps, run, axis=0), 3, rng=rng)[0]
        for run in parts.candidates
    ])  # fmt: skip
