"""The figure of training curves."""

from dataclasses import replace

import pandas as pd
from curve_study import make, read
from readable import check_figure
from reseed.analyses import curves
from reseed.report.exhibits import curves_figure
from run_kinds import draw

__all__ = ["make", "read"]


def test_the_figure_of_curves(make, tmp_path):
    figure, drawn = check_figure(curves_figure, make(curves), {}, tmp_path)
    assert "runs still training" in drawn.footnote
    assert figure.axes[0].get_ylabel() == "Validation accuracy"
    assert "Runs per arm: 25" in drawn.footnote
    late = draw(curves_figure, make(curves), {"from_epoch": 2})[1]
    assert late.frame["epoch"].min() == 2


def test_curves_of_two_epochs_are_not_drawn(make):
    data = make(curves)
    short = data.statistics[data.statistics["epoch"] <= 2]
    assert (
        "fewer than 3 epochs: RF (2)"
        in draw(curves_figure, replace(data, statistics=short), {})[1].empty
    )


def test_early_epochs_do_not_flatten_the_late_spread(make):
    """The claim is the spread at the end: it takes up a good part of the axis."""
    data = make(curves)
    arm = data.statistics["arm"] == data.statistics["arm"].iloc[0]
    rows = data.statistics[arm].head(1)
    rise = pd.concat([
        rows.assign(epoch=e, mean=0.95 - 0.6 / 2**e, min=0.94 - 0.6 / 2**e, max=0.955 - 0.6 / 2**e,
                    sd=0.004)
        for e in range(1, 13)
    ])  # fmt: skip
    figure, drawn = draw(curves_figure, replace(data, statistics=rise), {})
    low, high = figure.axes[0].get_ylim()
    end = rise.iloc[-1]
    assert (end["max"] - end["min"]) / (high - low) > 0.25
    assert "earlier values may lie outside" in drawn.footnote
    flat = replace(data, statistics=rise[rise["epoch"] > 6])
    assert "outside" not in draw(curves_figure, flat, {})[1].footnote


def test_a_band_of_one_sd_ends_at_the_extremes(make):
    data = make(curves)
    wide = data.statistics.assign(sd=10.0)
    figure, _ = draw(curves_figure, replace(data, statistics=wide), {})
    for axis in figure.axes:
        extremes, band = (area.get_paths()[0].get_extents() for area in axis.collections)
        assert (band.ymin, band.ymax) == (extremes.ymin, extremes.ymax)


def test_panels_without_room_on_a_page_are_named(make):
    data = make(curves)
    rows = data.statistics[data.statistics["arm"] == data.statistics["arm"].iloc[0]]
    many = pd.concat([rows.assign(arm=f"rf{i}", model=f"rf{i}") for i in range(10)])
    footnote = draw(curves_figure, replace(data, statistics=many), {})[1].footnote
    assert "Not drawn for want of room, but in the CSV: rf" in footnote
