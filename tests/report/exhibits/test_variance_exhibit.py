"""The table of variance components shows whichever seeds were crossed."""

import numpy as np
from reseed.analyses import variance_components
from reseed.analyses.shared.data import Data
from reseed.report.rendering.data import ExhibitData
from run_kinds import draw, run_analysis
from study_frames import about, frame, trial
from test_fold_exhibits import TABLES


def rows_of(scores, names, **place):
    """Trials of a grid whose axes are the seeds `names`."""
    return [
        trial(scores[at], varied="+".join(sorted(n.removesuffix("_seed") for n in names)),
              **dict(zip(names, at, strict=True)), **place)
        for at in np.ndindex(scores.shape)
    ]  # fmt: skip


def made(*parts):
    metrics = frame([row for part in parts for row in part])
    data = Data(metrics, about())
    statistics = run_analysis(variance_components, data, {"n_draws": 50})
    return draw(
        "table", ExhibitData(statistics, metrics, about(), title="Shares"), TABLES["variance"]
    )


def test_three_crossed_seeds_beside_two():
    rng = np.random.default_rng(0)
    first = 0.5 + rng.normal(0, 0.02, (4, 1, 1)) + rng.normal(0, 0.005, (4, 3, 5))
    second = 0.5 + rng.normal(0, 0.02, (1, 6)) + rng.normal(0, 0.005, (4, 6))
    table = made(
        rows_of(first, ("init", "order", "data_seed"), experiment="roles"),
        rows_of(second, ("init", "order"), experiment="grid", model="xgb"),
    )
    assert list(table.shown.columns) == [
        *("Algorithm", "Grid", "Total SD"),
        *("Initial weights", "Batch order", "Data seed"),
        *("Initial weights × Batch order", "Initial weights × Data seed"),
        *("Batch order × Data seed", "Interaction and rest"),
    ]
    assert list(table.shown["Grid"]) == ["4×3×5", "4×6"]
    assert table.shown["Data seed"].iloc[1] == "–"


def test_a_grid_with_holes_has_shares_without_intervals():
    scores = np.random.default_rng(1).normal(0.5, 0.01, (3, 3, 3))
    rows = rows_of(scores, ("init", "order", "data_seed"), experiment="roles")
    rows[5] |= {"status": "failed", "mse": None}
    shown = made(rows).shown
    assert shown["Grid"].tolist() == ["3×3×3 (1 failed)"]
    assert not shown.apply(lambda column: column.astype(str).str.contains(r"\[|nan")).any(axis=None)
