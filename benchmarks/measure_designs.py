"""False claims among equal models by each row of the decision table, for docs/methods.

`python benchmarks/measure_designs.py --output docs/methods/simulations/designs.csv` runs the tests
as the verdicts do, Holm's adjustment included. A case counts simulations in which anything is
claimed at 5 %. `label` groups the cases that one cell of the table states as a range.
"""

import argparse
import csv
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import numpy as np
from measure_coverage import centroid, nearest
from numpy.typing import ArrayLike
from reseed.comparison.claims import designs
from reseed.stats.comparison import UNSTABLE_RATIO, holm, nadeau_bengio, pair_differences
from reseed.stats.error_rates import simulate_cv
from reseed.stats.item_model import Factor, item_difference
from reseed.stats.many_datasets import rank_within
from reseed.stats.sign_flips import flip_signs
from reseed.stats.simultaneous import holm_in_both_directions
from reseed.stats.unpaired import compare_unpaired, welch_of_means

Rng = np.random.Generator
#: Label, case, and for each simulation whether anything is claimed.
Row = tuple[str, str, ArrayLike]
_ALPHA = 0.05


def _any_claim(p: np.ndarray) -> np.ndarray:
    """Whether any pair is claimed; (experiments, pairs) unadjusted p-values."""
    return (np.apply_along_axis(holm_in_both_directions, -1, p) <= _ALPHA).any(axis=-1)


def splits(rng: Rng, n_sim: int) -> Iterator[Row]:
    """Three equal models over the same splits."""
    for n, k, repeats in ((200, 5, 1), (200, 5, 2), (200, 5, 10), (1000, 5, 2)):
        scores = simulate_cv(n_sim, n_samples=n, n_folds=k, n_repeats=repeats, rng=rng)
        d, where = pair_differences(scores), f"{n} items, {k}×{repeats} folds"
        yield "nearest centroid", where, _any_claim(nadeau_bengio(d, 1 / (k - 1)).p_value)
    y = np.repeat([0, 1], 100)
    for name, classify in (("nearest centroid", centroid), ("1-nearest neighbour", nearest)):
        accuracy = np.empty((n_sim, 3, 50))
        for scores in accuracy:
            x = rng.normal(size=(3, 200, 5)) + 0.6 * y[:, None]
            scores[:] = classify(x, y, np.stack([rng.permutation(200) for _ in range(50)]))
        for n in (6, 50):
            d, where = pair_differences(accuracy[:, :, :n]), f"200 items, {n} hold-outs of a fifth"
            yield name, where, _any_claim(nadeau_bengio(d, 0.25).p_value)
            larger = nadeau_bengio(d, 0.25 * UNSTABLE_RATIO).p_value
            yield f"{name}, both corrections", where, _any_claim(larger)


def seeds(rng: Rng, n_sim: int) -> Iterator[Row]:
    """Equal models over the same seeds on one test set."""
    for models, runs in ((2, 5), (3, 5), (3, 10), (6, 10)):
        x = rng.normal(size=(n_sim, models, 1, runs)) + rng.normal(size=(n_sim, 1, 1, runs))
        d = pair_differences(x[:, :, 0])
        yield "new seeds", f"{models} models, {runs} runs", _any_claim(nadeau_bengio(d, 0).p_value)
    for where, scores in _draw_test_sets(rng, n_sim):
        d = pair_differences(scores.mean(axis=-1))
        yield "new items", where, _any_claim(nadeau_bengio(d, 0).p_value)


def unpaired(rng: Rng, n_sim: int) -> Iterator[Row]:
    """Equal models with seeds of their own on one test set."""
    for models, runs in ((2, 5), (3, 5), (3, 10), (6, 10)):
        for name, sd in (("equal SDs", 1.0), ("one SD three times the others", 3.0)):
            x = rng.normal(size=(n_sim, models, runs))
            x[:, 0] *= sd
            p = _welch(x)
            yield "new seeds", f"{models} models, {runs} runs, {name}", _any_claim(p)
    for where, scores in _draw_test_sets(rng, n_sim):
        yield "new items", where, _any_claim(_welch(scores.mean(axis=-1)))


def _welch(x: np.ndarray) -> np.ndarray:
    """P-values (experiments, pairs) of samples (experiments, models, runs)."""
    i, j = np.triu_indices(x.shape[1], 1)
    return compare_unpaired(x[:, i], x[:, j]).welch_p


def seeds_and_items(rng: Rng, n_sim: int) -> Iterator[Row]:
    """Equal models on one test set with scores of its items."""
    for where, scores in _draw_test_sets(rng, n_sim):
        for shared in (True, False):
            p = np.array(
                [
                    [item_difference(*pair, [Factor("seed", shared)]).p_value
                     for pair in combinations(one, 2)]
                    for one in scores
                ]
            )  # fmt: skip
            yield "", f"{where}, {'shared' if shared else 'own'} seeds", _any_claim(p)


def _draw_test_sets(rng: Rng, n_sim: int) -> Iterator[tuple[str, np.ndarray]]:
    """Scores (experiments, models, seeds, items) of equal models with hard items of their own.

    On a finite test set equal models therefore differ. Each model draws seeds of its own.
    """
    for models, runs, items, sd in ((2, 10, 300, 0.1), (3, 10, 300, 0.0), (3, 10, 300, 0.1),
                                    (3, 10, 300, 0.3), (6, 5, 1000, 0.1)):  # fmt: skip
        scores = np.empty((n_sim, models, runs, items), dtype=np.float32)
        for one in scores:
            hard = rng.normal(1, 1.5, items) + rng.normal(0, 0.5, (models, 1, items))
            level = hard + rng.normal(0, sd, (models, runs, 1))
            one[:] = level + rng.normal(size=one.shape) > 0
        yield f"{models} models, {runs} × {items}, SD of seeds {sd}", scores


