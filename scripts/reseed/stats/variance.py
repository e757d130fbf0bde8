"""Where the variance of scores comes from: model seed, data seed, test items, and the rest."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats
from scipy.linalg import solve_triangular
from scipy.optimize import minimize

from reseed.stats.bootstrap import bca_interval
from reseed.stats.spread import Array, finite

_CHUNK = 4_000_000

MeanSquare = tuple[float, int]  # value, degrees of freedom


@dataclass(frozen=True)
class Component:
    """One variance component, in squared units of the score.

    `raw` is the unbiased moment estimate (it may be negative), `variance` is truncated at 0;
    `low`/`high` bound the variance; `p_value` tests variance = 0; `share` is of the total of the
    truncated components, with its own interval.
    """

    name: str
    raw: float
    variance: float
    low: float
    high: float
    p_value: float
    share: float
    share_low: float
    share_high: float


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


def _share(variances: Array) -> Array:
    """Return shares along the last axis; 0/0 (no variance at all) is NaN."""
    total = variances.sum(axis=-1, keepdims=True)
    return np.divide(variances, total, out=np.full_like(variances, np.nan), where=total > 0)


def _mls_interval(
    s1: float, n1: int, s2: float, n2: int, coef: float, level: float
) -> tuple[float, float]:
    """Modified large sample interval of (E s1 − E s2) / coef (Ting et al. 1990)."""
    a = (1 - level) / 2
    upper1, lower1 = stats.chi2.isf(a, n1) / n1, stats.chi2.ppf(a, n1) / n1
    upper2, lower2 = stats.chi2.isf(a, n2) / n2, stats.chi2.ppf(a, n2) / n2
    g1, g2, h1, h2 = 1 - 1 / upper1, 1 - 1 / upper2, 1 / lower1 - 1, 1 / lower2 - 1
    f_upper, f_lower = stats.f.isf(a, n1, n2), stats.f.ppf(a, n1, n2)
    g12 = ((f_upper - 1) ** 2 - (g1 * f_upper) ** 2 - h2**2) / f_upper
    h12 = ((1 - f_lower) ** 2 - (h1 * f_lower) ** 2 - g2**2) / f_lower
    down = (g1 * s1) ** 2 + (h2 * s2) ** 2 + g12 * s1 * s2
    up = (h1 * s1) ** 2 + (g2 * s2) ** 2 + h12 * s1 * s2
    low = (s1 - s2 - np.sqrt(max(down, 0.0))) / coef
    high = (s1 - s2 + np.sqrt(max(up, 0.0))) / coef
    return max(0.0, low), max(0.0, high)


def _f_test(top: MeanSquare, low: MeanSquare) -> float:
    """Return the exact p-value of equal expected mean squares; NaN if both are 0."""
    f = top[0] / low[0] if low[0] > 0 else np.inf if top[0] > 0 else np.nan
    return float(stats.f.sf(f, top[1], low[1]))


def _components(
    raw: Array,
    lines: list[tuple[str, MeanSquare, MeanSquare, float]],
    bottom: MeanSquare,
    p_values: list[float],
    level: float,
    n_draws: int,
    rng: np.random.Generator,
) -> tuple[Component, ...]:
    """Put intervals and shares to the estimates `raw`, in the order of `lines`, residual last."""
    tails = np.array([(1 - level) / 2, (1 + level) / 2])
    intervals = [_mls_interval(*top, *low, c, level) for _, top, low, c in lines]
    intervals.append(tuple(bottom[0] * bottom[1] / stats.chi2.ppf(tails[::-1], bottom[1])))

    # Generalised pivots: each expected mean square is its mean square × df / χ².
    tops = [s * df / rng.chisquare(df, n_draws) for s, df in [*(x[1] for x in lines), bottom]]
    # Of each line's bottom: the cross term (third top) below both factors, else the last one.
    below = [tops[2], tops[2], tops[-1]]
    draws = [(t - b) / x[3] for t, b, x in zip(tops, below, lines, strict=False)] + [tops[-1]]
    shares = _share(np.maximum(np.stack(draws, axis=1), 0))
    share_low, share_high = np.quantile(shares, tails, axis=0)

    variance = np.maximum(raw, 0)
    names = [*(line[0] for line in lines), "residual"]
    columns = [raw, variance, *np.transpose(intervals), [*p_values, np.nan]]
    columns += [_share(variance), share_low, share_high]
    return tuple(
        Component(name, *map(float, row))
        for name, row in zip(names, np.transpose(columns), strict=True)
    )


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
    a = finite(y, "y")
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
    # A component is (E top − E bottom) / coefficient.
    lines = [(names[0], first, cross, d * r), (names[1], second, cross, m * r)]
    bottom = cross
    if r > 1:
        within_df = m * d * (r - 1)
        bottom = ((cells - cell[:, :, None]) ** 2).sum() / within_df, within_df
        lines.append(("interaction", cross, bottom, r))
    raw = np.array([(top[0] - low[0]) / c for _, top, low, c in lines] + [bottom[0]])
    p_values = [_f_test(top, low) for _, top, low, _ in lines]
    components = _components(raw, lines, bottom, p_values, level, n_draws, rng)
    return CrossedVariance(float(mean + a.flat[0]), components, level, a.size, "anova")


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
    a = finite(y, "y", ndim=1, min_size=4)
    codes = [np.unique(np.asarray(f), return_inverse=True)[1].reshape(-1) for f in (first, second)]
    if any(c.size != a.size for c in codes):
        raise ValueError("y, first and second must have the same length")
    sizes = [int(c.max()) + 1 for c in codes]
    if min(sizes) < 2 or sum(sizes) > a.size:
        raise ValueError("each factor needs 2 levels, and there must be more scores than levels")
    scale = a.std()
    if scale <= 1e-13 * np.abs(a).max():
        raise ValueError("all scores are equal: there is no variance to split")
    standard = (a - a.mean()) / scale
    z = np.concatenate(
        [c[:, None] == np.arange(k) for c, k in zip(codes, sizes, strict=True)], axis=1
    ).astype(np.float64)
    design = np.stack([np.ones(a.size), standard], axis=1)
    blocks = [slice(0, sizes[0]), slice(sizes[0], None)]

    def rss(columns: Array) -> float:
        fitted = columns @ np.linalg.lstsq(columns, standard, rcond=None)[0]
        return float(((standard - fitted) ** 2).sum())

    if rss(z) < 1e-20 * a.size:
        raise ValueError("the scores are exactly additive in the two factors: nothing is residual")
    gram, cross, inner = z.T @ z, z.T @ design, design.T @ design

    def profile(ratio: ArrayLike) -> tuple[Array, float, float]:
        """Return [1 y]'V⁻¹[1 y], the residual sum of squares and log |V|, all in units of σ²_e."""
        root = np.sqrt(np.repeat(ratio, sizes))
        factor = np.linalg.cholesky(np.eye(root.size) + root[:, None] * gram * root)
        half = solve_triangular(factor, root[:, None] * cross, lower=True)
        q = inner - half.T @ half
        return q, q[1, 1] - q[0, 1] ** 2 / q[0, 0], 2 * np.log(np.diag(factor)).sum()

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
    df = a.size - np.linalg.matrix_rank(z)
    bottom = variance[2], df
    ss = rss(z) * scale**2
    lines, p_values = [], []
    for i, name in enumerate(names):
        others = z[:, blocks[1 - i]]
        factor_df = a.size - np.linalg.matrix_rank(others) - df
        if factor_df == 0:
            raise ValueError(f"{name} cannot be told from the other factor: their labels coincide")
        factor_ss = rss(others) * scale**2 - ss
        p_values.append(_f_test((factor_ss / factor_df, factor_df), (ss / df, df)))
        replicates = stats.hmean(z[:, blocks[i]].sum(axis=0))
        top = replicates * variance[i] + variance[2], factor_df
        lines.append((name, top, bottom, replicates))
    components = _components(variance, lines, bottom, p_values, level, n_draws, rng)
    mean = float(a.mean() + scale * q[0, 1] / q[0, 0])
    return CrossedVariance(mean, components, level, a.size, "reml")


