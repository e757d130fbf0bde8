"""Time and peak memory of `reseed compare` on many tasks, and on scores of items."""

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd


def write_items(path: Path, models: int, seeds: int, items: int) -> None:
    """Binary scores of every model, seed and item, as a CSV file."""
    rng = np.random.default_rng(0)
    easy = rng.normal(size=items)
    parts = []
    for model in range(models):
        own = easy + rng.normal(0, 0.5, items) + 0.05 * model
        for seed in range(seeds):
            right = own + rng.normal(0, 0.1) + rng.normal(size=items) > 0
            parts.append(
                pd.DataFrame({"item": np.arange(items), "accuracy": right * 1}).assign(
                    model=f"m{model:02d}", seed=seed
                )
            )
    pd.concat(parts, ignore_index=True).to_csv(path, index=False)


def write_tasks(path: Path, models: int, tasks: int) -> None:
    """One row a model and one column a task."""
    rng = np.random.default_rng(1)
    scores = np.linspace(0.4, 0.8, models)[:, None] + rng.uniform(-0.15, 0.15, (models, tasks))
    table = pd.DataFrame(scores, columns=[f"task{number}" for number in range(tasks)])
    table.insert(0, "model", [f"m{number}" for number in range(models)])
    table.to_csv(path, index=False)


def measure(arguments: list[str]) -> tuple[float, float, float]:
    """Wall and CPU seconds of one command, and the peak memory in MB of the largest so far."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "reseed", *arguments], check=True, stdout=subprocess.DEVNULL
    )
    seconds = time.perf_counter() - start
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = usage.ru_utime + usage.ru_stime - before.ru_utime - before.ru_stime
    peak = usage.ru_maxrss / 1024
    return seconds, cpu, peak / 1024 if sys.platform == "darwin" else peak  # macOS counts bytes


def main() -> None:
    """Print seconds and memory of both; fail beyond the limits."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", type=int, default=10)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--items", type=int, default=20_000)
    parser.add_argument("--ranked", type=int, default=30, help="models on all tasks (30)")
    parser.add_argument("--tasks", type=int, default=50, help="tasks (50)")
    parser.add_argument("--seconds", type=float, default=60.0, help="limit of each command (60)")
    parser.add_argument("--megabytes", type=float, default=2048.0, help="limit of each (2,048)")
    options = parser.parse_args()
    exceeded = False
    with tempfile.TemporaryDirectory() as folder:
        ranked, compared = Path(folder, "tasks.csv"), Path(folder, "items.csv")
        write_tasks(ranked, options.ranked, options.tasks)
        write_items(compared, options.models, options.seeds, options.items)
        commands = {  # the smaller first: the peak is that of the largest so far
            f"{options.ranked} models × {options.tasks} tasks": [str(ranked)],
            f"{options.models} models × {options.seeds} seeds × {options.items:,} items": [
                str(compared)
            ],
        }
        for title, arguments in commands.items():
            seconds, cpu, megabytes = measure(["compare", "--metric", "accuracy", *arguments])
            print(f"{title}: {seconds:.1f} s, {cpu:.1f} CPU s, {megabytes:,.0f} MB", flush=True)
            exceeded |= seconds > options.seconds or megabytes > options.megabytes
    if exceeded:
        sys.exit(f"Beyond {options.seconds:g} s or {options.megabytes:,g} MB.")


if __name__ == "__main__":
    main()
