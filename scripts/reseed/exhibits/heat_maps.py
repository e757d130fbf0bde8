"""Figure 4: the score of each pair of model seed and data seed, a panel each model."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.colors import Normalize
from matplotlib.figure import Figure

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
    datasets = list(dict.fromkeys(cells["dataset"]))
    panels = cells[_KEY].drop_duplicates()
    single = len(datasets) == 1
    columns = min(2, len(panels)) if single else int(panels.groupby("dataset").size().max())
    lines = math.ceil(len(panels) / columns) if single else len(datasets)
    canvas = style.new_figure((3.15 if single else 1.75) * lines + 0.3)
    axes = canvas.subplots(lines, columns, squeeze=False)
    for axis in axes.flat:
        axis.set_visible(False)
    for line, dataset in enumerate(datasets):
        row = axes.ravel() if single else axes[line]
        _draw_dataset(canvas, row, data, cells[cells["dataset"] == dataset], single)
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
    name = metrics["dataset"].str.partition("~")[0]
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
    canvas: Figure, axes: np.ndarray, data: ExhibitData, cells: pd.DataFrame, printed: bool
) -> None:
    dataset = cells["dataset"].iloc[0]
    known = cells["score"].dropna()
    low, high = (known.min(), known.max()) if len(known) else (0.0, 1.0)
    scale = Normalize(low, high if high > low else low + 1e-12)
    groups = list(cells.groupby(_KEY, sort=False))
    images = []
    for axis, (key, part) in zip(axes, groups, strict=False):
        axis.set_visible(True)
        grid = part.pivot(index="init", columns="data_seed", values="score").sort_index()
        image = axis.imshow(
            grid.to_numpy(), cmap=style.SEQUENTIAL, norm=scale, aspect="auto", origin="upper"
        )
        images.append(image)
        title = data.model(key[-1])
        axis.set_title(title if printed else f"{data.dataset(dataset)}\n{title}")
        _ticks(axis, grid, printed)
        _mark_failed(axis, grid)
        if printed and max(grid.shape) <= _PRINTED:
            _print_values(axis, grid, scale)
    first_column = axes[:: 2 if printed else len(axes)]
    for axis in first_column:
        axis.set_ylabel("Model seed")
    bar = canvas.colorbar(images[-1], ax=list(axes), aspect=30 if printed else 12, pad=0.01)
    bar.set_label(METRICS[data.metric(dataset)])
    bar.outline.set_visible(False)


def _ticks(axis: Axes, grid: pd.DataFrame, printed: bool) -> None:
    axis.grid(False)
    axis.spines[:].set_visible(False)
    step_x, step_y = (1 if n <= _PRINTED else math.ceil(n / 10) for n in grid.shape[::-1])
    if not printed:
        step_x, step_y = (max(step, math.ceil(n / 5)) for step, n in
                          zip((step_x, step_y), grid.shape[::-1], strict=True))  # fmt: skip
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
                j, i, f"{value:.3f}".replace("0.", ".", 1), ha="center", va="center", fontsize=7,
                color="white" if dark else "black",
            )  # fmt: skip
