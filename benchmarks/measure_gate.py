"""Passes of `reseed gate` at a true loss equal to the margin, and its power, for docs/methods.

python benchmarks/measure_gate.py docs/methods/simulations/gate.csv
"""

import argparse
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
from reseed import gate

Rng = np.random.Generator
#: Scores of baseline and candidate, (seeds, items).
Pair = tuple[np.ndarray, np.ndarray]


def lose_shares(seeds: int, items: int, base: float, loss: float) -> Callable[[Rng], Pair]:
    """Binary scores of independent cells, right with probability `base` and `base` − `loss`."""

    def draw(rng: Rng) -> Pair:
        return tuple((rng.random((seeds, items)) < p) * 1.0 for p in (base, base - loss))

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


# design: (margin, number of items in a cluster or 0, draws); the true loss is the margin or 0.
DESIGNS: dict[str, tuple[float, int, Callable[[Rng], Pair]]] = {
    "all right, 3 seeds x 20 items": (0.02, 0, lose_shares(3, 20, 1.0, 0.02)),
    "all right, 2 seeds x 50 items": (0.01, 0, lose_shares(2, 50, 1.0, 0.01)),
    "all wrong, 2 seeds x 50 items": (0.02, 0, lose_shares(2, 50, 0.02, 0.02)),
    "nearly all right, 3 seeds x 100 items": (0.03, 0, lose_shares(3, 100, 0.99, 0.03)),
    "all right, 1 seed x 60 items": (0.05, 0, lose_shares(1, 60, 1.0, 0.05)),
    "all right, 10 clusters of 10": (0.05, 10, lose_clusters(10, 10, 0.05)),
    "all right, 40 clusters of 10": (0.1, 10, lose_clusters(40, 10, 0.1)),
    "grades, 50 items": (0.152, 0, lose_grades(50, 0.04)),
    "grades, 200 items": (0.152, 0, lose_grades(200, 0.04)),
    "0.8, 3 seeds x 300 items": (0.06, 0, lose_shares(3, 300, 0.8, 0.06)),
    "equal: 0.8, 3 seeds x 300 items": (0.06, 0, lose_shares(3, 300, 0.8, 0.0)),
    "equal: 0.8, 5 seeds x 200 items": (0.05, 0, differ_by_item(5, 200, 0.0)),
    "equal: all right, 3 seeds x 400 items": (0.02, 0, lose_shares(3, 400, 1.0, 0.0)),
    "equal: 0.8, 1 seed x 1000 items": (0.05, 0, lose_shares(1, 1000, 0.8, 0.0)),
}


def measure(
    draw: Callable[[Rng], Pair], margin: float, cluster: int, n_sim: int, seed: int
) -> float:
    """Share of simulations in which the candidate passes."""
    passed = 0
    for number in range(n_sim):
        pair = draw(np.random.default_rng([seed, number]))
        base, candidate = (_build_table(scores, cluster) for scores in pair)
        result = gate(candidate, base, margin, greater_is_better=True)
        passed += result.exit_code == 0
    return passed / n_sim


def _build_table(scores: np.ndarray, cluster: int) -> pd.DataFrame:
    seeds, items = scores.shape
    item = np.tile(np.arange(items), seeds)
    table = pd.DataFrame({"item": item, "score": scores.ravel()})
    if seeds > 1:
        table["seed"] = np.repeat(np.arange(seeds), items)
    if cluster:
        table["cluster"] = item // cluster
    return table


def main() -> None:
    """Measure every design and write one row of each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("output", type=Path)
    parser.add_argument("--simulations", type=int, default=2000)
    options = parser.parse_args()
    rows = []
    for number, (name, (margin, cluster, draw)) in enumerate(DESIGNS.items()):
        share = measure(draw, margin, cluster, options.simulations, number)
        se = np.sqrt(max(share * (1 - share), 0.01) / options.simulations)
        rows.append({"design": name, "margin": margin, "passed": share, "se": round(float(se), 4),
                     "n": options.simulations})  # fmt: skip
        print(rows[-1], flush=True)
        pd.DataFrame(rows).to_csv(options.output, index=False, lineterminator="\n")


if __name__ == "__main__":
    main()
