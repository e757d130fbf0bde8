"""False claims of AUC and F1 of equal models with seeds and clusters, for docs/methods.

Each design is one line of the output file, written when it is finished; a second run continues.
"""

import argparse
import json
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from reseed.stats.crossed_comparison import item_values, seed_item_bootstrap
from reseed.stats.item_model import Factor, item_difference

_N_BOOT = 200


@dataclass(frozen=True)
class Design:
    """Two models of equal expected score on a binary task; latent noise has SD 1.

    The label is that of the cluster. seed_sd, cluster_sd: effects of model × seed on the skill, and
    of model × cluster on the score. One seed has no effect: the test is of the trained models.
    """

    metric: str
    seeds: int
    clusters: int
    size: int
    seed_sd: float = 0.1
    cluster_sd: float = 0.5


def simulate(rng: np.random.Generator, design: Design) -> tuple[np.ndarray, list[np.ndarray]]:
    """Labels (items,) and the predictions of both models (seeds, items)."""
    label = np.arange(design.clusters) % 2
    truth = label.repeat(design.size)
    shared = rng.normal(0, 0.5, design.clusters)
    sides = []
    for _ in range(2):
        own = (shared + rng.normal(0, design.cluster_sd, design.clusters)).repeat(design.size)
        skill = 1.0 + rng.normal(0, design.seed_sd, (design.seeds, 1))
        latent = skill * (2 * truth - 1) + own + rng.normal(size=(design.seeds, truth.size))
        sides.append(latent if design.metric == "auc" else (latent > 0).astype(np.int64))
    return truth, sides


def measure(rng: np.random.Generator, design: Design, n_sim: int) -> dict[str, float]:
    """Share of simulations whose interval does not contain 0: of the test, and of the bootstrap."""
    factors = [Factor("seed", True)] if design.seeds > 1 else []
    clusters = np.arange(design.clusters).repeat(design.size)
    missed, boot_missed, items_missed = [], [], []
    for _ in range(n_sim):
        truth, sides = simulate(rng, design)
        a, b = (item_values(design.metric, truth, side) for side in sides)
        keep = (0,) if design.seeds == 1 else ()
        result = item_difference(a.squeeze(keep), b.squeeze(keep), factors, clusters=clusters)
        alone = item_difference(a.squeeze(keep), b.squeeze(keep), factors)
        boot = seed_item_bootstrap(
            design.metric, truth, *sides, _N_BOOT, shared_seeds=True, clusters=clusters, rng=rng
        )
        missed.append(not result.low <= 0 <= result.high)
        items_missed.append(not alone.low <= 0 <= alone.high)
        boot_missed.append(not boot.low <= 0 <= boot.high)
    means = {"test": missed, "bootstrap": boot_missed, "without_clusters": items_missed}
    return {name: float(np.mean(values)) for name, values in means.items()} | {"n": n_sim}


def main() -> None:
    """Measure every design that the output file does not hold."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("output", type=Path, help="lines of JSON")
    parser.add_argument("--n", type=int, default=400, help="simulations of a design (400)")
    options = parser.parse_args()
    lines = options.output.read_text().splitlines() if options.output.exists() else []
    finished = [json.loads(line)["design"] for line in lines]
    designs = [
        Design(metric, seeds, clusters, 5, 0.1 if seeds > 1 else 0.0)
        for metric in ("auc", "f1")
        for seeds in (1, 3, 5)
        for clusters in (20, 60)
    ]
    for number, design in enumerate(designs):
        if asdict(design) in finished:
            continue
        result = measure(np.random.default_rng([25, number]), design, options.n)
        with options.output.open("a") as file:
            file.write(json.dumps({"design": asdict(design)} | result) + "\n")
        print(result, design, flush=True)


if __name__ == "__main__":
    main()
