"""Texts of figures have a contrast of at least 4.5 on white; PDF files embed small fonts."""

import pandas as pd
import pytest
from fontTools import subset
from matplotlib.colors import rgb_to_hsv, to_hex, to_rgb
from matplotlib.text import Text
from reseed.core.study_info import StudyInfo
from reseed.report.rendering import style
from reseed.report.rendering.contrast import LEAST, contrast, darken_texts, readable
from reseed.report.rendering.data import ExhibitData
from reseed.report.rendering.figures import FigureInfo, _write_pdf, write_figure
from reseed.report.rendering.panels import COLOURS


def test_contrast_of_known_pairs():
    """WebAIM's contrast checker: #777777 on white 4.48, #767676 4.54."""
    assert contrast("black") == pytest.approx(21)
    assert contrast("#777777") == pytest.approx(4.48, abs=0.005)
    assert contrast("#767676") == pytest.approx(4.54, abs=0.005)


@pytest.mark.parametrize("colour", COLOURS)
def test_readable_colours_keep_their_hue(colour):
    dark = readable(colour)
    assert contrast(dark) >= LEAST
    hue, _, _ = rgb_to_hsv(to_rgb(colour))
    assert rgb_to_hsv(to_rgb(dark))[0] == pytest.approx(hue, abs=0.02)
    assert readable(dark) == dark


def test_written_figures_hold_no_pale_text(tmp_path):
    figure = style.new_figure(2)
    axes = figure.subplots()
    for number, colour in enumerate(COLOURS):
        axes.text(0.1, 0.1 * number, "label", color=colour)
    axes.plot([0, 1], [0, 1], color=style.ORANGE)
    data = ExhibitData(None, pd.DataFrame(), StudyInfo(scale="demo"), title="A figure")
    write_figure(figure, FigureInfo(pd.DataFrame(), "", alt="x"), data, tmp_path / "a", ("png",))
    colours = {to_hex(text.get_color()) for text in figure.findobj(Text)}
    assert len(colours) >= len(COLOURS)
    assert min(map(contrast, colours)) >= LEAST
    assert to_hex(axes.lines[0].get_color()) == style.ORANGE.lower()


def test_white_texts_on_heat_maps_stay_white():
    figure = style.new_figure(2)
    text = figure.text(0.5, 0.5, "0.1", color="white")
    darken_texts(figure)
    assert to_hex(text.get_color()) == "#ffffff"


def test_embedded_fonts_hold_no_layout_tables(tmp_path):
    _write_pdf(style.new_figure(2), tmp_path / "empty.pdf")
    assert {"GSUB", "GPOS", "GDEF"} <= set(subset.Options().drop_tables)
