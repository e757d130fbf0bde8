"""Search the best hyper-parameters of one setting; finished fits survive an interruption."""

import argparse
from pathlib import Path

from reseed.pipeline.device_locks import claim
from reseed.pipeline.runner import limit_threads, pick_device, read_job, run, say


def main() -> None:
    """Read the arguments, search (or link what the store holds), write winner and log."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--job", type=Path, required=True, help="what to search, as a JSON file")
    parser.add_argument("--gpus", type=int, default=0, help="GPUs granted to this job")
    parser.add_argument("--threads", type=int, default=1, help="processes of the search")
    arguments = parser.parse_args()
    job = read_job(arguments.job)
    limit_threads(1)
    claim(arguments.gpus, report=say)
    device = pick_device(job["setting"]["device"], arguments.gpus)
    from reseed.training.search_job import tune

    tune(job, device, arguments.threads, say)


if __name__ == "__main__":
    run(main)
