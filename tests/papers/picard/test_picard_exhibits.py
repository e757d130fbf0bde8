"""Tables and figures of the paper show what the analyses measured."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from curve_frames import data_of, seeds
from curve_study import make, read
from papers.picard import (
    convergence,
    convergence_figure,
    extremes,
    histogram_figure,
    range_growth,
    range_growth_figure,
)
from papers.picard.extremes import LEAST
from readable import check_figure
from reseed.analyses.shared.data import Data
from reseed.core.errors import ReseedError
from reseed.report.rendering.data import ExhibitData
from reseed.report.rendering.tables import Table
from reseed.stats.gaussian_range import expected_gaussian_range
from run_kinds import draw, run_analysis, table_options
from sized_study import sized
from study_frames import Study, about, amended, frame, trial
from test_figures import texts_of
from test_long_names import ODD, study

__all__ = ["make", "read", "sized"]


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
    measured = drawn.frame.dropna(subset="range").groupby("arm")["range"]
    assert measured.ngroups == 2
    assert all(part.iloc[-1] > part.iloc[0] for _, part in measured)


def test_convergence_is_drawn_for_every_run(make, tmp_path):
    _, drawn = check_figure(convergence_figure, make(convergence), {}, tmp_path)
    assert len(drawn.frame) == 50


def test_panels_without_room_on_a_page_are_named(make):
    data = make(convergence)
    rows = data.statistics[data.statistics["arm"] == data.statistics["arm"].iloc[0]]
    many = pd.concat([rows.assign(arm=f"rf{i}", model=f"rf{i}") for i in range(10)])
    footnote = draw(convergence_figure, replace(data, statistics=many), {})[1].footnote
    assert "Not drawn for want of room, but in the CSV: rf" in footnote


@pytest.mark.parametrize("kind", [histogram_figure, range_growth_figure, convergence_figure])
def test_empty_figures(kind, make):
    metrics = make(extremes).metrics
    empty = ExhibitData(pd.DataFrame(), metrics.iloc[:2], make(extremes).info, "k", "T")
    assert draw(kind, empty, {})[1].frame.columns[0] == "nothing_to_show"


def test_equal_scores_have_no_histogram(make):
    metrics = make(extremes).metrics.assign(auc=0.5)
    flat = ExhibitData(None, metrics, make(extremes).info, "k", "T")
    _, drawn = draw(histogram_figure, flat, {})
    assert drawn.empty.startswith("Not drawn, as every score is the same: ")


def gaussian(kind, analysis, n, metric="auc", **options):
    """A table or a description of Gaussian scores of `n` seeds."""
    rows, _ = seeds(n, metric=metric)
    facts = amended(about(("magic",)), datasets={"magic": {"metric_is_share": True}})
    data = data_of(rows, facts=facts)
    table = run_analysis(analysis, data, {"n_sim": 200} | options)
    made = draw(kind, ExhibitData(table, data.metrics, data.info, "k", "T"), {})
    return made if isinstance(made, Table) else made[1]


@pytest.mark.parametrize(
    ("kind", "analysis"), [(histogram_figure, extremes), (range_growth_figure, range_growth)]
)
def test_few_seeds_are_one_line_of_text(kind, analysis):
    drawn = gaussian(kind, analysis, LEAST - 1)
    assert f"{LEAST}" in drawn.empty
    assert not gaussian(kind, analysis, LEAST).empty


def test_the_range_is_drawn_up_to_the_seeds_run():
    assert gaussian(range_growth_figure, range_growth, 30).frame["seeds"].max() == 30
    assert gaussian(range_growth_figure, range_growth, 30, up_to=99).frame["seeds"].max() == 99


def test_runs_that_converge_at_few_epochs_show_no_relation(make):
    data = make(convergence)
    few = data.statistics.assign(converged=[1, 2] * 25)
    drawn = draw(convergence_figure, replace(data, statistics=few), {})[1]
    assert "RF (25 runs, 2 epochs of convergence)" in drawn.empty


def test_a_histogram_leaves_out_seeds_with_a_failed_fold():
    """Seed 0 lost its two worst folds: its mean over the others would be the best of all."""
    metrics = frame([
        trial(None if s == 0 and fold < 2 else 0.8 + 0.04 * fold + 0.0001 * s, seed=s, fold=fold,
              dataset="magic", metric="auc", model="rf", scheme="kfold-5", test_ratio=np.nan)
        for s in range(21)
        for fold in range(5)
    ])  # fmt: skip
    drawn = Study.of(metrics).show(histogram_figure)
    assert list(drawn.frame["init"]) == list(range(1, 21))


def test_a_histogram_counts_no_crossed_pairs_as_seeds():
    metrics = frame([
        trial(0.9 + 0.001 * s * d, seed=s, data_seed=d, varied="data+model", experiment="grid",
              dataset="magic", metric="auc", model="rf")
        for s in range(5)
        for d in range(5)
    ])  # fmt: skip
    assert Study.of(metrics).show(histogram_figure).empty


def test_the_metric_of_a_histogram_exists():
    metrics = frame([
        trial(0.94512 + 1e-5 * (s % 8), seed=s, dataset="magic", metric="auc", model="rf")
        for s in range(24)
    ])  # fmt: skip
    study = Study.of(metrics)
    assert not study.show(histogram_figure).empty
    with pytest.raises(ReseedError, match="accuracyy"):
        study.show(histogram_figure, {"metric": "accuracyy"})


def convergence_rows(dataset, measure, tolerance):
    return [
        {"experiment": "model_seeds", "varied": "model", "dataset": dataset, "scheme": "h",
         "arm": "ffnn", "model": "ffnn", "hyperparameters_source": "d", "data_seed": 0, "init": i,
         "measure": measure, "n": 24, "broken": 0, "left_out": 0, "final": float(i), "converged": i,
         "tolerance": tolerance, "target": 1.0, "target_is": "median", "share": 0.5,
         "share_low": 0.1, "share_high": 0.9, "median": 1234.0, "median_low": 1000.0,
         "median_high": np.inf, "restarts": 12345.6, "converged_median": 9.0, "final_mean": 9.0,
         "final_sd": 2.0, "level": 0.95, "rho": 0.1, "rho_low": -0.5,
         "rho_high": 0.6, "rho_p": 0.6}
        for i in range(24)
    ]  # fmt: skip


@pytest.fixture(scope="module")
def converged():
    rows = convergence_rows("magic", "validation auc", 0.002)
    rows += convergence_rows("bike_sharing", "validation mse", 35.0)
    return ExhibitData(pd.DataFrame(rows), frame([trial(0.9)]), about(models=("ffnn",)))


def test_each_measure_has_its_tolerance(converged):
    note = draw(convergence_figure, converged, {})[1].footnote
    assert "within 0.002 (validation AUC) and 35 (validation MSE) of its own" in note


def test_many_epochs_are_shown_in_full(converged):
    shown = draw("table", converged, table_options("seed_3407", "reach")).shown
    assert shown["Median epoch"][0] == "1,234 [1,000, never]"
    assert shown["Epochs with restarts"][0] == "12,346"


def test_non_simulated_level_shows_no_simulated_coverage():
    metrics, facts = study(("rf",), splits=LEAST)
    for level, message in ((0.95, True), (0.8, False)):
        table = run_analysis(range_growth, Data(metrics, facts), {"n_sim": 20, "level": level})
        data = ExhibitData(table, metrics, facts, "k", "Title")
        assert ("more than 95 %" in draw(range_growth_figure, data, {})[1].footnote) == message


def test_spreads_are_those_on_the_paper_s_number_of_images(sized):
    """SDs fall with the size of the test set; the range is that of the paper's number of seeds."""
    rows = sized.statistics.query("metric == 'accuracy'").set_index("arm")
    assert (rows["sd_at"] < rows["observed_sd"]).all()
    factor = float(expected_gaussian_range(100))
    sd, spread = (rows.loc["rf:scratch", name] for name in ("sd_at", "range_at"))
    assert spread == pytest.approx(sd * factor)
    assert np.isnan(rows.loc["rf:head", "range_at"])
    table = draw("table", sized, table_options("seed_3407", "paper_size"))
    assert list(table.shown["Paper's seeds"]) == ["100", "–"]


@pytest.mark.parametrize(
    ("kind", "analysis"), [(range_growth_figure, range_growth), (histogram_figure, None)]
)
def test_odd_names_are_readable(kind, analysis, tmp_path):
    metrics, facts = study(ODD, splits=LEAST)
    table = analysis and run_analysis(analysis, Data(metrics, facts), {"n_sim": 20})
    data = ExhibitData(table, metrics, facts, "k", "Title")
    figure, _ = check_figure(kind, data, {}, tmp_path)
    written = " ".join(t.get_text().replace("\n", " ") for t, _ in texts_of(figure))
    assert all(name in written for name in ODD)


def test_an_arm_that_never_moves_is_named_and_not_drawn():
    metrics, facts = study(("rf", "gbm"), splits=LEAST)
    metrics.loc[metrics["model"] == "gbm", "auc"] = 0.5
    figure, drawn = draw(histogram_figure, ExhibitData(None, metrics, facts, "k", "T"), {})
    assert len(figure.axes) == 1
    assert "Not drawn, as every score is the same: gbm." in drawn.footnote
