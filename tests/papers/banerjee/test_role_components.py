"""Two crossed roles of the seed: what the analysis makes of a constructed grid."""

import numpy as np
import pytest
from papers.banerjee import role_components
from reseed.analyses.shared.data import Data
from reseed.analyses.shared.predictions import OutputGroup
from reseed.core.schemas import ARM_OUTPUT_COLUMNS
from reseed.stats.variance import crossed_variance
from run_kinds import run_analysis
from study_frames import about, frame, trial


class Runs:
    """Stands for the reader of stored outputs: one arm, its runs and their seeds."""

    def __init__(self, seeds, gaps, y):
        self.seeds, self.gaps, self.y = seeds, gaps, y

    def read_groups(self):
        key = dict.fromkeys(ARM_OUTPUT_COLUMNS, 0) | {
            "experiment": "crossed", "dataset": "magic", "scheme": "official", "model": "rf",
            "arm": "rf", "hyperparameters_source": "default",
        }  # fmt: skip
        yield OutputGroup(key, self.seeds, 1 / (1 + np.exp(-self.gaps)), self.y, 0, self.gaps)


def study(m=6, d=5, items=300, init_sd=1.0, order_sd=0.4, rest_sd=0.6, drop=None):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, items)
    gaps = (
        (2 * y - 1) * 1.5
        + rng.normal(0, init_sd, (m, 1, items))
        + rng.normal(0, order_sd, (1, d, items))
        + rng.normal(0, rest_sd, (m, d, items))
    )
    seeds = [(i, j, 0, 0) for i in range(m) for j in range(d)]
    runs = list(zip(seeds, gaps.reshape(m * d, items), strict=True))
    if drop is not None:
        del runs[drop]
    seeds, gaps = [s for s, _ in runs], np.array([g for _, g in runs])
    metrics = frame([trial(0.9, metric="auc", dataset="magic", model="rf")])
    return Data(metrics, about(("magic",), ("rf",)), None, Runs(seeds, gaps, y))


def test_the_components_of_gaps_are_those_that_were_put_in():
    table = run_analysis(role_components, study())
    assert set(table["reason"]) == {""}
    gap = table[table["measure"] == "gap"].set_index("component")
    assert list(gap.index) == ["init", "order", "residual"]
    assert gap["variance"].to_numpy() == pytest.approx([1, 0.16, 0.36], rel=0.1)
    assert gap["share"].sum() == pytest.approx(1)
    assert (gap["first_levels"].iloc[0], gap["second_levels"].iloc[0]) == (6, 5)
    assert set(table["measure"]) == {"accuracy", "correct", "gap"}


def test_accuracy_is_split_as_a_grid_of_scores():
    data = study()
    reader = data.predictions
    grid = ((reader.gaps > 0) == reader.y).mean(axis=1).reshape(6, 5)
    expected = crossed_variance(grid, ("init", "order"), rng=np.random.default_rng(0))
    table = run_analysis(role_components, data)
    rows = table[table["measure"] == "accuracy"]
    assert rows["variance"].to_numpy() == pytest.approx([p.raw for p in expected.components])


@pytest.mark.parametrize(
    ("data", "message"), [(study(drop=7), "holes: 1 pairs"), (study(d=1), "varied: init")]
)
def test_what_is_no_grid_says_why(data, message):
    table = run_analysis(role_components, data)
    assert len(table) == 1
    assert message in table["reason"].iloc[0]
