"""Time of planning and collecting many seeds: dry runs of 10,000 and 100,000 trials."""

import argparse
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import yaml
from reseed.pipeline.runner import limit_threads, run, say
from timing import Seconds, seconds

ROOT = Path(__file__).resolve().parent.parent
MODEL = {"name": "tree", "title": "Tree", "factory": "reseed.models.forest:random_forest"}


def write_project(folder: Path, seeds: int) -> None:
    """Write a project with one small study of `seeds` model seeds."""
    study = {
        "name": "many",
        "title": "Many seeds",
        "datasets": ["table"],
        "models": ["tree"],
        "splits": [{"kind": "holdout", "test": 0.2}],
        "experiments": {"seeds": {"seeds": {"model": {"count": seeds}}}},
    }
    table = {"name": "table", "title": "Table", "task": "binary", "target": "y"}
    entries = {
        "config": {"seeds_per_job": 100},
        "datasets/table": table | {"sources": [{"kind": "file", "path": "table.csv"}]},
        "models/tree": MODEL | {"hyperparameters": {"n_estimators": 1, "max_depth": 2}},
        "studies/many": study,
    }
    for name, entry in entries.items():
        path = folder / "config" / f"{name}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(yaml.safe_dump(entry))
    rows = "".join(f"{i % 7},{i % 5},{i % 2}\n" for i in range(200))
    (folder / "table.csv").write_text("a,b,y\n" + rows)


def time_snakemake(folder: Path, *arguments: str) -> Seconds:
    """Return the seconds of a run of Snakemake in a project."""
    command = [sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "Snakefile")]
    command += ["--profile", str(ROOT / "profiles" / "default"), "--cores", "2", *arguments]
    return seconds(lambda: subprocess.run(command, cwd=folder, check=True, capture_output=True))


def main() -> None:
    """Time dry runs; with --run, train 10,000 trials and time their collection."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--run", action="store_true", help="train 10,000 trials too")
    arguments = parser.parse_args()
    limit_threads(1)
    for count in (10_000, 100_000):
        with tempfile.TemporaryDirectory() as name:
            write_project(Path(name), count)
            first = time_snakemake(Path(name), "-n")  # parses all code and checks all options
            again = time_snakemake(Path(name), "-n")
            memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1e6
            say(f"first dry run of {count:,} seeds: {first}, at most {memory:.2f} GB")
            say(f"next dry run: {again}")
    if arguments.run:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            write_project(folder, 10_000)
            elapsed = time_snakemake(folder)
            metrics = folder / "results" / "studies" / "many" / "metrics.parquet"
            metrics.unlink()
            again = time_snakemake(folder, "results/studies/many/metrics.parquet")
            size = sum(f.stat().st_size for f in (folder / "results" / "store").rglob("*.parquet"))
            say(f"10,000 trials to the end: {elapsed}, {size / 1e6:.0f} MB of records")
            say(f"collected again, start-up included: {again}")


if __name__ == "__main__":
    run(main)
