"""A study of two arms on one test set, with their spread on a larger one."""

import numpy as np
import pytest
from output_frames import study_of, write_outputs
from reseed.analyses import noise_split
from reseed.report.rendering.data import ExhibitData
from run_kinds import run_analysis


@pytest.fixture
def sized(tmp_path):
    """Spreads of two arms on one test set, at 5,000 items; `head` hardly depends on its seed."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 300)
    hard = rng.normal(1, 1, 300)

    def runs(sd):
        levels = hard + rng.normal(0, sd, (8, 1)) + rng.normal(0, 0.7, (8, 300))
        right = 1 / (1 + np.exp(-levels))
        return list(np.where(y == 1, right, 1 - right))

    arms = {("magic", "rf:scratch"): (y, runs(0.4)), ("magic", "rf:head"): (y, runs(0.02))}
    data = study_of(write_outputs(tmp_path, arms), arms)
    statistics = run_analysis(noise_split, data, test_items=5000, seeds={"rf:scratch": 100})
    return ExhibitData(statistics, data.metrics, data.info, "k", "T")
