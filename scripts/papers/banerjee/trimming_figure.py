"""α̂ of every run against other measurements, by arm [Banerjee et al., Figures 9, 11, 14]."""

from __future__ import annotations

from typing import Annotated

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from pydantic import Field
from reseed.plugins.options import Arms
from reseed.rendering import style
from reseed.rendering.data import ExhibitData, require_rows
from reseed.rendering.figures import FigureInfo
from reseed.rendering.numbers import from_to, part_of, several
from reseed.rendering.panels import colours, entitle, line, panel_grid, undrawn

from papers.banerjee.trimming_text import (
    MEASURES,
    NOTHING,
    Measure,
    admitted,
    cells,
    in_text,
    low_alpha,
    measured,
    note,
)

DRAWS = ("papers.banerjee.trimming:analyse",)


class Options(Arms):
    """x: measurements on the horizontal axis, a panel for each.
    y: measurement on the vertical axis.
    """

    x: Annotated[list[Measure], Field(min_length=1)] = Field(["accuracy"])
    y: Measure = "alpha_hat"


@style.styled
def figure(data: ExhibitData, options: Options) -> tuple[Figure, FigureInfo]:
    """A panel for each arm and measurement, a dot for each run."""
    rows = require_rows(measured(data, options), NOTHING)
    across, y = options.x, options.y
    arms = cells(data, rows)
    columns = min(3, len(across)) if len(across) > 1 else min(3, len(arms))
    canvas, axes = panel_grid([2.1] * (len(arms) * len(across)), columns, legend=0.6)
    palette = colours([title for title, _ in arms])
    panels = [(title, part, x) for title, part in arms for x in across]
    threshold = rows["threshold"].iloc[0]
    # A measurement has one scale in all panels, so that arms can be compared.
    ends = {name: _ends(rows[name]) for name in (*across, y)}
    if y.startswith("alpha"):
        ends[y] = 0, 1.08 * max(rows[y].max(), 1.5 * threshold)
    for axis, (title, part, x) in zip(axes, panels, strict=False):
        low = part["admitted"].astype(bool)
        for chosen, face in ((part[low], palette[title]), (part[~low], "none")):
            if chosen.empty:  # an unclipped line without points would extend the layout
                continue
            axis.plot(chosen[x], chosen[y], "o", ms=3.6, mew=0.8, mec=palette[title], mfc=face,
                      alpha=0.8, clip_on=False)  # fmt: skip
        if y.startswith("alpha"):
            axis.axhline(threshold, color=style.GREY, lw=0.9, ls="--")
        axis.set_xlim(ends[x])
        axis.set_ylim(ends[y])
        entitle(axis, title if x == across[0] else "", over=len(across))
        axis.set_xlabel(MEASURES[x])
        axis.set_ylabel(MEASURES[y])
        axis.xaxis.set_major_locator(MaxNLocator(4))
        axis.yaxis.set_major_locator(MaxNLocator(5))
    handles = [line(style.GREY, f"α̂ = {threshold:g} (filled: at or below)", "--", 0.9)]
    canvas.legend(handles=handles, loc="outside lower center")
    found = _findings(arms)
    return canvas, FigureInfo(
        rows,
        note(data, rows, undrawn([panel[0] for panel in panels], axes)),
        findings=found,
        headline=low_alpha(admitted(arms)),
        alt=(f"A dot a run: {in_text(y)} against {several(map(in_text, across))}, filled"
                      " where α̂ is at or below the dashed threshold."),
    )  # fmt: skip


def _ends(values: pd.Series) -> tuple[float, float]:
    """Limits of an axis for `values` with a margin."""
    room = 0.06 * (values.max() - values.min()) or 0.01
    return values.min() - room, values.max() + room


def _findings(arms: list) -> list[str]:
    """Number of runs with a low α̂, and for each arm whether accuracy separates them."""
    threshold = arms[0][1]["threshold"].iloc[0]
    counts = [f"{low} of {judged} runs of {title}" for title, low, judged in admitted(arms)]
    found = [f"Like the others of their training (α̂ at most {threshold:g}): {several(counts)}."]
    for title, part in arms:
        low = part[part["admitted"].astype(bool)]
        if len(low) in (0, len(part)):
            continue
        odd = part.drop(low.index)
        inside = int(odd["accuracy"].between(low["accuracy"].min(), low["accuracy"].max()).sum())
        found.append(
            f"{title}: runs with a low α̂ have accuracies of"
            f" {from_to(low['accuracy'], '{:.4f}'.format)} (all runs:"
            f" {from_to(part['accuracy'], '{:.4f}'.format)}), and so"
            f" {'has' if inside < 2 else 'have'} {part_of(inside, len(odd), 'other')}"
            + (", so accuracy alone does not tell them." if inside else ".")
        )
    return found
