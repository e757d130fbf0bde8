"""Exhibits of given results: from a file to every table and figure."""

import numpy as np
import pandas as pd
import pytest
from reseed.readers import import_results
from reseed.report.rendering.table_files import write_table
from run_kinds import draw
from study_frames import Study
from text_of import text_of


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    rng = np.random.default_rng(0)
    path = tmp_path_factory.mktemp("runs") / "runs.csv"
    rows = [
        (model, dataset, seed, "accuracy", 0.8 + effect + rng.normal(0, 0.01))
        for dataset in ("a", "b")
        for model, effect in {"x": 0.05, "y": 0.0, "z_100%": 0.0}.items()
        for seed in range(3 if (dataset, model) == ("b", "y") else 12)
    ]
    rows[4] = (*rows[4][:4], np.nan)
    columns = ["model", "dataset", "seed", "metric", "value"]
    pd.DataFrame(rows, columns=columns).to_csv(path, index=False)
    return Study(*import_results(path, {}, {"name": "mine", "title": "Mine"}))


@pytest.mark.parametrize("kind", ["verdicts_table", "pairs_figure"])
def test_what_is_said_of_given_results(study, kind, snapshot):
    """On `b` the second best, `y`, has three runs only: nothing can be shown against it."""
    assert text_of(study.show(kind)) == snapshot


def test_numbers_in_tables_are_those_of_the_analysis(study, tmp_path):
    data = study.data("verdicts_table")
    row = data.statistics[data.statistics["dataset"] == "a"].sort_values("p_adjusted").iloc[0]
    shown = draw("verdicts_table", data).shown
    assert f"{100 * row['difference']:.2f}" in shown["Difference"].tolist()
    write_table(draw("verdicts_table", data), tmp_path / "verdicts")
    assert r"z\_100\%" in (tmp_path / "verdicts.tex").read_text()
    raw = pd.read_csv(tmp_path / "verdicts.csv")
    assert set(raw["outcome"]) == {"better", "undecided", "not tested"}


def test_forest_plot_shows_every_interval(study):
    data = study.data("pairs_figure")
    figure, drawn = draw("pairs_figure", data, {})
    part = data.statistics[data.statistics["dataset"] == "a"].sort_values("difference")
    bars = [line.get_xdata() for line in figure.axes[0].lines if len(line.get_xdata()) == 2][1:]
    assert np.allclose(bars, 100 * part[["low", "high"]].to_numpy())
    assert len(drawn.frame) == 6
