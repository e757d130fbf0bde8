"""Values of points for pages: each is where Matplotlib draws it, and keeps its number."""

import json

import numpy as np
import pytest
from reseed.report.rendering.hover import panels_of
from reseed.report.rendering.style import new_figure


def place(panel, x, y):
    """Share of the figure from its top left corner, as the script of a page computes it."""
    left, top, right, bottom = panel["box"]

    def share(value, low, high, is_log):
        if is_log:
            low, high, value = np.log([low, high, value])
        return (value - low) / (high - low)

    return left + (right - left) * share(x, *panel["x"]), bottom - (bottom - top) * share(
        y, *panel["y"]
    )


def drawn(draw):
    figure = new_figure(3)
    axes = figure.subplots()
    draw(axes)
    figure.canvas.draw()
    return figure, axes, panels_of(figure)


def test_points_are_where_they_are_drawn():
    points = np.array([[1.0, 0.2], [10.0, 0.4], [1000.0, 0.35]])

    def draw(axes):
        axes.set_xscale("log")
        axes.invert_yaxis()
        axes.plot(*points.T, "o", label="Runs")

    figure, axes, [panel] = drawn(draw)
    [(label, values)] = panel["series"]
    assert label == "Runs"
    assert values == pytest.approx(points.ravel())
    for point in points:
        x, y = figure.transFigure.inverted().transform(axes.transData.transform(point))
        assert place(panel, *point) == pytest.approx((x, 1 - y), abs=1e-3)
    json.dumps(panel)


def test_scatter_plots_short_lines_and_names_of_rows_are_read():
    def draw(axes):
        axes.scatter([0.5, 0.7], [0, 1], color="#0072B2")
        axes.plot(range(5), [0.1] * 5, color="#D55E00")
        axes.plot(np.linspace(0, 1, 200), np.linspace(0, 1, 200))
        axes.axhline(0.5)
        axes.set_yticks([0, 1], ["RF", "XGB"])
        axes.set_xlabel("Difference\nof AUC")

    _, _, [panel] = drawn(draw)
    assert [len(values) for _, values in panel["series"]] == [10, 120, 4]
    assert panel["names"] == [[], [(0, "RF"), (1, "XGB")]]
    assert panel["labels"] == ["Difference of AUC", ""]


def test_labels_come_from_the_legend_of_a_colour():
    def draw(axes):
        axes.plot([1, 2], [1, 2], "o", color="#0072B2")
        axes.plot([1], [1], "o", color="#D55E00", label="One")
        handle = axes.plot([], [], "o", color="#0072B2", label="Difference shown")
        axes.get_figure().legend(handles=handle)

    _, _, [panel] = drawn(draw)
    assert [label for label, _ in panel["series"]] == ["Difference shown", "One"]


def test_points_outside_are_left_out():
    def few(axes):
        axes.plot([1, 2, 30], [1, 2, np.nan], "o", label="x")
        axes.set_xlim(0, 3)

    _, _, [panel] = drawn(few)
    assert panel["series"] == [("x", [1, 1, 2, 2])]
    assert drawn(lambda axes: axes.axhline(1))[2] == []


def test_of_very_many_points_an_even_part_is_kept():
    [panel] = drawn(lambda axes: axes.plot(range(7000), range(7000), "o"))[2]
    [(_, values)] = panel["series"]
    assert values[::2] == values[1::2] == list(range(0, 7000, 3))
    [panel] = drawn(lambda axes: axes.plot(range(600), range(600), "o"))[2]
    assert len(panel["series"][0][1]) == 1200


def test_cells_of_a_heat_map_have_value_row_and_column():
    def draw(axes):
        axes.imshow([[0.1, 0.2, np.nan], [0.4, 0.5, 0.6]], aspect="auto")
        axes.set_yticks([0, 1], ["RF", "XGB"])
        axes.set_xticks([1, 2], ["3", "4"])
        axes.set_xlabel("Data seed")
        axes.set_ylabel("Model")

    figure, axes, [panel] = drawn(draw)
    areas = {text: box for text, *box in panel["areas"]}
    assert len(areas) == 5
    assert "0.6\nModel: XGB\nData seed: 4" in areas
    x0, x1, y0, y1 = areas["0.4\nModel: XGB\nData seed: 0"]
    assert (x0, x1, y0, y1) == (-0.5, 0.5, 0.5, 1.5)
    corner = figure.transFigure.inverted().transform(axes.transData.transform((x0, y1)))
    assert place(panel, x0, y1) == pytest.approx((corner[0], 1 - corner[1]), abs=1e-3)


def test_bars_and_steps_are_areas():
    def draw(axes):
        axes.stairs([3, 0, 5], [0.0, 0.1, 0.2, 0.3], fill=True)
        axes.bar([2], [7], width=1, bottom=1)
        axes.axvspan(0, 1)
        axes.set_xlabel("Accuracy")
        axes.set_ylabel("Seeds")

    _, _, [panel] = drawn(draw)
    assert [tuple(area) for area in panel["areas"]] == [
        ("Seeds: 3\nAccuracy: 0 to 0.1", 0, 0.1, 0, 3),
        ("Seeds: 5\nAccuracy: 0.2 to 0.3", 0.2, 0.3, 0, 5),
        ("Seeds: 1 to 8\nAccuracy: 1.5 to 2.5", 1.5, 2.5, 1, 8),
    ]


def series(draw):
    [panel] = drawn(draw)[2]
    return [values for _, values in panel["series"]]


def test_ends_of_intervals_are_points():
    [ends] = series(lambda axes: axes.hlines([0, 1], [0.1, 0.3], [0.2, 0.4]))
    assert ends == [0.1, 0, 0.2, 0, 0.3, 1, 0.4, 1]
    [ends] = series(lambda axes: axes.vlines([2], [0.5], [0.7]))
    assert ends == [2, 0.5, 2, 0.7]


def test_medians_and_whiskers_of_boxes_are_points():
    values = [1, 2, 3, 4, 9.5]
    [panel] = drawn(lambda axes: axes.boxplot([values], whis=(0, 100)))[2]
    shown = {y for _, points in panel["series"] for y in points[1::2]}
    assert {1, 2, 3, 4, 9.5} <= shown


def test_long_curves_are_thinned_and_keep_their_ends():
    x = np.linspace(0, 1, 500)
    [curve] = series(lambda axes: axes.plot(x, x**2))
    assert len(curve) == 120
    assert curve[:2] == [0, 0]
    assert curve[-2:] == [1, 1]
    assert curve[1::2] == pytest.approx(np.square(curve[::2]), abs=2e-3)


def test_edges_of_a_band_are_points():
    x = [0.0, 1.0, 2.0]
    [edges] = series(lambda axes: axes.fill_between(x, [1, 2, 3], [4, 5, 6]))
    points = set(zip(edges[::2], edges[1::2], strict=True))
    assert {(0, 1), (1, 2), (2, 3), (0, 4), (1, 5), (2, 6)} <= points
