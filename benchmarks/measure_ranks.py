"""How often some rank lies outside its interval, for docs/methods."""

import argparse
from collections.abc import Iterator

import numpy as np
from reseed.stats.rank_sets import RankSets, TaskScores, rank_on_tasks, rank_over_tasks

Rng = np.random.Generator


def covers(sets: RankSets, truth: np.ndarray) -> bool:
    """Whether all rank sets contain the true ranks; tied models have several."""
    best = 1 + (truth[None, :] > truth[:, None]).sum(axis=1)
    worst = truth.size - (truth[None, :] < truth[:, None]).sum(axis=1)
    return bool(np.all((sets.low <= best) & (worst <= sets.high)))


def over_tasks(rng: Rng, n_sim: int) -> Iterator[tuple[str, list[bool]]]:
    """Equal models, or a ladder; SDs of models from 0.5 to 2; Gaussian or exponential."""
    for models, tasks in ((2, 8), (5, 8), (5, 20), (20, 10), (20, 30), (50, 50)):
        for kind in ("Gaussian", "t3", "exponential, one SD", "exponential", "ladder"):
            covered = []
            for _ in range(n_sim):
                shape = (models, tasks)
                noise = rng.normal(size=shape)
                if kind.startswith("exponential"):
                    noise = rng.exponential(size=shape) - 1
                if kind == "t3":
                    noise = rng.standard_t(3, shape)
                if kind != "exponential, one SD":
                    noise *= np.linspace(0.5, 2, models)[:, None]
                truth = np.linspace(0, 2, models) if kind == "ladder" else np.zeros(models)
                scores = truth[:, None] + noise + rng.normal(size=tasks)
                covered.append(covers(rank_over_tasks(scores, n_draws=500, rng=rng), truth))
            yield f"new tasks, {models} models × {tasks} tasks, {kind}", covered


def on_tasks(rng: Rng, n_sim: int) -> Iterator[tuple[str, list[bool]]]:
    """Equal models on two tasks, with runs and binary items."""
    for models, runs, items, sd in ((5, 1, 200, 0.0), (5, 3, 200, 0.0), (5, 3, 200, 0.3),
                                    (10, 5, 200, 0.3), (10, 5, 1000, 0.3), (5, 3, 1, 1.0),
                                    (20, 5, 1, 1.0)):  # fmt: skip
        covered = []
        for _ in range(n_sim):
            tasks = []
            for _ in range(2):
                easy = rng.normal(size=items)
                own = 0.5 if items > 1 else 0.0  # effect of model × item
                values = [
                    easy + own * rng.normal(size=items) + rng.normal(0, sd, (runs, 1))
                    + rng.normal(size=(runs, items))
                    for _ in range(models)
                ]  # fmt: skip
                tasks.append(TaskScores([(v > 0) * 1.0 if items > 1 else v for v in values]))
            sets = rank_on_tasks(tasks, n_draws=500, rng=rng)
            covered.append(covers(sets, np.zeros(models)))
        yield f"these tasks, {models} models, {runs} runs × {items} items, SD {sd}", covered


def main() -> None:
    """Print the share of simulations with a wrong rank set, with its Monte Carlo error."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=1000, help="simulations of a design (1000)")
    n_sim = parser.parse_args().n
    for number, table in enumerate((on_tasks, over_tasks)):
        for label, covered in table(np.random.default_rng([27, number]), n_sim):
            wrong = 1 - np.mean(covered)
            error = np.sqrt(max(wrong * (1 - wrong), 0.01) / n_sim)
            print(f"{wrong:.3f} ± {error:.3f} {label}", flush=True)


if __name__ == "__main__":
    main()
