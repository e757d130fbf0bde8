"""Averages of SD ratios over settings that may share seeds, with an interval over the seeds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from reseed.stats import distributions as stats
from reseed.stats.inputs import Array, as_finite, check_at_least, check_probability, rescale

#: Fewest seeds of a group.
LEAST_SEEDS = 4
#: Most seeds that `seeds_needed` names.
MOST_SEEDS = 100_000
_POWER = 0.8


@dataclass(frozen=True)
class SeedGroup:
    """Cells of one dataset whose scores vary with the same seeds.

    scores: (seeds, cells) scores; the seeds are independent draws.
    weights: (cells,) weight of the logarithm of each cell's SD.
    kind: what varies, such as `data` or `model`; the kurtosis is averaged over the cells of one
        kind.
    resolution: (cells,) smallest difference of two scores, such as 1 / number of test items; 0
        where scores are continuous.
    """

    scores: Array
    weights: Array
    kind: str = ""
    resolution: Array | None = None


@dataclass(frozen=True)
class SpreadContrast:
    """A weighted sum of logarithms of SDs, with its interval.

    `value`, `low`, `high` are on the logarithmic scale: exp(value) is a geometric mean of ratios.
    `planned` is the standard error that the formula of `seeds_needed` gives for the seeds run.
    """

    value: float
    low: float
    high: float
    level: float
    standard_error: float
    df: float
    planned: float


def spread_contrast(groups: Sequence[SeedGroup], level: float = 0.95) -> SpreadContrast:
    """Estimate Σ wᵢ log SDᵢ over the cells of all groups, such as a mean of log SD ratios.

    The variance within a group is the larger of two: the jackknife over its seeds, which sees
    every dependence between cells; and the variance of log s for independent seeds with excess
    kurtosis κ, ¼ [ψ′((n−1)/2) + κ/n], with the squared correlations of cells of equal sign. The
    jackknife's bias is added to the squared standard error. Degrees of freedom are
    Satterthwaite's. Groups are independent of each other. Settings are fixed: the interval says
    nothing about other datasets.

    Simulated coverage (`benchmarks/spread_contrasts.py`, docs/methods): near 95 % for Gaussian and
    skewed scores from 6 seeds on; lower for tails on one side and for rare collapses.

    Args:
        groups: each with at least `LEAST_SEEDS` seeds and cells that vary.
        level: two-sided confidence level.

    Raises:
        ValueError: no group, too few seeds, a cell with equal scores, NaN or infinity, bad level.

    Examples:
        >>> import numpy as np
        >>> from reseed.stats.spread_contrasts import SeedGroup, spread_contrast
        >>> scores = np.random.default_rng(0).normal(size=(50, 2)) * [2.0, 1.0]
        >>> found = spread_contrast([SeedGroup(scores, np.array([1.0, -1.0]))])
        >>> bool(found.low < np.log(2) < found.high)
        True
    """
    check_probability(level=level)
    terms = _terms(groups)
    variance = sum(max(one.jackknife, one.theory(one.n)) for one in terms)
    squared = [max(one.jackknife, one.theory(one.n)) ** 2 / (one.n - 1) for one in terms]
    df = variance**2 / sum(squared)
    error = float(np.sqrt(variance + sum(one.bias for one in terms) ** 2))
    value = sum(one.value for one in terms)
    half = float(stats.t.isf((1 - level) / 2, df)) * error
    planned = float(np.sqrt(sum(one.theory(one.n) for one in terms)))
    return SpreadContrast(value, value - half, value + half, level, error, float(df), planned)


def seeds_needed(groups: Sequence[SeedGroup], limit: float, level: float = 0.95) -> int | None:
    """Seeds of every group with which the interval leaves out `limit` with a power of 80 %, about.

    The smallest n with |value − limit| ≥ φ (z (1 + 2/(n−1)) + z′) √V(n): V is the variance of the
    formula in `spread_contrast`, and φ ≥ 1 the half-width measured now over the one that the
    formula gives. It takes the estimate for the truth. None above `MOST_SEEDS`.

    Args:
        groups: as in `spread_contrast`.
        limit: on the logarithmic scale.
        level: of the interval.
    """
    found, terms = spread_contrast(groups, level), _terms(groups)
    z, power = stats.norm.isf((1 - level) / 2), stats.norm.ppf(_POWER)
    now = max(one.n for one in terms)
    half = (found.high - found.low) / 2
    phi = max(1.0, half / (z * (1 + 2 / (now - 1)) * found.planned))
    distance = abs(found.value - limit)
    low, high = LEAST_SEEDS, MOST_SEEDS + 1
    while low < high:
        n = (low + high) // 2
        error = np.sqrt(sum(one.theory(n) for one in terms))
        if distance >= phi * (z * (1 + 2 / (n - 1)) + power) * error:
            high = n
        else:
            low = n + 1
    return None if low > MOST_SEEDS else max(low, LEAST_SEEDS)


@dataclass(frozen=True)
class _Term:
    """A group's share of the contrast. load: Σ w² and the squared correlations."""

    n: int
    value: float
    jackknife: float
    bias: float
    load: float
    kurtosis: float

    def theory(self, n: int) -> float:
        """Variance for n seeds, from the formula."""
        return 0.25 * float(special.polygamma(1, (n - 1) / 2) + self.kurtosis / n) * self.load


