"""Exhibits of given results: from a file to every table and figure."""

import numpy as np
import pandas as pd
import pytest
from reseed.readers import import_results
from reseed.report.analyses import pairs, ranking, seeds_needed
from reseed.report.analyses.shared.data import Data
from reseed.report.exhibits import (
    pairs_figure,
    pairs_table,
    ranking_figure,
    seeds_figure,
    verdicts_table,
)
from reseed.report.rendering.data import ExhibitData
from reseed.report.rendering.figures import write_figure
from reseed.report.rendering.table_files import write_table
from run_kinds import draw, run_analysis

FIGURES = {
    "pairs_figure": (pairs_figure, pairs),
    "ranking_figure": (ranking_figure, ranking),
    "seeds_figure": (seeds_figure, seeds_needed),
}


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
    metrics, about = import_results(path, {}, {"name": "mine", "title": "Mine"})
    return Data(metrics, about)


def exhibit(study, analysis, kind, options=None):
    table = run_analysis(analysis, study, options or {"n_boot": 200})
    return ExhibitData(table, study.metrics, study.info, kind=kind, title="Title")


def test_verdicts_table(study, tmp_path):
    data = exhibit(study, pairs, "verdicts_table")
    table = draw(verdicts_table, data, {})
    assert list(table.sections) == ["a, points of accuracy"] * 3 + ["b, points of accuracy"] * 3
    assert table.headline == "A difference is shown for 3 of the 6 pairs"
    assert table.findings[0].startswith("The best mean score on 2 datasets: x on 2;")
    # On b the second best, y, has three runs only: nothing can be shown against it.
    assert "is shown in 1 of the 2 settings (3 to 11 model seeds a pair)" in table.findings[0]
    assert table.details[0].startswith("x beats ")
    assert "Failed trials (left out): 1 of 63" in table.footnote
    write_table(table, tmp_path / "verdicts")
    assert r"z\_100\%" in (tmp_path / "verdicts.tex").read_text()
    raw = pd.read_csv(tmp_path / "verdicts.csv")
    assert set(raw["outcome"]) == {"difference", "no difference shown", "too few runs"}


def test_pairs_table(study):
    data = exhibit(study, pairs, "pairs_table")
    table = draw(pairs_table, data, {})
    row = data.statistics.iloc[0]
    assert table.shown["Difference"].iloc[0] == f"{100 * row['difference']:.2f}"
    assert table.shown["n"].iloc[0] == "11"
    assert table.sections[0] == "a, points of accuracy"


@pytest.mark.parametrize("kind", FIGURES)
def test_figures_are_drawn_from_their_numbers_reproducibly(study, tmp_path, kind):
    module, analysis = FIGURES[kind]
    for stem in ("one", "two"):
        data = exhibit(study, analysis, kind)
        write_figure(*draw(module, data, {}), data, tmp_path / stem)
    for suffix in ("png", "pdf", "csv"):
        one, two = ((tmp_path / f"{stem}.{suffix}").read_bytes() for stem in ("one", "two"))
        assert one == two
    assert len(pd.read_csv(tmp_path / "one.csv"))


def test_forest_plot_shows_every_interval(study):
    data = exhibit(study, pairs, "pairs_figure")
    figure, drawn = draw(pairs_figure, data, {})
    panel = figure.axes[0]
    part = data.statistics[data.statistics["dataset"] == "a"].sort_values("difference")
    bars = [line.get_xdata() for line in panel.lines if len(line.get_xdata()) == 2][1:]
    assert np.allclose(bars, 100 * part[["low", "high"]].to_numpy())
    assert len(drawn.frame) == 6


def test_no_figure_of_orders_from_few_runs(study):
    data = exhibit(study, ranking, "ranking_figure", {"n_draws": 100})
    runs = int(data.statistics["n"].max())
    assert not draw(ranking_figure, data, {"min_runs": runs})[1].empty
    empty = draw(ranking_figure, data, {"min_runs": runs + 1})[1].empty
    assert f"at most {runs} runs at this scale" in empty


@pytest.mark.parametrize("module", [pairs_figure, ranking_figure, seeds_figure])
def test_figures_without_anything_to_show(study, module):
    metrics = study.metrics[study.metrics["model"] == "x"]
    data = ExhibitData(pd.DataFrame(), metrics, study.info)
    _, drawn = draw(module, data, {})
    assert list(drawn.frame) == ["nothing_to_show"]


def test_tables_without_anything_to_show(study):
    data = ExhibitData(run_analysis(pairs, study, {}).head(0), study.metrics, study.info)
    for module in (verdicts_table, pairs_table):
        assert list(draw(module, data, {}).shown) == ["Nothing to show"]


def test_ranking_names_what_it_leaves_out(study):
    metrics = study.metrics.copy()
    shifted = (metrics["dataset"] == "b") & (metrics["model"] == "x")
    metrics.loc[shifted, "data_seed"] += 100
    metrics["test_ratio"] = 0.2
    data = exhibit(Data(metrics, study.info), ranking, "ranking_figure", {"n_draws": 100})
    assert "Not shown, as its models do not share two runs, or always tie: b." in (
        draw(ranking_figure, data, {})[1].footnote
    )
