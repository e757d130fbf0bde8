"""Check trials: metrics follow from the stored outputs; retraining gives the same bits."""

from functools import partial

from reseed.core.errors import Damaged, ManyDamaged, ReseedError
from reseed.pipeline.device_locks import claim
from reseed.pipeline.runner import Granted, pick_device, run_job, say
from reseed.planning.specs import VerifySpec


def run(spec: VerifySpec, granted: Granted) -> None:
    """Raise ReseedError if any record differs from what it is made from."""
    claim(granted.gpus, report=say)
    from reseed.cache.trial_cache import TrialCache
    from reseed.training.verification import check_metrics, check_sample

    training = spec.training
    if not training.settings:
        raise ReseedError("no study trains anything: there is nothing to verify.")
    total = sum(len(part.trials) for part in training.settings)
    differing: list[str] = []
    damaged: list[Damaged] = []
    computed = retrained = 0
    for part in training.settings:
        cache = TrialCache(training.results, part.spec)
        for path, check in check_metrics(cache, part.trials):
            computed += check.made
            if not check.same:
                damaged += check.error.damaged if check.error else ()
                differing.append(f"{path}: {check.text}")
                say(differing[-1])
    say(f"Metrics computed again from the stored outputs of {computed} of {total} trials.")
    device_for = partial(pick_device, gpus=granted.gpus)
    for cache, trial, check in check_sample(training, spec.sample, device_for):
        retrained += 1
        say(f"{cache.trial_path(trial)}: {check.text}")
        if not check.same:
            damaged += check.error.damaged if check.error else ()
            differing.append(f"{cache.trial_path(trial)}: {check.text}")
    if differing:
        count = f"{len(differing)} trial{'s' if len(differing) > 1 else ''}"
        verb = "differ" if len(differing) > 1 else "differs"
        listed = "\n  ".join(differing)
        deleted = "\nWrong records are deleted: run snakemake again." if damaged else ""
        raise ManyDamaged(f"{count} {verb} from the record:\n  {listed}{deleted}", damaged)
    say(
        f"Verified: {retrained} of {total} trials were retrained and are bitwise the same; "
        f"the metrics of {computed} follow from the outputs they store."
    )


if __name__ == "__main__":
    run_job(run, VerifySpec)
