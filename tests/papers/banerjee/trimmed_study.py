"""One study of three arms for all exhibits of α̂."""

import numpy as np
import pytest
from output_frames import study_of, write_outputs
from papers.banerjee import trimming_ensembles, trimming_summary
from reseed.analyses.shared.data import Data
from reseed.report.rendering.data import ExhibitData
from run_kinds import run_analysis
from scipy.special import expit
from study_frames import amended
from test_trimming_analyses import printed, runs

FAST = {"n_bootstrap": 4, "n_ensembles": 20, "n_halves": 2, "sizes": [1, 3, 5]}
ARMS = ("rf", "rf:order", "rf:both")


@pytest.fixture(scope="module")
def make(tmp_path_factory):
    """Exhibit data of an analysis: three arms of one model, one with an odd run; a regression."""
    folder = tmp_path_factory.mktemp("o")
    found = {}
    for number, arm in enumerate(ARMS):
        y, gaps = runs(n=24, odd=(20,) if number else ())
        gaps = gaps + np.random.default_rng(number).normal(0, 0.3 * number, gaps.shape)
        found["magic", arm] = (y, list(expit(gaps)))
    found["bike_sharing", "rf"] = (y.astype(float), [y + 0.1 * i for i in range(5)])
    data = study_of(write_outputs(folder / "w", found), found)
    published = printed(folder / "p")
    titles = {"rf:order": "Order", "rf:both": "Init and order"}
    info = amended(data.info, experiments={data.metrics["experiment"].iloc[0]: {"arms": titles}})
    data = Data(data.metrics, info, published, data.predictions)
    options = {
        trimming_summary: {"published": {"rf": "init", "rf:order": "batch"}},
        trimming_ensembles: {"published": "rf"},
    }
    cache = {}

    def of(analysis):
        if analysis not in cache:
            cache[analysis] = run_analysis(analysis, data, FAST | options.get(analysis, {}))
        return ExhibitData(cache[analysis], data.metrics, data.info, "k", "Title")

    of.predictions, of.fast = data.predictions, FAST

    return of
