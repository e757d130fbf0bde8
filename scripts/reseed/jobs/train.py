"""Train the trials of one job: link those in the cache, train the rest."""

from reseed.pipeline.runner import Granted, pick_device, run_job, say
from reseed.planning.specs import TrainSpec


def run(spec: TrainSpec, granted: Granted) -> None:
    """Make the block file of the job."""
    device = pick_device(spec.settings[0].spec.device, granted.gpus)
    from reseed.training.block import train_block

    train_block(spec, device, granted.threads, say)


if __name__ == "__main__":
    run_job(run, limit=False)
