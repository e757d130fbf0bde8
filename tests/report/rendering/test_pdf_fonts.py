"""Fonts in PDFs hold glyphs and no layout tables."""

from fontTools import subset
from reseed.report.rendering import figures


def test_embedded_fonts_hold_no_layout_tables():
    assert "pdf" in figures.FORMATS
    assert {"GSUB", "GPOS", "GDEF"} <= set(subset.Options().drop_tables)
