"""Range of the score over model seeds and data seeds, a panel for each setting (Figure 3)."""

from __future__ import annotations

from math import nan
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from reseed.analyses.shared.arms import with_arms
from reseed.analyses.spread import next_range
from reseed.plugins.options import TheseExperiments as Options
from reseed.report.exhibits.spread_table import LEAST
from reseed.report.rendering import style
from reseed.report.rendering.data import ExhibitData, footnote, metric_title
from reseed.report.rendering.figures import FigureInfo
from reseed.report.rendering.panels import dot
from reseed.report.rendering.series import Styles, arm_panels, group_by_series

_OFFSET = 0.34
#: Number of seeds of the published ranges.
PUBLISHED_SEEDS = 50
_COLUMNS = [
    "experiment", "varied", "dataset", "scheme", "test_ratio", "arm", "model",
    "hyperparameters_source", "held", "metric", "n", "failed", "level", "sd", "sd_low", "sd_high",
    "range", "published_range",
]  # fmt: skip


DRAWS = ("spread",)


@style.styled
def figure(data: ExhibitData, options: Options) -> tuple[Figure, FigureInfo]:
    """Dots at the ranges of `experiments`.

    Published ranges are drawn with the interval expected for the same number of seeds.
    """
    rows = data.require_rows(
        f"No experiment of this figure has {LEAST} seeds: no range to show at this scale.",
        options.experiments,
        keep=lambda rows: (rows["held"] == "") & (rows["n"] >= LEAST),
    )
    rows = _with_expected(data, with_arms(rows).reindex(columns=_COLUMNS))
    groups, styles = group_by_series(data, rows)
    published = bool(rows["expected_low"].notna().any())
    handles = _legend(styles, published)
    labels = [h.get_label() for h in handles]
    canvas, panels, omitted = arm_panels(groups, 2.05, style.legend_room(labels))
    for axis, part in panels:
        _panel(axis, list(part.itertuples()), styles)
    style.legend_below(canvas, handles)
    about_published = (
        f"Diamond: the paper's range over {PUBLISHED_SEEDS} seeds; line: where the range of"
        f" {PUBLISHED_SEEDS} seeds falls (95 %), if scores are Gaussian with the SD measured here"
        " (studentised range). A dot is the range over the available seeds and grows with them."
    )
    return canvas, FigureInfo(
        rows,
        footnote(data, rows, omitted),
        definitions=[about_published] if published else [],
        alt="Dots at the range of the score for each algorithm, by the seed varied.",
    )  # fmt: skip


def _with_expected(data: ExhibitData, rows: pd.DataFrame) -> pd.DataFrame:
    """The rows with the expected interval of each published range."""
    is_real = ~rows["dataset"].map(lambda name: bool(data.info.datasets[name].stand_in))
    published = rows["published_range"].where(is_real)
    ends = [
        next_range(row.sd, row.n, PUBLISHED_SEEDS) if known else (nan, nan)
        for known, row in zip(published.notna(), rows.itertuples(), strict=True)
    ]
    low, high = zip(*ends, strict=True)
    return rows.assign(expected_low=low, expected_high=high, published_range=published)


def _panel(axis: Axes, rows: list[Any], styles: Styles) -> None:
    arms = list(dict.fromkeys(row.title for row in rows))
    order, step = list(styles), min(_OFFSET, 3 * _OFFSET / len(styles))
    for row in rows:
        x = arms.index(row.title) + (order.index(row.series) - (len(order) - 1) / 2) * step
        colour, _ = styles[row.series]
        axis.plot(x, row.range, "o", ms=5, mew=0, color=colour, clip_on=False)
        bar_x = x + 0.11
        axis.plot([bar_x] * 2, [row.expected_low, row.expected_high], color=colour, lw=1.0)
        axis.plot(bar_x, row.published_range, "D", ms=3.6, mfc="white", mec=colour, mew=0.9,
                  clip_on=False)  # fmt: skip
    style.name_columns(axis, arms)
    axis.set_ylim(bottom=0)
    axis.set_ylabel(f"Range of {metric_title(rows[0].metric)}")


def _legend(styles: Styles, published: bool) -> list[Line2D]:
    handles = [dot(colour, label, 5) for colour, label in styles.values()]
    if published:
        mark = {"marker": "D", "ms": 3.6, "mfc": "white", "mec": style.BLACK, "mew": 0.9}
        handles += [
            Line2D([], [], ls="", label=f"Published, {PUBLISHED_SEEDS} seeds", **mark),
            Line2D([], [], color=style.BLACK, lw=1.0,
                   label=f"Expected here of {PUBLISHED_SEEDS} seeds, 95 %"),
        ]  # fmt: skip
    return handles
