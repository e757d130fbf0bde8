"""Error rates of decision procedures, measured by experiments with known truth."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from reseed.stats.comparison import holm, nadeau_bengio, pair_differences, reject
from reseed.stats.inputs import Array, as_finite, as_unmasked, check_probability
from reseed.stats.shares import wilson_interval

from papers.protocol.signed_rank import wilcoxon_p

#: scores (..., models, folds) -> reject (..., pairs), pairs as in `np.triu_indices(models, 1)`.
Procedure = Callable[[Array], NDArray[np.bool_]]


@dataclass(frozen=True)
class Rate:
    """An estimated probability with its Monte Carlo standard error and Wilson interval."""

    count: int
    n: int
    rate: float
    se: float
    low: float
    high: float


def estimate_rate(events: ArrayLike, level: float = 0.95) -> Rate:
    """Return the share of true among `events` (independent experiments) with Wilson's interval.

    Args:
        events: booleans (or 0 and 1), any shape.
        level: two-sided confidence level.

    Raises:
        ValueError: no events, or entries that are not booleans (or 0 and 1).
    """
    check_probability(level=level)
    e = np.asarray(as_unmasked(events, "events")).ravel()
    if e.size == 0:
        raise ValueError("no experiments: a rate needs at least one")
    if not np.isin(e, (0, 1)).all():
        raise ValueError("events must be booleans (or 0 and 1)")
    n, count = e.size, int(e.sum())
    p = count / n
    return Rate(count, n, p, float(np.sqrt(p * (1 - p) / n)), *wilson_interval(p, n, level))


def wilcoxon_holm(alpha: float = 0.05) -> Procedure:
    """Return the procedure of the protocol [sec. 3.2]: Wilcoxon signed-rank on folds, then Holm."""
    return lambda scores: reject(holm(wilcoxon_p(pair_differences(scores))), alpha)


def nadeau_bengio_holm(test_train_ratio: float, alpha: float = 0.05) -> Procedure:
    """Return the procedure "corrected resampled t test (Nadeau & Bengio 2003), then Holm"."""

    def procedure(scores: Array) -> NDArray[np.bool_]:
        test = nadeau_bengio(pair_differences(scores), test_train_ratio)
        return reject(holm(test.p_value), alpha)

    return procedure


@dataclass(frozen=True)
class ErrorRates:
    """Error rates and power of a procedure over many experiments.

    `family_wise` is the rate of at least one rejected true null hypothesis. `per_pair` is the rate
    of rejection per true null pair, and `power` that per false null pair. Standard errors treat
    experiments as the independent units. Fields are None if there is no such pair.
    """

    n_experiments: int
    family_wise: Rate | None
    per_pair: float | None
    per_pair_se: float | None
    power: float | None
    power_se: float | None


def measure_error_rates(
    scores: ArrayLike, procedure: Procedure, null_pairs: ArrayLike | None = None
) -> ErrorRates:
    """Run `procedure` on every experiment and count its errors.

    Args:
        scores: (experiments, models, folds), as from `simulate_cv` or `pseudo_models`.
        procedure: the decision procedure, for example `wilcoxon_holm()`.
        null_pairs: (pairs,) booleans, true where the null hypothesis is true; default all.

    Raises:
        ValueError: NaN, `null_pairs` or decisions of the wrong shape.
    """
    s = as_finite(scores, "scores", ndim=3)
    n_pairs = s.shape[1] * (s.shape[1] - 1) // 2
    rejected = np.asarray(procedure(s), dtype=bool)
    if rejected.shape != (len(s), n_pairs):
        raise ValueError(
            f"the procedure must return {(len(s), n_pairs)} decisions, it returned {rejected.shape}"
        )
    null = (
        np.ones(n_pairs, dtype=bool)
        if null_pairs is None
        else np.asarray(as_unmasked(null_pairs), bool)
    )
    if null.shape != (n_pairs,):
        raise ValueError(f"null_pairs must be ({n_pairs},), it is {null.shape}")

    def rejection_rate(pairs: NDArray[np.bool_]) -> tuple[float | None, float | None]:
        if not pairs.any():
            return None, None
        rates = rejected[:, pairs].mean(axis=1)
        return float(rates.mean()), float(rates.std() / np.sqrt(rates.size))

    family = estimate_rate(rejected[:, null].any(axis=1)) if null.any() else None
    return ErrorRates(len(s), family, *rejection_rate(null), *rejection_rate(~null))


def _draw_distinct(n_rows: int, size: int, n_indices: int, rng: np.random.Generator) -> NDArray:
    """Draw (n_rows, size) indices below `n_indices`, distinct within a row."""
    return np.argsort(rng.random((n_rows, n_indices)), axis=1)[:, :size]


def pseudo_models(
    scores: ArrayLike,
    n_models: int,
    n_experiments: int,
    *,
    seed_per_fold: bool = False,
    rng: np.random.Generator,
) -> Array:
    """Build A/A experiments from trials of one model: seeds play the role of models.

    All models share the folds and every null hypothesis is true by construction. The data are
    fixed: the error rate is that of mistaking seed noise for a difference on *this* data set. For
    new samples the overlap of the folds matters; use `simulate_cv`.

    Args:
        scores: (seeds, folds) of one model.
        n_models: pseudo-models per experiment, from 2 to the number of seeds.
        n_experiments: number of experiments. They share the trials, so their Monte Carlo SE does
            not include the sampling error of the trials.
        seed_per_fold: True draws new seeds for every fold (the protocol has one seed per fold and
            repeat); False uses one seed across all folds of a pseudo-model.
        rng: generator of the draws.

    Returns:
        (n_experiments, n_models, folds) scores.
    """
    s = as_finite(scores, "scores", ndim=2)
    seeds, folds = s.shape
    if not 2 <= n_models <= seeds:
        raise ValueError(f"n_models must be 2 to the number of seeds ({seeds}), got {n_models}")
    if not seed_per_fold:
        return s[_draw_distinct(n_experiments, n_models, seeds, rng)]
    drawn = _draw_distinct(n_experiments * folds, n_models, seeds, rng)
    drawn = drawn.reshape(n_experiments, folds, n_models).transpose(0, 2, 1)
    return s[drawn, np.arange(folds)]


def simulate_cv(
    n_experiments: int,
    *,
    n_models: int = 3,
    n_samples: int = 200,
    n_folds: int = 5,
    n_repeats: int = 2,
    n_features: int = 20,
    separation: float = 1.5,
    effect: float = 0.0,
    test_share: float | None = None,
    rng: np.random.Generator,
) -> Array:
    """Simulate accuracies of repeated stratified cross-validation with known truth.

    Each experiment draws a new balanced two-class sample. Model m is a nearest-centroid
    classifier (here the plug-in Bayes rule) on its own block of `n_features` Gaussian features.
    Class means are `separation` SD apart, and blocks are independent given the class. All models
    are exchangeable and have exactly the same expected accuracy, but they fail on different items.
    Folds depend on each other as in practice: they share training items, repeats share all items.

    Args:
        n_experiments: number of independent data samples.
        n_models: number of models, at least 2.
        n_samples: number of items, even, at least 2 per class and fold.
        n_folds: number of folds, at least 2.
        n_repeats: number of repeats with new partitions.
        n_features: features per model; more features make training noisier.
        separation: distance of the class means in SD (Mahalanobis).
        effect: added to the separation of model 0. With 0 all nulls are true; otherwise the pairs
            with model 0 (the first n_models − 1) differ.
        test_share: if set, each repeat is one stratified hold-out that tests on this share of the
            items (rounded to whole items per class), and `n_folds` is ignored.
        rng: generator of samples and partitions.

    Returns:
        (n_experiments, n_models, n_repeats × n_folds) accuracies; the last axis is n_repeats for
        hold-outs.

    Raises:
        ValueError: too few models, folds or items, or a hold-out without items of both classes.
    """
    half = n_samples // 2
    if test_share is not None:
        n_folds = 1
        if not 0 < round(test_share * half) < half:
            raise ValueError(
                "needs a test_share that leaves training and test items of both classes"
            )
    elif n_folds < 2 or half < 2 * n_folds:
        raise ValueError("needs n_folds >= 2 and n_samples >= 4 n_folds")
    if n_models < 2 or n_samples % 2:
        raise ValueError("needs n_models >= 2 and an even n_samples")
    distance = np.full(n_models, float(separation))
    distance[0] += effect
    label = np.repeat([-1.0, 1.0], half)
    # Class means at ± half the distance, distributed equally over the features.
    shift = label[:, None] * (distance / (2 * np.sqrt(n_features)))[:, None, None]
    step = max(1, 2_000_000 // (n_samples * n_models * max(n_features, n_folds * n_repeats)))
    parts = []
    for done in range(0, n_experiments, step):
        size = min(step, n_experiments - done)
        x = rng.standard_normal((size, n_models, n_samples, n_features)) + shift
        rank = rng.random((size, n_repeats, 2, half)).argsort(axis=-1).argsort(axis=-1)
        test = _is_test_item(rank, n_folds, test_share).reshape(size, 1, -1, n_samples)
        train = ~test
        upper, lower = ((train & (label == c)).astype(np.float64) for c in (1.0, -1.0))
        mean_1, mean_0 = (w @ x / w.sum(axis=-1, keepdims=True) for w in (upper, lower))
        direction = mean_1 - mean_0
        threshold = (direction * (mean_1 + mean_0)).sum(axis=-1, keepdims=True) / 2
        margin = (direction @ x.swapaxes(-1, -2) - threshold) * label
        correct = (margin > 0) & test
        parts.append(correct.sum(axis=-1) / test.sum(axis=-1))
    return np.concatenate(parts)


def _is_test_item(rank: NDArray, n_folds: int, test_share: float | None) -> NDArray[np.bool_]:
    """Return the test items (…, splits, 2, items per class) for random ranks (…, 2, items)."""
    half = rank.shape[-1]
    if test_share is not None:
        return rank[..., None, :, :] < round(test_share * half)
    # Items are assigned to folds in turn, class by class, so fold sizes differ by at most one.
    fold = (rank + np.array([0, half])[:, None]) % n_folds
    return fold[..., None, :, :] == np.arange(n_folds)[:, None, None]
