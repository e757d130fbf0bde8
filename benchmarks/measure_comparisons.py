"""Coverage and error rates of the comparisons beyond the paired tests, for docs/methods."""

from collections.abc import Iterator

import numpy as np
from measure_coverage import Row, Tables, main
from papers.association import partial_rank_correlation
from papers.banerjee.item_variance import item_components
from reseed.stats.item_model import Factor, item_difference
from reseed.stats.sign_flips import flip_equivalence_p
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
    "ranks": ranks,
    "correlation": correlation,
}

if __name__ == "__main__":
    main(TABLES)
