"""Search the best hyper-parameters of one setting; finished chunks survive an interruption."""

import argparse
import json
from pathlib import Path

from reseed.runtime import limit_threads, pick_device, run, say


def main() -> None:
    """Read the arguments, search, write the winner and the full log."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, required=True, help="the results folder")
    parser.add_argument("--job", type=json.loads, required=True, help="the setting as JSON")
    parser.add_argument("--key", required=True, help="hash of the code and configuration behind it")
    parser.add_argument("--device", default="cpu", help="what the model allows: cpu, gpu, auto")
    parser.add_argument("--gpus", type=int, default=0, help="GPUs granted to this job")
    parser.add_argument("--threads", type=int, default=1, help="processes of the search")
    parser.add_argument("--best", type=Path, required=True, help="output: JSON (log beside it)")
    arguments = parser.parse_args()
    limit_threads(1)
    device = pick_device(arguments.device, arguments.gpus)
    from reseed.training.job import Bench, tune

    bench = Bench(arguments.results, arguments.job, arguments.key, device, arguments.threads)
    tune(bench, arguments.best, say)


if __name__ == "__main__":
    run(main)
