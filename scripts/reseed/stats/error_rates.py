"""Error rates of decision procedures, measured by experiments whose truth is known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from reseed.stats.comparison import holm, nadeau_bengio, pair_differences, reject, wilcoxon_p
from reseed.stats.inputs import Array, as_finite, as_unmasked, check_probability

Procedure = Callable[[Array], NDArray[np.bool_]]
"""scores (..., models, folds) -> reject (..., pairs), pairs as in `np.triu_indices(models, 1)`."""


@dataclass(frozen=True)
class Rate:
    """A measured probability with its Monte Carlo standard error and Wilson interval."""

    count: int
    n: int
    rate: float
    se: float
    low: float
    high: float


def estimate_rate(events: ArrayLike, level: float = 0.95) -> Rate:
    """Return the rate of true among `events` (independent experiments) with Wilson's interval.

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
    z = stats.norm.isf((1 - level) / 2)
    p = count / n
    centre, half = p + z**2 / (2 * n), z * np.sqrt(p * (1 - p) / n + z**2 / (4 * n * n))
    low, high = (centre - half) / (1 + z**2 / n), (centre + half) / (1 + z**2 / n)
    # At count 0 and n the ends are exactly 0 and 1; rounding would miss them by 1e-17.
    low, high = (0.0 if count == 0 else low), (1.0 if count == n else high)
    return Rate(count, n, p, float(np.sqrt(p * (1 - p) / n)), float(low), float(high))


def wilcoxon_holm(alpha: float = 0.05) -> Procedure:
    """Wilcoxon signed-rank on folds, Holm over all pairs: the protocol as written [sec. 3.2]."""
    return lambda scores: reject(holm(wilcoxon_p(pair_differences(scores))), alpha)


def nadeau_bengio_holm(test_train_ratio: float, alpha: float = 0.05) -> Procedure:
    """Corrected resampled t test (Nadeau & Bengio 2003), Holm over all pairs."""

    def procedure(scores: Array) -> NDArray[np.bool_]:
        test = nadeau_bengio(pair_differences(scores), test_train_ratio)
        return reject(holm(test.p_value), alpha)

    return procedure


def one_by_one(decide: Procedure) -> Procedure:
    """Lift a procedure that knows only one (models, folds) table to a stack of experiments."""
    return lambda scores: np.stack([decide(table) for table in scores])


@dataclass(frozen=True)
class ErrorRates:
    """What a procedure did over many experiments.

    `family_wise`: at least one true null hypothesis rejected; `per_pair`: a null pair rejected,
    averaged over the null pairs (SE from the experiments, which are the independent units);
    `power`: an untrue null pair rejected, likewise. None where there is no such pair.
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
        procedure: the decision procedure, e.g. `wilcoxon_holm()`.
        null_pairs: (pairs,) booleans: which pairs are truly equal; all by default.
    """
    s = as_finite(scores, "scores", ndim=3)
    n_pairs = s.shape[1] * (s.shape[1] - 1) // 2
    rejected = np.asarray(procedure(s), dtype=bool)
    if rejected.shape != (len(s), n_pairs):
        raise ValueError(
            f"the procedure must return {(len(s), n_pairs)} decisions, it returned "
            f"{rejected.shape}: wrap it in one_by_one if it takes one table at a time"
        )
    null = (
        np.ones(n_pairs, dtype=bool)
        if null_pairs is None
        else np.asarray(as_unmasked(null_pairs), bool)
    )
    if null.shape != (n_pairs,):
        raise ValueError(f"null_pairs must be ({n_pairs},), it is {null.shape}")

    def share(chosen: NDArray[np.bool_]) -> tuple[float | None, float | None]:
        if not chosen.any():
            return None, None
        each = rejected[:, chosen].mean(axis=1)
        return float(each.mean()), float(each.std() / np.sqrt(each.size))

    family = estimate_rate(rejected[:, null].any(axis=1)) if null.any() else None
    return ErrorRates(len(s), family, *share(null), *share(~null))


def _distinct(n_experiments: int, size: int, of: int, rng: np.random.Generator) -> NDArray:
    """Return (n_experiments, size) indices, distinct within a row."""
    return np.argsort(rng.random((n_experiments, of)), axis=1)[:, :size]