@dataclass(frozen=True)
class DistributionWise:
    """What the seed would change on an infinite test set, in squared score (variance) and SD."""

    runs: int
    items: int
    variance: float
    sd: float
    sd_low: float
    sd_high: float
    level: float


def _correctness(correct: ArrayLike, min_runs: int) -> Array:
    a = finite(correct, "correct", ndim=2, min_size=2)
    if len(a) < min_runs:
        raise ValueError(f"correct must be (runs, items) with {min_runs} runs or more: {a.shape}")
    if not np.isin(a, (0, 1)).all():
        raise ValueError("correct must hold booleans (or 0 and 1)")
    return a


def _distribution_wise(
    accuracy_variance: Array, sum_p: Array, sum_p2: Array, runs: int, items: int
) -> Array:
    """Jordan's variance with both terms at ddof=1; arguments are plug-in (ddof=0) moments."""
    inflate = runs / (runs - 1) * items / (items - 1)
    return inflate * (accuracy_variance - (sum_p - sum_p2) / items**2)


def distribution_wise_sd(
    correct: ArrayLike, level: float = 0.95, n_boot: int = 2000, *, rng: np.random.Generator
) -> DistributionWise:
    """Standard deviation of accuracy over seeds on an infinite test set (Jordan 2023).

    variance = n/(n−1) · (Var(acc) − Σᵢ pᵢ(1−pᵢ)/n²), n items, pᵢ the share of runs that get item i
    right [Jordan, arXiv 2304.01910, sec. 3]. Both variances are taken with ddof=1 over runs, which
    makes it unbiased for any number of runs: it is the mean covariance of two distinct items, and
    the seed component of the crossed model seed × item. It can come out negative when the seed
    hardly matters: `variance` is reported as is, `sd` is 0 then.

    The interval is the BCa bootstrap over runs (test items held), ends truncated at 0.

    Args:
        correct: (runs, items) booleans.
        level: two-sided confidence level.
        n_boot: resamples of the runs.
        rng: their source.

    Raises:
        ValueError: fewer than 3 runs or 2 items, entries other than 0 and 1.
    """
    a = _correctness(correct, min_runs=3)
    runs, items = a.shape
    hits = a.sum(axis=0)
    centred = a.mean(axis=1) - a.mean()

    def moments(p: Array, mean: Array, mean_square: Array, n: int) -> Array:
        return _distribution_wise(mean_square - mean**2, p.sum(-1), (p**2).sum(-1), n, items)

    variance = float(moments(hits / runs, centred.mean(), (centred**2).mean(), runs))
    step = max(1, _CHUNK // max(runs, items))
    boot = []
    for done in range(0, n_boot, step):
        w = rng.multinomial(runs, np.full(runs, 1 / runs), min(step, n_boot - done)) / runs
        boot.append(moments(w @ a, w @ centred, w @ centred**2, runs))
    left = runs - 1
    means = -centred / left, ((centred**2).sum() - centred**2) / left
    jackknife = moments((hits - a) / left, *means, left)
    low, high = bca_interval(np.concatenate(boot), variance, jackknife, level)
    sd, sd_low, sd_high = np.sqrt(np.maximum([variance, low, high], 0))
    return DistributionWise(runs, items, variance, float(sd), float(sd_low), float(sd_high), level)


@dataclass(frozen=True)
class NoiseSplit:
    """Observed variance of accuracy over seeds = `seed_variance` + `item_variance`, exactly."""

    runs: int
    items: int
    mean_accuracy: float
    observed_variance: float
    seed_variance: float
    item_variance: float
    seed_share: float
    fresh_test_variance: float


def seed_and_test_noise(correct: ArrayLike) -> NoiseSplit:
    """Split the variance of accuracy over seeds into real and test-set-made parts.

    The crossed model seed × item without replication (`crossed_variance` of `correct`), with
    mean squares MS: `observed_variance` = MS_seed/n (the usual ddof=1 variance over runs),
    `seed_variance` = (MS_seed − MS_res)/n = Jordan's distribution-wise variance,
    `item_variance` = MS_res/n = the part that comes from the finite test set: runs that are
    equally good, right on different items. `fresh_test_variance` is the variance of one run's
    accuracy when the test items too are drawn afresh: seed + (item + residual)/n.
    `seed_share` is truncated to [0, 1]; NaN if all runs are equally accurate.

    Raises:
        ValueError: fewer than 2 runs or items, entries other than 0 and 1.
    """
    a = _correctness(correct, min_runs=2)
    runs, items = a.shape
    accuracy, p = a.mean(axis=1), a.mean(axis=0)
    observed = float(accuracy.var(ddof=1))
    seed = float(_distribution_wise(accuracy.var(), p.sum(), (p**2).sum(), runs, items))
    item_noise = observed - seed
    ms_item = runs * p.var(ddof=1)
    between_items = float((ms_item - items * item_noise) / runs)
    share = float(np.clip(seed / observed, 0, 1)) if observed > 0 else float("nan")
    return NoiseSplit(
        runs, items, float(a.mean()), observed, seed, item_noise, share,
        observed + between_items / items,
    )  # fmt: skip
