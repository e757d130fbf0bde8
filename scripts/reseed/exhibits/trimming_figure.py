"""α̂ of every run against other measurements, by arm [Banerjee et al., Figures 9, 11, 14]."""

from __future__ import annotations

from typing import Annotated

from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from pydantic import Field

from reseed.exhibits import style
from reseed.exhibits.data import ExhibitData
from reseed.exhibits.figures import Drawn, empty_figure
from reseed.exhibits.panels import colours, line, panel_grid
from reseed.exhibits.trimming import MEASURES, NOTHING, Measure, cells, measured, note
from reseed.options import Arms

DRAWS = ("trimming",)


class Options(Arms):
    """x: measurements, a panel each.
    y: what is set against them.
    """

    x: Annotated[list[Measure], Field(min_length=1)] = Field(["accuracy"])
    y: Measure = "alpha_hat"


@style.styled
def figure(data: ExhibitData, options: dict) -> tuple[Figure, Drawn]:
    """A panel each arm and measurement, a dot a run."""
    rows = measured(data, options)
    if rows.empty:
        return empty_figure(data, NOTHING)
    across, y = options.get("x", ["accuracy"]), options.get("y", "alpha_hat")
    arms = cells(data, rows)
    columns = min(3, len(across)) if len(across) > 1 else min(3, len(arms))
    canvas, axes = panel_grid([2.1] * (len(arms) * len(across)), columns, legend=0.6)
    palette = colours([title for title, _ in arms])
    panels = [(title, part, x) for title, part in arms for x in across]
    threshold = rows["threshold"].iloc[0]
    for axis, (title, part, x) in zip(axes, panels, strict=False):
        low = part["admitted"].astype(bool)
        for chosen, face in ((part[low], palette[title]), (part[~low], "none")):
            axis.plot(chosen[x], chosen[y], "o", ms=3.6, mew=0.8, mec=palette[title], mfc=face,
                      alpha=0.8, clip_on=False)  # fmt: skip
        if y.startswith("alpha"):
            axis.axhline(threshold, color=style.GREY, lw=0.9, ls="--")
            axis.set_ylim(0, 1.08 * max(part[y].max(), 1.5 * threshold))
        axis.margins(x=0.06)
        axis.set_title(title)
        axis.set_xlabel(MEASURES[x][0])
        axis.set_ylabel(MEASURES[y][0])
        axis.xaxis.set_major_locator(MaxNLocator(4))
        axis.yaxis.set_major_locator(MaxNLocator(5))
    handles = [line(style.GREY, f"α̂ = {threshold:g} (filled: at or below)", "--", 0.9)]
    canvas.legend(handles=handles, loc="outside lower center")
    return canvas, Drawn(rows, note(data, rows), findings=_findings(arms))


def _findings(arms: list) -> list[str]:
    found = []
    for title, part in arms:
        low = part[part["admitted"].astype(bool)]
        if len(low) in (0, len(part)):
            found.append(
                f"{title}: α̂ is {'above' if len(low) == 0 else 'at or below'} the threshold for"
                f" all {len(part)} runs."
            )
            continue
        odd = part.drop(low.index)
        inside = odd["accuracy"].between(low["accuracy"].min(), low["accuracy"].max()).sum()
        found.append(
            f"{title}: {len(low)} of {len(part)} runs have a low α̂, with accuracies from"
            f" {low['accuracy'].min():.4f} to {low['accuracy'].max():.4f} (all runs:"
            f" {part['accuracy'].min():.4f} to {part['accuracy'].max():.4f}); {inside} of the"
            f" {len(odd)} others have an accuracy within that range, so accuracy alone does not"
            " tell them."
        )
    return found
