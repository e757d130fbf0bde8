"""Figures: what is drawn equals the numbers, text is readable, bytes are reproducible."""

from pathlib import Path

import numpy as np
import pytest
import yaml
from matplotlib.text import Text
from reseed.report.rendering.figures import write_figure
from run_kinds import draw, is_table
from study_frames import amended

CONFIGURED = yaml.safe_load(Path("config/studies/inherent_randomness.yaml").read_text())["exhibits"]
FIGURES = [name for name, entry in CONFIGURED.items() if not is_table(entry["kind"])]


def make(exhibit, name, **changes):
    data, options = exhibit(name, **changes)
    figure, drawn = draw(data.kind, data, options)
    return figure, drawn, data


def texts_of(figure):
    """(text, window extent) of what is visible; ticks outside the view are not."""
    figure.canvas.draw()
    unseen = set()
    for panel in figure.axes:
        if not panel.get_visible():
            unseen |= set(panel.findobj(Text))
        for number, axis in enumerate((panel.xaxis, panel.yaxis)):
            low, high = sorted(axis.get_view_interval())
            slack = 1e-9 * (high - low)
            unseen |= {
                label
                for label in (*axis.get_ticklabels(), *axis.get_ticklabels(minor=True))
                if not low - slack <= label.get_position()[number] <= high + slack
            }
    shown = [
        t
        for t in figure.findobj(Text)
        if t.get_visible() and t.get_text().strip() and t not in unseen
    ]  # fmt: skip
    return [(t, t.get_window_extent()) for t in shown]


def check_texts(figure):
    """Texts are legible, inside the figure and apart."""
    found = texts_of(figure)
    assert min(text.get_fontsize() for text, _ in found) >= 7
    width, height = figure.bbox.width, figure.bbox.height
    for i, (text, box) in enumerate(found):
        inside = box.x0 >= -1 and box.x1 <= width + 1 and box.y0 >= -1 and box.y1 <= height + 1
        assert inside, f"{text.get_text()!r} leaves the figure"
        for other, its_box in found[i + 1 :]:
            overlap = box.shrunk(0.9, 0.6).overlaps(its_box.shrunk(0.9, 0.6))
            assert not overlap, f"{text.get_text()!r} overlaps {other.get_text()!r}"


@pytest.mark.parametrize("name", FIGURES)
def test_each_figure_is_readable(request, name):
    figure, drawn = request.getfixturevalue("drawn")[name]
    assert len(drawn.frame)
    assert "Scale: demo." in drawn.footnote
    assert figure.get_figwidth() <= 7.3
    check_texts(figure)


@pytest.mark.parametrize("name", FIGURES)
def test_each_figure_is_byte_reproducible(exhibit, written, tmp_path, name):
    write_figure(*make(exhibit, name), tmp_path / name)
    first, again = (
        [(folder / f"{name}.{s}").read_bytes() for s in ("pdf", "png", "csv", "json")]
        for folder in (written / "figures", tmp_path)
    )
    assert first == again
    assert first[0].startswith(b"%PDF")
    assert first[1].startswith(b"\x89PNG")


@pytest.mark.parametrize("name", FIGURES)
def test_nothing_run_is_said_plainly(exhibit, statistics, tmp_path, name):
    analysis = CONFIGURED[name].get("analysis")
    nothing = None if analysis is None else statistics[analysis].iloc[:0]
    figure, drawn, data = make(
        exhibit, name, metrics=statistics["metrics"].iloc[:0], statistics=nothing
    )
    said = " ".join(text.get_text() for text, _ in texts_of(figure))
    assert "at this scale" in said or "No two models" in said
    write_figure(figure, drawn, data, tmp_path / name)


def test_dots_are_as_high_as_the_ranges(exhibit, statistics):
    figure, _, _ = make(exhibit, "figure3")
    dots = sorted(
        line.get_ydata()[0] for axis in figure.axes for line in axis.lines
        if line.get_marker() == "o"
    )  # fmt: skip
    metrics = statistics["metrics"]
    part = metrics[metrics["experiment"].isin(["model_seeds", "data_seeds"])]
    score = part["mse"].fillna(part["auc"])
    ranges = score.groupby([part["experiment"], part["dataset"], part["model"]]).agg(
        lambda s: s.max() - s.min()
    )
    np.testing.assert_allclose(dots, sorted(ranges))


