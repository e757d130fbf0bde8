"""Spread over model seeds: observed, on an infinite test set, and the noise of the test set."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from reseed.analyses.shared.arms import with_arms
from reseed.plugins.options import NoOptions
from reseed.rendering import coverage, numbers, style
from reseed.rendering.arms import TEST_SET_KEY, cell_titles
from reseed.rendering.data import ExhibitData, NothingToShow, footnote, metric_title
from reseed.rendering.figures import FigureInfo
from reseed.rendering.majority import is_majority, why_majority
from reseed.rendering.panels import entitle, panel_grid, undrawn
from reseed.rendering.settings import cell_noun

_PANEL = ["dataset", "metric"]
_MARKS = {
    "test_set_sd": ("s", style.GREY, "Test set: SD of one model over resampled test rows"),
    "observed_sd": ("o", style.RED, "Model seed: SD observed on this test set"),
    "infinite_sd": ("D", style.BLUE, "Model seed: SD left on an infinite test set, {} interval"),
}


DRAWS = ("noise_split",)


@style.styled
def figure(data: ExhibitData, options: NoOptions) -> tuple[Figure, FigureInfo]:
    """One panel for each dataset and metric, one line for each model; SDs from zero."""
    rows = data.rows()
    if not rows.empty:
        rows = with_arms(rows[rows["observed_sd"].notna()])
    if rows.empty:
        raise NothingToShow("No per-item scores of several model seeds at this scale.")
    flat = [dataset for (dataset, metric), part in rows.groupby(_PANEL, sort=False)
            if metric == "accuracy" and is_majority(data, dataset, part["mean"])]  # fmt: skip
    majority = (rows["metric"] == "accuracy") & rows["dataset"].isin(flat)
    drawn, rest = _measurable(rows[~majority])
    if drawn.empty:
        raise NothingToShow(why_majority(data, flat))
    panels = list(drawn.groupby(_PANEL, sort=False))
    level = drawn["level"].max()
    percent = f"{100 * level:g} %"
    handles = [
        Line2D([], [], ls="", marker=mark, ms=5, color=colour, label=label.format(percent))
        for mark, colour, label in _MARKS.values()
    ]
    labels = [handle.get_label() for handle in handles]
    canvas, axes = panel_grid(
        [0.2 * len(part) + 0.8 for _, part in panels], legend=style.legend_room(labels)
    )
    for axis, ((dataset, metric), part) in zip(axes, panels, strict=False):
        _panel(axis, data, part)
        entitle(axis, data.dataset(dataset))
        axis.set_xlabel(f"SD of {metric_title(metric)}")
    style.legend_below(canvas, handles)
    titles = [f"{data.dataset(d)}, {metric_title(m)}" for (d, m), _ in panels]
    found = _findings(drawn)
    return canvas, FigureInfo(
        rows,
        footnote(
            data,
            drawn,
            why_majority(data, flat),
            _no_mean(rest, "in the CSV only"),
            _bare(drawn),
            undrawn(titles, axes),
        ),
        findings=found,
        headline=_headline(drawn),
        definitions=[
            "Seed’s SD on an infinite test set: what would be left of the spread over model seeds"
            " if test rows were without end; the rest is seeds that are right on different rows"
            f" (Jordan 2023). {_no_mean(_without(drawn), 'it has none')}".rstrip(),
            coverage.at(level, coverage.SEED_NOISE),
        ],
        alt="Marks at three standard deviations for each algorithm.",
    )


def _panel(axis: Axes, data: ExhibitData, rows: pd.DataFrame) -> None:
    rows = rows.reset_index(drop=True)
    for y, row in rows.iterrows():
        low, high = row["infinite_sd_low"], row["infinite_sd_high"]
        axis.plot([low, high], [y, y], color=style.BLUE, lw=1.2)
        for name, (mark, colour, _) in _MARKS.items():
            size = 6.5 if name == "observed_sd" else 5
            axis.plot(row[name], y, mark, color=colour, ms=size, mew=0, clip_on=False)
    axis.set_yticks(range(len(rows)), cell_titles(data, rows, TEST_SET_KEY))
    axis.set_ylim(len(rows) - 0.5, -0.5)
    axis.tick_params(axis="y", length=0, pad=7)
    axis.set_xlim(left=0)
    axis.grid(True, axis="x")
    axis.xaxis.set_major_locator(MaxNLocator(6))


def _without(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows of datasets and metrics without an SD on an infinite test set."""
    return rows[~rows.groupby(_PANEL)["infinite_sd"].transform("count").astype(bool)]


def _measurable(rows: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """(rows drawn, rows left out); left out are metrics without that SD if another has it."""
    other = rows.groupby("dataset")["infinite_sd"].transform("count").astype(bool)
    left = other & rows.index.isin(_without(rows).index)
    return rows[~left], rows[left]


def _no_mean(rows: pd.DataFrame, so: str) -> str:
    """Sentence on metrics that are not means over test rows; empty without rows."""
    if rows.empty:
        return ""
    return f"No mean over test rows, so {so}: {_metrics(rows)}."


def _metrics(rows: pd.DataFrame) -> str:
    return numbers.several(metric_title(metric) for metric in dict.fromkeys(rows["metric"]))


def _bare(rows: pd.DataFrame) -> str:
    """Number of SDs without an interval and the reason; empty if there are none."""
    bare = rows[rows["infinite_sd"].notna() & rows["infinite_sd_low"].isna()]
    if bare.empty:
        return ""
    return f"{len(bare)} without an interval: {'; '.join(sorted(set(bare['interval_reason'])))}."


def _judged(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows with both noises, of the primary metric or else of all drawn metrics."""
    rows = rows[rows["test_set_sd"].notna()]
    primary = rows["primary"].astype(bool)
    return rows[primary | ~primary.groupby(rows["dataset"]).transform("any")]


def _headline(rows: pd.DataFrame) -> str:
    both = _judged(rows)
    larger = int((both["test_set_sd"] > both["observed_sd"]).sum())
    less = int((both["test_set_sd"] < both["observed_sd"]).sum())
    if both.empty:
        return ""
    cells = numbers.counted(len(both), *cell_noun(both))
    if not both["primary"].astype(bool).all():  # names the metric if it is not the primary one
        cells = f"{numbers.counted(len(both), 'cell')} ({_metrics(both)})"
    if 2 * larger < len(both):
        return f"The seed outweighs the test rows’ luck in {less} of {cells}"
    return f"The test rows’ luck outweighs the seed’s in {larger} of {cells}"


def _findings(rows: pd.DataFrame) -> list[str]:
    both, found = _judged(rows), []
    if len(both):
        larger = int((both["test_set_sd"] > both["observed_sd"]).sum())
        noun = cell_noun(both)
        times = both["observed_sd"] / both["test_set_sd"]
        over = numbers.spread_over(times, noun[0].partition(" ")[0])
        found.append(
            f"The luck of the test rows moves the score ({_metrics(both)}) more than the model seed"
            f" does in {numbers.part_of(larger, len(both), *noun)}"
            f" ({numbers.from_to(both['n'])} seeds each): the seed’s SD is {over} times"
            " the test set’s."
        )
    split = rows[rows["seed_share"].notna()]
    if len(split):
        noun = cell_noun(split)
        over = numbers.spread_over(split["seed_share"], noun[0], numbers.rounded_percent, noun[1])
        found.append(
            f"Had the test set no end, {over} of the variance over model seeds of the score"
            f" ({_metrics(split)}) would be left; the rest is seeds that are right on different"
            " test rows."
        )
    return found
