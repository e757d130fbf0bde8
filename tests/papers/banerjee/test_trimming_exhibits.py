"""Tables and figures of the paper show what the analyses measured."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from output_frames import study_of, write_outputs
from papers.banerjee import (
    ensembles_figure,
    ensembles_table,
    gap_distribution,
    gap_figure,
    information_table,
    pairs_plot_figure,
    representatives_table,
    trimming,
    trimming_ensembles,
    trimming_figure,
    trimming_information,
    trimming_pairs,
    trimming_pairs_figure,
    trimming_summary,
    trimming_table,
)
from readable import check_figure, check_table
from reseed.analyses import noise_split
from reseed.analyses.shared.data import Data
from reseed.report.exhibits import seed_noise
from reseed.report.rendering.data import ExhibitData
from run_kinds import draw, run_analysis
from scipy.special import expit
from study_frames import about, frame, trial
from test_trimming_analyses import runs


def test_the_table_of_arms_has_the_papers_numbers_below(make, tmp_path):
    data = make(trimming_summary)
    table = check_table(draw(trimming_table, data, {}), tmp_path)
    names = [name.strip() for name in table.shown["", "Arm"]]
    assert names == ["RF", "as published", "Order", "as published", "Init and order"]
    assert table.shown["Accuracy", "Range"][1] == "0.9000–0.9200"
    assert table.shown["Pairwise churn", "Range"][1] == "0.012–0.050"
    row = data.statistics.iloc[0]
    assert table.shown["Accuracy", "Mean ± SD"][0].startswith(f"{row['accuracy_mean']:.4f}")
    assert table.shown["", "Low α̂"][2] == "11 of 12"
    assert "regression" in table.footnote


@pytest.mark.parametrize(("n", "places"), [(6, 1), (30, 2)])
def test_sds_have_the_digits_that_their_runs_carry(make, n, places):
    data = make(trimming_summary)
    spreads = ["accuracy_sd", "accuracy_sd_low", "accuracy_sd_high"]
    rows = data.statistics.assign(n=n, **dict(zip(spreads, (0.04567, 0.03, 0.09), strict=True)))
    table = draw(trimming_table, replace(data, statistics=rows), {})
    sd = f"{0.04567:.{places + 1}f}"
    assert table.shown["Accuracy", "Mean ± SD"].iloc[0].endswith(f" ± {sd}")


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


def test_the_table_of_ensembles(make, tmp_path):
    data = make(trimming_ensembles)
    table = check_table(draw(ensembles_table, data, {}), tmp_path)
    assert list(table.shown["Runs"][:4]) == ["1", "3", "5", "12"]
    assert table.shown["Ensembles"][0] == "12"
    assert table.shown["Paper"][1] == "77.2 %"
    assert table.shown["Paper"][5] == "–"
    part = data.statistics.query("arm == 'rf' and size == 3")
    assert table.shown["Accuracy"][1].startswith(f"{part['accuracy'].mean():.4f} ± ")


def test_representatives_are_the_most_accurate_by_alpha(make, tmp_path):
    data = make(trimming)
    table = check_table(draw(representatives_table, data, {"count": 5}), tmp_path)
    assert len(table.shown) == 15
    rows = data.statistics.query("arm == 'rf'")
    kept = table.raw.query("arm == 'rf'")
    assert kept["accuracy"].min() >= rows["accuracy"].nlargest(5).min()
    assert (np.diff(kept["alpha_hat"]) >= 0).all()


def test_a_run_is_named_by_the_seed_that_varies(make, tmp_path):
    """Of an arm that varies the order of batches every run has the same initial weights."""
    data = make(trimming)
    rows = data.statistics.query("arm == 'rf'").reset_index(drop=True)
    order = rows.assign(init=0, dropout=0, augment=0)
    both = order.assign(init=rows["init"] + 1)
    for given, name in ((rows, "{0:.0f}"), (order, "{0:.0f}"), (both, "{1:.0f}-{0:.0f}")):
        shown = draw(representatives_table, replace(data, statistics=given), {"count": 3})
        best = given.sort_values(["accuracy", "alpha_hat"], ascending=[False, True]).head(3)
        best = best.sort_values("alpha_hat", kind="stable")
        expected = [name.format(row.order, row.init) for row in best.itertuples()]
        assert list(check_table(shown, tmp_path).shown["Seed"]) == expected


def test_the_papers_models_stand_below_the_arms_own(make, tmp_path):
    """Table IV as printed: churn in items, accuracy in percent; and no dot of a figure."""
    data = make(trimming)
    lines = ["model,ece,churn_vs_ensemble,validation_accuracy,mean_churn,alpha_hat",
             "1,0.028,297,91.108,472.15,0.002", "8,0.026,376,91.569,,"]  # fmt: skip
    (tmp_path / "models.csv").write_text("\n".join(lines))
    study = Data(data.metrics, data.info, tmp_path, make.predictions)
    rows = run_analysis(trimming, study, make.fast | {"published": {"rf": "models"}})
    both = ExhibitData(rows, data.metrics, data.info, "k", "T")
    table = check_table(draw(representatives_table, both, {"count": 2}), tmp_path)
    assert len(table.shown) == 8
    assert list(table.shown.iloc[2]) == ["1", "0.002", "–", "0.911", "297", "472.1", "0.028"]
    assert list(table.shown.iloc[3])[1:] == ["–", "–", "0.916", "376", "–", "0.026"]
    assert "as published (8,018 test items)" in table.sections[2]
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


def test_information_is_a_row_a_measure(make, tmp_path):
    table = check_table(draw(information_table, make(trimming_information), {}), tmp_path)
    assert len(table.shown) == 15
    assert list(table.shown["Measured on one half"][:2]) == ["α̂", "KS distance"]
    assert "nothing is left to correlate: RF." in table.footnote


@pytest.mark.parametrize(
    "kind",
    [trimming_table, representatives_table, ensembles_table, information_table],
    ids=lambda k: k.__name__.rpartition(".")[2],
)
def test_empty_tables(make, kind):
    for rows in (pd.DataFrame(), make(trimming).statistics.assign(reason="few")):
        data = ExhibitData(rows, make(trimming).metrics, make(trimming).info, "k", "T")
        assert "at this scale" in draw(kind, data, {}).shown.iloc[0, 0]


@pytest.mark.parametrize(
    "kind",
    [trimming_figure, pairs_plot_figure, trimming_pairs_figure, ensembles_figure, gap_figure],
    ids=lambda k: k.__name__.rpartition(".")[2],
)
def test_empty_figures(make, kind):
    data = ExhibitData(None, make(trimming).metrics, make(trimming).info, "k", "T")
    assert draw(kind, data, {})[1].frame.columns[0] == "nothing_to_show"


def test_undefined_correlation_is_not_reported_as_equal():
    rows = pd.DataFrame([
        {"experiment": "model_seeds", "varied": "model", "dataset": "magic", "arm": "rf",
         "model": "rf", "n": 12, "failed": 0, "measure": "alpha_hat", "given": "accuracy, churn",
         "r": 0.4, "partial": np.nan, "partial_low": np.nan, "partial_high": np.nan,
         "share_zero": 0.0, "level": 0.95, "n_halves": 5, "reason": ""}
    ])  # fmt: skip
    data = ExhibitData(rows, frame([trial(0.9)]), about(("magic",), ("rf",)))
    table = draw(information_table, data, {})
    assert "so nothing is left to correlate: RF." in table.footnote


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