def test_published_ranges_are_drawn_where_the_paper_prints_them(exhibit):
    _, drawn, _ = make(exhibit, "figure3")
    chosen = drawn.frame.query("dataset == 'magic' and model == 'xgb' and varied == 'data'")
    assert chosen["published_range"].tolist() == [0.0144]  # Table 3


def test_published_range_is_shown_next_to_equal_seed_count(exhibit):
    """Tippett: 50 standard normal values have a range of 4.498 on average, 3.25 to 6.15 mostly."""
    _, drawn, _ = make(exhibit, "figure3")
    frame = drawn.frame
    known = frame["published_range"].notna()
    assert known.any()
    assert frame["expected_low"].notna().equals(known)
    inside = frame[known]
    assert (inside["expected_low"] < 4.498 * inside["sd"]).all()
    assert (inside["expected_high"] > 6.15 * inside["sd"]).all()  # the SD is estimated, too


def test_no_range_is_shown_for_unavailable_data(exhibit, statistics):
    info = statistics["info"]
    stand_ins = {name: {"stand_in": "a bank's"} for name in info.datasets}
    _, drawn, _ = make(exhibit, "figure3", info=amended(info, datasets=stand_ins))
    assert drawn.frame["published_range"].isna().all()
    assert drawn.frame["expected_low"].isna().all()


def test_heat_maps_hold_each_pair_once_with_model_seeds_as_rows(exhibit, statistics):
    figure, drawn, _ = make(exhibit, "figure4")
    metrics = statistics["metrics"].query("experiment == 'grid' and dataset == 'bike_sharing'")
    image = figure.axes[0].images[0].get_array()
    first = metrics[metrics["model"] == "ffnn"]
    expected = first.pivot(index="init", columns="data_seed", values="mse").to_numpy()
    np.testing.assert_allclose(np.asarray(image), expected - np.median(expected))
    assert len(drawn.frame) == len(metrics)
    limits = {axis.images[0].get_clim() for axis in figure.axes if axis.images}
    medians = metrics.groupby("model")["mse"].transform("median")
    most = (metrics["mse"] - medians).abs().max()
    assert limits == {(-most, most)}


def test_heat_maps_print_one_number_format(exhibit):
    figure, _, _ = make(exhibit, "figure4")
    printed = [text.get_text() for axis in figure.axes for text in axis.texts]
    assert len({len(text.split(".")[1]) for text in printed}) == 1


def test_a_grid_without_any_movement_is_left_out(exhibit, statistics):
    metrics = statistics["metrics"].copy()
    flat = (metrics["experiment"] == "grid") & (metrics["model"] == "rf")
    metrics.loc[flat, "mse"] = 0.5
    figure, _, _ = make(exhibit, "figure4", metrics=metrics)
    assert not any("RF" in axis.get_title(loc="left") for axis in figure.axes)


def test_a_failed_pair_is_crossed_out(exhibit, statistics):
    metrics = statistics["metrics"].copy()
    lost = metrics.index[(metrics["experiment"] == "grid") & (metrics["model"] == "rf")][1]
    metrics.loc[lost, ["status", "mse"]] = ["failed", np.nan]
    figure, drawn, _ = make(exhibit, "figure4", metrics=metrics)
    crosses = [line for axis in figure.axes for line in axis.lines if len(line.get_xdata())]
    assert len(crosses) == 1
    assert "failed trials" in drawn.footnote
    assert "Failed trials (left out): 1 of 48." in drawn.footnote


def test_strips_show_every_score_that_there_is(exhibit, statistics):
    figure, drawn, _ = make(exhibit, "scores")
    metrics = statistics["metrics"]
    part = metrics[metrics["experiment"].isin(["model_seeds", "data_seeds"])]
    assert len(drawn.frame) == (part["status"] == "ok").sum()
    dots = sum(
        len(line.get_xdata()) for a in figure.axes for line in a.lines if line.get_marker() == "o"
    )
    assert dots == len(drawn.frame)
