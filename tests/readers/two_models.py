"""Scores of models on shared folds, and the corrected t test of their differences."""

import numpy as np
from scipy import stats


def make_folds(models=("rf", "svm"), folds=10, gap=0.02, noise=0.01, rng_seed=0):
    rng = np.random.default_rng(rng_seed)
    level = 0.8 + rng.normal(0, 0.02, folds)
    return {m: level - gap * i + rng.normal(0, noise, folds) for i, m in enumerate(models)}


def corrected_t(d, ratio):
    """p of the corrected resampled t test (Nadeau and Bengio 2003), with 1.5 times their ratio."""
    t = d.mean() / np.sqrt(d.var(ddof=1) * (1 / len(d) + 1.5 * ratio))
    return 2 * stats.t.sf(abs(t), len(d) - 1)
