"""Figure 4: the score of each pair of model seed and data seed, a panel each model."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.colors import Normalize
from matplotlib.figure import Figure, SubFigure

from reseed.exhibits import style
from reseed.exhibits.data import METRICS, ExhibitData, footnote
from reseed.exhibits.figures import Drawn, empty_figure

# Panels this small still hold readable cell values (10 columns of 3 digits in half a page).
_PRINTED = 12
_KEY = ["experiment", "dataset", "scheme", "hyperparameters_source", "model"]


@style.styled
def figure(data: ExhibitData, options: dict) -> tuple[Figure, Drawn]:
    """Heat maps of `options["experiment"]`, of all datasets, only `datasets`, or all `except` some.

    One dataset: two panels a row, with the values printed. Several: a row of panels each dataset.
    Cells of failed trials stay blank and are crossed out. One colour scale a dataset.
    """
    only, without = options.get("datasets"), options.get("except", [])
    cells = _cells(data, options["experiment"], only, without)
    if cells.empty:
        what = f" on {', '.join(only)}" if only else " on any other dataset" if without else ""
        return empty_figure(data, f"Model and data seeds were not crossed{what} at this scale.")
    panels = cells[_KEY].drop_duplicates()
    datasets = list(dict.fromkeys(panels["dataset"]))
    printed = len(datasets) == 1
    most = int(panels.groupby("dataset").size().max())
    columns = min(2 if printed else 5, most)
    lines = math.ceil(most / columns)
    # As high as the values printed in its cells need; a small panel needs no more than its ticks.
    tall = min(3.15, 0.7 + 0.245 * cells["init"].nunique()) if printed else 1.6
    height = max(1.4, tall) * lines + 0.3
    canvas = style.new_figure(height * len(datasets))
    parts = canvas.subfigures(len(datasets), 1, squeeze=False)
    for part, dataset in zip(parts.flat, datasets, strict=True):
        axes = part.subplots(lines, columns, squeeze=False)
        _draw_dataset(part, axes, data, cells[cells["dataset"] == dataset], printed)
        if not printed:
            part.suptitle(data.dataset(dataset), x=0.01, ha="left", fontsize=9, weight="bold")
    frame = cells.drop(columns="status")
    cell_counts = cells[cells["status"] == "ok"].groupby(_KEY, sort=False).size()
    shown = panels.assign(n=cell_counts.reindex(pd.MultiIndex.from_frame(panels)).to_numpy())
    note = footnote(
        data,
        shown.fillna({"n": 0}),
        "Crossed-out cells: failed trials." if (cells["status"] != "ok").any() else "",
        per="panel (pairs)",
    )
    return canvas, Drawn(frame, note)


def _cells(
    data: ExhibitData, experiment: str, only: list[str] | None, without: list[str]
) -> pd.DataFrame:
    """One row a pair of seeds: the mean of the primary metric over folds, NaN if one failed."""
    metrics = data.metrics[data.metrics["experiment"] == experiment]
    name = metrics["dataset"].map(lambda d: d.partition("~")[0])
    metrics = metrics[~name.isin(without) & (name.isin(only) if only is not None else True)]
    if metrics.empty:
        return metrics
    names = metrics["dataset"].map(data.metric)
    score = [
        row[name] if row["status"] == "ok" else np.nan
        for name, (_, row) in zip(names, metrics.iterrows(), strict=True)
    ]
    place = [*_KEY, "data_seed", "init"]
    flat = metrics.assign(score=score, metric=names)
    found = flat.groupby([*place, "metric"], sort=False, as_index=False).agg(
        score=("score", lambda s: s.mean(skipna=False)),
        status=("status", lambda s: "ok" if (s == "ok").all() else "failed"),
    )
    return found


def _draw_dataset(
    part: SubFigure, axes: np.ndarray, data: ExhibitData, cells: pd.DataFrame, printed: bool
) -> None:
    known = cells["score"].dropna()
    low, high = (known.min(), known.max()) if len(known) else (0.0, 1.0)
    scale = Normalize(low, high if high > low else low + 1e-12)
    groups = list(cells.groupby(_KEY, sort=False))
    for axis in axes.flat[len(groups) :]:
        axis.set_visible(False)
    for axis, (key, panel) in zip(axes.flat, groups, strict=False):
        grid = panel.pivot(index="init", columns="data_seed", values="score").sort_index()
        image = axis.imshow(
            grid.to_numpy(), cmap=style.SEQUENTIAL, norm=scale, aspect="auto", origin="upper"
        )
        axis.set_title(data.model(key[-1]))
        _ticks(axis, grid, _PRINTED if printed else 5)
        _mark_failed(axis, grid)
        if printed and max(grid.shape) <= _PRINTED:
            _print_values(axis, grid, scale)
    for axis in axes[:, 0]:
        axis.set_ylabel("Model seed")
    bar = part.colorbar(image, ax=list(axes.flat), aspect=30 if printed else 12, pad=0.01)
    bar.set_label(METRICS[data.metric(cells["dataset"].iloc[0])])
    bar.outline.set_visible(False)


def _ticks(axis: Axes, grid: pd.DataFrame, most: int) -> None:
    axis.grid(False)
    axis.spines[:].set_visible(False)
    step_y, step_x = (math.ceil(n / most) for n in grid.shape)
    axis.set_xticks(range(0, grid.shape[1], step_x), grid.columns[::step_x])
    axis.set_yticks(range(0, grid.shape[0], step_y), grid.index[::step_y])
    axis.tick_params(length=0)
    axis.set_xlabel("Data seed")


def _mark_failed(axis: Axes, grid: pd.DataFrame) -> None:
    rows, columns = np.nonzero(grid.isna().to_numpy())
    axis.plot(columns, rows, "x", color=style.GREY, ms=6)


def _print_values(axis: Axes, grid: pd.DataFrame, scale: Normalize) -> None:
    colours = colormaps[style.SEQUENTIAL]
    for (i, j), value in np.ndenumerate(grid.to_numpy()):
        if np.isfinite(value):
            red, green, blue, _ = colours(scale(value))
            dark = 0.299 * red + 0.587 * green + 0.114 * blue < 0.5
            axis.text(
                j, i, _short(value), ha="center", va="center", fontsize=7,
                color="white" if dark else "black",
            )  # fmt: skip


def _short(value: float) -> str:
    """Five characters or so: `.123`, `1.234`, `56.7`."""
    size = abs(value)
    if size < 0.1 or size >= 10:
        return f"{value:.3g}"
    return f"{value:.3f}".removeprefix("0") if value > 0 else f"{value:.3f}"
