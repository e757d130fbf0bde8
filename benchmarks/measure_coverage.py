"""Coverage and error rates by simulation, with Monte Carlo errors, for docs/methods."""

import argparse
import csv
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike
from reseed.stats.comparison import (
    UNSTABLE_RATIO,
    equivalence_p,
    holm,
    nadeau_bengio,
    pair_differences,
)
from reseed.stats.error_rates import simulate_cv
from reseed.stats.seed_noise import distribution_wise_sd
from reseed.stats.spread import spread_intervals
from scipy import stats

Row = tuple[str, ArrayLike]


def gaussian_like() -> dict[str, stats.rv_continuous]:
    """Score distributions, from light to heavy tails."""
    return {"uniform": stats.uniform(), "Gaussian": stats.norm(), "gamma(4)": stats.gamma(4),
            "t5": stats.t(5), "Laplace": stats.laplace()}  # fmt: skip


def spread(rng: np.random.Generator, n_sim: int) -> Iterator[Row]:
    """Intervals of median, SD and IQR over seeds."""
    for n in (5, 6, 10, 20, 50):
        for name, distribution in gaussian_like().items():
            truth = {
                "median": distribution.median(),
                "sd": distribution.std(),
                "iqr": np.diff(distribution.ppf([0.25, 0.75])),
            }
            samples = (distribution.rvs(n, random_state=rng) for _ in range(n_sim))
            intervals = [spread_intervals(sample, n_boot=500, rng=rng) for sample in samples]
            for what, value in truth.items():
                ends = [(getattr(g.low, what), getattr(g.high, what)) for g in intervals]
                if np.isfinite(ends).all():
                    yield f"{what}, {n} {name} seeds", [low <= value <= high for low, high in ends]


def populations(rng: np.random.Generator, files: list[str]) -> Iterator[tuple[str, np.ndarray]]:
    """Populations of item scores (runs, items): simulated, and from files."""
    runs, items = 1000, 10_000
    run_effects = rng.normal(size=(runs, 4))
    item_loadings = rng.normal(0.08, 0.5, (4, items)) * np.exp(rng.normal(0, 0.5, items))
    base = rng.normal(1.5, 1.5, items)
    yield (
        "accuracy, unlike items",
        base + run_effects @ item_loadings + rng.logistic(0, 0.3, (runs, items)) > 0,
    )
    error = 0.5 * rng.standard_t(4, items) + 0.3
    yield "squared error, unlike items", (error + 0.2 * run_effects @ item_loadings) ** 2
    for file in files:
        yield file, np.load(file)


def seed_noise(rng: np.random.Generator, n_sim: int, files: list[str]) -> Iterator[Row]:
    """Interval of the SD over seeds on an infinite test set, for new runs and items."""
    for name, population in populations(rng, files):
        truth = float(population.mean(axis=1).std())
        for runs, items in ((5, 300), (6, 2000), (10, 300), (20, 300), (50, 300), (50, 1000)):
            covered = []
            for _ in range(n_sim):
                rows = rng.integers(0, len(population), runs)
                columns = rng.integers(0, population.shape[1], items)
                result = distribution_wise_sd(population[np.ix_(rows, columns)].astype(float))
                covered += [result.sd_low <= truth <= result.sd_high] if not result.reason else []
            yield f"{name}, {runs} runs × {items} items", covered


def hold_outs(rng: np.random.Generator, n_sim: int) -> Iterator[Row]:
    """Corrected t over 6 and 50 hold-outs: claims among three equal models, and its intervals.

    200 items in two equal classes, a fifth of them for testing. Each model has its own Gaussian
    features, in which the class means differ by `apart` SD.
    """
    y = np.repeat([0, 1], 100)
    for features, apart in ((5, 0.6), (20, 0.34)):
        for name, classify in (("1-nearest neighbour", nearest), ("nearest centroid", centroid)):
            accuracy = np.empty((n_sim, 3, 50))
            for scores in accuracy:
                x = rng.normal(size=(3, 200, features)) + apart * y[:, None]
                scores[:] = classify(x, y, np.stack([rng.permutation(200) for _ in range(50)]))
            for n in (6, 50):
                where = f"{name}, {features} features {apart} SD apart, {n} hold-outs"
                yield from corrected_t(accuracy[:, :, :n], 0.25, where, float(accuracy.mean()))


def folds(rng: np.random.Generator, n_sim: int) -> Iterator[Row]:
    """Corrected t over cross-validation (`simulate_cv`): three equal models."""
    for n, k, repeats in ((200, 5, 1), (200, 5, 2), (200, 5, 10), (1000, 5, 2)):
        scores = simulate_cv(n_sim, n_samples=n, n_folds=k, n_repeats=repeats, rng=rng)
        where = f"nearest centroid, {n} items, {k}×{repeats}"
        yield from corrected_t(scores, 1 / (k - 1), where, float(scores.mean()))


