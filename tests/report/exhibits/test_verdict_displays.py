"""Leaderboard and critical-difference diagram: rules that are checked by brute force."""

from dataclasses import replace
from itertools import combinations, pairwise

import numpy as np
import pandas as pd
import pytest
from reseed.report.exhibits import critical_difference_figure, leaderboard_table
from reseed.report.exhibits.critical_difference_figure import groups, groups_of
from reseed.report.rendering.data import ExhibitData
from reseed.report.rendering.panels import MOST_HEIGHT, name_omitted, panel_grid
from run_kinds import draw
from study_frames import about, frame, replaced, trial
from text_of import text_of


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("count", [7, 60])
def test_models_share_a_group_if_no_difference_is_shown(seed, count):
    rng = np.random.default_rng(seed)
    models = [f"m{i}" for i in range(count)]
    share = rng.random() if count == 7 else 0.95
    differ = [pair for pair in combinations(models, 2) if rng.random() < share]
    found = groups(models, differ)
    for a, b in combinations(models, 2):
        assert bool(set(found[a]) & set(found[b])) == ((a, b) not in differ)


def pair(a, b, shown, mean_a=0.9, mean_b=0.8, dataset="magic"):
    return {
        "experiment": "e", "varied": "data", "dataset": dataset, "scheme": "holdout-0.2",
        "test_ratio": 0.2, "hyperparameters_source": "default", "model_a": a, "model_b": b,
        "mean_a": mean_a, "mean_b": mean_b, "difference": mean_a - mean_b, "design": "splits",
        "n": 6, "greater_is_better": True, "metric": "auc", "unit": "points", "factor": 100.0,
        "outcome": "better" if shown else "undecided",
        "test": "corrected resampled t test", "pairs": 3, "alpha": 0.05,
    }  # fmt: skip


MEANS = {"xgb": 0.9, "rf": 0.8, "ffnn": 0.7}


def ranked(rows, means=MEANS):
    """An exhibit's data: six splits a model, and the pairs as given."""
    trials = [
        trial(mean + step, dataset="magic", model=model, data_seed=split, metric="auc",
              experiment="e", varied="data", hyperparameters_source="default")
        for model, mean in means.items()
        for split, step in enumerate((-0.02, 0.02, -0.01, 0.01, 0.0, 0.0))
    ]  # fmt: skip
    return ExhibitData(pd.DataFrame(rows), frame(trials), about(("magic",), tuple(means)))


ROWS = [
    pair("xgb", "rf", True),
    pair("xgb", "ffnn", True, 0.9, 0.7),
    pair("rf", "ffnn", False, 0.8, 0.7),
]


FEW = [row | {"outcome": "not tested"} for row in ROWS]
OF_RATIOS = [row | {"scheme": s} for s in ("holdout-0.1", "holdout-0.4") for row in ROWS]
#: The means of one pair are over fewer runs.
FEWER = [*ROWS[:2], pair("rf", "ffnn", False, 0.81, 0.7)]


@pytest.mark.parametrize("kind", [leaderboard_table, critical_difference_figure])
@pytest.mark.parametrize(
    "rows",
    [
        pytest.param(ROWS, id="one is shown to be the best"),
        pytest.param(FEW, id="too few runs"),
        pytest.param(ROWS[:2], id="a baseline leaves pairs out"),
        pytest.param(OF_RATIOS, id="two test ratios"),
        pytest.param(FEWER, id="means of shared runs differ"),
    ],
)
def test_what_displays_of_verdicts_say(kind, rows, snapshot):
    assert text_of(draw(kind, ranked(rows), {})) == snapshot


def test_bars_join_inconclusive_models():
    axis = draw(critical_difference_figure, ranked(ROWS), {})[0].axes[0]
    bars = [line for line in axis.lines if line.get_linewidth() == 2]
    assert [list(np.round(bar.get_ydata(), 1)) for bar in bars] == [[0.8, 2.2]]
    assert np.ptp(axis.lines[0].get_xdata()) == pytest.approx(0.2)


def test_ranks_are_those_that_the_verdicts_leave():
    """XGB is shown better than both others, which are not shown to differ."""
    shown = draw(leaderboard_table, ranked(ROWS), {}).shown
    assert shown["Possible ranks"].tolist() == ["1", "2 to 3", "2 to 3"]
    for rows in (ROWS[:2], FEW):  # a baseline leaves pairs out, few runs leave them open
        assert "Possible ranks" not in draw(leaderboard_table, ranked(rows), {}).shown
        assert groups_of(pd.DataFrame(rows), list(MEANS)) is None


