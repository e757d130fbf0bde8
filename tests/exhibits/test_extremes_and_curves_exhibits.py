"""Paper 2's tables and figures show what the analyses measured."""

from dataclasses import replace

import pandas as pd
import pytest
from papers.picard import (
    convergence,
    convergence_figure,
    extremes,
    extremes_table,
    histogram_figure,
    range_growth,
    range_growth_figure,
    reach_table,
)
from readable import check_figure, check_table
from reseed.analyses import curves, standing
from reseed.analyses.shared.data import Data
from reseed.exhibits import curves_figure, standing_table
from reseed.rendering.data import ExhibitData
from run_kinds import draw, run_analysis
from study_frames import amended
from test_extremes_and_curves import RAGGED, curve_rows, data_of, seeds

SCORES = [
    {"arm": "rf", "score": 0.905, "source": "Table 2"},
    {"arm": "rf, long", "score": 0.99},
    {"arm": "svm", "score": 0.5},
]


@pytest.fixture(scope="module")
def read(tmp_path_factory):
    """Two arms of one model, one with an outlier; curves of unequal length."""
    folder = tmp_path_factory.mktemp("c")
    rows = seeds(60)[0] + seeds(30, "rf, long", mean=0.95, seed=1)[0]
    rows.append(seeds(1, "rf, long", mean=0.8, seed=3)[0][0] | {"init": 77})
    long = [[v and v + 0.1 for v in run] for run in RAGGED * 4]
    curve = curve_rows(RAGGED * 4) + curve_rows(long, "rf, long")
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
        standing: {"scores": SCORES},
    }

    def of(analysis):
        table = run_analysis(analysis, read, options.get(analysis, {}))
        return ExhibitData(table, read.metrics, read.info, "k", "Title")

    return of


def test_the_table_of_extremes(make, tmp_path):
    data = make(extremes)
    table = check_table(draw(extremes_table, data, {}), tmp_path)
    assert [name.strip() for name in table.shown["Arm"]] == [
        "RF", "RF, long training", "as published",
    ]  # fmt: skip
    row = data.statistics.iloc[0]
    assert table.shown["Range"][0] == f"{row['range']:.4f}"
    assert table.shown["Range"][2] == "0.0127"
    assert table.shown["Gaussian"][2] == "6.07"  # E[R] of 500 in SD, as tabulated
    assert table.shown["Tails"][1] == "heavier"
    assert "for 1 of the 2 arms: RF, long training" in table.findings[0]


def test_the_histogram_has_every_seed(make, read, tmp_path):
    figure, drawn = check_figure(histogram_figure, make(extremes), {}, tmp_path)
    assert len(drawn.frame) == 91
    rugs = [c for axis in figure.axes for c in axis.collections]
    assert sum(len(rug.get_segments()) for rug in rugs) == 91
    assert "Seeds per arm: 31–60" in drawn.footnote
    one = draw(histogram_figure, make(extremes), {"arms": ["rf"]})
    assert len(one[1].frame) == 60


def test_the_range_grows(make, tmp_path):
    _, drawn = check_figure(range_growth_figure, make(range_growth), {}, tmp_path)
    assert "as far apart as Gaussian draws of that SD would be in 1 of the 2" in drawn.findings[0]
    assert ": two seeds are" in drawn.findings[1]
    assert "; as a Gaussian" in drawn.findings[1]
    assert "not as a Gaussian" in drawn.findings[2]


def test_curves_and_convergence(make, tmp_path):
    figure, drawn = check_figure(curves_figure, make(curves), {}, tmp_path)
    assert "runs still training" in drawn.footnote
    assert figure.axes[0].get_ylabel() == "Validation accuracy"
    assert "Runs per arm: 12" in drawn.footnote
    late = draw(curves_figure, make(curves), {"from_epoch": 3})[1]
    assert late.frame["epoch"].min() == 3
    _, drawn = check_figure(convergence_figure, make(convergence), {}, tmp_path)
    assert len(drawn.frame) == 24


@pytest.mark.parametrize(
    ("kind", "analysis"), [(curves_figure, curves), (convergence_figure, convergence)]
)
def test_panels_that_a_page_has_no_room_for_are_named(make, kind, analysis):
    data = make(analysis)
    rows = data.statistics[data.statistics["arm"] == data.statistics["arm"].iloc[0]]
    many = pd.concat([rows.assign(arm=f"rf{i}", model=f"rf{i}") for i in range(10)])
    footnote = draw(kind, replace(data, statistics=many), {})[1].footnote
    assert "Not drawn for want of room, but in the CSV: rf" in footnote


def test_the_table_of_times_to_a_score(make, tmp_path):
    table = check_table(draw(reach_table, make(convergence), {}), tmp_path)
    assert len(table.shown) == 2
    assert table.shown["Reach it"][1].startswith("67 %") or "100 %" in table.shown["Reach it"][1]
    assert "never" in " ".join(table.shown["Median epoch"])


def test_the_table_of_standings(make, tmp_path):
    table = check_table(draw(standing_table, make(standing), {}), tmp_path)
    assert list(table.shown["Source"]) == ["Table 2", "given"]
    assert table.shown["Best of"][1] == "more than were run"
    assert "svm (no run of this arm)" in table.footnote


@pytest.mark.parametrize("kind", [extremes_table, reach_table, standing_table])
def test_empty_tables(kind, make):
    empty = ExhibitData(pd.DataFrame(), make(extremes).metrics, make(extremes).info, "k", "T")
    assert list(draw(kind, empty, {}).shown.columns) == ["Nothing to show"]


@pytest.mark.parametrize(
    "kind", [histogram_figure, range_growth_figure, curves_figure, convergence_figure]
)
def test_empty_figures(kind, make):
    metrics = make(extremes).metrics
    empty = ExhibitData(pd.DataFrame(), metrics.iloc[:2], make(extremes).info, "k", "T")
    assert draw(kind, empty, {})[1].frame.columns[0] == "nothing_to_show"


def test_equal_scores_have_no_histogram(make):
    metrics = make(extremes).metrics.assign(auc=0.5)
    flat = ExhibitData(None, metrics, make(extremes).info, "k", "T")
    _, drawn = draw(histogram_figure, flat, {})
    assert drawn.empty.startswith("Not drawn, as every score is the same: ")