def corrected_t(scores: np.ndarray, ratio: float, where: str, truth: float) -> Iterator[Row]:
    """Claims and coverage for equally good models; scores are (experiments, models, splits)."""
    p = nadeau_bengio(pair_differences(scores), ratio).p_value
    yield f"false claims (Holm), {where}", list((holm(p) <= 0.05).any(axis=-1))
    larger = nadeau_bengio(pair_differences(scores), UNSTABLE_RATIO * ratio).p_value
    claimed = list((holm(larger) <= 0.05).any(axis=-1))
    yield f"false claims (Holm), ratio × {UNSTABLE_RATIO}, {where}", claimed
    yield f"coverage, difference, {where}", list(p[:, 0] > 0.05)
    # The interval of a score covers the truth if that of its distance from the truth covers 0.
    one = nadeau_bengio(scores[:, 0] - truth, ratio).p_value
    yield f"coverage, one model's score, {where}", list(one > 0.05)


def nearest(x: np.ndarray, y: np.ndarray, splits: np.ndarray) -> np.ndarray:
    """Accuracy (models, splits) of 1-nearest neighbour; the first fifth of a split is its test."""
    test, train = np.split(splits, [splits.shape[1] // 5], axis=1)
    distances = ((x[:, :, None] - x[:, None]) ** 2).sum(axis=3)
    order = distances[:, test[:, :, None], train[:, None]].argmin(axis=-1)
    closest = np.take_along_axis(train[None], order, axis=2)
    return (y[closest] == y[test]).mean(axis=2)


def centroid(x: np.ndarray, y: np.ndarray, splits: np.ndarray) -> np.ndarray:
    """Accuracy (models, splits) of the nearest class mean."""
    test, train = np.split(splits, [splits.shape[1] // 5], axis=1)
    rows, distances = x[:, test], []
    for label in (0, 1):
        weight = y[train] == label
        mean = (x[:, train] * weight[..., None]).sum(axis=2) / weight.sum(axis=1)[:, None]
        distances.append(((rows - mean[:, :, None]) ** 2).sum(axis=3))
    return ((distances[1] < distances[0]) == y[test]).mean(axis=2)


def equivalence(rng: np.random.Generator, n_sim: int) -> Iterator[Row]:
    """Claims of equivalence with a true difference of 0 or at the edge of the region."""
    for folds, repeats in ((5, 2), (5, 10)):
        design = {"n_models": 2, "n_samples": 200, "n_folds": folds, "n_repeats": repeats}
        for effect in (0.3, 0.0):
            scores = simulate_cv(n_sim, effect=effect, rng=rng, **design)
            d = scores[:, 0] - scores[:, 1]
            truth = float(d.mean()) if effect else 0.0
            test = nadeau_bengio(d, 1 / (folds - 1))
            for rope in (truth,) if effect else (0.05, 0.1):
                p = equivalence_p(d.mean(axis=1), test.scale, test.df, rope)
                name = f"region ±{rope:.3f}, true difference {truth:.3f}, {folds}×{repeats}"
                yield f"claims of equivalence, {name}", list(p <= 0.05)


Tables = dict[str, Callable[..., Iterator[Row]]]
TABLES: Tables = {
    "spread": spread,
    "seed_noise": seed_noise,
    "hold_outs": hold_outs,
    "folds": folds,
    "equivalence": equivalence,
}


def main(tables: Tables = TABLES) -> None:
    """Print one line for each case: mean ± Monte Carlo standard error."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=[*tables])
    parser.add_argument("--simulations", type=int, default=2000)
    parser.add_argument("--scores", nargs="*", default=[], help="(runs, items) arrays, .npy")
    parser.add_argument("--output", type=Path, help="a CSV file of the lines")
    options = parser.parse_args()
    extra = [options.scores] if options.what == "seed_noise" else []
    table: list[tuple[str, str, str, int]] = []
    for name, sample in tables[options.what](np.random.default_rng(0), options.simulations, *extra):
        values = np.asarray(sample, dtype=np.float64)
        mean, error = values.mean(), values.std() / np.sqrt(values.size)
        print(f"{name}: {mean:.3f} ± {error:.3f}", flush=True)
        table.append((name, f"{mean:.4f}", f"{error:.4f}", values.size))
    if options.output:
        with options.output.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(
                [("case", "measured", "se", "simulations"), *table]
            )


if __name__ == "__main__":
    main()
