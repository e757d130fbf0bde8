"""Run one statistical analysis of a study."""

import argparse
import importlib
import json
from pathlib import Path

from reseed.runtime import limit_threads, run, say


def main() -> None:
    """Read the arguments, analyse, write the table as Parquet and CSV."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--study", type=Path, required=True, help="the study's results folder")
    parser.add_argument("--job", type=json.loads, required=True, help="the analysis as JSON")
    parser.add_argument("--published", type=Path, required=True, help="the papers' own numbers")
    parser.add_argument("--table", type=Path, required=True, help="output: Parquet (CSV beside it)")
    arguments = parser.parse_args()
    limit_threads(1)
    from reseed.analyses.data import read_data
    from reseed.atomic import replacing

    job = arguments.job
    module = importlib.import_module(f"reseed.analyses.{job['kind']}")
    data = read_data(arguments.study, job["experiments"], arguments.published)
    table = module.analyse(data, job["options"])
    with replacing(arguments.table) as temporary:
        table.to_parquet(temporary, index=False)
    with replacing(arguments.table.with_suffix(".csv")) as temporary:
        table.to_csv(temporary, index=False)
    say(f"{job['kind']}: {len(table)} rows")


if __name__ == "__main__":
    run(main)
