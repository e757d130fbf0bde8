"""Coverage of the mean of log SD ratios over settings, and wrong verdicts, for docs/methods.

`python benchmarks/measure_spread_contrasts.py --output docs/methods/simulations` writes
`spread_contrasts.csv` (coverage) and `wrong_verdicts.csv` (verdicts at the limit, where every
`supported` or `contradicted` is wrong, and `mixed` where all settings have one ratio). Data seeds
are shared by the models of a dataset, as in the pipeline; model seeds are each model's own.
"""

import argparse
import csv
from pathlib import Path

import numpy as np
from reseed.stats.spread_contrasts import mean_ratio_groups, spread_contrast
from reseed.verdicts.evidence import decide

Rng = np.random.Generator
_LEVEL = 0.95
#: Score noise by name.
_DRAWS = {
    "Gaussian": lambda rng, size: rng.standard_normal(size),
    "skewed": lambda rng, size: -np.log(rng.chisquare(8, size)),
    "t5": lambda rng, size: rng.standard_t(5, size),
    "exponential": lambda rng, size: rng.standard_exponential(size),
    "collapse of 2 %": lambda rng, size: rng.standard_normal(size) - 8 * (rng.random(size) < 0.02),
}
#: (datasets, models a dataset, correlation of models over shared data seeds)
_DESIGNS = ((1, 1, 0.0), (1, 5, 0.8), (4, 5, 0.0), (4, 5, 0.8))
_SEEDS = (6, 10, 20, 50)


def draw_cells(rng: Rng, shape: tuple[int, int, float], n: int, noise: str) -> list[tuple]:
    """Cells of one simulated study: two for each dataset and model, data seeds then model seeds.

    The true ratio of the SDs is 1 in each setting.
    """
    datasets, models, correlation = shape
    draw, cells = _DRAWS[noise], []
    for dataset in range(datasets):
        shared, own = draw(rng, (n, 1)), draw(rng, (n, models))
        split = np.sqrt(correlation) * shared + np.sqrt(1 - correlation) * own
        seed = np.sqrt(correlation) * draw(rng, (n, models)) + np.sqrt(1 - correlation) * draw(
            rng, (n, models)
        )
        for model in range(models):
            cells.append((str(dataset), "data", range(n), split[:, model]))
            cells.append((str(dataset), "model", range(n), seed[:, model]))
    return cells


def main() -> None:
    """Write both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--simulations", type=int, default=2000)
    given = parser.parse_args()
    coverage, verdicts = [], []
    for noise in _DRAWS:
        for shape in _DESIGNS:
            for n in _SEEDS:
                name = [noise, shape[0], shape[1], shape[2], n]
                covered, wrong, mixed = simulate(shape, n, noise, given.simulations)
                coverage.append([*name, *_share(covered)])
                verdicts.append([*name, *_share(wrong)[:2], *_share(mixed)])
    heads = ["scores", "datasets", "models", "correlation", "seeds"]
    _write(
        given.output / "spread_contrasts.csv", [*heads, "coverage", "se", "simulations"], coverage
    )
    _write(
        given.output / "wrong_verdicts.csv",
        [*heads, "decided", "se_decided", "mixed", "se_mixed", "simulations"],
        verdicts,
    )


def simulate(
    shape: tuple[int, int, float], n: int, noise: str, simulations: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """For each simulation: whether the interval covers, and the wrong verdicts."""
    rng = np.random.default_rng([n, *(int(10 * value) for value in shape), len(noise)])
    settings = shape[0] * shape[1]
    found = np.zeros((3, simulations), dtype=bool)
    for i in range(simulations):
        cells = draw_cells(rng, shape, n, noise)
        pairs = [(2 * j, 2 * j + 1) for j in range(settings)]

        def interval(
            chosen: tuple[int, ...], level: float, cells: list = cells, pairs: list = pairs
        ) -> tuple[float, float]:
            groups = mean_ratio_groups(cells, [pairs[j] for j in chosen])
            one = spread_contrast(groups, level)
            return one.low, one.high

        everything = tuple(range(settings))
        low, high = interval(everything, _LEVEL)
        verdict = decide(interval, everything, (0.0, np.inf), _LEVEL)
        found[:, i] = low <= 0 <= high, verdict in ("supported", "contradicted"), verdict == "mixed"
    return found[0], found[1], found[2]


def _share(found: np.ndarray) -> tuple[float, float, int]:
    share = round(float(found.mean()), 4)
    return share, round(float(np.sqrt(share * (1 - share) / len(found))), 4), len(found)


def _write(path: Path, head: list[str], rows: list[list]) -> None:
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerows([head, *rows])


if __name__ == "__main__":
    main()
