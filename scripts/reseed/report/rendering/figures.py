"""Write figures as PDF and PNG, their data as CSV, and a JSON sidecar for the report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import matplotlib
import numpy as np
import pandas as pd
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image
from reseed.core.atomic import replace_atomically
from reseed.core.checked_io import write_json
from reseed.core.csv_files import write_csv
from reseed.report.rendering.contrast import darken_texts
from reseed.report.rendering.data import ExhibitData
from reseed.report.rendering.style import GREY, STYLE, new_figure, styled

# Without dates and versions, equal numbers give equal bytes.
_PDF_METADATA = {"CreationDate": None, "Producer": None, "Creator": None}
_DPI = 200
_LAYOUT_TABLES = ("GSUB", "GPOS", "GDEF")
_DROPPED = "_drop_tables_default"  # without effect if a later fontTools has another name
#: Formats of a figure, besides the JSON sidecar.
FORMATS = ("pdf", "png", "csv")


@dataclass(frozen=True)
class FigureInfo:
    """The data that a figure shows, its footnote and its texts.

    `definitions` and `empty` are as in `tables.Table`. `alt` describes the picture, not what it
    shows.
    """

    frame: pd.DataFrame
    footnote: str
    caption: str = ""
    definitions: Sequence[str] = ()
    alt: str = ""
    empty: str = ""


@styled
def empty_figure(data: ExhibitData, reason: str) -> tuple[Figure, FigureInfo]:
    """A figure that holds the reason why there is nothing to draw."""
    figure = new_figure(1.2)
    figure.text(0.5, 0.5, reason, ha="center", va="center", color=GREY, wrap=True)
    frame = pd.DataFrame({"nothing_to_show": [reason]})
    return figure, FigureInfo(frame, data.scale, empty=reason, alt=reason)


def write_figure(
    figure: Figure,
    info: FigureInfo,
    data: ExhibitData,
    stem: str | Path,
    formats: tuple[str, ...] = FORMATS,
) -> None:
    """Write the sidecar `stem`.json, and the figure in these formats."""
    stem = Path(stem)
    files = {suffix: stem.with_name(f"{stem.name}.{suffix}") for suffix in formats}
    darken_texts(figure)
    with matplotlib.rc_context(STYLE):
        for form in (suffix for suffix in formats if suffix != "csv"):
            with replace_atomically(files[form]) as temporary:
                write = _write_png if form == "png" else _write_pdf
                figure.set_dpi(_DPI)
                write(figure, temporary)
                # One layout for both formats takes half the time and gives the same picture.
                figure.set_layout_engine("none")
    if "csv" in files:
        write_csv(info.frame, files["csv"])
    caption = " ".join(part for part in (data.caption, info.caption) if part)
    write_json(
        stem.with_name(f"{stem.name}.json"),
        {
            "kind": data.kind,
            "form": "figure",
            "title": data.title,
            "caption": caption,
            "footnote": info.footnote,
            "definitions": list(info.definitions),
            "alt": info.alt or data.title,
            "empty": info.empty,
            "inches": [round(float(side), 2) for side in figure.get_size_inches()],
            "files": [path.name for path in files.values()],
        },
    )


def _write_pdf(figure: Figure, path: str | Path) -> None:
    """Write a PDF. Fonts lose their tables of layout, which no reader uses: half of the time."""
    from matplotlib.backends import _backend_pdf_ps, backend_pdf  # slow to import

    options = _backend_pdf_ps.subset.Options
    dropped = [*getattr(options, _DROPPED, ()), *_LAYOUT_TABLES]
    setattr(options, _DROPPED, list(dict.fromkeys(dropped)))
    # `savefig` draws a figure with a layout twice.
    backend_pdf.FigureCanvasPdf(figure).print_pdf(path, metadata=_PDF_METADATA)


def _write_png(figure: Figure, path: str | Path) -> None:
    """Write a PNG with a palette of 256 colours, a third of the size."""
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    image = Image.fromarray(np.asarray(canvas.buffer_rgba())[..., :3])
    image.quantize(256, dither=Image.Dither.NONE).save(path, format="PNG")
