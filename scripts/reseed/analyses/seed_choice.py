"""Measures for choosing one trained model among its seeds, item by item.

Source: Banerjee et al., Algorithm 1, eqs. 9 and 36–39, sections V-B3 and VI. As in the paper,
models are ordered by their score on validation rows if the study stores these (`keep`). Otherwise
the order is by test score (`ranked_by`). That order shows the value of the choice (`optimism`) and
must not be used to choose.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import numpy as np
import pandas as pd
from pydantic import Field
from scipy.special import expit, logit

from reseed.analyses.shared.data import Data, primary_metric
from reseed.analyses.shared.predictions import OutputGroup
from reseed.core.random_streams import stream
from reseed.core.schemas import MODEL_SEED_COLUMNS, PREDICTION_COLUMNS, Row
from reseed.metrics.outputs import to_probabilities
from reseed.metrics.registry import METRICS, Undefined
from reseed.plugins.options import Count, Level, Share, Strict
from reseed.stats.calibration import binary_prediction, expected_calibration_error
from reseed.stats.ensembles import churn_against, ensemble_blocks, gap_labels, model_churn
from reseed.stats.representatives import half_threshold
from reseed.stats.selection import rank_models, selection_optimism
from reseed.stats.trimming import bootstrap_alpha_hat, clip_logit_gap

READS = "predictions"

#: Fewest models that can be measured.
MIN_MODELS = 4
COLUMNS = [
    "experiment", *PREDICTION_COLUMNS, *MODEL_SEED_COLUMNS, "n", "failed", "items", "accuracy",
    "validation_accuracy", "primary_metric", "primary", "ranked_by", "alpha_hat", "alpha_hat_mc_se",
    "churn", "churn_ensemble", "ece", "rank", "admitted", "pareto", "ensemble_accuracy",
    "ensemble_primary", "optimism", "optimism_mc_se", "gain", "gain_mc_se", "threshold", "delta",
    "epsilon", "n_bootstrap", "n_halves", "reason",
]  # fmt: skip


class Options(Strict):
    """n_bootstrap: bootstraps of alpha-hat.
    epsilon: probability with which the threshold δ is exceeded by chance.
    threshold: the greatest alpha-hat admitted.
    n_halves: random halvings for optimism and gain.
    n_bins: bins of the ECE.
    """

    n_bootstrap: Count = 20
    epsilon: Level = 0.01
    threshold: Share = 0.05
    n_halves: Annotated[int, Field(ge=2)] = 1000
    n_bins: Count = 15


def analyse(data: Data, options: Options) -> pd.DataFrame:
    """One row a trained model of each cell: binary classifiers on one split, seeds varied.

    Columns of each model:

    - `accuracy`, `primary`: accuracy and the dataset's primary metric on the test rows.
    - `alpha_hat`: of its logit gap, clipped to ±15, against the average eCDF of the others; exact,
      mean over bootstraps.
    - `churn`: mean churn against each other model; `churn_ensemble`: against the ensemble of all
      others (mean logit gap); both as shares of the test rows.
    - `ece`: expected calibration error of the predicted class.
    - `rank` (1 is first), `admitted`, `pareto`: `stats.selection.rank_models` on validation
      accuracy (without one, test accuracy: `ranked_by`) and alpha-hat, which uses no targets.

    The reference has few models: one outlier among k others is 1/k of it, and above `delta` gives
    every other model an alpha-hat of up to 1.

    Columns of the cell, repeated on its rows: metrics of the ensemble of all models; `optimism`
    (test accuracy of the best model on one half of the test rows minus that on the other half,
    1.4 to 1.9 times the bias of choosing on all of them) and `gain` (its advantage over the mean
    model), with Monte Carlo errors; `delta`, the threshold of each bootstrap. A cell that cannot be
    measured is one row with its `reason`.
    """
    groups = data.predictions.read_groups() if data.predictions is not None else []
    parts = [row for group in groups for row in _rows(data, group, options)]
    return pd.DataFrame(parts, columns=COLUMNS)


def _rows(data: Data, group: OutputGroup, options: Options) -> Iterator[Row]:
    metric = primary_metric(data.info, group.key["dataset"])
    cell = group.key | {
        "n": len(group.seeds),
        "failed": group.failed,
        "items": len(group.y_true),
        "primary_metric": metric,
        "threshold": options.threshold,
    }
    try:
        _check_measurable(data.info.datasets[group.key["dataset"]].task, group)
        gaps = clip_logit_gap(logit(group.scores))
        measured = _measure_models(group, gaps, metric, cell["threshold"], options)
        cell |= _measure_cell(group, gaps, metric, options) | {"reason": ""}
    except ValueError as error:
        yield cell | {"reason": str(error)}
        return
    for i, seeds in enumerate(group.seeds):
        columns = {name: _at(values, i) for name, values in measured.items()}
        yield cell | dict(zip(MODEL_SEED_COLUMNS, seeds, strict=True)) | columns


def _check_measurable(task: str | None, group: OutputGroup) -> None:
    if task != "binary":
        raise ValueError(f"{task}: a logit gap of one number an item needs two classes")
    if len(group.seeds) < MIN_MODELS:
        raise ValueError(f"needs at least {MIN_MODELS} model seeds that did not fail")


def _at(values: np.ndarray | float, i: int) -> Any:
    return values[i] if isinstance(values, np.ndarray) and values.ndim else values


def _measure_models(
    group: OutputGroup, gaps: np.ndarray, metric: str, threshold: float, options: Options
) -> dict[str, np.ndarray | float]:
    """Columns (seeds,) of the models, and the settings of alpha-hat."""
    labels, confidence = binary_prediction(group.scores)
    correct = labels == group.y_true
    accuracy = correct.mean(axis=1)
    items, epsilon = gaps.shape[1], options.epsilon
    delta = half_threshold(items, epsilon)
    alpha = bootstrap_alpha_hat(
        gaps,
        rng=_rng(group, "alpha-hat"),
        n_bootstrap=options.n_bootstrap,
        delta=delta,
    )
    validation = _validation_accuracy(group)
    has_validation = validation is not None
    chosen_by = accuracy if validation is None else validation
    ranking = rank_models(chosen_by, alpha.mean, threshold)
    indices = np.arange(len(gaps))
    others = np.array([np.delete(indices, i) for i in indices])
    ensembles = np.concatenate([gap_labels(block) for block in ensemble_blocks(gaps, others)])
    against = [churn_against(labels[i : i + 1], ensembles[i])[0] for i in indices]
    rank = np.empty(len(gaps), dtype=np.int64)
    rank[ranking.order] = indices + 1
    return {
        "accuracy": accuracy,
        "validation_accuracy": validation if has_validation else np.nan,
        "ranked_by": "validation accuracy" if has_validation else "test accuracy",
        "primary": np.array([_metric(group.y_true, scores, metric) for scores in group.scores]),
        "alpha_hat": alpha.mean,
        "alpha_hat_mc_se": alpha.mc_se,
        "churn": model_churn(labels) / items,
        "churn_ensemble": np.array(against) / items,
        "ece": expected_calibration_error(confidence, correct, options.n_bins),
        "rank": rank,
        "admitted": alpha.mean <= threshold,
        "pareto": ranking.pareto,
        "delta": delta,
        "epsilon": epsilon,
        "n_bootstrap": len(alpha.replicates),
    }


def _validation_accuracy(group: OutputGroup) -> np.ndarray | None:
    """(seeds,) accuracy on the validation rows; None if not all outputs are stored."""
    if group.validation is None or len(group.validation) != len(group.seeds):
        return None
    labels, _ = binary_prediction(to_probabilities("binary", group.validation))
    return (labels == group.validation_true).mean(axis=1)


def _measure_cell(group: OutputGroup, gaps: np.ndarray, metric: str, options: Options) -> Row:
    """Columns of the whole cell."""
    ensemble = gaps.mean(axis=0)
    correct = binary_prediction(group.scores)[0] == group.y_true
    optimism = selection_optimism(correct, options.n_halves, rng=_rng(group, "selection optimism"))
    return {
        "ensemble_accuracy": float(np.mean((ensemble > 0) == group.y_true)),
        "ensemble_primary": _metric(group.y_true, expit(ensemble), metric),
        "optimism": optimism.optimism,
        "optimism_mc_se": optimism.optimism_mc_se,
        "gain": optimism.gain,
        "gain_mc_se": optimism.gain_mc_se,
        "n_halves": optimism.n_halves,
    }


def _metric(y_true: np.ndarray, scores: np.ndarray, metric: str) -> float:
    """The dataset's metric of one model; NaN for a metric that Reseed does not compute."""
    known = METRICS.get(metric)
    if known is None or "binary" not in known.tasks:
        return np.nan
    try:
        return known.function(y_true, scores)
    except Undefined:
        return np.nan


def _rng(group: OutputGroup, purpose: str) -> np.random.Generator:
    return stream(0, "/".join([purpose, *(str(value) for value in group.key.values())]))
