"""Search the hyper-parameters of one setting; finished fits survive an interruption."""

from reseed.pipeline.runner import Granted, pick_device, run_job, say
from reseed.planning.specs import SearchSpec


def run(spec: SearchSpec, granted: Granted) -> None:
    """Write the winner and the log of the search. Threads are processes of the search."""
    device = pick_device(spec.spec.device, granted.gpus)
    from reseed.training.search_job import run_search

    run_search(spec, device, granted.threads, say)


if __name__ == "__main__":
    run_job(run)
