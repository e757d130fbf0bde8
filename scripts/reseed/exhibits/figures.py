"""Figures as PDF and PNG with the CSV of what is drawn, and a JSON sidecar for the report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import matplotlib
import pandas as pd
from matplotlib.figure import Figure

from reseed.atomic import replacing, write_json
from reseed.exhibits.data import ExhibitData
from reseed.exhibits.style import GREY, STYLE, new_figure, styled

# No dates and no versions: the same numbers give the same bytes.
_METADATA = {
    "png": {"Software": None},
    "pdf": {"CreationDate": None, "Producer": None, "Creator": None},
}
_DPI = 200


@dataclass(frozen=True)
class Drawn:
    """What a figure shows: its numbers, footnote, plain findings and own words for the caption."""

    frame: pd.DataFrame
    footnote: str
    findings: Sequence[str] = ()
    caption: str = ""


@styled
def empty_figure(data: ExhibitData, reason: str) -> tuple[Figure, Drawn]:
    """A figure that says that there is nothing to draw, and why."""
    figure = new_figure(1.2)
    figure.text(0.5, 0.5, reason, ha="center", va="center", color=GREY, wrap=True)
    return figure, Drawn(pd.DataFrame({"nothing_to_show": [reason]}), _scale(data))


def _scale(data: ExhibitData) -> str:
    return f"Scale: {data.about['scale']}."


def write_figure(figure: Figure, drawn: Drawn, data: ExhibitData, stem: str | Path) -> None:
    """Write `stem`.pdf, .png, .csv and .json."""
    stem = Path(stem)
    files = [stem.with_name(f"{stem.name}.{suffix}") for suffix in ("pdf", "png", "csv")]
    with matplotlib.rc_context(STYLE):
        for path in files[:2]:
            form = path.suffix[1:]
            with replacing(path) as temporary:
                figure.savefig(temporary, format=form, dpi=_DPI, metadata=_METADATA[form])
    with replacing(files[2]) as temporary:
        drawn.frame.to_csv(temporary, index=False, lineterminator="\n")
    caption = " ".join(part for part in (data.caption, drawn.caption) if part)
    write_json(
        stem.with_name(f"{stem.name}.json"),
        {
            "kind": data.kind,
            "form": "figure",
            "title": data.title,
            "caption": caption,
            "footnote": drawn.footnote,
            "findings": list(drawn.findings),
            "files": [path.name for path in files],
        },
    )
