"""Coverage of intervals where their assumptions fail, for docs/methods."""

from collections.abc import Iterator

import numpy as np
import pandas as pd
import reseed
from measure_coverage import Row, Tables, main
from papers.association import partial_rank_correlation
from papers.banerjee.item_variance import item_components
from reseed.stats.seed_noise import distribution_wise_sd
from reseed.stats.spread import variance_limits
from scipy import stats

Rng = np.random.Generator


def tails(rng: Rng, n_sim: int) -> Iterator[Row]:
    """Interval of an SD over seeds with heavy tails or skew."""
    for n in (5, 10, 20, 50):
        for name, distribution in {"t3": stats.t(3), "exponential": stats.expon()}.items():
            limits = [variance_limits(x) for x in distribution.rvs((n_sim, n), random_state=rng)]
            covered = [low <= distribution.var() <= high for low, high in limits]
            yield f"coverage, SD of {n} {name} seeds", covered


def losses(rng: Rng, n_sim: int) -> Iterator[Row]:
    """SD on an infinite test set of losses whose seed effect is skewed."""
    effects = rng.gamma(0.5, 1, 20_000)
    grid = stats.norm.ppf((np.arange(400) + 0.5) / 400)
    makers = {
        "squared loss": lambda e, u: (0.5 * u + 0.3 * e) ** 2,
        "log loss": lambda e, u: np.log1p(np.exp(-(1 + u - 0.5 * e))),
    }
    for name, loss in makers.items():
        truth = float(np.std([loss(e, grid).mean() for e in effects]))
        for runs, items in ((6, 1000), (10, 1000), (20, 1000), (50, 1000)):
            covered = []
            for _ in range(n_sim):
                e = rng.choice(effects, runs)[:, None]
                result = distribution_wise_sd(loss(e, rng.normal(size=items)))
                covered += [] if result.reason else [result.sd_low <= truth <= result.sd_high]
            yield f"coverage, {name}, {runs} runs × {items} items", covered


def shares(rng: Rng, n_sim: int) -> Iterator[Row]:
    """Shares by item, by the loads of the items and whether the residual differs by item."""
    cases = [(kind, False, 30) for kind in ("own loads", "constant load", "common factor")]
    cases += [(kind, True, n) for kind in ("own loads", "constant load") for n in (30, 300)]
    for sizes in ((1.0, 0.5, 1.5), (1.0, 1.0, 1.0), (1.0, 0.1, 3.0), (1.0, 0.0, 4.0)):
        truth = np.array(sizes) / sum(sizes)
        for kind, own, items in cases:
            for m in (5, 8, 14):
                shapes = [(m, 1, 1), (1, m, 1), (m, m, items if own else 1)]
                covered = []
                for _ in range(n_sim):
                    y = np.zeros((m, m, items))
                    for v, shape, load in zip(sizes, shapes, _loads(rng, kind, items), strict=True):
                        y += np.sqrt(v) * rng.normal(size=shape) * load
                    result = item_components(y)
                    covered.append((result.low <= truth) & (truth <= result.high))
                residual = ", residual by item" if own else ""
                for k, part in enumerate(("first", "second", "residual")):
                    where = f"{items} items, {kind}{residual}, shares {np.round(truth, 2)}"
                    yield f"coverage, {where}, {part} of {m}×{m}", [one[k] for one in covered]


def _loads(rng: Rng, kind: str, items: int) -> np.ndarray:
    """Loads (sources, items) of mean square 1 over items."""
    loads = np.ones((3, items)) if kind == "constant load" else rng.normal(size=(3, items))
    if kind == "common factor":
        loads[:] = loads[0]
    return loads / np.sqrt(np.mean(loads**2, axis=1, keepdims=True))


def heavy_causes(rng: Rng, n_sim: int) -> Iterator[Row]:
    """Partial rank correlation of two variables whose common causes have heavy tails."""
    for n in (15, 50):
        for causes in (1, 3):
            covered = []
            for _ in range(n_sim):
                z = rng.standard_t(2, size=(n, causes))
                x, y = z.sum(axis=1) + rng.normal(size=(2, n))
                result = partial_rank_correlation(x, y, z)
                covered.append(result.low <= 0 <= result.high)
            yield f"coverage of 0, {n} runs, {causes} causes with t2 tails", covered


def item_means(rng: Rng, n_sim: int) -> Iterator[Row]:
    """Mean of one model over items whose scores lie near an end, as `reseed.compare` shows it."""
    shares, cases = (0.5, 0.9, 0.98, 0.998), {}
    for share in shares:
        cases[f"50 items, each right in {share:.1%}"] = share, lambda p=share: rng.random(50) < p
    cases["3 seeds × 200 items, each right in 99.5%"] = 0.995, lambda: rng.random((3, 200)) < 0.995
    cases["200 items, 2% with a grade of 1 to 5"] = (
        0.06,
        lambda: np.where(rng.random(200) < 0.02, rng.integers(1, 6, 200), 0),
    )
    cases["30 lognormal losses"] = np.exp(0.5), lambda: rng.lognormal(size=30)
    chance = rng.beta
    cases["5 clusters of 20 items, chances of beta(0.3, 0.3)"] = (
        0.5,
        lambda: rng.random(100) < np.repeat(chance(0.3, 0.3, 5), 20),
    )
    for name, (truth, draw) in cases.items():
        values = np.stack([np.atleast_2d(draw()) for _ in range(n_sim)]).astype(float)
        place, seed, item = (axis.ravel().astype(str) for axis in np.indices(values.shape))
        table = pd.DataFrame({"dataset": place, "model": "m", "seed": seed, "item": item})
        table = table.assign(score=values.ravel())
        options = {}
        if "clusters" in name:
            table["group"] = (table["item"].astype(int) // 20).astype(str)
            options = {"cluster": "group"}
        board = reseed.compare(table, greater_is_better=True, **options).leaderboard
        board = board[board["dataset"].isin(place)]
        covered = (board["mean_low"] <= truth) & (truth <= board["mean_high"])
        yield f"coverage, {name}", covered[board["mean_low"].notna()]


TABLES: Tables = {
    "item_means": item_means,
    "tails": tails,
    "losses": losses,
    "shares": shares,
    "heavy_causes": heavy_causes,
}

if __name__ == "__main__":
    main(TABLES)
