"""Score of each pair of model seed and data seed, a panel for each arm (Raste, Figure 4)."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pandas as pd
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from pydantic import Field
from reseed.comparison.claims import phrases
from reseed.comparison.claims.claim import Claim
from reseed.comparison.claims.estimates import Sample
from reseed.core.coordinates import base_name
from reseed.core.schemas import MODEL_SEED_COLUMNS
from reseed.plugins.options import Names, Strict
from reseed.report.analyses.shared.arms import with_arms
from reseed.report.analyses.shared.data import number_data_seeds
from reseed.report.rendering import numbers, style
from reseed.report.rendering.arms import cells as arm_cells
from reseed.report.rendering.data import ExhibitData, NothingToShow, footnote, metric_title
from reseed.report.rendering.figures import NO_CENTRE, FigureInfo
from reseed.report.rendering.panels import name_omitted, panel_grid, set_title

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


@style.styled
def figure(data: ExhibitData, options: Options) -> tuple[Figure, FigureInfo]:
    """A heat map of scores for each arm and dataset.

    Colour is the deviation from the median of the panel, with one scale for each dataset. For a
    single dataset the scores are printed in the cells. Cells of failed trials are crossed out.
    """
    only, without = options.datasets, (options.without or [])
    cells = _cells(data, options.experiment, only, without)
    still, cells = _still(data, cells)
    if cells.empty or cells["score"].isna().all():
        named = numbers.several(map(data.dataset, only or []))
        what = f" on {named}" if named else " on any other dataset" if without else ""
        reason = f"Model and data seeds were not crossed{what} at this scale."
        if len(cells):
            reason = "Every other trial failed." if still else f"Every trial{what} failed."
            raise NothingToShow(f"{still} {reason}".strip())
        raise NothingToShow(still or reason)
    panels = [(key, part) for key, part in cells.groupby(_KEY, sort=False)]
    datasets = list(dict.fromkeys(cells["dataset"]))
    printed = len(datasets) == 1
    columns = min(2 if printed else 4, max(Counter(key[1] for key, _ in panels).values()))
    # Printed values determine the height of a panel, ticks that of a small one.
    tall = max(1.4, min(3.0, 0.75 + 0.22 * cells["model_seed"].nunique())) if printed else 1.6
    heights, placed = _lines(panels, datasets, columns, tall)
    canvas, axes = panel_grid(heights, columns, legend=0.0)
    for dataset in datasets:
        own = [(axis, panel) for axis, panel in zip(axes, placed, strict=False)
               if panel is not None and panel[0][1] == dataset]  # fmt: skip
        if own:
            _draw_dataset(canvas, data, own, columns, printed)
    for axis, panel in zip(axes, placed, strict=False):
        axis.set_visible(panel is not None)
    titles = [data.dataset(panel[0][1]) if panel else "" for panel in placed]
    note = _note(data, cells, still, name_omitted([t for t in titles if t], axes))
    return canvas, FigureInfo(
        cells.drop(columns="status"),
        note,
        claims=_claims(cells),
        definitions=[
            "Colour: deviation from the median of the panel, named in its title; one scale a"
            " dataset. A row is one model seed over all splits, a column one split under all seeds."
        ],
        drawn=NO_CENTRE,
        alt="Heat maps of the score by model seed (rows) and data seed (columns).",
    )


def _still(data: ExhibitData, cells: pd.DataFrame) -> tuple[str, pd.DataFrame]:
    """Sentence on the panels with equal scores, and the cells without them."""
    if cells.empty:
        return "", cells
    same = cells.groupby(_KEY)["score"].transform("nunique") == 1
    named = [
        f"{title} ({data.dataset(dataset)})"
        for dataset, own in cells[same].groupby("dataset", sort=False)
        for title, _ in arm_cells(data, own, _PLACE)
    ]
    said = f"Not drawn, as every score is the same: {numbers.several(named)}." if named else ""
    return said, cells[~same]


def _lines(panels: list, datasets: list[str], columns: int, tall: float) -> tuple[list, list]:
    """Heights and panels in order of the grid; each dataset starts a line, padded with None."""
    placed: list = []
    for dataset in datasets:
        own = [panel for panel in panels if panel[0][1] == dataset]
        placed += own + [None] * (-len(own) % columns)
    return [tall] * len(placed), placed


def _note(data: ExhibitData, cells: pd.DataFrame, *rest: str) -> str:
    panels = cells[_KEY].drop_duplicates()
    counts = cells[cells["status"] == "ok"].groupby(_KEY, sort=False).size()
    shown = panels.assign(n=counts.reindex(pd.MultiIndex.from_frame(panels)).to_numpy())
    crossed = "Crossed-out cells: failed trials." if (cells["status"] != "ok").any() else ""
    return footnote(data, shown.fillna({"n": 0}), crossed, *rest, per="panel (pairs)")


def _cells(
    data: ExhibitData, experiment: str, only: list[str] | None, without: list[str]
) -> pd.DataFrame:
    """One row for each pair of seeds: mean primary metric over folds, NaN if one failed."""
    metrics = with_arms(data.metrics[data.metrics["experiment"] == experiment])
    name = metrics["dataset"].map(base_name)
    metrics = metrics[~name.isin(without) & (name.isin(only) if only is not None else True)]
    if metrics.empty:
        return metrics
    names = metrics["dataset"].map(data.metric)
    score = [
        row[name] if row["status"] == "ok" else np.nan
        for name, (_, row) in zip(names, metrics.iterrows(), strict=True)
    ]
    place = [*_KEY, "data_seed", "model_seed"]
    flat = metrics.assign(score=score, metric=names, data_seed=number_data_seeds(metrics),
                          model_seed=_model_seeds(metrics))  # fmt: skip
    found = flat.groupby([*place, "metric"], sort=False, as_index=False).agg(
        score=("score", lambda s: s.mean(skipna=False)),
        status=("status", lambda s: "ok" if (s == "ok").all() else "failed"),
    )
    median = found.groupby(_KEY)["score"].transform("median")
    return found.assign(deviation=found["score"] - median)


def _model_seeds(metrics: pd.DataFrame) -> pd.Series:
    """Model seed of each trial: the seed of the roles that vary in its panel.

    If the roles vary independently, each combination has a number of its own.
    """
    found = []
    for _, part in metrics.groupby(_KEY, sort=False):
        varying = [
            role for role in MODEL_SEED_COLUMNS if part[role].nunique() > 1
        ] or MODEL_SEED_COLUMNS[:1]
        same = part[varying].eq(part[varying[0]], axis=0).all(axis=None)
        found.append(part[varying[0]] if same else part.groupby(varying).ngroup())
    return pd.concat(found)


def _draw_dataset(
    canvas: Figure, data: ExhibitData, panels: list, columns: int, printed: bool
) -> None:
    cells = pd.concat([part for _, (_, part) in panels])
    most = float(cells["deviation"].abs().fillna(0).max()) or 1.0  # 0 if every trial failed
    scale = Normalize(-most, most)
    places = numbers.decimals([most], 2, 2, 5)
    image: AxesImage | None = None
    titles = [title for title, _ in arm_cells(data, cells, _PLACE)]
    for number, (title, (axis, (key, part))) in enumerate(zip(titles, panels, strict=True)):
        grids = {
            name: part.pivot(index="model_seed", columns="data_seed", values=name).sort_index()
            for name in ("score", "deviation")
        }
        image = axis.imshow(
            grids["deviation"].to_numpy(), cmap=style.DIVERGING, norm=scale, aspect="auto"
        )
        median = part["score"].median()
        set_title(axis, f"{title}, median {numbers.fixed(median, places)}")
        _ticks(axis, grids["score"], _PRINTED if printed else 5)
        _mark_failed(axis, grids["score"])
        if printed and max(grids["score"].shape) <= _PRINTED:
            _print_values(axis, grids["score"], grids["deviation"], scale, places)
        if number % columns == 0:
            where = "" if printed else f"{_short(data.dataset(key[1]))}\n"
            axis.set_ylabel(f"{where}Model seed")
    bar = canvas.colorbar(image, ax=[a for a, _ in panels], aspect=30 if printed else 12, pad=0.01)
    metric = metric_title(data.metric(panels[0][1][0][1]))
    # The label may be longer than a single line of panels is high.
    between = "\n" if canvas.get_figheight() < _LOW else " "
    bar.set_label(f"{metric} −{between}panel’s median" if printed else f"Δ {metric}")
    bar.outline.set_visible(False)


def _short(title: str) -> str:
    return title if len(title) <= 24 else f"{title[:23]}…"


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


def _print_values(
    axis: Axes, scores: pd.DataFrame, deviations: pd.DataFrame, scale: Normalize, places: int
) -> None:
    colours = colormaps[style.DIVERGING]
    for (i, j), value in np.ndenumerate(scores.to_numpy()):
        if np.isfinite(value):
            red, green, blue, _ = colours(scale(deviations.to_numpy()[i, j]))
            dark = 0.299 * red + 0.587 * green + 0.114 * blue < 0.5
            axis.text(
                j, i, f"{value:.{places}f}", ha="center", va="center", fontsize=7,
                color="white" if dark else "black",
            )  # fmt: skip


def _grids(cells: pd.DataFrame) -> pd.DataFrame:
    """One row for each panel without failed trials.

    `by_data`, `by_model`: SD of the mean score over data seeds (columns) and over model seeds
    (rows). `pairs`: pairs of seeds.
    """
    found = []
    for key, part in cells.groupby(_KEY, sort=False):
        grid = part.pivot(index="model_seed", columns="data_seed", values="score")
        if min(grid.shape) > 1 and grid.notna().all(axis=None):
            found.append([*key, grid.mean(axis=0).std(), grid.mean(axis=1).std(), grid.size])
    return pd.DataFrame(found, columns=[*_KEY, "by_data", "by_model", "pairs"])


def _claims(cells: pd.DataFrame) -> list[Claim]:
    grids = _grids(cells)
    if grids.empty:
        return []
    return [
        Claim(
            name="split_over_seed",
            finding="the mean score differs more between data seeds (columns) than between model"
            " seeds (rows) in {more}",
            headline="The score differs more between splits than between model seeds in {more}",
            rows=grids,
            phrases={"more": phrases.share(grids, grids["by_data"] > grids["by_model"], "grid")},
            sample=Sample.of(grids, "pairs", "pair of seeds", "pairs of seeds"),
            statistic="SD of mean scores",
        )
    ]
