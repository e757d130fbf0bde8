"""Error rates of whole verdicts among several equal models, for docs/methods.md."""

from collections.abc import Iterator
from itertools import combinations

import numpy as np
from measure_coverage import Row, Tables, main
from reseed.stats import planning
from reseed.stats.comparison import holm, nadeau_bengio
from reseed.stats.crossed_comparison import crossed_difference
from reseed.stats.evalues import bounded_confidence_sequence
from reseed.stats.sequential import mean_confidence_sequence
from reseed.stats.unpaired import compare_unpaired

Rng = np.random.Generator


def test_sets(rng: Rng, n_sim: int) -> Iterator[Row]:
    """Claims among equal models on one test set: over the seeds alone, and with the items.

    Each model has its own hard items, so on a finite test set equal models differ.
    """
    for models, seeds, items, sd in ((3, 10, 300, 0.0), (3, 10, 300, 0.1), (3, 10, 300, 0.3),
                                     (6, 5, 1000, 0.1), (2, 10, 300, 0.1)):  # fmt: skip
        alone, joint = [], []
        for _ in range(n_sim):
            hard = rng.normal(1, 1.5, items) + rng.normal(0, 0.5, (models, 1, items))
            level = hard + rng.normal(0, sd, (models, seeds, 1))
            right = (level + rng.normal(size=(models, seeds, items)) > 0).astype(float)
            pairs = list(combinations(right, 2))
            means = np.stack([(a - b).mean(axis=1) for a, b in pairs])
            alone.append((holm(nadeau_bengio(means, 0).p_value) <= 0.05).any())
            p = [crossed_difference(a, b, shared_seeds=True).p_value for a, b in pairs]
            joint.append((holm(p) <= 0.05).any())
        where = f"{models} models, {seeds} seeds × {items} items, SD of seed {sd}"
        yield f"any false claim, seeds alone, {where}", alone
        yield f"any false claim, seeds and items, {where}", joint


def plans(rng: Rng, n_sim: int) -> Iterator[Row]:
    """Power of a verdict whose runs were planned for 0.8, without and with Holm's adjustment."""
    for models in (2, 4, 6, 10):
        i, j = np.triu_indices(models, 1)
        for step, name in ((1, "one pair alone"), (i.size, "Holm's strictest step")):
            n = planning.seeds_for_difference(1.0, np.sqrt(2), 0.8, 0.05 / step).n
            x = rng.normal(size=(n_sim, models, n))
            x[:, 0] += 1.0
            p = holm(nadeau_bengio(x[:, i] - x[:, j], 0).p_value)
            where = f"{i.size} pairs, {n} runs"
            yield f"power, planned for {name}, {where}", p[:, 0] <= 0.05
    for sd_b, name in ((None, "equal SDs"), (0.1, "Welch's degrees of freedom")):
        sd = np.sqrt((1 + 0.1**2) / 2) if sd_b is None else 1.0
        n = planning.seeds_for_difference(1.5, sd, paired=False, sd_b=sd_b).n
        a, b = rng.normal(1.5, 1, (n_sim, n)), rng.normal(0, 0.1, (n_sim, n))
        p = compare_unpaired(a, b).welch_p
        yield f"power, SD 1 and 0.1, planned for {name}, {n} runs", p <= 0.05


def stopping_pairs(rng: Rng, n_sim: int) -> Iterator[Row]:
    """Claims of sequences among equal models within 200 runs, and misses under rare collapses."""
    for models in (2, 4, 6, 10):
        i, j = np.triu_indices(models, 1)
        x = rng.normal(size=(n_sim, models, 200))
        d = x[:, i] - x[:, j]
        for alpha, name in ((0.05, "each pair at 5 %"), (0.05 / i.size, "5 % over the pairs")):
            found = mean_confidence_sequence(d, alpha)
            is_claimed = (found.low > 0) | (found.high < 0)
            yield f"any false claim, {models} models, {name}", is_claimed.any(axis=(1, 2))
    for size in (0.05, 0.3):
        for name, make in (("t-mixture", mean_confidence_sequence),
                           ("bounded", bounded_confidence_sequence)):  # fmt: skip
            is_collapsed = rng.random((n_sim, 300)) < 0.01
            found = make(0.8 + rng.normal(0, 0.003, (n_sim, 300)) - size * is_collapsed)
            mean = 0.8 - 0.01 * size
            missed = (found.low > mean) | (found.high < mean)
            yield f"misses, {name}, 1 % of runs lower by {size}", missed.any(axis=1)


TABLES: Tables = {"test_sets": test_sets, "plans": plans, "stopping_pairs": stopping_pairs}

if __name__ == "__main__":
    main(TABLES)
