"""Time of one hyper-parameter search: as one job on one core, and in shards on two.

Prints seconds of both, the ratio of CPU seconds, which is the overhead of shards, and whether the
winner and the log are the same. Data and split are prepared before.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import pandas as pd
import yaml
from reseed.pipeline.runner import limit_threads, run, say
from timing import Seconds, seconds

ROOT = Path(__file__).resolve().parent.parent
SPACE = {
    "n_estimators": [100, 150, 200, 250, 300],
    "max_depth": [4, 6, 8, 10, 12],
    "max_features": [0.3, 0.5, 0.7],
}
#: Facts that depend on the clock and the machine.
CLOCKS = ["seconds", "environment"]


def write_project(folder: Path, rows: int, candidates: int) -> None:
    """Write a project with one search of random forests by successive halving."""
    search = {"mode": "fixed", "trials": candidates, "folds": 3, "method": "halving"}
    study = {
        "name": "one",
        "title": "One search",
        "datasets": ["table"],
        "models": ["forest"],
        "splits": [{"kind": "holdout", "test": 0.2}],
        "hyperparameters": search,
        "experiments": {"seeds": {"seeds": {"model": {"count": 1}}}},
    }
    table = {"name": "table", "title": "Table", "task": "binary", "target": "y", "rows": rows}
    forest = {"name": "forest", "title": "Forest", "seconds_per_trial": 60.0}
    forest |= {"factory": "reseed.models.forest:random_forest", "search_space": SPACE}
    entries = {
        "config": {},
        "datasets/table": table | {"sources": [{"kind": "file", "path": "table.csv"}]},
        "models/forest": forest | {"hyperparameters": {}},
        "studies/one": study,
    }
    for name, entry in entries.items():
        path = folder / "config" / f"{name}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(yaml.safe_dump(entry))
    draw = random.Random(0)
    lines = [",".join([*"abcdefgh", "y"])]
    for _ in range(rows):
        x = [draw.gauss(0, 1) for _ in range(8)]
        y = int(x[0] * x[1] + x[2] - x[3] ** 2 + draw.gauss(0, 1) > 0)
        lines.append(",".join([*(f"{value:.6f}" for value in x), str(y)]))
    (folder / "table.csv").write_text("\n".join(lines) + "\n")


def snakemake(folder: Path, results: str, cores: int, block_seconds: float, target: str) -> None:
    """Make one target."""
    command = [sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "Snakefile")]
    command += ["--profile", str(ROOT / "profiles" / "default"), "--cores", str(cores), target]
    command += ["--config", f"results={results}", f"block_seconds={block_seconds}"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)


def time_search(folder: Path, results: str, cores: int, block_seconds: float) -> Seconds:
    """Seconds of a search in a results folder of its own."""
    from reseed.planning.read_plan import read_plan

    _, plan, _ = read_plan(folder / "config", {"results": results})
    (planned,) = plan.settings.values()
    (at,) = planned.searches()
    split = plan.layout.splits(*planned.setting[:2], at.data_seed)
    snakemake(folder, results, cores, 1e6, split)
    winner = plan.layout.search(planned.setting, at)
    return seconds(lambda: snakemake(folder, results, cores, block_seconds, winner))


def outcome(results: Path) -> tuple[dict, pd.DataFrame]:
    """Winner and log of the search, without clocks."""
    (path,) = (results / "tuning").rglob("model-seed-*.json")
    result = json.loads(path.read_text())
    facts = {name: result[name] for name in ("best", "best_score", "fits", "key")}
    return facts, pd.read_parquet(path.with_suffix(".parquet")).drop(columns=CLOCKS)


def main() -> None:
    """Run the search both ways and compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=8_000)
    parser.add_argument("--candidates", type=int, default=30)
    parser.add_argument("--block-seconds", type=float, default=200.0)
    arguments = parser.parse_args()
    limit_threads(1)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.chdir(folder)  # files of sources are named from there
        write_project(folder, arguments.rows, arguments.candidates)
        whole = time_search(folder, "whole", 1, 1e6)
        shards = time_search(folder, "shards", 2, arguments.block_seconds)
        count = len(list((folder / "shards" / "tuning").rglob("shard-*.json")))
        (facts, log), (others, other_log) = outcome(folder / "whole"), outcome(folder / "shards")
        say(f"one job, one core: {whole}")
        say(f"{count} shards, two cores: {shards}")
        cpu, wall = shards.cpu / whole.cpu, shards.wall / whole.wall
        say(f"ratio of CPU seconds {cpu:.3f}, of wall seconds {wall:.2f}")
        say(f"same winner and log: {facts == others and log.equals(other_log)}")


if __name__ == "__main__":
    run(main)
