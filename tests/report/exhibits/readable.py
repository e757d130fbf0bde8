"""What every figure and table must be: readable at print size, the same twice, without NaN."""

import os

import numpy as np
from reseed.report.rendering.figures import write_figure
from reseed.report.rendering.latex import latex
from reseed.report.rendering.table_files import write_table
from run_kinds import draw
from test_figures import check_texts
from tex import HAS_TEX, complaints

#: Set to look at the figures that the tests draw (in pytest's `--basetemp`).
KEEP = bool(os.environ.get("KEEP_FIGURES"))


def check_figure(kind, data, options, folder):
    """Draw twice; return what was drawn. Text is legible, inside the page and apart."""
    figure, drawn = draw(kind, data, options)
    check_texts(figure)
    # Both drawn once, as they are written: a layout drawn again moves by parts of a pixel.
    again = draw(kind, data, options)[0]
    again.canvas.draw()
    assert (np.asarray(figure.canvas.buffer_rgba()) == np.asarray(again.canvas.buffer_rgba())).all()
    drawn.frame.to_csv(folder / "figure.csv")
    if KEEP:
        write_figure(again, drawn, data, folder / "figure")
    assert " nan" not in drawn.footnote
    return figure, drawn


def check_table(table, folder):
    """Write it in every form; no cell reads NaN; its LaTeX has every character and fits."""
    write_table(table, folder / "t")
    text = latex(table)
    assert "[U+" not in text
    if HAS_TEX:
        assert not complaints([("t", text)], folder)
    assert not (table.shown.astype(str) == "nan").any(axis=None)
    assert " nan" not in table.footnote
    assert len(table.footnote) > 20
    return table
