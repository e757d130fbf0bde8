"""Train the trials of one block that are not already there under the same key."""

import argparse
import json
from pathlib import Path

from reseed.coordinates import tuning_path
from reseed.runtime import limit_threads, pick_device, run, say


def main() -> None:
    """Read the arguments and train each file's trial."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, required=True, help="the results folder")
    parser.add_argument("--job", type=json.loads, required=True, help="the setting as JSON")
    parser.add_argument("--key", required=True, help="hash of the code and configuration behind it")
    parser.add_argument("--keep", default="none", help="of predictions: none, correctness, scores")
    parser.add_argument("--device", default="cpu", help="what the model allows: cpu, gpu, auto")
    parser.add_argument("--gpus", type=int, default=0, help="GPUs granted to this job")
    parser.add_argument("--threads", type=int, default=1, help="threads a trial may use")
    parser.add_argument("files", type=Path, nargs="+", help="outputs: one trial file a seed")
    arguments = parser.parse_args()
    limit_threads(arguments.threads)
    device = pick_device(arguments.device, arguments.gpus)
    from reseed.training.job import Bench, train_block

    job, results = arguments.job, arguments.results
    bench = Bench(results, job, arguments.key, device, arguments.threads)

    def tuning_of(trial):
        return tuning_path(str(results), bench.setting, job["mode"], trial)

    train_block(bench, arguments.files, tuning_of, arguments.keep, say)


if __name__ == "__main__":
    run(main)
