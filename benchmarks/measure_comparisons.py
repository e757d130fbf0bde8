"""Coverage and error rates of the comparisons beyond the paired tests, for docs/methods."""

from collections.abc import Iterator

import numpy as np
from measure_coverage import Row, Tables, main
from papers.association import partial_rank_correlation
from reseed.stats import aggregates, hierarchical
from reseed.stats.item_model import Factor, item_difference
from reseed.stats.item_variance import item_components
from reseed.stats.sign_flips import flip_equivalence_p
from reseed.stats.stochastic_order import stochastic_order, violation_ratio
from reseed.stats.variance import crossed_variance
from scipy import stats

Rng = np.random.Generator


def crossed(rng: Rng, n_sim: int) -> Iterator[Row]:
    """Difference of two procedures over new seeds and new items (probit items)."""
    for seeds, items, sd in ((2, 500, 0.0), (2, 500, 0.05), (2, 500, 0.3), (2, 2000, 0.1),
                             (3, 500, 0.05), (3, 500, 0.3), (5, 500, 0.0), (5, 500, 0.05),
                             (5, 500, 0.3), (10, 500, 0.3), (10, 5000, 0.1),
                             (30, 500, 0.05)):  # fmt: skip
        for shared in (False, True):
            covered = [_covers(rng, (seeds, seeds), items, sd, shared) for _ in range(n_sim)]
            yield f"coverage, {seeds} × {items}, SD {sd}, shared seeds: {shared}", covered
    for seeds in ((2, 10), (2, 30)):
        covered = [_covers(rng, seeds, 500, 0.3, False) for _ in range(n_sim)]
        yield f"coverage, {seeds[0]} and {seeds[1]} × 500, SD 0.3", covered


def _covers(rng: Rng, seeds: tuple[int, int], items: int, sd: float, shared: bool) -> bool:
    difficulty, sides = rng.normal(0, 1.5, items), []
    for count, level in zip(seeds, (1.5, 1.2), strict=True):
        z = difficulty + level + rng.normal(0, 0.5, items) + rng.normal(0, sd, (count, 1))
        sides.append((z + rng.normal(size=(count, items)) > 0).astype(float))
    result = item_difference(*sides, [Factor("seed", shared)])
    scale = np.sqrt(1 + 1.5**2 + 0.5**2 + sd**2)
    truth = stats.norm.cdf(1.5 / scale) - stats.norm.cdf(1.2 / scale)
    return result.low <= truth <= result.high


def variances(rng: Rng, n_sim: int) -> Iterator[Row]:
    """Components and shares of a crossed grid of model seeds × data seeds."""
    for shape, sds in (((10, 10), (1, 1, 1)), ((10, 10), (0.3, 1, 1)), ((10, 10), (0, 1, 1)),
                       ((5, 5), (0.3, 2, 1)), ((6, 6), (0.3, 1, 0.5))):  # fmt: skip
        truth, covered = np.square(sds), []
        for _ in range(n_sim):
            y = rng.normal(0, sds[0], (shape[0], 1)) + rng.normal(0, sds[1], shape[1])
            y = y + rng.normal(0, sds[2], shape)
            parts = crossed_variance(y, ("a", "b"), n_draws=1000, rng=rng).components
            ends = zip(parts, truth, truth / truth.sum(), strict=True)
            covered.append([(c.low <= v <= c.high, c.share_low <= s <= c.share_high)
                         for c, v, s in ends])  # fmt: skip
        for k, name in enumerate(("first", "second", "residual")):
            where = f"{name} of {shape[0]}×{shape[1]}, SDs {sds}"
            yield f"coverage, variance, {where}", [one[k][0] for one in covered]
            yield f"coverage, share, {where}", [one[k][1] for one in covered]


def items(rng: Rng, n_sim: int) -> Iterator[Row]:
    """Shares by item of a crossed grid of two roles, with common or separate effects of items."""
    for sizes in ((1, 0.5, 1.5), (1, 0.1, 3)):
        truth = np.array(sizes) / sum(sizes)
        for common in (1.0, 0.3):
            for m in (5, 8, 14):
                covered = []
                for _ in range(n_sim):
                    y = 0.0
                    for v, shape in zip(sizes, ((m, 1), (1, m), (m, m)), strict=True):
                        load = rng.normal(size=30)
                        load /= np.sqrt(np.mean(load**2))
                        y = y + np.sqrt(v * common) * rng.normal(size=(*shape, 1)) * load
                        y = y + np.sqrt(v * (1 - common)) * rng.normal(size=(*shape, 30))
                    result = item_components(y)
                    covered.append((result.low <= truth) & (truth <= result.high))
                for k, name in enumerate(("first", "second", "residual")):
                    where = f"{name} of {m}×{m}, shares {np.round(truth, 2)}, {common:.0%} common"
                    yield f"coverage, {where}", [one[k] for one in covered]


def tasks(rng: Rng, n_sim: int) -> Iterator[Row]:
    """Aggregates over 10 and 26 tasks of unequal spread, by the stratified bootstrap."""
    for count, numbers in ((10, (3, 5, 10, 20)), (26, (3, 5, 10))):
        base, sd = np.linspace(0.2, 0.8, count), np.linspace(0.02, 0.2, count)
        many = [b + s * rng.standard_normal(20_000) for b, s in zip(base, sd, strict=True)]
        for name in ("mean", "median", "interquartile_mean", "optimality_gap"):
            function = getattr(aggregates, name)
            truth = float(function([x[None] for x in many])[0])
            for runs in numbers:
                covered = []
                for _ in range(n_sim):
                    x = [b + s * rng.standard_normal(runs) for b, s in zip(base, sd, strict=True)]
                    result = aggregates.stratified_bootstrap(function, x, n_boot=400, rng=rng)
                    covered.append(result.low <= truth <= result.high)
                yield f"coverage, {name}, {count} tasks, {runs} runs a task", covered


