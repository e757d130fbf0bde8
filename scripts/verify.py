"""Retrain a sample of existing trials from scratch and compare fingerprints, bit by bit."""

import argparse
from pathlib import Path

from reseed.errors import ReseedError
from reseed.runtime import limit_threads, run, say


def main() -> None:
    """Read the arguments, retrain, and fail if any fingerprint differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, required=True, help="the results folder")
    parser.add_argument("--sample", type=int, default=10, help="trials to retrain")
    parser.add_argument("--seed", type=int, default=0, help="seed of the sample")
    arguments = parser.parse_args()
    limit_threads(1)
    from reseed.training.verification import retrain, sample_trials

    files = sample_trials(arguments.results, arguments.sample, arguments.seed)
    differing = []
    for number, path in enumerate(files, 1):
        check = retrain(arguments.results, path)
        if not check.same:
            differing.append(path)
        say(f"{number}/{len(files)} {path}: {check.text}")
    if differing:
        raise ReseedError(
            f"{len(differing)} of {len(files)} retrained trials differ from their record:\n  "
            + "\n  ".join(str(path) for path in differing)
        )
    say(f"Verified: {len(files)} of {len(files)} retrained trials are bitwise the same.")


if __name__ == "__main__":
    run(main)
