"""The fonts that figures embed in PDF files."""

from fontTools import subset
from matplotlib.figure import Figure
from reseed.report.rendering import figures


def test_embedded_fonts_hold_no_layout_tables(tmp_path):
    figures._write_pdf(Figure(), tmp_path / "empty.pdf")
    assert {"GSUB", "GPOS", "GDEF"} <= set(subset.Options().drop_tables)
