"""Each trained model's alpha-hat against its test accuracy [Banerjee et al., section V-B3]."""

from __future__ import annotations

import math

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from reseed.exhibits import style
from reseed.exhibits.data import ExhibitData
from reseed.exhibits.figures import Drawn, empty_figure
from reseed.exhibits.seed_choice import BY_TEST_SCORE, NOTHING, findings, measured, note


@style.styled
def figure(data: ExhibitData, options: dict) -> tuple[Figure, Drawn]:
    """One dot a trained model, a panel each dataset; shipping candidates carry a ring."""
    rows = measured(data)
    if rows.empty:
        return empty_figure(data, NOTHING)
    datasets, models = (list(dict.fromkeys(rows[name])) for name in ("dataset", "model"))
    columns = min(2, len(datasets))
    lines = math.ceil(len(datasets) / columns)
    canvas = style.new_figure(2.5 * lines + 0.8)
    axes = canvas.subplots(lines, columns, squeeze=False)
    for axis in axes.flat[len(datasets) :]:
        axis.set_visible(False)
    for axis, dataset in zip(axes.flat, datasets, strict=False):
        _panel(axis, rows[rows["dataset"] == dataset], models)
        axis.set_title(data.dataset(dataset))
    threshold = rows["threshold"].iloc[0]
    handles = [_dot(style.colour_of(model, models), data.model(model)) for model in models]
    handles += [
        Line2D([], [], ls="", marker="o", ms=7, mfc="none", mec=style.BLACK, mew=0.9,
               label="Candidate: admitted, and dominated by no sibling"),
        Line2D([], [], color=style.GREY, lw=0.9, ls="--", label=f"Admitted: α̂ ≤ {threshold:g}"),
    ]  # fmt: skip
    canvas.legend(handles=handles[: len(models)], loc="outside upper center", ncols=len(models))
    canvas.legend(handles=handles[len(models) :], loc="outside lower center", ncols=2)
    return canvas, Drawn(rows, note(data, rows, BY_TEST_SCORE), findings=findings(rows))


def _dot(colour: str, label: str) -> Line2D:
    return Line2D([], [], ls="", marker="o", ms=4.5, mew=0, color=colour, label=label)


def _panel(axis: Axes, rows: pd.DataFrame, models: list[str]) -> None:
    for model, part in rows.groupby("model", sort=False):
        axis.plot(part["accuracy"], part["alpha_hat"], "o", ms=4, mew=0, alpha=0.75,
                  color=style.colour_of(model, models), clip_on=False)  # fmt: skip
    chosen = rows[rows["candidate"]]
    axis.plot(chosen["accuracy"], chosen["alpha_hat"], "o", ms=7, mfc="none", mec=style.BLACK,
              mew=0.9, clip_on=False)  # fmt: skip
    threshold = rows["threshold"].iloc[0]
    axis.axhline(threshold, color=style.GREY, lw=0.9, ls="--")
    axis.set_ylim(0, 1.08 * max(rows["alpha_hat"].max(), 1.5 * threshold))
    axis.margins(x=0.06)
    axis.xaxis.set_major_locator(MaxNLocator(5))
    axis.yaxis.set_major_locator(MaxNLocator(5))
    axis.set_xlabel("Test accuracy (not to choose by)")
    axis.set_ylabel("α̂ against the other seeds")
