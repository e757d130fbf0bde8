"""Models by mean rank or mean score; bars join those not shown to differ [Demšar 2006]."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from itertools import islice

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.transforms import ScaledTranslation

from reseed.plugins.options import Experiments as Options
from reseed.report.rendering import style
from reseed.report.rendering.arms import name_arms
from reseed.report.rendering.data import ExhibitData, NothingToShow
from reseed.report.rendering.figures import FigureInfo
from reseed.report.rendering.numbers import counted
from reseed.report.rendering.panels import (
    count_panel_columns,
    name_omitted,
    panel_grid,
    set_title,
)
from reseed.report.rendering.settings import (
    counted_settings,
    footnote_pairs,
    group_by_setting,
    metric_title,
)
from reseed.stats.many_datasets import critical_difference
from reseed.verdicts.decide import TESTED
from reseed.verdicts.pair import is_over_datasets, is_shown
from reseed.verdicts.possible_ranks import choose_ranked, group_means, order_means

#: Most models of a panel.
_MOST = 40
#: Points from a panel's right edge to its first bar, and between bars.
_FIRST, _STEP = 8, 7
#: With more bars there is one panel a line.
_MOST_BARS = 10
#: Most groups that are shown; with more models, one a model. A row of means whose neighbours are
#: inconclusive has no more groups. Without a limit there are up to 3^(models / 3).
_READABLE = 26
_OR_TANGLED = ", or they form more groups than can be read"
_SHARED = (
    "Where models lack runs, a mean is over the runs shared with each other model, and differs from"
    " that over all of its own."
)

DRAWS = ("pairs",)


@style.styled
def figure(data: ExhibitData, options: Options) -> tuple[Figure, FigureInfo]:
    """One dot for each model, the best on top; bars join models that are not shown to differ.

    One panel over all datasets, with the critical difference, if the analysis `pairs` compared mean
    ranks. Otherwise a panel for each setting in which every pair has a verdict.
    """
    rows = data.rows(options.experiments)
    boards: list[tuple[str, pd.DataFrame, pd.DataFrame]] = []
    without = []
    if not rows.empty:
        for title, part in group_by_setting(data, choose_ranked(rows)):
            board = _board(part)
            if board is None:
                without.append(part)
            else:
                boards.append((title, part, board))
    if not boards:
        reason = f"No group of models has a verdict on every pair{_OR_TANGLED}."
        raise NothingToShow(data.no_pairs(reason))
    heights = [0.17 * min(len(board), _MOST) + 0.75 for _, _, board in boards]
    names = [[*name_arms(data, part, board["model"]).values()] for _, part, board in boards]
    crowded = max(len(_groups(board)) for _, _, board in boards) > _MOST_BARS
    canvas, axes = panel_grid(heights, 1 if crowded else count_panel_columns(names), legend=0.1)
    for axis, named, (title, part, board) in zip(axes, names, boards, strict=False):
        _panel(axis, named[:_MOST], part, board.head(_MOST))
        set_title(axis, title, 30)
    shown = pd.concat([part for _, part, _ in boards])
    raw = pd.concat([board.assign(setting=title) for title, _, board in boards])
    low = [name for panel in names for name in panel[_MOST:]]
    return canvas, FigureInfo(
        raw.drop(columns="groups"),
        footnote_pairs(
            data,
            shown,
            name_omitted([title for title, _, _ in boards], axes),
            name_omitted(low, []),
            f"Not drawn: {_count_places(without)} with pairs without a verdict{_OR_TANGLED}."
            if without
            else "",
            _SHARED if any(_has_unlike_means(part) for _, part, _ in boards) else "",
        ),
        definitions=[
            "A bar joins models of which no two are shown to differ; a model without a bar is shown"
            " to differ from every other, by the verdicts. Of mean ranks the line CD is the"
            " difference that Nemenyi's test would need, for comparison with the"
            " literature."
        ],
        alt="Models by mean; bars join those that the verdicts leave together.",
    )


def _has_unlike_means(part: pd.DataFrame) -> bool:
    """Whether the means of a model differ between its pairs by more than rounding errors."""
    ends = group_means(part).agg(["min", "max"]).dropna()
    least, most = ends.to_numpy().T
    return not np.allclose(least, most, rtol=1e-12, atol=0)


def _board(part: pd.DataFrame) -> pd.DataFrame | None:
    """Model, mean and groups, best first; None if `groups_of` returns None."""
    means = order_means(part)
    found = groups_of(part, list(means.index))
    if found is None:
        return None
    of_each = [found[model] for model in means.index]
    return means.rename("mean").reset_index().assign(groups=of_each)


def _panel(axis: Axes, names: list[str], part: pd.DataFrame, board: pd.DataFrame) -> None:
    y = np.arange(len(board))
    means = board["mean"].tolist()
    axis.plot(means, y, "o", color=style.BLUE, ms=4.5, mew=0, clip_on=False)
    axis.set_yticks(y, names)
    axis.set_ylim(len(board) - 0.4, -0.6)
    axis.tick_params(axis="y", length=0)
    axis.grid(axis="x")
    axis.grid(visible=False, axis="y")
    first = next(part.itertuples())
    if first.metric == "rank":
        width = critical_difference(int(first.n), len(group_means(part)), first.alpha)
        start = min(means)
        axis.plot([start, start + width], [-0.45, -0.45], color=style.BLACK, lw=1.4, clip_on=False)
        axis.annotate("CD", (start + width, -0.45), (3, 0), textcoords="offset points",
                      va="center", fontsize=7)  # fmt: skip
    axis.set_xlabel("Mean rank" if first.metric == "rank" else f"Mean {metric_title(first.metric)}")
    annotate = partial(
        axis.annotate, xycoords=axis.get_yaxis_transform(), textcoords="offset points"
    )
    for place, members in enumerate(_groups(board)):
        x = _FIRST + _STEP * place
        ends = ((1, members[0] - 0.2), (1, members[-1] + 0.2))
        _bar(axis, x, ends)
        for i in range(members[0], members[-1] + 1):
            if i not in members:  # a gap: this model differs from some of them
                annotate("×", (1, i), (x, 0), ha="center", va="center", fontsize=9, color=style.RED)


def _bar(axis: Axes, x: float, ends: tuple) -> None:
    """Draw a line `x` points right of the panel, between two heights in data units."""
    shift = ScaledTranslation(x / 72, 0, axis.figure.dpi_scale_trans)
    place = axis.get_yaxis_transform() + shift
    axis.plot([1, 1], [ends[0][1], ends[1][1]], color=style.BLACK, lw=2, clip_on=False,
              transform=place, solid_capstyle="butt")  # fmt: skip


def _groups(board: pd.DataFrame) -> list[list[int]]:
    """Rows of each group of two or more models without a shown difference."""
    rows = board["groups"].tolist()
    numbers = sorted({number for row in rows for number in row})
    groups = [[i for i, row in enumerate(rows) if number in row] for number in numbers]
    return [members for members in groups if len(members) > 1]


def _count_places(parts: list[pd.DataFrame]) -> str:
    """`2 datasets`, `12 settings`, `2 comparisons over datasets`."""
    shown = pd.concat(parts)
    if is_over_datasets(shown).all():
        return counted(len(parts), "comparison over datasets", "comparisons over datasets")
    return counted_settings(shown)


def groups_of(pairs: pd.DataFrame, models: list[str]) -> dict[str, tuple[int, ...]] | None:
    """`groups` of `models` (best first) by the rows of the analysis `pairs` on one setting.

    None if a pair was not compared or has no verdict (a baseline, too few runs), or if there are
    more groups than are shown.
    """
    rows = pairs[pairs["outcome"].isin(TESTED)]
    rows = rows[rows["model_a"].isin(models) & rows["model_b"].isin(models)]
    if len(models) < 2 or len(rows) < len(models) * (len(models) - 1) / 2:
        return None
    apart = rows.loc[is_shown(rows), ["model_a", "model_b"]]
    return groups(
        models, apart.itertuples(index=False, name=None), most=max(_READABLE, len(models))
    )


def groups(
    models: list[str], differ: Iterable[tuple[str, str]], most: int | None = None
) -> dict[str, tuple[int, ...]] | None:
    """Compact letter display of `models` (best first) with the pairs that are shown to differ.

    Each maximal set of models without a shown difference has a number, in the order of its best
    model. So two models share a number if and only if their difference is not shown. Piepho (2004);
    the sets are maximal cliques (Bron and Kerbosch 1973). None if there are more than `most` sets.
    """
    apart = {frozenset(pair) for pair in differ}
    same = {
        a: {b for b in models if b != a and frozenset((a, b)) not in apart} for a in models
    }  # fmt: skip
    place = {model: i for i, model in enumerate(models)}
    cliques = _cliques(same, set(), set(models), set())
    sets = sorted(
        sorted(place[m] for m in clique)
        for clique in islice(cliques, None if most is None else most + 1)
    )
    if most is not None and len(sets) > most:
        return None
    return {
        model: tuple(number for number, members in enumerate(sets) if place[model] in members)
        for model in models
    }


def _cliques(
    same: Mapping[str, set[str]], chosen: set[str], candidates: set[str], done: set[str]
) -> Iterator[set[str]]:
    if not candidates and not done:
        yield chosen
        return
    pivot = max(sorted(candidates | done), key=lambda m: len(same[m] & candidates))
    for model in sorted(candidates - same[pivot]):
        near = same[model]
        yield from _cliques(same, chosen | {model}, candidates & near, done & near)
        candidates = candidates - {model}
        done = done | {model}
