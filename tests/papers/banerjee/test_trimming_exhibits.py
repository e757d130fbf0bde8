"""Tables and figures of the paper show what the analyses measured."""

from dataclasses import replace

import pandas as pd
import pytest
from output_frames import study_of, write_outputs
from papers.banerjee import (
    ensembles_figure,
    gap_distribution,
    gap_figure,
    pairs_plot_figure,
    trimming,
    trimming_ensembles,
    trimming_figure,
    trimming_pairs,
    trimming_pairs_figure,
)
from readable import check_figure, check_table
from reseed.analyses import noise_split
from reseed.analyses.shared.data import Data
from reseed.report.exhibits import seed_noise
from reseed.report.rendering.data import ExhibitData
from run_kinds import draw, run_analysis, table_options
from scipy.special import expit
from test_trimming_analyses import runs


def test_the_figures_of_runs(make, tmp_path):
    data = make(trimming)
    figure, drawn = check_figure(trimming_figure, data, {}, tmp_path)
    assert len([axis for axis in figure.axes if axis.get_visible()]) == 3
    assert len(drawn.frame) == 36
    three = {"x": ["accuracy", "churn_ensemble", "ece"], "arms": ["rf:both"]}
    figure, drawn = check_figure(trimming_figure, data, three, tmp_path)
    assert len(figure.axes) == 3
    assert set(drawn.frame["arm"]) == {"rf:both"}


@pytest.mark.parametrize(
    ("analysis", "options"),
    [(trimming, {}), (trimming_ensembles, {"colour": "size"})],
    ids=["runs", "ensembles"],
)
def test_each_pair_of_measurements_has_a_panel(make, tmp_path, analysis, options):
    options = options | {"arms": ["rf:both"]}
    figure, drawn = check_figure(pairs_plot_figure, make(analysis), options, tmp_path)
    panels = figure.axes[:3]
    assert {(a.get_ylabel(), a.get_xlabel()) for a in panels} == {
        ("Test accuracy", "Churn against the ensemble"), ("Test accuracy", "ECE"),
        ("ECE", "Churn against the ensemble"),
    }  # fmt: skip
    for axis in panels:
        assert len(axis.collections[0].get_offsets()) == len(drawn.frame)
    assert len(figure.axes) == 4  # with the scale of colours


def with_arms_of_number(data, count):
    """The data with so many copies of the arm `rf:both`."""
    rows = data.statistics.query("arm == 'rf:both'")
    many = pd.concat([rows.assign(arm=f"rf{i}", model=f"rf{i}") for i in range(count)])
    return replace(data, statistics=many)


@pytest.mark.parametrize(
    ("kind", "analysis", "drawn"),
    [
        (trimming_figure, trimming, 9),
        (trimming_pairs_figure, trimming_pairs, 9),
        (ensembles_figure, trimming_ensembles, 3),
        (gap_figure, gap_distribution, 6),
        (pairs_plot_figure, trimming, 3),
    ],
)
def test_panels_that_a_page_has_no_room_for_are_named(make, kind, analysis, drawn):
    data = with_arms_of_number(make(analysis), drawn + 2)
    footnote = draw(kind, data, {})[1].footnote
    assert f"Not drawn for want of room, but in the CSV: rf{drawn}, rf{drawn + 1}." in footnote


def test_pairs_and_gaps(make, tmp_path):
    _, drawn = check_figure(trimming_pairs_figure, make(trimming_pairs), {}, tmp_path)
    assert drawn.frame.groupby("arm")["above"].apply(lambda a: (a == 1).sum()).to_dict() == {
        "rf": 0, "rf:order": 11, "rf:both": 11,
    }  # fmt: skip
    check_figure(gap_figure, make(gap_distribution), {}, tmp_path)


def test_ensembles_over_size_are_of_the_chosen_arms(make, tmp_path):
    options = {"arms": ["rf", "rf:both"]}
    _, drawn = check_figure(ensembles_figure, make(trimming_ensembles), options, tmp_path)
    assert set(drawn.frame["arm"]) == set(options["arms"])


