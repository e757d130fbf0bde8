"""Draw one table or figure of a study."""

import argparse
import importlib
import json
from pathlib import Path

from reseed.runtime import limit_threads, run


def main() -> None:
    """Read the arguments and write every format of the exhibit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--study", type=Path, required=True, help="the study's results folder")
    parser.add_argument("--job", type=json.loads, required=True, help="the exhibit as JSON")
    parser.add_argument("--stem", type=Path, required=True, help="output path without its ending")
    arguments = parser.parse_args()
    limit_threads(1)
    from reseed.exhibits import KINDS
    from reseed.exhibits.data import read_exhibit_data

    job = arguments.job
    module = importlib.import_module(f"reseed.exhibits.{job['kind']}")
    data = read_exhibit_data(arguments.study, job)
    if KINDS[job["kind"]] == "table":
        from reseed.exhibits.tables import write_table

        write_table(module.table(data, job["options"]), arguments.stem)
    else:
        from reseed.exhibits.figures import write_figure

        write_figure(*module.figure(data, job["options"]), data, arguments.stem)


if __name__ == "__main__":
    run(main)
