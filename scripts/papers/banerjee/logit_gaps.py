"""Logit gaps of runs: the quantity whose distribution over test items alpha-hat compares."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from reseed.analyses.shared.outputs import Outputs
from reseed.metrics.outputs import VALUE_TASKS
from reseed.stats.inputs import Array, as_real
from scipy.special import logit


def clip_logit_gap(
    gap: ArrayLike, bound: float = 15.0, outside: Literal["bound", "zero"] = "bound"
) -> Array:
    """Limit logit gaps (any shape) to [-bound, bound]; NaN remains NaN.

    Args:
        gap: logit gaps.
        bound: largest absolute value.
        outside: "bound" replaces values outside by the bound. "zero" replaces values at or beyond
            the bound by 0, as the authors' published code does (almost certainly unintended).
    """
    gap = as_real(gap, "gap")
    if outside == "bound":
        return np.clip(gap, -bound, bound)
    if outside == "zero":
        return np.where(np.abs(gap) >= bound, 0.0, gap)
    raise ValueError(f"outside must be 'bound' or 'zero', got {outside!r}")


def logit_gaps(
    runs: Outputs, bound: float = 15.0, outside: Literal["bound", "zero"] = "bound"
) -> Array:
    """One number an item (runs, items), clipped by `clip_logit_gap`.

    Two classes: the logit gap [Banerjee et al., sec. II-A]. Several classes, for which the paper
    leaves the choice open (remark 1): log probability of the true class minus that of the best
    other class. Raises ValueError if outputs are values.
    """
    if runs.task in VALUE_TASKS:
        raise ValueError(f"{runs.task}: no logit gap; compare errors instead")
    with np.errstate(divide="ignore"):
        if runs.task == "binary":
            return clip_logit_gap(logit(runs.probability), bound, outside)
        log_p = np.log(runs.probability)
    is_true = np.arange(runs.probability.shape[2]) == runs.y_true[:, None]
    best_other = np.where(is_true, -np.inf, log_p).max(axis=2)
    true = np.where(is_true, log_p, -np.inf).max(axis=2)
    # If both probabilities are exactly 0, the gap is 0, not undefined.
    tied = np.isneginf(true) & np.isneginf(best_other)
    gap = np.where(tied, 0.0, true) - np.where(tied, 0.0, best_other)
    return clip_logit_gap(gap, bound, outside)