def test_the_papers_models_stand_below_the_arms_own(make, tmp_path):
    """Table IV as printed: churn in items, accuracy in percent; and no dot of a figure."""
    data = make(trimming)
    lines = ["model,ece,churn_vs_ensemble,validation_accuracy,mean_churn,alpha_hat",
             "1,0.028,297,91.108,472.15,0.002", "8,0.026,376,91.569,,"]  # fmt: skip
    (tmp_path / "models.csv").write_text("\n".join(lines))
    study = Data(data.metrics, data.info, tmp_path, make.predictions)
    rows = run_analysis(trimming, study, make.fast | {"published": {"rf": "models"}})
    both = ExhibitData(rows, data.metrics, data.info, "k", "T")
    options = table_options("training_variability", "table4")
    options = options | {"where": {}, "most": {"place": 2}}
    table = check_table(draw("table", both, options), tmp_path)
    is_printed = [name == "RF, Magic, as published, 8,018 test items" for name in table.sections]
    assert table.shown[is_printed].to_numpy().tolist() == [
        ["1", "0.002", "–", "0.911", "297", "472.1", "0.028"],
        ["8", "–", "–", "0.916", "376", "–", "0.026"],
    ]
    drawn = draw(trimming_figure, both, {})[1].frame
    assert len(drawn) == (~rows["published"] & (rows["reason"] == "")).sum()


def test_equal_runs_are_drawn(tmp_path):
    """No churn at all is no width of an axis."""
    y, gaps = runs(n=1)
    found = {("magic", "rf"): (y, [expit(gaps[0])] * 6)}
    data = study_of(write_outputs(tmp_path / "o", found), found)
    pairs = ExhibitData(run_analysis(trimming_pairs, data), data.metrics, data.info, "k", "T")
    low, high = draw(trimming_pairs_figure, pairs, {})[0].axes[0].get_ylim()
    assert low == 0 < high


def test_the_noise_of_each_arm_is_named_by_the_arm(make):
    """Arms of one model: the model's title would stand three times."""
    canvas, _ = draw(seed_noise, make(noise_split), {})
    labels = [text.get_text() for axis in canvas.axes for text in axis.get_yticklabels()]
    assert {"RF", "Order", "Init and order"} <= set(labels)


@pytest.mark.parametrize(
    "kind",
    [trimming_figure, pairs_plot_figure, trimming_pairs_figure, ensembles_figure, gap_figure],
    ids=lambda k: k.__name__.rpartition(".")[2],
)
def test_empty_figures(make, kind):
    data = ExhibitData(None, make(trimming).metrics, make(trimming).info, "k", "T")
    assert draw(kind, data, {})[1].frame.columns[0] == "nothing_to_show"


def test_few_ensembles_have_large_dots(make):
    """Dots of few ensembles are readable, and those at zero are not cut at the axis."""
    figure, _ = draw(ensembles_figure, make(trimming_ensembles), {})
    dots = [line for axis in figure.axes for line in axis.lines if line.get_marker() == "o"]
    assert dots
    for line in dots:
        assert line.get_markersize() > 3
        assert line.get_alpha() > 0.5
        assert not line.get_clip_on()


def test_a_trimming_level_that_hardly_varies_is_one_line(make):
    data = make(trimming)
    flat = data.statistics.assign(alpha_hat=0.001)
    drawn = draw(trimming_figure, replace(data, statistics=flat), {})[1]
    assert drawn.empty.startswith("Not drawn, as α̂ hardly varies: RF (12 runs, at most 0.001)")


def test_measured_runs_are_told_from_references(make):
    """Half of the runs are references."""
    drawn = draw(trimming_figure, make(trimming), {})[1]
    assert "Seeds per arm: 24." in drawn.footnote
    assert "the first half is the reference; 12 are measured." in drawn.footnote
