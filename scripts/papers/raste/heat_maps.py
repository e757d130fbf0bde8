"""Score of each pair of model seed and data seed, a panel for each arm (Raste, Figure 4)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import groupby
from textwrap import shorten

import numpy as np
import pandas as pd
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from pydantic import Field
from reseed.analyses.shared.data import Cell, Data
from reseed.analyses.shared.data import cells as arm_cells
from reseed.core.coordinates import base_name
from reseed.core.schemas import MODEL_SEED_COLUMNS
from reseed.plugins.options import Names, Strict
from reseed.report.rendering import numbers, style
from reseed.report.rendering.arms import cells as titled_cells
from reseed.report.rendering.data import ExhibitData, NothingToShow, footnote, metric_title
from reseed.report.rendering.figures import FigureInfo
from reseed.report.rendering.panels import SAME_SCORES, name_omitted, panel_grid, set_title

# Most columns with printed values: 10 columns of 3 digits fit in half a page.
_PRINTED = 12
# Figures lower than this, in inches, break the label of their scale.
_LOW = 2.0
_PLACE = ["experiment", "dataset", "scheme", "hyperparameters_source"]
_KEY = [*_PLACE, "arm", "model"]


class Options(Strict):
    """experiment: that crosses model seeds with data seeds.
    datasets: shown (None: all).
    except: datasets that are not shown.
    """

    experiment: str
    datasets: Names | None = None
    without: Names | None = Field(None, alias="except")


@dataclass(frozen=True, eq=False)
class Panel:
    """Scores of an arm by model seed (rows) and data seed (columns); NaN where a trial failed."""

    dataset: str
    title: str
    scores: pd.DataFrame

    @property
    def median(self) -> float:
        """Median of the scores."""
        return float(self.scores.stack().median())

    @property
    def deviations(self) -> pd.DataFrame:
        """Scores minus their median."""
        return self.scores - self.median

    @property
    def is_constant(self) -> bool:
        """Whether the scores are one number."""
        return self.scores.stack().nunique() == 1


@style.styled
def figure(data: ExhibitData, options: Options) -> tuple[Figure, FigureInfo]:
    """A heat map of scores for each arm and dataset.

    Colour is the deviation from the median of the panel, with one scale for each dataset. For a
    single dataset the scores are printed in the cells. Cells of failed trials are crossed out.
    """
    cells = _cells(data, options)
    every = _panels(data, cells)
    panels = [panel for panel in every if not panel.is_constant]
    constant = [f"{one.title} ({data.dataset(one.dataset)})" for one in every if one.is_constant]
    still = f"{SAME_SCORES}: {numbers.several(constant)}." if constant else ""
    if all(panel.scores.isna().all(axis=None) for panel in panels):
        raise NothingToShow(_why_empty(data, options, still, bool(panels)))
    cells = cells[cells.groupby(_KEY)["score"].transform("nunique") != 1]
    by_dataset = [list(same) for _, same in groupby(panels, lambda panel: panel.dataset)]
    printed = len(by_dataset) == 1
    columns = min(2 if printed else 4, max(map(len, by_dataset)))
    # Printed values determine the height of a panel, ticks that of a small one.
    tall = max(1.4, min(3.0, 0.75 + 0.22 * cells["model_seed"].nunique())) if printed else 1.6
    # Each dataset starts a line.
    placed = [one for same in by_dataset for one in (*same, *[None] * (-len(same) % columns))]
    canvas, axes = panel_grid([tall] * len(placed), columns, legend=0.0)
    for same in by_dataset:
        drawn = [(axis, one) for axis, one in zip(axes, placed, strict=False) if one in same]
        if drawn:
            _draw_dataset(canvas, data, drawn, columns, printed)
    for axis, one in zip(axes, placed, strict=False):
        axis.set_visible(one is not None)
    omitted = name_omitted([data.dataset(one.dataset) for one in placed[len(axes) :] if one], ())
    return canvas, FigureInfo(
        cells.drop(columns="status"),
        _note(data, cells, still, omitted),
        definitions=[
            "Colour: deviation from the median of the panel, named in its title; one scale a"
            " dataset. A row is one model seed over all splits, a column one split under all seeds."
        ],
        alt="Heat maps of the score by model seed (rows) and data seed (columns).",
    )


def _why_empty(data: ExhibitData, options: Options, still: str, has_trials: bool) -> str:
    """Why there is no panel: nothing was crossed, or what was failed or has one score."""
    named = numbers.several(map(data.dataset, options.datasets or []))
    what = f" on {named}" if named else " on any other dataset" if options.without else ""
    if has_trials:
        failed = "Every other trial failed." if still else f"Every trial{what} failed."
        return f"{still} {failed}".strip()
    return still or f"Model and data seeds were not crossed{what} at this scale."


def _note(data: ExhibitData, cells: pd.DataFrame, *rest: str) -> str:
    panels = cells[_KEY].drop_duplicates()
    counts = cells[cells["status"] == "ok"].groupby(_KEY, sort=False).size()
    shown = panels.assign(n=counts.reindex(pd.MultiIndex.from_frame(panels)).to_numpy())
    crossed = "Crossed-out cells: failed trials." if (cells["status"] != "ok").any() else ""
    return footnote(data, shown.fillna({"n": 0}), crossed, *rest, per="panel (pairs)")


def _cells(data: ExhibitData, options: Options) -> pd.DataFrame:
    """One row for each pair of seeds: mean primary metric over folds, NaN if one failed."""
    trials = data.metrics[data.metrics["experiment"] == options.experiment]
    name = trials["dataset"].map(base_name)
    is_shown = name.isin(options.datasets) if options.datasets is not None else True
    trials = trials[~name.isin(options.without or []) & is_shown]
    parts = [_pairs_of_seeds(cell) for cell in arm_cells(Data(trials, data.info))]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()


def _pairs_of_seeds(cell: Cell) -> pd.DataFrame:
    score = cell.seeds["score"].where(cell.seeds["bad"] == 0)
    return pd.DataFrame(
        {
            **{name: cell.key[name] for name in _KEY},
            "data_seed": cell.seeds["data_seed"],
            "model_seed": _model_seeds(cell.seeds),
            "metric": cell.metric,
            "score": score,
            "status": np.where(score.notna(), "ok", "failed"),
            "deviation": score - score.median(),
        }
    )


def _model_seeds(seeds: pd.DataFrame) -> pd.Series:
    """Model seed of each row: the seed of the roles that vary.

    If the roles vary independently, each combination has a number.
    """
    varying = [role for role in MODEL_SEED_COLUMNS if seeds[role].nunique() > 1]
    varying = varying or MODEL_SEED_COLUMNS[:1]
    same = seeds[varying].eq(seeds[varying[0]], axis=0).all(axis=None)
    return seeds[varying[0]] if same else seeds.groupby(varying).ngroup()


def _panels(data: ExhibitData, cells: pd.DataFrame) -> list[Panel]:
    """The panel of each arm, by dataset."""
    return [
        Panel(dataset, title, part.pivot(index="model_seed", columns="data_seed", values="score"))
        for dataset, same in (cells.groupby("dataset", sort=False) if len(cells) else ())
        for title, part in titled_cells(data, same, _PLACE)
    ]


def _draw_dataset(
    canvas: Figure, data: ExhibitData, panels: list, columns: int, printed: bool
) -> None:
    sizes = [panel.deviations.abs().max(axis=None) for _, panel in panels]
    most = float(np.nan_to_num(sizes).max()) or 1.0  # 0 if every trial failed
    scale = Normalize(-most, most)
    places = numbers.decimals([most], 2, 2, 5)
    image, dataset = None, panels[0][1].dataset
    for number, (axis, panel) in enumerate(panels):
        image = axis.imshow(
            panel.deviations.to_numpy(), cmap=style.DIVERGING, norm=scale, aspect="auto"
        )
        set_title(axis, f"{panel.title}, median {numbers.fixed(panel.median, places)}")
        _ticks(axis, panel.scores, _PRINTED if printed else 5)
        failed = np.nonzero(panel.scores.isna().to_numpy())
        axis.plot(*failed[::-1], "x", color=style.GREY, ms=6)
        if printed and max(panel.scores.shape) <= _PRINTED:
            _print_values(axis, panel, scale, places)
        if number % columns == 0:
            where = "" if printed else f"{shorten(data.dataset(dataset), 24, placeholder='…')}\n"
            axis.set_ylabel(f"{where}Model seed")
    bar = canvas.colorbar(image, ax=[a for a, _ in panels], aspect=30 if printed else 12, pad=0.01)
    metric = metric_title(data.metric(dataset))
    # The label may be longer than a single line of panels is high.
    between = "\n" if canvas.get_figheight() < _LOW else " "
    bar.set_label(f"{metric} −{between}panel’s median" if printed else f"Δ {metric}")
    bar.outline.set_visible(False)


def _ticks(axis: Axes, grid: pd.DataFrame, most: int) -> None:
    axis.grid(False)
    axis.spines[:].set_visible(False)
    step_y, step_x = (math.ceil(n / most) for n in grid.shape)
    axis.set_xticks(range(0, grid.shape[1], step_x), grid.columns[::step_x])
    axis.set_yticks(range(0, grid.shape[0], step_y), grid.index[::step_y])
    axis.tick_params(length=0)
    axis.set_xlabel("Data seed")


def _print_values(axis: Axes, panel: Panel, scale: Normalize, places: int) -> None:
    shades = colormaps[style.DIVERGING](scale(panel.deviations.to_numpy()))
    for (i, j), value in np.ndenumerate(panel.scores.to_numpy()):
        if np.isfinite(value):
            red, green, blue, _ = shades[i, j]
            dark = 0.299 * red + 0.587 * green + 0.114 * blue < 0.5
            axis.text(
                j, i, f"{value:.{places}f}", ha="center", va="center", fontsize=7,
                color="white" if dark else "black",
            )  # fmt: skip
