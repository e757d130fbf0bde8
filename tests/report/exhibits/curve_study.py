"""A study of two arms of one model with curves: fixtures for the tests of several folders."""

import pandas as pd
import pytest
from curve_frames import RAGGED, curve_rows, data_of, seeds
from papers.picard import extremes, range_growth
from reseed.analyses.shared.data import Data
from reseed.report.rendering.data import ExhibitData
from run_kinds import run_analysis
from study_frames import amended


@pytest.fixture(scope="module")
def read(tmp_path_factory):
    """Two arms of one model, one with an outlier; curves of unequal length."""
    folder = tmp_path_factory.mktemp("c")
    rows = seeds(60)[0] + seeds(30, "rf, long", mean=0.95, seed=1)[0]
    rows.append(seeds(1, "rf, long", mean=0.8, seed=3)[0][0] | {"init": 77})
    runs = [*RAGGED, [0.6], [0.5, 0.6, 0.7, 0.8]] * 5
    long = [[v and v + 0.1 for v in run] for run in runs]
    curve = curve_rows(runs) + curve_rows(long, "rf, long")
    data = data_of(rows, curve, folder)
    titles = {"rf, long": "RF, long training"}
    info = amended(data.info, experiments={rows[0]["experiment"]: {"arms": titles}})
    published = folder / "p"
    published.mkdir()
    pd.DataFrame(
        [["long", 500, 90.7, 0.2, 90.14, 91.41]],
        columns=["training", "seeds", "mean", "std", "min", "max"],
    ).to_csv(published / "picard_tables.csv", index=False)
    return Data(data.metrics, info, published, data.predictions)


@pytest.fixture(scope="module")
def make(read):
    options = {
        extremes: {"n_sim": 400, "published": {"rf, long": {"training": "long"}}},
        range_growth: {"up_to": 1000, "points": 6},
    }

    def of(analysis):
        table = run_analysis(analysis, read, options.get(analysis, {}))
        return ExhibitData(table, read.metrics, read.info, "k", "Title")

    return of
