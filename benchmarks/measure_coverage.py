"""Coverage and error rates by simulation, with Monte Carlo errors, for docs/methods."""

import argparse
import csv
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike
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


Tables = dict[str, Callable[..., Iterator[Row]]]
TABLES: Tables = {
    "spread": spread,
    "seed_noise": seed_noise,
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
