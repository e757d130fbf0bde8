"""Try a user's own model on a few rows of a dataset, before the jobs that train it."""

from reseed.core.atomic import write_json
from reseed.core.errors import ReseedError
from reseed.core.layout import ResultsLayout
from reseed.pipeline.runner import Granted, pick_device, run_job, say
from reseed.planning.specs import TrySpec


def run(spec: TrySpec, granted: Granted) -> None:
    """Write how many rows the model was tried on."""
    device = pick_device(spec.spec.device, granted.gpus)
    from reseed.training.attempt import try_model
    from reseed.training.block import problem_of, recipe_of
    from reseed.training.watchdog import time_limit
    from reseed.trials.trial_cache import TrialCache

    cache = TrialCache(spec.results, spec.spec)
    dataset, _, model, _ = spec.spec.setting
    where = f"{model}, {spec.spec.model.factory}"
    recipe = recipe_of(cache, spec.hyperparameters, device, granted.threads)
    late = f"{where}: a few rows of {dataset} take more than {spec.limit:g} s (trial_seconds)"
    with time_limit(spec.limit, late):
        try:
            rows = try_model(problem_of(cache), recipe)
        except ReseedError as error:
            raise ReseedError(f"{where}: {error}") from None
    write_json(ResultsLayout(spec.results).tried(dataset, model), {"rows": rows})
    say(f"{where}: trains on {rows} rows of {dataset}")


if __name__ == "__main__":
    run_job(run)