def draw_datasets(
    rng: Rng, n_sim: int, sizes: tuple[int, ...] = (5, 10, 20)
) -> Iterator[tuple[str, np.ndarray]]:
    """Mean differences (experiments, datasets) of two models that are equal over datasets.

    On each dataset the difference has a part of the dataset and a part of its ten runs.
    """
    draws = {"Gaussian": rng.standard_normal, "t₃": lambda size: rng.standard_t(3, size),
             "skewed": lambda size: rng.standard_exponential(size) - 1}  # fmt: skip
    for n in sizes:
        runs = rng.normal(size=(4, n_sim, n, 10)).mean(axis=-1)
        yield f"{n} datasets, no part of the dataset", runs[3]
        for name, draw, own in zip(draws, draws.values(), runs, strict=False):
            yield f"{n} datasets, {name} parts", draw((n_sim, n)) + own


def sign_flips(rng: Rng, n_sim: int) -> Iterator[Row]:
    """Two equal models over datasets of one share; several whose scores are skewed or not."""
    for where, d in draw_datasets(rng, n_sim):
        label = "skewed" if "skewed" in where else "symmetric"
        claims = [flip_signs([one], 1000, rng=rng).p_value[0] <= _ALPHA for one in d]
        yield f"{label} differences", f"2 models, {where}", claims
    for kind, models, n, scores in draw_models(rng, n_sim):
        claims = [flips_of_models(one, rng).any() for one in scores]
        label = "skewed" if "unequal" in kind and "skewed" in kind else "symmetric"
        yield f"{label} differences", f"{models} models, {n} datasets, {kind}", claims


def rank_flips(rng: Rng, n_sim: int) -> Iterator[Row]:
    """Several equal models over datasets of unlike scales."""
    for kind, models, n, scores in draw_models(rng, n_sim):
        claims = [flips_of_models(rank_within(one), rng).any() for one in scores]
        label = "skewed scores" if "skewed, unequal" in kind else ""
        yield label, f"{models} models, {n} datasets, {kind}", claims


def flips_of_models(scores: np.ndarray, rng: Rng) -> np.ndarray:
    """Which pairs of models are claimed; (datasets, models) scores."""
    i, j = np.triu_indices(scores.shape[1], 1)
    d = (scores[:, i] - scores[:, j]).T
    return flip_signs(d, 1000, rng=rng).p_adjusted <= _ALPHA


def draw_models(rng: Rng, n_sim: int) -> Iterator[tuple[str, int, int, np.ndarray]]:
    """Scores (experiments, datasets, models) of models that are equal over datasets."""
    for models, n in ((3, 6), (3, 10), (5, 10), (5, 20), (10, 20)):
        for kind in ("Gaussian", "skewed", "skewed, unequal SDs"):
            size = (n_sim, n, models)
            x = rng.normal(size=size) if kind == "Gaussian" else rng.exponential(size=size) - 1
            spread = np.geomspace(0.5, 2, models) if "unequal" in kind else 1.0
            yield kind, models, n, x * spread


def sign(rng: Rng, n_sim: int) -> Iterator[Row]:
    """Two models over datasets of different metrics: each is better on half of them."""
    for n in (5, 10, 20):
        d = np.sign(rng.standard_t(3, (n_sim, n)))
        yield "", f"{n} datasets", [flip_signs([x], rng=rng).p_value[0] <= _ALPHA for x in d]


def means(rng: Rng, n_sim: int) -> Iterator[Row]:
    """Printed means and SDs of equal models, exact digits."""
    for models, runs in ((2, 5), (4, 5), (4, 10)):
        for name, sds in (("equal SDs", (1.0,)), ("SDs 0.3 and 3", (0.3, 3.0))):
            x = rng.normal(size=(n_sim, models, runs)) * rng.choice(sds, (n_sim, models, 1))
            mean, sd = x.mean(axis=-1), x.std(axis=-1, ddof=1)
            n = np.full(n_sim, float(runs))
            p = np.stack(
                [welch_of_means(mean[:, i], sd[:, i], n, mean[:, j], sd[:, j], n).p
                 for i, j in combinations(range(models), 2)], axis=-1,
            )  # fmt: skip
            adjusted = np.apply_along_axis(holm, -1, p)
            yield "", f"{models} models, {runs} runs, {name}", (adjusted <= _ALPHA).any(axis=-1)


METHODS = {
    designs.SPLITS: splits,
    designs.SEEDS_AND_ITEMS: seeds_and_items,
    designs.SEEDS: seeds,
    designs.UNPAIRED: unpaired,
    designs.SIGN_FLIPS: sign_flips,
    designs.RANK_FLIPS: rank_flips,
    designs.SIGN: sign,
    designs.MEANS: means,
}


def main() -> None:
    """Print one line for each case: share ± Monte Carlo standard error."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--simulations", type=int, default=1000)
    parser.add_argument("--output", type=Path, help="a CSV file of the lines")
    options = parser.parse_args()
    table: list[tuple[str, str, str, str, str, int]] = []
    for method, simulate in METHODS.items():
        for label, case, sample in simulate(np.random.default_rng(0), options.simulations):
            values = np.asarray(sample, dtype=np.float64)
            share = round(float(values.mean()), 3)
            error = (share * (1 - share) / values.size) ** 0.5
            print(f"{method.name}, {case}: {share:.3f} ± {error:.3f}", flush=True)
            row = (method.name, label, case, f"{share:.3f}", f"{error:.4f}", values.size)
            table.append(row)
    if options.output:
        with options.output.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(
                [("method", "label", "case", "false_claims", "se", "simulations"), *table]
            )


if __name__ == "__main__":
    main()