def pseudo_models(
    scores: ArrayLike,
    n_models: int,
    n_experiments: int,
    *,
    seed_per_fold: bool = False,
    rng: np.random.Generator,
) -> Array:
    """A/A experiments from stored trials of one model: seeds posing as models, on shared folds.

    Every null is true by construction. But the data are held fixed: it measures the error of
    taking seed noise for a difference between models on *this* data, not of generalising to
    other samples, for which the folds' overlap matters (use `simulate_cv`).

    Args:
        scores: (seeds, folds) of one model.
        n_models: pseudo-models per experiment, at most seeds.
        n_experiments: experiments; they share the trials, so their Monte Carlo SE does not hold
            the luck of the stored trials.
        seed_per_fold: draw seeds anew for every fold (the protocol's seed per fold and repeat);
            else a pseudo-model is one seed across all folds.
        rng: source of the draws.

    Returns:
        (n_experiments, n_models, folds).
    """
    s = as_finite(scores, "scores", ndim=2)
    seeds, folds = s.shape
    if not 2 <= n_models <= seeds:
        raise ValueError(f"n_models must be 2 to the number of seeds ({seeds}), got {n_models}")
    if not seed_per_fold:
        return s[_distinct(n_experiments, n_models, seeds, rng)]
    drawn = _distinct(n_experiments * folds, n_models, seeds, rng)
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
    """Accuracies of real repeated stratified k-fold cross-validation with a known truth.

    With `test_share`, of as many stratified hold-outs as there are repeats.

    Each experiment draws a fresh balanced two-class sample. Model m is a nearest-centroid
    classifier (the plug-in Bayes rule here) that sees its own block of `n_features` Gaussian
    features, class means `separation` SD apart, blocks independent given the class. So all models
    have the same expected accuracy exactly (exchangeable), yet they err on different items, and
    folds depend on each other as in life: they share training items, repeats share all items.

    Args:
        n_experiments: independent data samples.
        n_models: models, at least 2.
        n_samples: items, even, at least 2 a class and fold.
        n_folds: folds, at least 2.
        n_repeats: repeats with fresh partitions.
        n_features: features a model; more make training noisier.
        separation: distance of the class means in SD (Mahalanobis).
        effect: added to the separation of model 0: 0 for the global null, else the pairs with
            model 0 (the first n_models − 1) are truly different.
        test_share: share of the items that a hold-out tests on, to a whole item of each class;
            takes the place of `n_folds`.
        rng: source of everything.

    Returns:
        (n_experiments, n_models, n_repeats × n_folds, or n_repeats hold-outs) accuracies.
    """
    half = n_samples // 2
    if test_share is not None:
        n_folds = 1
        if not 0 < round(test_share * half) < half:
            raise ValueError("needs a test_share that leaves items of both classes on either side")
    elif n_folds < 2 or half < 2 * n_folds:
        raise ValueError("needs n_folds >= 2 and n_samples >= 4 n_folds")
    if n_models < 2 or n_samples % 2:
        raise ValueError("needs n_models >= 2 and an even n_samples")
    distance = np.full(n_models, float(separation))
    distance[0] += effect
    label = np.repeat([-1.0, 1.0], half)
    # Class means at ± half the distance, spread evenly over the features.
    shift = label[:, None] * (distance / (2 * np.sqrt(n_features)))[:, None, None]
    step = max(1, 2_000_000 // (n_samples * n_models * max(n_features, n_folds * n_repeats)))
    parts = []
    for done in range(0, n_experiments, step):
        size = min(step, n_experiments - done)
        x = rng.standard_normal((size, n_models, n_samples, n_features)) + shift
        rank = rng.random((size, n_repeats, 2, half)).argsort(axis=-1).argsort(axis=-1)
        test = _tested(rank, n_folds, test_share).reshape(size, 1, -1, n_samples)
        train = ~test
        upper, lower = ((train & (label == c)).astype(np.float64) for c in (1.0, -1.0))
        mean_1, mean_0 = (w @ x / w.sum(axis=-1, keepdims=True) for w in (upper, lower))
        direction = mean_1 - mean_0
        threshold = (direction * (mean_1 + mean_0)).sum(axis=-1, keepdims=True) / 2
        margin = (direction @ x.swapaxes(-1, -2) - threshold) * label
        correct = (margin > 0) & test
        parts.append(correct.sum(axis=-1) / test.sum(axis=-1))
    return np.concatenate(parts)


def _tested(rank: NDArray, n_folds: int, test_share: float | None) -> NDArray[np.bool_]:
    """Test items (…, splits, 2, items of a class) from their random ranks (…, 2, items)."""
    half = rank.shape[-1]
    if test_share is not None:
        return rank[..., None, :, :] < round(test_share * half)
    # Dealt out in turn, one class after the other, so that folds differ by one item at most.
    deal = (rank + np.array([0, half])[:, None]) % n_folds
    return deal[..., None, :, :] == np.arange(n_folds)[:, None, None]
