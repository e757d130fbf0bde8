"""Collect the per-item scores of one experiment, and the targets they are scored against."""

import argparse
import json
from pathlib import Path

from reseed.runtime import limit_threads, run


def main() -> None:
    """Read the arguments and write both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, required=True, help="the results folder")
    parser.add_argument("--job", type=json.loads, required=True, help="experiments as JSON")
    parser.add_argument("--scores", type=Path, required=True, help="output: scores.parquet")
    parser.add_argument("--targets", type=Path, required=True, help="output: targets.parquet")
    arguments = parser.parse_args()
    limit_threads(1)
    from reseed.collect import collect_predictions

    collect_predictions(arguments.results, arguments.job, arguments.scores, arguments.targets)


if __name__ == "__main__":
    run(main)
