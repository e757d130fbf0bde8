"""Collect a study's trial files into one table and say what was run."""

import argparse
from pathlib import Path

from reseed.pipeline.runner import limit_threads, read_job, run, say


def main() -> None:
    """Read the arguments, collect, write the table and about.json."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--job", type=Path, required=True, help="the study, as a JSON file")
    parser.add_argument("--metrics", type=Path, required=True, help="output: metrics.parquet")
    parser.add_argument("--about", type=Path, required=True, help="output: about.json")
    arguments = parser.parse_args()
    limit_threads(1)
    from reseed.core.checked_io import write_table
    from reseed.core.study_info import write_study_info
    from reseed.jobs.collection import Study, collect_trials, describe

    study = Study(read_job(arguments.job))
    frame = collect_trials(study)
    write_table(arguments.metrics, frame)
    info = describe(study, frame)
    write_study_info(arguments.about, info)
    counts = info.trials
    say(f"{info.study}: {counts.planned} trials, {counts.ok} finished, {counts.failed} failed")


if __name__ == "__main__":
    run(main)
