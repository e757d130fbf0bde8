"""Passes of `reseed gate` at a true loss equal to the margin, and its power, for docs/methods.

`python benchmarks/measure_gate.py docs/methods/simulations/gate.csv`
"""

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from reseed.analyses.shared.item_scores import (
    ItemScores,
    ModelScores,
    compare_models,
    limit_of_bounded_mean,
)

_ALPHA = 0.05
Rng = np.random.Generator
#: Scores of baseline and candidate, (seeds, items).
Pair = tuple[np.ndarray, np.ndarray]


def lose_shares(seeds: int, items: int, base: float, loss: float) -> Callable[[Rng], Pair]:
    """Binary scores of independent cells, right with probability `base` and `base` − `loss`."""

    def draw(rng: Rng) -> Pair:
        return tuple((rng.random((seeds, items)) < p) * 1.0 for p in (base, base - loss))

    return draw


def lose_on_one(datasets: int, items: int, base: float, loss: float) -> Callable[[Rng], Pair]:
    """Binary scores of one run on each dataset; the candidate is worse on the first one."""

    def draw(rng: Rng) -> Pair:
        lower = base - loss * (np.arange(datasets) == 0)[:, None]
        return tuple((rng.random((datasets, items)) < p) * 1.0 for p in (base, lower))

    return draw


def lose_clusters(clusters: int, size: int, loss: float) -> Callable[[Rng], Pair]:
    """All items right; the candidate loses whole clusters."""

    def draw(rng: Rng) -> Pair:
        lost = np.repeat(rng.random(clusters) < loss, size)[None] * 1.0
        return np.ones_like(lost), 1 - lost

    return draw


def lose_grades(items: int, rate: float) -> Callable[[Rng], Pair]:
    """Grades 1 to 5, mostly 5; the candidate falls from 5 to 1 on a share of the items."""

    def draw(rng: Rng) -> Pair:
        base = np.where(rng.random((1, items)) < 0.2, 4.0, 5.0)
        return base, np.where(rng.random((1, items)) < rate, 1.0, base)

    return draw


def differ_by_item(seeds: int, items: int, shift: float) -> Callable[[Rng], Pair]:
    """Latent scores with effects of items and of seeds; accuracy about .8 for the baseline."""

    def draw(rng: Rng) -> Pair:
        z = 1.2 + rng.normal(0, 1, items)
        both = []
        for lower in (0.0, shift):
            latent = z - lower + rng.normal(0, 0.1, (seeds, 1))
            both.append((latent + rng.normal(0, 0.5, (seeds, items)) > 0) * 1.0)
        return both[0], both[1]

    return draw


# design: (margin, what a row or ten items are besides seeds, draws); the true loss is the margin,
# or 0 of equal models.
DESIGNS: dict[str, tuple[float, str, Callable[[Rng], Pair]]] = {
    "all right, 3 seeds x 20 items": (0.02, "", lose_shares(3, 20, 1.0, 0.02)),
    "all right, 2 seeds x 50 items": (0.01, "", lose_shares(2, 50, 1.0, 0.01)),
    "all wrong, 2 seeds x 50 items": (0.02, "", lose_shares(2, 50, 0.02, 0.02)),
    "nearly all right, 3 seeds x 100 items": (0.03, "", lose_shares(3, 100, 0.99, 0.03)),
    "all right, 1 seed x 60 items": (0.05, "", lose_shares(1, 60, 1.0, 0.05)),
    "all right, 10 clusters of 10": (0.05, "cluster", lose_clusters(10, 10, 0.05)),
    "all right, 40 clusters of 10": (0.1, "cluster", lose_clusters(40, 10, 0.1)),
    "grades, 50 items": (0.152, "", lose_grades(50, 0.04)),
    "grades, 200 items": (0.152, "", lose_grades(200, 0.04)),
    "0.8, 3 seeds x 300 items": (0.06, "", lose_shares(3, 300, 0.8, 0.06)),
    "equal: 0.8, 3 seeds x 300 items": (0.06, "", lose_shares(3, 300, 0.8, 0.0)),
    "equal: 0.8, 5 seeds x 200 items": (0.05, "", differ_by_item(5, 200, 0.0)),
    "equal: all right, 3 seeds x 400 items": (0.02, "", lose_shares(3, 400, 1.0, 0.0)),
    "equal: 0.8, 1 seed x 1000 items": (0.05, "", lose_shares(1, 1000, 0.8, 0.0)),
    "equal: 0.8 on 20 datasets of 300 items": (0.1, "dataset", lose_on_one(20, 300, 0.8, 0.0)),
    "0.8, 20 datasets of 1000 items, one worse": (0.1, "dataset", lose_on_one(20, 1000, 0.8, 0.1)),
}


def measure(
    draw: Callable[[Rng], Pair], margin: float, level: str, n_sim: int, seed: int
) -> np.ndarray:
    """Whether the candidate passes, (simulations,)."""
    passed = np.empty(n_sim, dtype=bool)
    for number in range(n_sim):
        pair = draw(np.random.default_rng([seed, number]))
        parts = [[side[[row]] for side in pair] for row in range(len(pair[0]))]
        given = [_arrange(part, level) for part in (parts if level == "dataset" else [pair])]
        names = ("candidate", "baseline", 1)
        tests = [(compare_models(one, *names)[0], one) for one in given]
        passed[number] = all(
            (test.discordant is not None or test.se > 0)
            and test.interval(1 - 2 * _ALPHA)[0] > -margin
            and limit_of_bounded_mean(one, *names, _ALPHA) > -margin
            for test, one in tests
        )
    return passed


def _arrange(pair: Sequence[np.ndarray], level: str) -> ItemScores:
    seeds, items = pair[0].shape
    models = {
        name: ModelScores(side[:, None], tuple(map(str, range(seeds))))
        for name, side in zip(("baseline", "candidate"), pair, strict=True)
    }
    clusters = np.arange(items) // 10 if level == "cluster" else None
    return ItemScores("", tuple(map(str, range(items))), ("",), clusters, models)


def main() -> None:
    """Measure every design and write one row of each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("output", type=Path)
    parser.add_argument("--simulations", type=int, default=2000)
    options = parser.parse_args()
    rows = []
    for number, (name, (margin, level, draw)) in enumerate(DESIGNS.items()):
        passed = measure(draw, margin, level, options.simulations, number)
        rows.append(
            {
                "design": name,
                "margin": margin,
                "passes": passed.mean(),
                "se": round(passed.std() / len(passed) ** 0.5, 4),
                "simulations": options.simulations,
            }
        )
        print(rows[-1], flush=True)
        pd.DataFrame(rows).to_csv(options.output, index=False, lineterminator="\n")


if __name__ == "__main__":
    main()
