"""Check what was made: metrics follow from kept outputs; the same seeds give the same bits."""

import argparse
from functools import partial
from pathlib import Path

from reseed.core.errors import ReseedError
from reseed.pipeline.device_locks import claim
from reseed.pipeline.runner import limit_threads, pick_device, read_job, run, say


def main() -> None:
    """Read the arguments; fail if any record differs from what it is made from."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--job", type=Path, required=True, help="all planned trials, as JSON")
    parser.add_argument("--sample", type=int, default=10, help="trials to retrain")
    parser.add_argument("--all", action="store_true", help="retrain every trial")
    parser.add_argument("--seed", type=int, default=0, help="seed of the sample")
    parser.add_argument("--gpus", type=int, default=0, help="GPUs granted to this job")
    arguments = parser.parse_args()
    limit_threads(1)
    claim(arguments.gpus, report=say)
    from reseed.cache.trial_cache import SettingFiles
    from reseed.core.coordinates import Coordinates
    from reseed.training.verification import recomputed, repeated

    job = read_job(arguments.job)
    if not job["settings"]:
        raise ReseedError("no study trains anything: there is nothing to verify.")
    files = [SettingFiles(Path(job["results"]), described) for described in job["settings"]]
    trials = [[Coordinates(*t) for t in described["trials"]] for described in job["settings"]]
    total, differing, computed = sum(map(len, trials)), [], 0
    for one, planned in zip(files, trials, strict=True):
        for path, check in recomputed(one, planned):
            computed += check.made
            if not check.same:
                differing.append(f"{path}: {check.text}")
                say(differing[-1])
    say(f"Metrics computed again from the kept outputs of {computed} of {total} trials.")
    device_for = partial(pick_device, gpus=arguments.gpus)
    chosen = 0
    count = None if arguments.all else arguments.sample
    for one, trial, check in repeated(job, count, device_for, arguments.seed):
        chosen += 1
        say(f"{one.target(trial)}: {check.text}")
        if not check.same:
            differing.append(f"{one.target(trial)}: {check.text}")
    if differing:
        listed = "\n  ".join(differing)
        raise ReseedError(f"{len(differing)} trials differ from their record:\n  {listed}")
    say(
        f"Verified: {chosen} of {total} trials were retrained and are bitwise the same; "
        f"the metrics of {computed} follow from the outputs they keep."
    )


if __name__ == "__main__":
    run(main)
