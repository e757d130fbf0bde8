"""How often some rank lies outside its interval, for docs/methods."""

import argparse
from collections.abc import Iterator

import numpy as np
import pandas as pd
import reseed
from reseed.stats.rank_sets import RankSets, rank_over_tasks

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


def bootstrap_t(scores: np.ndarray, rng: Rng, n_draws: int = 499, mammen: bool = False) -> bool:
    """Whether a bootstrap-t over tasks, or one with Mammen's weights, shows any difference."""
    models, tasks = scores.shape
    first, second = np.triu_indices(models, 1)
    d = scores[first] - scores[second]
    observed = np.abs(d.mean(axis=1)) / (d.std(axis=1, ddof=1) / np.sqrt(tasks))
    d = d - d.mean(axis=1, keepdims=True)
    if mammen:
        low, share = (1 - np.sqrt(5)) / 2, (np.sqrt(5) + 1) / (2 * np.sqrt(5))
        weights = np.where(rng.random((n_draws, tasks)) < share, low, 1 - low)
        mean, square = weights @ d.T / tasks, weights**2 @ (d**2).T / tasks
    else:
        weights = rng.multinomial(tasks, np.full(tasks, 1 / tasks), n_draws) / tasks
        mean, square = weights @ d.T, weights @ (d**2).T
    variance = np.maximum(square - mean**2, 0) / (tasks - 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(variance > 1e-20, np.abs(mean) / np.sqrt(variance), np.inf).max(axis=1)
    return bool(observed.max() > np.sort(t)[int(np.ceil(0.95 * (n_draws + 1))) - 1])


def by_bootstrap(rng: Rng, n_sim: int) -> Iterator[tuple[str, list[bool]]]:
    """The bootstrap-t for equal models, SDs from 0.5 to 2, and one better by 2 SDs."""
    for models, tasks in ((2, 8), (5, 8), (5, 20), (20, 10)):
        for kind in ("exponential", "Gaussian", "one better"):
            for mammen in (False, True):
                covered = []
                for _ in range(n_sim):
                    shape = (models, tasks)
                    is_skewed = kind == "exponential"
                    noise = rng.exponential(size=shape) - 1 if is_skewed else rng.normal(size=shape)
                    scores = noise * np.linspace(0.5, 2, models)[:, None]
                    scores[0] += 2 * (kind == "one better")
                    covered.append(not bootstrap_t(scores, rng, mammen=mammen))
                name = "Mammen" if mammen else "bootstrap-t"
                yield f"{name}, {models} models × {tasks} tasks, {kind}", covered


def on_tasks(rng: Rng, n_sim: int) -> Iterator[tuple[str, list[bool]]]:
    """Equal models on some tasks, with runs, and binary items; luck of a seed shared or not."""
    for tasks, models, runs, items, sd, shared in (
        (2, 5, 1, 200, 0.0, 0.0), (2, 5, 3, 200, 0.3, 0.0), (2, 5, 3, 200, 0.3, 0.9),
        (3, 5, 2, 100, 0.3, 0.0), (2, 5, 3, 1, 1.0, 0.0), (4, 5, 2, 1, 1.0, 0.0),
        (2, 5, 5, 1, 1.0, 0.9), (4, 2, 3, 1, 1.0, -0.9), (2, 10, 5, 1, 1.0, 0.0),
    ):  # fmt: skip
        covered = []
        for _ in range(n_sim):
            table = pd.concat([
                _draw_task(rng, models, runs, items, sd, shared).assign(dataset=f"task {name}")
                for name in range(tasks)
            ])  # fmt: skip
            ranking = reseed.rank_models(table, metric="accuracy")
            covered.append(not ranking.these_tasks.is_better.any())
        luck = f"SD {sd}, correlation {shared}"
        yield f"{tasks} tasks, {models} models, {runs} runs × {items} items, {luck}", covered


def _draw_task(
    rng: Rng, models: int, runs: int, items: int, sd: float, shared: float
) -> pd.DataFrame:
    """Scores of equal models; a negative correlation turns the luck of every second one round."""
    easy, common = rng.normal(size=items), rng.normal(size=(runs, 1))
    parts = []
    for number in range(models):
        sign = np.sign(shared) ** number if shared else 0.0
        luck = sign * abs(shared) ** 0.5 * common
        luck = luck + (1 - abs(shared)) ** 0.5 * rng.normal(size=(runs, 1))
        values = sd * luck
        if items > 1:
            own = 0.5 * rng.normal(size=items)
            values = easy + own + values + rng.normal(size=(runs, items)) > 0
        frame = pd.DataFrame(np.asarray(values, dtype=float)).melt(
            ignore_index=False, var_name="item", value_name="accuracy"
        )
        parts.append(frame.assign(model=f"model {chr(97 + number)}").rename_axis("seed"))
    table = pd.concat(parts).reset_index()
    return (
        table
        if items > 1
        else table.assign(accuracy=table["accuracy"] / 100 + 0.5).drop(columns="item")
    )


def main() -> None:
    """Print the share of simulations with a wrong rank set, with its Monte Carlo error."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=1000, help="simulations of a design (1000)")
    n_sim = parser.parse_args().n
    for number, table in enumerate((on_tasks, over_tasks, by_bootstrap)):
        for label, covered in table(np.random.default_rng([27, number]), n_sim):
            wrong = 1 - np.mean(covered)
            error = np.sqrt(max(wrong * (1 - wrong), 0.01) / n_sim)
            print(f"{wrong:.3f} ± {error:.3f} {label}", flush=True)


if __name__ == "__main__":
    main()
