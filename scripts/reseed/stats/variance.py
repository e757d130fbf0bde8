"""Variance components of scores over two crossed seeds, for complete and incomplete grids."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import solve_triangular
from scipy.optimize import minimize

from reseed.stats import distributions as stats
from reseed.stats.inputs import Array, as_finite, as_labels, rescale
from reseed.stats.mean_squares import Component, components, f_test


@dataclass(frozen=True)
class CrossedVariance:
    """Components of the crossed random effects model, in the order of the axes.

    `n` is the number of scores; `method` is "anova", "henderson" or "reml".
    """

    mean: float
    components: tuple[Component, ...]
    level: float
    n: int
    method: str

    @property
    def total(self) -> float:
        """Variance of one score with a new level of every factor."""
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
    """Estimate variance components of a complete grid of two crossed random factors.

    Model: y[i, j(, k)] = μ + a_i + b_j (+ ab_ij) + e, with independent random effects. The two-way
    ANOVA moment estimators are unbiased (Searle, Casella & McCulloch 1992, ch. 4). Without a third
    axis the interaction is not identifiable and is part of `residual`. With a third axis
    (replicates) `interaction` is a separate component.

    Intervals assume Gaussian effects. That of `residual` is exact (χ²). The others use the modified
    large sample method (Ting et al. 1990), truncated at 0. P-values use the exact F test. Shares
    use generalised pivotal quantities (Hannig, Iyer & Patterson 2006), as in gauge studies
    (Burdick, Borror & Montgomery 2005).

    Args:
        y: (m, d) or (m, d, r) scores: model seeds × data seeds (× replicates), each at least 2.
        names: names of the first two axes.
        level: two-sided confidence level.
        n_draws: draws of the generalised pivotal quantities.
        rng: generator of the draws.

    Returns:
        Components in squared units of the score.

    Raises:
        ValueError: another shape, or NaN (for missing cells use `crossed_variance_unbalanced`).
    """
    a, unit = rescale(as_finite(y, "y"))
    if a.ndim not in (2, 3) or min(a.shape) < 2:
        raise ValueError(f"y must be (m, d) or (m, d, r), every axis of at least 2: {a.shape}")
    # Shifted to start at 0, so that a constant grid gives exact zeros without rounding noise.
    cells = (a if a.ndim == 3 else a[:, :, None]) - a.flat[0]
    m, d, r = cells.shape
    mean, cell = cells.mean(), cells.mean(axis=2)
    rows, columns = cell.mean(axis=1), cell.mean(axis=0)
    # (mean square, degrees of freedom) of each row of the ANOVA table.
    first = d * r * ((rows - mean) ** 2).sum() / (m - 1), m - 1
    second = m * r * ((columns - mean) ** 2).sum() / (d - 1), d - 1
    cross_df = (m - 1) * (d - 1)
    cross_ss = r * ((cell - rows[:, None] - columns + mean) ** 2).sum()
    cross = cross_ss / cross_df, cross_df
    # A component is (its expected mean square − that of the row below) / coefficient.
    table, weights = [first, second, cross], [[1, 0, -1], [0, 1, -1], [0, 0, 1]]
    coefficients, part_names = [d * r, m * r, 1], [*names, "residual"]
    if r > 1:
        within_df = m * d * (r - 1)
        table.append((((cells - cell[:, :, None]) ** 2).sum() / within_df, within_df))
        weights = [[1, 0, -1, 0], [0, 1, -1, 0], [0, 0, 1, -1], [0, 0, 0, 1]]
        coefficients, part_names = [d * r, m * r, r, 1], [*names, "interaction", "residual"]
    scaled_weights = np.array(weights) / np.array(coefficients)[:, None]
    parts = components(part_names, table, scaled_weights, level, n_draws, rng)
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
    """Estimate the model of `crossed_variance` by REML for missing or unequally repeated cells.

    On a complete grid the estimates equal those of `crossed_variance` if these are positive. The
    restricted likelihood (Searle, Casella & McCulloch 1992, ch. 6) is profiled to the two variance
    ratios and maximised from the best point of a coarse grid. statsmodels' MixedLM has the same
    optimum, but if a component is near 0 its optimisers stop far from it or at a singular matrix.

    Intervals and shares are those of `crossed_variance` with effective mean squares k·σ² + σ²_e,
    where k is the harmonic mean of the number of scores per level (unweighted means, Thomas &
    Hultquist 1978). They are exact for a complete grid and approximate otherwise. The F tests of
    each factor given the other are exact. The interaction is part of the residual.

    Args:
        y: (n,) scores of the cells that exist.
        first: (n,) labels of the first factor, at least 2 distinct.
        second: (n,) labels of the second factor, at least 2 distinct.
        names: names of the factors.
        level: two-sided confidence level.
        n_draws: draws for the intervals of the shares.
        rng: generator of the draws.

    Returns:
        Components in squared units of the score.

    Raises:
        ValueError: different lengths, NaN, fewer than 2 levels, constant or exactly additive y,
            fewer scores than effects, or factors with coinciding labels.
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
    grid = _IncompleteGrid((a - a.mean()) / scale, codes, sizes)
    rss, df = grid.residual()
    ratio = grid.reml_ratios()
    q, squares, _ = grid.profile(ratio)
    variance = np.append(ratio, 1.0) * squares / (a.size - 1) * scale**2

    # Effective mean squares of the unweighted-means analysis; F tests compare nested models.
    table, p_values, weights = [], [], np.zeros((3, 3))
    for i, name in enumerate(names):
        factor_df = a.size - sizes[1 - i] - df
        if factor_df == 0:
            raise ValueError(f"{name} and the other factor cannot be separated: labels coincide")
        factor_ss = (grid.within(grid.scores, 1 - i) ** 2).sum() - rss
        p_values.append(f_test((factor_ss / factor_df, factor_df), (rss / df, df)))
        replicates = stats.hmean(np.bincount(codes[i]))
        table.append((replicates * variance[i] + variance[2], factor_df))
        weights[i, [i, 2]] = 1 / replicates, -1 / replicates
    weights[2, 2] = 1
    table.append((variance[2], df))
    estimates = variance, [*p_values, np.nan]
    parts = components([*names, "residual"], table, weights, level, n_draws, rng, estimates)
    parts = tuple(part.in_unit(unit) for part in parts)
    mean = float((a.mean() + scale * q[0, 1] / q[0, 0]) * unit)
    return CrossedVariance(mean, parts, level, a.size, "reml")


