"""Train one trial of each model of a study again, and record which gave the same bits."""

from functools import partial
from pathlib import Path

from reseed.core.blocks import trial_name
from reseed.core.errors import ReseedError
from reseed.core.layout import ResultsLayout
from reseed.pipeline.runner import Granted, pick_device, run_job, say
from reseed.planning.specs import VerifySpec


def run(spec: VerifySpec, granted: Granted) -> None:
    """Write one row a retrained trial."""
    import pandas as pd

    from reseed.core.checked_io import write_table
    from reseed.training.verification import check_sample, sample

    assert spec.study is not None
    device_for = partial(pick_device, gpus=granted.gpus)
    chosen = sample(spec.training, None, each_model=True)
    rows = [
        {
            "dataset": cache.setting.dataset,
            "model": cache.setting.model,
            "trial": trial_name(trial),
            "same": check.same,
            "text": check.text,
        }
        for cache, trial, check in check_sample(spec.training, chosen, device_for)
    ]
    if not rows:
        raise ReseedError(f"study {spec.study}: no trial was trained again, so nothing is shown.")
    table = ResultsLayout(spec.training.results).study(spec.study).repeated_fits
    write_table(Path(table), pd.DataFrame(rows))
    same = sum(bool(row["same"]) for row in rows)
    say(f"{same} of {len(rows)} trials are bitwise the same")


if __name__ == "__main__":
    run_job(run)
