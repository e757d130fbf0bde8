"""Variance components of a study's grids against the textbook's ANOVA, holes and failures."""

import numpy as np
import pytest
from reseed.analyses import variance_components
from reseed.analyses.shared.data import Data
from run_kinds import run_analysis
from study_frames import about, frame, trial


def analyse(grid, **changes):
    """`grid`: (data seeds, model seeds), None where the trial failed."""
    rows = [
        trial(score, seed=m, data_seed=d, experiment="grid", varied="data+model", **changes)
        for d, line in enumerate(grid)
        for m, score in enumerate(line)
    ]
    return run_analysis(variance_components, Data(frame(rows), about()), n_draws=500)


def made(rng, d=6, m=5, split=0.03, seed=0.01, rest=0.005):
    effects = rng.normal(0, split, (d, 1)) + rng.normal(0, seed, (1, m))
    return 0.5 + effects + rng.normal(0, rest, (d, m))


def test_components_are_the_anova_moment_estimates():
    grid = made(np.random.default_rng(0))
    d, m = grid.shape
    rows, columns = grid.mean(axis=1), grid.mean(axis=0)
    residual = grid - rows[:, None] - columns + grid.mean()
    ms_rest = (residual**2).sum() / ((d - 1) * (m - 1))
    expected = {
        "data_seed": (m * rows.var(ddof=1) - ms_rest) / m,
        "model_seed": (d * columns.var(ddof=1) - ms_rest) / d,
        "residual": ms_rest,
    }
    table = analyse(grid.tolist()).set_index("component")
    for name, value in expected.items():
        assert table.loc[name, "variance"] == pytest.approx(value, rel=1e-9)
        assert table.loc[name, "share"] == pytest.approx(value / sum(expected.values()), rel=1e-9)
        assert table.loc[name, "low"] < value < table.loc[name, "high"]
    assert set(table["method"]) == {"anova"}
    assert set(table["n"]) == {30}


def test_a_grid_with_a_failed_trial_is_estimated_all_the_same():
    full = made(np.random.default_rng(1), d=8, m=8)
    holed = full.tolist()
    holed[2][3] = None
    table = analyse(holed).set_index("component")
    assert set(table["method"]) == {"reml"}
    assert set(table["failed"]) == {1}
    whole = analyse(full.tolist()).set_index("component")
    near = table.loc["data_seed", "share"]
    assert near == pytest.approx(whole.loc["data_seed", "share"], abs=0.1)


@pytest.mark.parametrize("grid", [[[None, None], [None, None]], [[0.1, 0.2, 0.3]]])
def test_what_cannot_be_estimated_says_why(grid):
    table = analyse(grid)
    assert list(table["component"]) == ["none"]
    assert table["reason"].iloc[0]
    assert np.isnan(table["share"].iloc[0])
    assert table["failed"].iloc[0] == sum(score is None for line in grid for score in line)


def test_cells_that_vary_one_seed_have_no_components():
    rows = [trial(v, seed=v) for v in range(5)]
    assert run_analysis(variance_components, Data(frame(rows), about())).empty


def roles(scores, varied="data+init+order", **changes):
    """`scores`: (init, order, data seeds), None where the trial failed."""
    rows = [
        trial(scores[i][o][d], data_seed=d, experiment="roles", varied=varied,
              **{"init": i, "order": o} | changes)
        for i, o, d in np.ndindex(np.shape(scores))
    ]  # fmt: skip
    return run_analysis(variance_components, Data(frame(rows), about()), n_draws=200)


def test_three_crossed_seeds_have_their_interactions():
    """Effects that are orthogonal by construction: each mean square holds one of them alone."""
    i, o, d = np.indices((3, 4, 5))
    init, order, both = i - 1.0, o - 1.5, (i - 1) * (o - 1.5)
    scores = 0.7 + 0.03 * init + 0.02 * order + 0.01 * both + 0 * d
    table = roles(scores.tolist()).set_index("component")
    assert list(table.index) == [
        *("init", "order", "data_seed"),
        *("init:order", "init:data_seed", "order:data_seed"),
        "residual",
    ]
    assert set(table["factors"]) == {"init, order, data_seed"}
    assert set(table["levels"]) == {"3×4×5"}
    assert set(table["least_levels"]) == {3}
    # Σ both² / df: variance of the interaction's effects over cells, (2 · 5) / (2 · 3).
    interaction = 0.01**2 * 10 / 6
    assert table.loc["init:order", "variance"] == pytest.approx(interaction)
    assert table.loc["init", "variance"] == pytest.approx(0.03**2 - interaction / 4)
    assert table.loc["order", "variance"] == pytest.approx(0.02**2 * 5 / 3 - interaction / 3)
    for name in ("data_seed", "init:data_seed", "residual"):
        assert table.loc[name, "variance"] == pytest.approx(0, abs=1e-12)


def test_failed_trial_of_three_crossed_seeds_has_no_interval():
    scores = np.random.default_rng(2).normal(0.7, 0.01, (3, 3, 3)).tolist()
    scores[1][2][0] = None
    table = roles(scores)
    assert set(table["method"]) == {"henderson"}
    assert set(table["failed"]) == {1}
    assert table["share"].sum() == pytest.approx(1)
    assert table[["low", "high", "p_value", "share_low"]].isna().all(axis=None)


def test_two_roles_are_a_grid_of_their_own():
    rng = np.random.default_rng(3)
    scores = 0.5 + rng.normal(0, 0.02, (4, 1, 1)) + rng.normal(0, 0.01, (4, 5, 1))
    table = roles(scores.tolist(), varied="init+order")
    assert list(table["component"]) == ["init", "order", "residual"]
    assert set(table["method"]) == {"anova"}
    scores = scores.tolist()
    scores[0][0][0] = None
    assert set(roles(scores, varied="init+order")["method"]) == {"reml"}