def _terms(groups: Sequence[SeedGroup]) -> list[_Term]:
    if not groups:
        raise ValueError("a contrast needs at least one group of seeds")
    prepared = [_prepare(group) for group in groups]
    kurtoses: dict[str, list[float]] = {}
    for group, (scores, _, _) in zip(groups, prepared, strict=True):
        kurtoses.setdefault(group.kind, []).extend(_excess_kurtosis(scores))
    kappa = {kind: max(0.0, float(np.mean(values))) for kind, values in kurtoses.items()}
    return [_term(*parts, kappa[group.kind]) for group, parts in zip(groups, prepared, strict=True)]


def _prepare(group: SeedGroup) -> tuple[Array, Array, Array]:
    """Scores (seeds, cells), weights and least variances of the cells with a weight."""
    scores = as_finite(group.scores, "scores", ndim=2, min_size=1)
    weights = as_finite(group.weights, "weights", ndim=1)
    check_at_least(LEAST_SEEDS, seeds=len(scores))
    if weights.shape != scores.shape[1:]:
        raise ValueError(f"weights {weights.shape} do not fit scores {scores.shape}")
    resolution = np.zeros_like(weights) if group.resolution is None else group.resolution
    used = weights != 0
    scores, floor = scores[:, used], np.asarray(resolution, float)[used] ** 2 / 12
    if (np.ptp(scores, axis=0) == 0).any():
        raise ValueError("all scores of a cell are equal: its SD is 0")
    return scores, weights[used], floor


def _excess_kurtosis(scores: Array) -> Array:
    """Unbiased for Gaussian scores, (cells,): `scipy.stats.kurtosis(bias=False)`, faster."""
    n = len(scores)
    deviation = scores - scores.mean(axis=0)
    squares = deviation * deviation
    biased = n * (squares * squares).sum(axis=0) / squares.sum(axis=0) ** 2
    return (n - 1) / ((n - 2) * (n - 3)) * ((n + 1) * biased - 3 * (n - 1))


def _term(scores: Array, weights: Array, floor: Array, kappa: float) -> _Term:
    n = len(scores)
    scaled, unit = rescale(scores, axis=0)
    deviation = scaled - scaled.mean(axis=0)
    squares = (deviation**2).sum(axis=0)
    least = np.maximum(floor / unit[0] ** 2, np.finfo(float).tiny)
    without = np.maximum((squares - n / (n - 1) * deviation**2) / (n - 2), least)
    whole = np.maximum(squares / (n - 1), least)
    # The scale of a cell adds a constant to its logarithm.
    value = float(weights @ (0.5 * np.log(whole)))
    left_out = 0.5 * np.log(without) @ weights
    jackknife = (n - 1) / n * float(((left_out - left_out.mean()) ** 2).sum())
    bias = (n - 1) * (value - float(left_out.mean()))
    return _Term(
        n,
        value + float(weights @ np.log(unit[0])),
        jackknife,
        bias,
        _load(deviation, weights),
        kappa,
    )


def _load(deviation: Array, weights: Array) -> float:
    """Σ w², and Σ wᵢwⱼr̃ᵢⱼ² over pairs of cells with weights of equal sign."""
    n = len(deviation)
    r = np.corrcoef(deviation, rowvar=False).reshape(2 * weights.shape)
    shrunk = 1 - (1 - r**2) * (n - 1) / (n - 2)
    products = np.outer(weights, weights)
    np.fill_diagonal(products, 0)
    pairs = float((np.where(products > 0, products, 0) * shrunk).sum())
    return float((weights**2).sum()) + max(0.0, pairs)


def mean_ratio_groups(
    cells: Sequence[tuple[str, str, ArrayLike, ArrayLike]], pairs: Sequence[tuple[int, int]]
) -> list[SeedGroup]:
    """Groups of the mean of log(SD of a cell / SD of another) over pairs of cells.

    Args:
        cells: (dataset, kind of seed, seeds, scores); cells of one dataset, kind and list of seeds
            are a group.
        pairs: positions in `cells` of numerator and denominator.

    Examples:
        >>> cells = [("digits", "data", [0, 1, 2, 3], [4.0, 2.0, 3.0, 1.0]),
        ...          ("digits", "model", [0, 1, 2, 3], [2.0, 3.0, 2.5, 2.0])]
        >>> [group.weights.tolist() for group in mean_ratio_groups(cells, [(0, 1)])]
        [[1.0], [-1.0]]
    """
    weights = np.zeros(len(cells))
    for above, below in pairs:
        weights[above] += 1 / len(pairs)
        weights[below] -= 1 / len(pairs)
    groups: dict[tuple, list[int]] = {}
    for i, (dataset, kind, seeds, _) in enumerate(cells):
        if weights[i]:
            groups.setdefault((dataset, kind, tuple(np.asarray(seeds).tolist())), []).append(i)
    return [
        SeedGroup(
            np.column_stack([np.asarray(cells[i][3], float) for i in members]),
            weights[members],
            kind,
        )
        for (_, kind, _), members in groups.items()
    ]
