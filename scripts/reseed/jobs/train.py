"""Make the trials of one job: link what the store holds, train the rest."""

import argparse
from pathlib import Path

from reseed.pipeline.device_locks import claim
from reseed.pipeline.runner import limit_threads, pick_device, read_job, run, say


def main() -> None:
    """Read the arguments and make every trial of the job."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--job", type=Path, required=True, help="what to train, as a JSON file")
    parser.add_argument("--gpus", type=int, default=0, help="GPUs granted to this job")
    parser.add_argument("--threads", type=int, default=1, help="threads a trial may use")
    arguments = parser.parse_args()
    job = read_job(arguments.job)
    limit_threads(arguments.threads)
    claim(arguments.gpus, report=say)
    device = pick_device(job["settings"][0]["device"], arguments.gpus)
    from reseed.training.block import train_block

    train_block(job, device, arguments.threads, say)


if __name__ == "__main__":
    run(main)
