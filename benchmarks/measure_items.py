"""False claims of item-level comparisons of two equal models, for docs/methods.

`python benchmarks/measure_items.py docs/methods/simulations/item_false_claims.csv`
"""

import argparse
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from reseed.stats.item_model import Factor, item_difference

Rng = np.random.Generator


@dataclass(frozen=True)
class Design:
    """Two models of equal expected score. SDs are of latent scores; noise has SD 1.

    seeds: of each model, shared; 1: no factor. clusters: 0 for none; unequal: sizes are lognormal.
    cluster_sd: effect of model × cluster; interaction_sd: of seed × cluster (or item).
    One seed has no effect: the test is of the trained models.
    prompts: 1 for no factor. score: binary, graded (1 to 5) or real.
    """

    seeds: int
    items: int
    clusters: int = 0
    is_unequal: bool = False
    seed_sd: float = 0.2
    cluster_sd: float = 0.5
    interaction_sd: float = 0.0
    prompts: int = 1
    prompt_sd: float = 0.3
    score: str = "binary"
    is_shared: bool = True


def list_designs() -> Iterator[Design]:
    """Designs of docs/methods, with at least two items a cluster on average."""
    for seeds in (3, 5, 10):
        for items in (20, 100, 500, 2000):
            for seed_sd in (0.0, 0.2):
                yield Design(seeds, items, seed_sd=seed_sd)
    for seeds in (1, 3, 5, 10):
        for clusters in (10, 50, 200):
            for is_unequal in (False, True):
                sd = 0.2 if seeds > 1 else 0.0
                yield Design(seeds, 1000, clusters, is_unequal, sd)
                yield Design(seeds, 1000, clusters, is_unequal, sd, cluster_sd=0.0)
    for score in ("graded", "real"):
        for clusters in (0, 20):
            yield Design(5, 200, clusters, score=score)
    yield Design(5, 500, 50, interaction_sd=0.5)
    yield Design(5, 500, 0, interaction_sd=0.5)
    yield Design(5, 500, 0, is_shared=False)
    yield Design(5, 500, 50, is_shared=False)
    for seeds in (1, 5):
        for prompts in (3, 8):
            for clusters in (0, 30):
                sd = 0.2 if seeds > 1 else 0.0
                yield Design(seeds, 300, clusters, seed_sd=sd, prompts=prompts)
    for items in (20, 100, 500, 2000):
        for clusters in (10, 50, 200):
            if 2 * clusters > items:
                continue
            for seeds in (3, 5, 10):
                for is_unequal in (False, True):
                    for interaction_sd in (0.0, 0.5):
                        yield Design(
                            seeds, items, clusters, is_unequal, interaction_sd=interaction_sd
                        )


def simulate(rng: Rng, design: Design) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Scores of both models, (seeds, prompts, items), and the cluster of each item."""
    n = design.items
    index = None
    if design.clusters:
        weights = np.exp(rng.normal(0, 1.0, design.clusters)) if design.is_unequal else None
        index = np.arange(n) % design.clusters
        if weights is not None:
            rest = rng.choice(design.clusters, n - design.clusters, p=weights / weights.sum())
            index = np.concatenate([np.arange(design.clusters), rest])
    unit = np.arange(n) if index is None else index
    count = unit.max() + 1
    difficulty = rng.normal(0, 1, n) + rng.normal(0, 1, count)[unit]
    sides = []
    for _ in range(2):
        own = difficulty + rng.normal(0, 0.5, n) + rng.normal(0, design.cluster_sd, count)[unit]
        if index is None:
            own = difficulty + rng.normal(0, 0.5, n)
        seed = rng.normal(0, design.seed_sd, (design.seeds, 1, 1))
        cross = rng.normal(0, design.interaction_sd, (design.seeds, 1, count))[..., unit]
        prompt = 0.0
        if design.prompts > 1:
            prompt = rng.normal(0, design.prompt_sd, (1, design.prompts, 1))
        z = 0.5 + own + seed + cross + prompt
        sides.append(z + rng.normal(size=(design.seeds, design.prompts, n)))
    if design.score == "binary":
        sides = [(z > 0).astype(float) for z in sides]
    elif design.score == "graded":
        sides = [np.clip(np.round(z + 3), 1, 5) for z in sides]
    return sides[0], sides[1], index


def measure(rng: Rng, design: Design, n_sim: int) -> float:
    """Share of simulations with p at most 0.05."""
    factors = []
    if design.seeds > 1:
        factors.append(Factor("seed", design.is_shared))
    if design.prompts > 1:
        factors.append(Factor("prompt", True))
    claims = []
    for _ in range(n_sim):
        a, b, index = simulate(rng, design)
        keep = tuple(axis for axis in (0, 1) if a.shape[axis] == 1)
        result = item_difference(a.squeeze(keep), b.squeeze(keep), factors, clusters=index)
        claims.append(result.p_value <= 0.05)
    return round(float(np.mean(claims)), 3)


def main() -> None:
    """Write one row a design."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("output", type=Path)
    parser.add_argument("--simulations", type=int, default=2000)
    options = parser.parse_args()
    rows = []
    for number, design in enumerate(dict.fromkeys(list_designs())):
        share = measure(np.random.default_rng([24, number]), design, options.simulations)
        error = round((share * (1 - share) / options.simulations) ** 0.5, 4)
        counts = {"false_claims": share, "se": error, "simulations": options.simulations}
        rows.append(asdict(design) | counts)
        print(f"{share:.3f} ± {error:.3f} {design}", flush=True)
    pd.DataFrame(rows).to_csv(options.output, index=False, lineterminator="\n")


if __name__ == "__main__":
    main()