def dominance(rng: Rng, n_sim: int) -> Iterator[Row]:
    """Claims of almost stochastic dominance: violation ratio of a half, or equal distributions."""
    pairs = {
        "SD 2 against 1": (lambda n: rng.normal(0, 2, n), rng.standard_normal),
        "equal Gaussians": (rng.standard_normal, rng.standard_normal),
        "equal exponentials": (rng.standard_exponential, rng.standard_exponential),
        "a shift of 0.8 SD (power)": (lambda n: rng.normal(0.8, 1, n), rng.standard_normal),
    }
    for name, (draw, other) in pairs.items():
        for n in (5, 10, 30):
            samples = [(draw(n), other(n)) for _ in range(n_sim)]
            claimed = [stochastic_order(a, b, rng=rng).upper < 0.5 for a, b in samples]
            yield f"claims, {name}, {n} seeds", claimed
            if name == "SD 2 against 1":
                published = [_published_bound(a, b, rng) < 0.5 for a, b in samples]
                yield f"claims, {name}, {n} seeds, published bound", published
    draws = {
        "beta(1, 5)": lambda n: rng.beta(1, 5, n),
        "beta(20, 1)": lambda n: rng.beta(20, 1, n),
        "−exponential": lambda n: -rng.exponential(1, n),
    }
    for name, draw in draws.items():
        for n, m in ((5, 20), (20, 5), (5, 50), (50, 5), (20, 50), (50, 20)):
            samples = [(draw(n), draw(m)) for _ in range(n_sim)]
            claimed = [stochastic_order(a, b, rng=rng).upper < 0.5 for a, b in samples]
            where = f"claims, equal distributions {name}, {n} and {m} seeds"
            yield where, claimed
            yield (
                f"{where}, resamples of the samples' own sizes",
                [_own_sizes_bound(a, b, rng) < 0.5 for a, b in samples],
            )


def _published_bound(a: np.ndarray, b: np.ndarray, rng: Rng) -> float:
    """ε + z · SD of the bootstrap (Dror et al. 2019), nominal 95 %."""
    ratios = violation_ratio(*(x[rng.integers(0, x.size, (1000, x.size))] for x in (a, b)))
    return float(violation_ratio(a, b) + stats.norm.isf(0.05) * ratios.std())


def _own_sizes_bound(a: np.ndarray, b: np.ndarray, rng: Rng) -> float:
    """The bound of `stochastic_order` without resampling to equal numbers of runs."""
    n = min(a.size, b.size)
    ratios = violation_ratio(*(x[rng.integers(0, x.size, (1000, x.size))] for x in (a, b)))
    high = stats.norm.cdf(stats.t.ppf(0.95, n - 1) * np.sqrt(n / (n - 1)))
    return float(np.quantile(ratios, high))


def datasets(rng: Rng, n_sim: int) -> Iterator[Row]:
    """Hierarchical model: coverage, and outcomes with the true effect at the edge of the region."""
    for n in (3, 5, 10, 20):
        for tau in (0.0, 0.5, 2.0):
            mean, new, shown, within = [], [], [], []
            for _ in range(n_sim):
                s = rng.uniform(0.3, 0.7, n)
                d = rng.normal(rng.normal(0, tau, n), s)
                result = hierarchical.hierarchical_effect(d, s)
                mean.append(result.low <= 0 <= result.high)
                new.append(result.new_low <= rng.normal(0, tau) <= result.new_high)
                shown.append(not mean[-1])
                edge = hierarchical.hierarchical_effect(d + 1.0, s, 1.0)
                within.append(edge.mean_shares.equivalent >= 0.95)
            where = f"{n} datasets, SD between them {tau}"
            yield f"coverage, mean effect, {where}", mean
            yield f"coverage, new dataset, {where}", new
            yield f"false claims of a difference, {where}", shown
            yield f"claims of equivalence, effect at the edge, {where}", within


def ranks(rng: Rng, n_sim: int) -> Iterator[Row]:
    """Equivalence over datasets at the edge of the region."""
    for n in (5, 10, 20):
        p = [flip_equivalence_p(d, 1.0, rng=rng) for d in rng.normal(1.0, 0.5, (n_sim, n))]
        yield f"claims of equivalence at the edge, {n} datasets", np.array(p) <= 0.05


def correlation(rng: Rng, n_sim: int) -> Iterator[Row]:
    """Partial rank correlation of two variables with common causes only."""
    for n in (15, 50):
        for causes in (0, 1, 3):
            covered = []
            for _ in range(n_sim):
                z = rng.normal(size=(n, causes))
                x, y = z.sum(axis=1) + rng.normal(size=(2, n))
                result = partial_rank_correlation(x, y, z if causes else None)
                covered.append(result.low <= 0 <= result.high)
            yield f"coverage of 0, {n} runs, {causes} common causes", covered


TABLES: Tables = {
    "crossed": crossed,
    "variances": variances,
    "items": items,
    "tasks": tasks,
    "dominance": dominance,
    "datasets": datasets,
    "ranks": ranks,
    "correlation": correlation,
}

if __name__ == "__main__":
    main(TABLES)
