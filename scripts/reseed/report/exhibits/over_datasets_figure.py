"""Differences of each pair by dataset: observed, and shrunk towards the other datasets."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from reseed.plugins.options import Experiments as Options
from reseed.report.exhibits.over_datasets_table import NOTHING, claims, known, note
from reseed.report.rendering import style
from reseed.report.rendering.data import ExhibitData, require_rows
from reseed.report.rendering.figures import FigureInfo
from reseed.report.rendering.panels import forest, line, name_omitted, panel_grid, set_title
from reseed.report.rendering.settings import LONG_LABEL, cross_dataset_parts, joined, pair_title

DRAWS = ("over_datasets",)


@style.styled
def figure(data: ExhibitData, options: Options) -> tuple[Figure, FigureInfo]:
    """A panel for each pair, a line for each dataset, the mean over them below."""
    rows = require_rows(known(data, options), NOTHING)
    pairs = [
        (joined(title, pair_title(data, part.iloc[0])), part)
        for title, board in cross_dataset_parts(data, rows)
        for _, part in board.groupby(["model_a", "model_b"], sort=False)
    ]
    most = max(len(part) for _, part in pairs)
    longest = max(len(data.dataset(d)) for d in rows["dataset"] if d)
    columns = 1 if longest > LONG_LABEL else 2
    canvas, axes = panel_grid([0.22 * most + 0.8] * len(pairs), columns, legend=0.6)
    for axis, (title, part) in zip(axes, pairs, strict=False):
        factor, total = part["factor"].iloc[0], part[part["statistic"] == "pair"].iloc[0]
        ordered = part.sort_values("statistic", kind="stable")  # datasets, then the pair
        labels = [data.dataset(d) if d else "Mean of datasets" for d in ordered["dataset"]]
        values, low, high = (ordered[c].to_numpy() * factor for c in ("effect", "low", "high"))
        forest(axis, labels, values, low, high)
        axis.plot(ordered["observed"] * factor, np.arange(len(ordered)), "o", ms=4, mew=0.9,
                  mfc="none", mec=style.GREY)  # fmt: skip
        axis.axvline(0, color=style.BLACK, lw=0.8)
        if total["rope"] > 0:
            half = total["rope"] * factor
            axis.axvspan(-half, half, color=style.LIGHT, alpha=0.6, lw=0, zorder=0)
        set_title(axis, title, 50 if columns == 1 or len(pairs) == 1 else 18)
        unit = total["unit"]
        axis.set_xlabel(f"Difference, {unit}" if unit else "Difference")
        axis.locator_params(axis="x", nbins=5)
    handles = [
        line(style.BLUE, "Estimate and interval"),
        Line2D([], [], ls="", marker="o", ms=4, mfc="none", mec=style.GREY, label="Observed"),
    ] + [line(style.LIGHT, "Equivalent", width=6)] * bool((rows["rope"] > 0).any())
    canvas.legend(handles=handles, loc="outside lower center", ncols=len(handles))
    text = "Each dataset's estimate leans on the others, the more the noisier its own runs are."
    total = rows[rows["statistic"] == "pair"]
    return canvas, FigureInfo(
        rows,
        note(
            data, total, text, name_omitted([title for title, _ in pairs], axes),
            datasets=filter(None, rows["dataset"]),
        ),
        claims=claims(data, total),
        drawn=frozenset({"mean"}),
        alt=("A panel a pair of models: the difference on each dataset with its interval,"
                      " the observed one as a ring, and the mean over datasets below."),
    )  # fmt: skip