def many(count, shown):
    """Every pair of so many models in a row, told apart where `shown` says so by their places."""
    means = {f"m{i:02d}": 0.9 - 0.01 * i for i in range(count)}
    rows = [
        pair(a, b, shown(i, j), means[a], means[b])
        for (i, a), (j, b) in combinations(enumerate(means), 2)
    ]
    return ranked(rows, means)


def test_the_27th_group_is_not_the_first():
    figure, _ = draw(critical_difference_figure, many(30, lambda i, j: j - i > 1), {})
    bars = [line for line in figure.axes[0].lines if line.get_linewidth() == 2]
    assert all(np.ptp(bar.get_ydata()) == pytest.approx(1.4) for bar in bars)
    assert not [text for text in figure.axes[0].texts if text.get_text() == "×"]


def test_too_many_groups_have_no_bars():
    """Twelve trios of which no two are alike: 3^12 groups would take for ever, and nobody reads."""
    tangle = many(36, lambda i, j: i // 3 == j // 3)
    assert draw(critical_difference_figure, tangle, {})[1].empty


@pytest.mark.parametrize("ends", [(0.8042, 0.8405), (34_889, 39_907), (-0.0211, 0.0098)])
def test_labels_of_ticks_do_not_touch(ends):
    figure, axes = panel_grid([1.2] * 4)
    for axis in axes:
        axis.plot(ends, [0, 1])
        axis.set_yticks([0, 1], ["a model with a long name", "b"])
    figure.draw_without_rendering()
    for axis in axes:
        boxes = [label.get_window_extent() for label in axis.get_xticklabels() if label.get_text()]
        boxes = [box for box in boxes if axis.bbox.x0 <= box.x1 and box.x0 <= axis.bbox.x1]
        assert len(boxes) >= 2
        assert all(b.x0 - a.x1 > 4 for a, b in pairwise(boxes))


def test_models_below_the_panel_are_named():
    figure, drawn = draw(critical_difference_figure, many(45, lambda i, j: True), {})
    assert len(figure.axes[0].get_yticklabels()) == 40
    assert "Not drawn for want of room, but in the CSV: M40, M41, M42, M43, M44." in drawn.footnote


def test_unconverged_model_is_marked_wherever_named():
    metrics = frame([trial(0.5, model=m, seed=s) for m in ("rf", "ffnn") for s in range(10)])
    limit = metrics["model"] == "ffnn"
    metrics["converged"] = pd.Series([None] * 10 + [False, False] + [True] * 8, dtype="boolean")
    data = ExhibitData(None, metrics, about())
    assert limit.sum() == 10
    assert (data.model("rf"), data.model("ffnn")) == ("RF", "FFNN‡")
    assert data.limits(["rf", "ffnn"]) == ["FFNN: 2 of 10 trials"]
    one = metrics.assign(converged=metrics["converged"].where(metrics.index != 11, True))
    assert ExhibitData(None, one, about()).model("ffnn") == "FFNN"  # one in ten is not many


def test_no_grid_is_higher_than_a_page():
    canvas, axes = panel_grid([2.0] * 20)
    assert canvas.get_figheight() <= MOST_HEIGHT
    assert len(axes) == 8
    assert name_omitted([str(i) for i in range(10)], axes) == (
        "Not drawn for want of room, but in the CSV: 8, 9."
    )
    assert name_omitted([*"12345678", "a – b, Magic", "c"], axes).endswith(": a – b, Magic; c.")
    assert name_omitted(["a"], axes) == ""
    assert len(panel_grid([20.0, 1.0], 1)[1]) == 1


def test_a_dataset_that_is_not_drawn_still_counts():
    rows = [*ROWS, *({**row, "dataset": "open", "outcome": "not tested"} for row in ROWS)]
    data = ranked(rows)
    entry = data.info.datasets["magic"].model_copy(update={"title": "Open"})
    data = replace(data, info=replaced(data.info, datasets={**data.info.datasets, "open": entry}))
    _, drawn = draw(critical_difference_figure, data, {})
    assert "Not drawn: 1 dataset with pairs without a verdict" in drawn.footnote
