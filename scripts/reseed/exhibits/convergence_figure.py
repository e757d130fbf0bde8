"""Each run's convergence time against its final score."""

from __future__ import annotations

import math

from matplotlib.figure import Figure

from reseed.exhibits import style
from reseed.exhibits.arms import cells, chosen
from reseed.exhibits.curves_figure import NOTHING, measure_title
from reseed.exhibits.data import ExhibitData, footnote
from reseed.exhibits.figures import Drawn, empty_figure
from reseed.exhibits.panels import colours, entitle, panel_grid
from reseed.options import Arms

DRAWS = ("convergence",)


class Options(Arms):
    """Which experiments and arms are shown."""


@style.styled
def figure(data: ExhibitData, options: dict) -> tuple[Figure, Drawn]:
    """A panel an arm, a dot a run; `experiments`, `arms`."""
    rows = chosen(data, options)
    if rows.empty:
        return empty_figure(data, NOTHING)
    panels = cells(data, rows)
    palette = colours([title for title, _ in panels])
    canvas, axes = panel_grid([2.1] * len(panels), legend=0.2)
    for axis, (title, part) in zip(axes, panels, strict=False):
        size = 3.6 if len(part) < 500 else 1.8
        axis.plot(part["converged"], part["final"], "o", ms=size, mew=0, alpha=0.6,
                  color=palette[title], rasterized=True)  # fmt: skip
        entitle(axis, title)
        axis.set_xlabel("Epoch of convergence")
        axis.set_ylabel(f"{measure_title(part['measure'].iloc[0])} at the end")
        axis.locator_params(axis="x", integer=True, nbins=6)
        axis.margins(x=0.06)
    text = (
        "Convergence: the epoch from which on a run stays within"
        f" {rows['tolerance'].min():.2g} of its own last value."
    )
    return canvas, Drawn(rows, footnote(data, rows, text, per="arm"), findings=_findings(panels))


def _findings(panels: list) -> list[str]:
    found = []
    for title, part in panels:
        row = part.iloc[0]
        if not math.isfinite(row["rho"]):
            continue
        shown = row["rho_low"] > 0 or row["rho_high"] < 0
        word = "later" if row["rho"] > 0 else "earlier"
        told = f"runs that converge {word} end better" if shown else "no relation is shown"
        found.append(
            f"{title}: {told} (rank correlation of convergence time with the final score"
            f" {row['rho']:.2f}, {100 * row['level']:g} % interval {row['rho_low']:.2f} to"
            f" {row['rho_high']:.2f})."
        )
    return found
