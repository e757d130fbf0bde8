"""Collect the raw outputs, targets and learning curves of one experiment's trials."""

import argparse
from pathlib import Path

from reseed.pipeline.runner import limit_threads, read_job, run


def main() -> None:
    """Read the arguments and write the three tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--job", type=Path, required=True, help="the experiment, as a JSON file")
    for part in ("scores", "targets", "curves"):
        parser.add_argument(f"--{part}", type=Path, required=True, help=f"output: {part}.parquet")
    arguments = parser.parse_args()
    limit_threads(1)
    from reseed.jobs.collection import Study, collect_items

    study = Study(read_job(arguments.job))
    collect_items(study, arguments.scores, arguments.targets, arguments.curves)


if __name__ == "__main__":
    run(main)