class _IncompleteGrid:
    """Standardised scores (n,) of two crossed factors, with missing or repeated cells.

    The larger factor is eliminated in closed form, so matrices have the size of the smaller one.
    """

    def __init__(self, scores: Array, codes: list[NDArray[np.intp]], sizes: list[int]) -> None:
        self.scores, self.codes, self.sizes = scores, codes, sizes
        self.small, self.big = np.argsort(sizes, kind="stable")
        self.counts = np.zeros((sizes[self.small], sizes[self.big]))
        np.add.at(self.counts, (codes[self.small], codes[self.big]), 1)
        self.levels = self.counts.sum(axis=1), self.counts.sum(axis=0)  # scores per level
        n = scores.size
        self.inner = np.diag([n, n]).astype(np.float64)  # [1 y]'[1 y]
        self.cross = [
            np.stack([count, self.total(scores, i)], axis=1)
            for i, count in zip((self.small, self.big), self.levels, strict=True)
        ]

    def total(self, x: Array, i: int) -> NDArray:
        """Return the sum of `x` in each level of factor i."""
        return np.bincount(self.codes[i], x, self.sizes[i])

    def within(self, x: Array, i: int) -> Array:
        """Return `x` minus its mean in each level of factor i."""
        return x - (self.total(x, i) / np.bincount(self.codes[i]))[self.codes[i]]

    def residual(self) -> tuple[float, int]:
        """Return the residual sum of squares of the additive model and its degrees of freedom."""
        y, small, big = self.scores, self.small, self.big
        reduced = np.diag(self.levels[0]) - self.counts / self.levels[1] @ self.counts.T
        inverse = np.linalg.pinv(reduced, hermitian=True)
        effect = inverse @ self.total(self.within(y, big), small)
        rss = (self.within(y - effect[self.codes[small]], big) ** 2).sum()
        if rss < 1e-20 * y.size:
            raise ValueError(
                "the scores are exactly additive in the two factors: nothing is residual"
            )
        return rss, y.size - self.sizes[big] - np.linalg.matrix_rank(reduced, hermitian=True)

    def profile(self, ratio: Array) -> tuple[Array, float, float]:
        """Return [1 y]'V⁻¹[1 y], the residual sum of squares and log |V|, in units of σ²_e.

        `ratio` (2,) holds the variances of the two factors in units of σ²_e.
        """
        root, small, big = np.sqrt(ratio), self.small, self.big
        diagonal = 1 + root[big] ** 2 * self.levels[1]
        coupled = root[small] * root[big] * self.counts
        link = coupled / diagonal
        schur = np.diag(1 + root[small] ** 2 * self.levels[0]) - link @ coupled.T
        factor = np.linalg.cholesky(schur)
        outer = root[big] * self.cross[1]
        half = solve_triangular(factor, root[small] * self.cross[0] - link @ outer, lower=True)
        q = self.inner - (outer.T / diagonal) @ outer - half.T @ half
        logdet = np.log(diagonal).sum() + 2 * np.log(np.diag(factor)).sum()
        return q, q[1, 1] - q[0, 1] ** 2 / q[0, 0], logdet

    def reml_ratios(self) -> Array:
        """Return the ratios (2,) that maximise the restricted likelihood."""

        def criterion(log_ratio: ArrayLike) -> float:
            q, squares, logdet = self.profile(np.exp(log_ratio))
            return (self.scores.size - 1) * np.log(squares) + logdet + np.log(q[0, 0])

        bound = 18.0  # ratios from 1.5e-8, taken as 0, to 6.6e7
        # Fine enough to find a small optimum next to the flat region near log(0).
        grid = np.append(-bound, np.arange(-8.0, bound))
        start = min(((u, v) for u in grid for v in grid), key=criterion)
        optimum = minimize(
            criterion,
            start,
            method="Nelder-Mead",
            bounds=[(-bound, bound)] * 2,
            options={"xatol": 1e-7, "fatol": 1e-12, "maxiter": 2000},
        )
        return np.where(optimum.x < -12, 0.0, np.exp(optimum.x))
