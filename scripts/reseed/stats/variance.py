"""Where the variance of scores comes from: model seed, data seed, and the rest."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats
from scipy.linalg import solve_triangular
from scipy.optimize import minimize

from reseed.stats.inputs import Array, as_finite, as_labels, rescale
from reseed.stats.mean_squares import Component, components, f_test


@dataclass(frozen=True)
class CrossedVariance:
    """Components of the crossed random effects model, in the order of the axes."""

    mean: float
    components: tuple[Component, ...]
    level: float
    n: int
    method: str

    @property
    def total(self) -> float:
        """Variance of one score under a fresh level of every factor."""
        return sum(c.variance for c in self.components)

    def __getitem__(self, name: str) -> Component:
        return next(c for c in self.components if c.name == name)


def crossed_variance(
    y: ArrayLike,
    names: tuple[str, str] = ("model_seed", "data_seed"),
    level: float = 0.95,
    *,
    n_draws: int = 10_000,
    rng: np.random.Generator,
) -> CrossedVariance:
    """Variance components of a balanced grid of two crossed random factors, in closed form.

    y[i, j(, k)] = μ + a_i + b_j (+ ab_ij) + e, all effects independent and random. The two-way
    ANOVA moment estimators are unbiased (Searle, Casella & McCulloch 1992, ch. 4). Without a
    third axis the interaction cannot be told from the error and is part of `residual`; with it
    (replicates) `interaction` is its own component.

    Intervals, for Gaussian effects: `residual` exact (χ²); the others by the modified large
    sample method (Ting et al. 1990), truncated at 0; p-values by the exact F test; shares by
    generalised pivotal quantities (Hannig, Iyer & Patterson 2006; as in gauge studies,
    Burdick, Borror & Montgomery 2005) with `n_draws` draws.

    Args:
        y: (m, d) or (m, d, r) scores: model seeds × data seeds (× replicates), each at least 2.
        names: names of the first two axes.
        level: two-sided confidence level.
        n_draws: draws of the generalised pivotal quantities.
        rng: their source.

    Raises:
        ValueError: other shapes, NaN (a missing cell: use `crossed_variance_unbalanced`).
    """
    a, unit = rescale(as_finite(y, "y"))
    if a.ndim not in (2, 3) or min(a.shape) < 2:
        raise ValueError(f"y must be (m, d) or (m, d, r), every axis of at least 2: {a.shape}")
    # Shifted to start at 0, so that a constant grid gives exact zeros and not rounding noise.
    cells = (a if a.ndim == 3 else a[:, :, None]) - a.flat[0]
    m, d, r = cells.shape
    mean, cell = cells.mean(), cells.mean(axis=2)
    rows, columns = cell.mean(axis=1), cell.mean(axis=0)
    # (mean square, degrees of freedom) of each line of the ANOVA table.
    first = d * r * ((rows - mean) ** 2).sum() / (m - 1), m - 1
    second = m * r * ((columns - mean) ** 2).sum() / (d - 1), d - 1
    cross_df = (m - 1) * (d - 1)
    cross_ss = r * ((cell - rows[:, None] - columns + mean) ** 2).sum()
    cross = cross_ss / cross_df, cross_df
    # A component is (E of its line − E of the line below) / coefficient.
    lines, weights = [first, second, cross], [[1, 0, -1], [0, 1, -1], [0, 0, 1]]
    coefficients, wanted = [d * r, m * r, 1], [*names, "residual"]
    if r > 1:
        within_df = m * d * (r - 1)
        lines.append((((cells - cell[:, :, None]) ** 2).sum() / within_df, within_df))
        weights = [[1, 0, -1, 0], [0, 1, -1, 0], [0, 0, 1, -1], [0, 0, 0, 1]]
        coefficients, wanted = [d * r, m * r, r, 1], [*names, "interaction", "residual"]
    rows = np.array(weights) / np.array(coefficients)[:, None]
    parts = components(wanted, lines, rows, level, n_draws, rng)
    parts = tuple(part.in_unit(unit) for part in parts)
    return CrossedVariance(float((mean + a.flat[0]) * unit), parts, level, a.size, "anova")


def crossed_variance_unbalanced(
    y: ArrayLike,
    first: ArrayLike,
    second: ArrayLike,
    names: tuple[str, str] = ("model_seed", "data_seed"),
    level: float = 0.95,
    *,
    n_draws: int = 10_000,
    rng: np.random.Generator,
) -> CrossedVariance:
    """REML estimates of the same model when cells are missing or unequally repeated.

    On a complete grid they equal `crossed_variance` whenever those are positive. The restricted
    likelihood (Searle, Casella & McCulloch 1992, ch. 6) is profiled to the two variance ratios and
    maximised from the best point of a coarse grid: statsmodels' MixedLM has the same optimum but
    its optimisers stop far from it, or at a singular matrix, when a component is near 0.
    Intervals and shares are those of `crossed_variance` on effective mean squares k·σ² + σ²_e, k
    the harmonic mean number of scores a level (unweighted means, Thomas & Hultquist 1978): exact
    for a complete grid, approximate else. The F tests (factor given the other) stay exact.
    Interaction stays inside the residual.

    Args:
        y: (n,) scores that exist.
        first: (n,) labels of the first factor, at least 2 distinct.
        second: (n,) labels of the second, likewise.
        names: names of the factors.
        level: two-sided confidence level.
        n_draws: draws for the intervals of the shares.
        rng: their source.

    Raises:
        ValueError: lengths differ, NaN, fewer than 2 levels, constant or perfectly additive y,
            fewer scores than effects, or factors whose labels coincide.
    """
    a, unit = rescale(as_finite(y, "y", ndim=1, min_size=4))
    codes = [
        np.unique(as_labels(f, name), return_inverse=True)[1].reshape(-1)
        for f, name in ((first, "first"), (second, "second"))
    ]
    if any(c.size != a.size for c in codes):
        raise ValueError("y, first and second must have the same length")
    sizes = [int(c.max()) + 1 for c in codes]
    if min(sizes) < 2 or sum(sizes) > a.size:
        raise ValueError("each factor needs 2 levels, and there must be more scores than levels")
    scale = a.std()
    if scale <= 1e-13 * np.abs(a).max():
        raise ValueError("all scores are equal: there is no variance to split")
    standard = (a - a.mean()) / scale

    # The larger factor is eliminated in closed form: only matrices of the smaller one are solved.
    small, big = np.argsort(sizes, kind="stable")
    counts = np.zeros((sizes[small], sizes[big]))
    np.add.at(counts, (codes[small], codes[big]), 1)
    levels = counts.sum(axis=1), counts.sum(axis=0)  # scores a level

    def total(x: Array, i: int) -> Array:
        return np.bincount(codes[i], x, sizes[i])

    def within(x: Array, i: int) -> Array:
        """Return `x` less its mean in each level of factor i."""
        return x - (total(x, i) / np.bincount(codes[i]))[codes[i]]

    reduced = np.diag(levels[0]) - counts / levels[1] @ counts.T
    effect = np.linalg.pinv(reduced, hermitian=True) @ total(within(standard, big), small)
    rss = (within(standard - effect[codes[small]], big) ** 2).sum()
    if rss < 1e-20 * a.size:
        raise ValueError("the scores are exactly additive in the two factors: nothing is residual")
    df = a.size - sizes[big] - np.linalg.matrix_rank(reduced, hermitian=True)

    cross = [np.stack([n, total(standard, i)], axis=1)
             for i, n in zip((small, big), levels, strict=True)]  # fmt: skip
    inner = np.diag([a.size, a.size]).astype(np.float64)  # [1 y]'[1 y] of standardised y

    def profile(ratio: ArrayLike) -> tuple[Array, float, float]:
        """Return [1 y]'V⁻¹[1 y], the residual sum of squares and log |V|, all in units of σ²_e."""
        root = np.sqrt(ratio)
        diagonal = 1 + root[big] ** 2 * levels[1]
        coupled = root[small] * root[big] * counts
        link = coupled / diagonal
        schur = np.diag(1 + root[small] ** 2 * levels[0]) - link @ coupled.T
        factor = np.linalg.cholesky(schur)
        outer = root[big] * cross[1]
        half = solve_triangular(factor, root[small] * cross[0] - link @ outer, lower=True)
        q = inner - (outer.T / diagonal) @ outer - half.T @ half
        logdet = np.log(diagonal).sum() + 2 * np.log(np.diag(factor)).sum()
        return q, q[1, 1] - q[0, 1] ** 2 / q[0, 0], logdet

    def criterion(log_ratio: ArrayLike) -> float:
        q, squares, logdet = profile(np.exp(log_ratio))
        return (a.size - 1) * np.log(squares) + logdet + np.log(q[0, 0])

    bound = 18.0  # ratios from 1.5e-8, taken as 0, to 6.6e7
    # Fine enough to find a small optimum beside the flat valley of log(0).
    grid = np.append(-bound, np.arange(-8.0, bound))
    start = min(((u, v) for u in grid for v in grid), key=criterion)
    found = minimize(
        criterion, start, method="Nelder-Mead", bounds=[(-bound, bound)] * 2,
        options={"xatol": 1e-7, "fatol": 1e-12, "maxiter": 2000},
    )  # fmt: skip
    ratio = np.where(found.x < -12, 0.0, np.exp(found.x))

    q, squares, _ = profile(ratio)
    variance = np.append(ratio, 1.0) * squares / (a.size - 1) * scale**2

    # Effective mean squares of the unweighted-means analysis; exact F tests by leaving one out.
    lines, p_values, weights = [], [], np.zeros((3, 3))
    for i, name in enumerate(names):
        factor_df = a.size - sizes[1 - i] - df
        if factor_df == 0:
            raise ValueError(f"{name} cannot be told from the other factor: their labels coincide")
        factor_ss = (within(standard, 1 - i) ** 2).sum() - rss
        p_values.append(f_test((factor_ss / factor_df, factor_df), (rss / df, df)))
        replicates = stats.hmean(np.bincount(codes[i]))
        lines.append((replicates * variance[i] + variance[2], factor_df))
        weights[i, [i, 2]] = 1 / replicates, -1 / replicates
    weights[2, 2] = 1
    lines.append((variance[2], df))
    known = variance, [*p_values, np.nan]
    parts = components([*names, "residual"], lines, weights, level, n_draws, rng, known)
    parts = tuple(part.in_unit(unit) for part in parts)
    mean = float((a.mean() + scale * q[0, 1] / q[0, 0]) * unit)
    return CrossedVariance(mean, parts, level, a.size, "reml")
