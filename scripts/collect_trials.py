"""Collect a study's trial files into one table and say what was run."""

import argparse
import json
from pathlib import Path

from reseed.runtime import limit_threads, run, say


def main() -> None:
    """Read the arguments, collect, write the table and about.json."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, required=True, help="the results folder")
    parser.add_argument("--job", type=json.loads, required=True, help="the study as JSON")
    parser.add_argument("--metrics", type=Path, required=True, help="output: metrics.parquet")
    parser.add_argument("--about", type=Path, required=True, help="output: about.json")
    arguments = parser.parse_args()
    limit_threads(1)
    from reseed.atomic import replacing, write_json
    from reseed.collect import collect_trials, describe

    metrics, facts = collect_trials(arguments.results, arguments.job)
    with replacing(arguments.metrics) as temporary:
        metrics.to_parquet(temporary, index=False)
    about = describe(arguments.results, arguments.job, metrics, facts)
    write_json(arguments.about, about)
    say(f"{arguments.job['study']}: {about['trials']}")


if __name__ == "__main__":
    run(main)
