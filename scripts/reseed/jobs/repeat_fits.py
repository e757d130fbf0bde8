"""Train a sample of a study's trials again, and note which came out bit for bit the same."""

import argparse
from functools import partial
from pathlib import Path

from reseed.pipeline.device_locks import claim
from reseed.pipeline.runner import limit_threads, pick_device, read_job, run, say


def main() -> None:
    """Read the arguments, retrain, write one row a trial."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--job", type=Path, required=True, help="the study's trials, as JSON")
    parser.add_argument("--sample", type=int, required=True, help="trials to retrain")
    parser.add_argument("--gpus", type=int, default=0, help="GPUs granted to this job")
    parser.add_argument("--table", type=Path, required=True, help="output: Parquet")
    arguments = parser.parse_args()
    limit_threads(1)
    claim(arguments.gpus, report=say)
    import pandas as pd

    from reseed.core.checked_io import write_table
    from reseed.training.verification import repeated

    device_for = partial(pick_device, gpus=arguments.gpus)
    rows = [
        {
            "dataset": files.setting.dataset,
            "model": files.setting.model,
            "trial": trial.file,
            "same": check.same,
            "text": check.text,
        }
        for files, trial, check in repeated(read_job(arguments.job), arguments.sample, device_for)
    ]
    write_table(arguments.table, pd.DataFrame(rows))
    say(f"{sum(row['same'] for row in rows)} of {len(rows)} trials are bitwise the same")


if __name__ == "__main__":
    run(main)
