"""Read a user's own results into the tables of a study without training."""

import argparse
import json
from pathlib import Path

from reseed.runtime import limit_threads, run, say


def main() -> None:
    """Read the arguments, import, write the table and about.json."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=json.loads, required=True, help="the entry as JSON")
    parser.add_argument("--job", type=json.loads, required=True, help="name and texts as JSON")
    parser.add_argument("--metrics", type=Path, required=True, help="output: metrics.parquet")
    parser.add_argument("--about", type=Path, required=True, help="output: about.json")
    arguments = parser.parse_args()
    limit_threads(1)
    from reseed.atomic import replacing, write_json
    from reseed.importing import import_results

    results = arguments.results
    metrics, about = import_results(results["path"], results, arguments.job)
    with replacing(arguments.metrics) as temporary:
        metrics.to_parquet(temporary, index=False)
    write_json(arguments.about, about)
    say(f"{about['study']}: {about['trials']['ok']} runs, {about['trials']['failed']} failed")


if __name__ == "__main__":
    run(main)
