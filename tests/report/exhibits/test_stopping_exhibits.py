"""What is said of pairs that were settled early: who won then, and which pairs were."""

import numpy as np
import pytest
from study_frames import Study, runs, trial
from text_of import text_of

NOISE = np.random.default_rng(0).normal(0, 0.001, 60)
#: RF leads for twelve seeds, by which the sequence settles.
LEADS = np.arange(60) < 12


def seeds(differences, **place):
    """Trials in which RF scores so much more than XGB, seed by seed."""
    return [
        trial(0.8 + gain * (model == "rf"), seed=s, dataset="magic", metric="auc", model=model,
              **place)
        for s, gain in enumerate(differences)
        for model in ("rf", "xgb")
    ]  # fmt: skip


def ratios():
    return [
        row
        for ratio, gain in ((0.1, 0.0), (0.4, 0.02))
        for row in seeds(gain + NOISE[:12], scheme=f"holdout-{ratio}", test_ratio=ratio)
    ]


@pytest.mark.parametrize(
    ("rows", "options"),
    [
        pytest.param(seeds(np.where(LEADS, 0.01, -0.02) + NOISE), {}, id="the other wins later"),
        pytest.param(seeds(np.where(LEADS, 0.01, -0.0025) + NOISE), {}, id="zero later again"),
        pytest.param(seeds(0.01 + NOISE), {}, id="settled for good"),
        pytest.param(seeds(NOISE - NOISE.mean()), {"rope": 0.005}, id="equivalent"),
        pytest.param(ratios(), {}, id="each test ratio counts"),
    ],
)
def test_what_is_said_of_settled_pairs(rows, options, snapshot):
    assert text_of(Study.of(rows).show("stopping_table", **options)) == snapshot


def test_a_narrow_interval_settles_no_pair(snapshot):
    few = NOISE[:40]
    study = Study.of(seeds(few - few.mean()))
    assert set(study.data("stopping_table", half_width=0.002).statistics["reason"]) == {
        "precise enough"
    }
    assert text_of(study.show("stopping_table", half_width=0.002)) == snapshot
    figure, _ = study.draw("stopping_figure", half_width=0.002)
    assert all(line.get_linestyle() != ":" for line in figure.axes[0].lines)


def test_pairs_without_a_panel_are_named():
    study = Study.of(runs({f"m{i}": 0.8 + 0.01 * i for i in range(7)}, n=5, sd=0.001))
    figure, drawn = study.draw("stopping_figure")
    panels = sum(axis.get_visible() for axis in figure.axes)
    assert panels < 21
    assert f"{21 - panels} more panels" in figure.get_suptitle()
    assert "Not drawn for want of room" in drawn.footnote
