"""Ranks that the shown differences leave possible, for all models at once [Mogstad et al. 2024]."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reseed.comparison.claims import phrases
from reseed.comparison.claims.claim import Claim
from reseed.comparison.claims.pair_row import PairRow, is_on_one_test_set
from reseed.comparison.claims.possible_ranks import choose_ranked, rank_models
from reseed.comparison.claims.wording import quote_count
from reseed.plugins.options import Experiments as Options
from reseed.report.rendering import style
from reseed.report.rendering.arms import name_arms
from reseed.report.rendering.data import ExhibitData, NothingToShow
from reseed.report.rendering.figures import NO_CENTRE, FigureInfo
from reseed.report.rendering.panels import (
    count_panel_columns,
    name_omitted,
    panel_grid,
    set_title,
)
from reseed.report.rendering.settings import (
    footnote_pairs,
    group_by_setting,
    run_ends,
    sample_of_ends,
)

#: Most models of a panel.
_MOST = 40
# Most panels with a sentence.
_LISTED = 6

DRAWS = ("pairs",)


@style.styled
def figure(data: ExhibitData, options: Options) -> tuple[Figure, FigureInfo]:
    """One line for each model: its rank, and the ranks that the verdicts leave possible.

    One panel over all datasets if the analysis `pairs` compared mean ranks. Otherwise a panel for
    each setting with three models or more in which every pair has a verdict.
    """
    rows = data.rows(options.experiments)
    boards = []
    if not rows.empty:
        chosen = choose_ranked(rows)
        boards = [(t, part, rank_models(part)) for t, part in group_by_setting(data, chosen)]
        boards = [(t, part, board) for t, part, board in boards if len(board)]
    if not boards:
        raise NothingToShow(
            data.no_pairs("No three models have a verdict on every pair, so none is ranked.")
        )
    names = [[*name_arms(data, part, board["model"]).values()] for _, part, board in boards]
    heights = [0.19 * min(len(board), _MOST) + 0.75 for _, _, board in boards]
    canvas, axes = panel_grid(heights, count_panel_columns(names), legend=0.1)
    for axis, named, (title, _, board) in zip(axes, names, boards, strict=False):
        _panel(axis, named[:_MOST], board.head(_MOST), len(board))
        set_title(axis, title, 30)
    shown = pd.concat([part for _, part, _ in boards])
    alpha = PairRow.read_first(shown).alpha
    raw = pd.concat([board.assign(setting=title) for title, _, board in boards])
    low = [name for panel in names for name in panel[_MOST:]]
    return (
        canvas,
        FigureInfo(
            raw,
            footnote_pairs(
                data,
                shown,
                name_omitted([title for title, _, _ in boards], axes),
                name_omitted(low, []),
                f"Ranks of a panel hold at once with probability {1 - alpha:g}.",
            ),
            claims=[
                *_count_single_best(boards),
                *(
                    _may_be_best(named, title, part, board, len(boards) == 1)
                    for named, (title, part, board) in zip(names, boards[:_LISTED], strict=False)
                ),
            ],
            definitions=[
                "A model's rank is at least one more than the number of models significantly"
                " better, and at most the number of models less those significantly worse."
            ],
            drawn=NO_CENTRE,
            alt="Models by rank, with the interval of ranks that the comparisons leave possible.",
        ),
    )


def _panel(axis: Axes, names: list[str], board: pd.DataFrame, models: int) -> None:
    y = np.arange(len(board))
    axis.hlines(y, board["low"] - 0.25, board["high"] + 0.25, color=style.BLUE, linewidth=2.5)
    axis.plot(board["rank"], y, "o", color=style.BLACK, ms=3.5, mew=0)
    axis.set_yticks(y, names)
    axis.set_ylim(len(board) - 0.4, -0.6)
    axis.set_xlim(0.4, models + 0.6)
    axis.tick_params(axis="y", length=0)
    axis.grid(axis="x")
    axis.grid(visible=False, axis="y")
    axis.set_xlabel("Rank")


def _count_single_best(boards: list[tuple[str, pd.DataFrame, pd.DataFrame]]) -> list[Claim]:
    """On how many of several settings one model alone may have the first rank."""
    if len(boards) < 2:
        return []
    alone = pd.DataFrame([run_ends(part) for _, part, _ in boards])
    is_alone = pd.Series([(board["low"] == 1).sum() == 1 for *_, board in boards])
    parts = pd.concat([part for _, part, _ in boards])
    each = ", on one test set each" * bool(is_on_one_test_set(parts).all())
    return [
        Claim(
            "single_best",
            f"one model is shown to be the best on {{alone}}{each}",
            alone,
            {"alone": phrases.share(alone, is_alone, "dataset")},
            sample_of_ends(alone, parts),
            headline=True,
            null="no difference",
        )
    ]


def _may_be_best(
    names: list[str], title: str, part: pd.DataFrame, board: pd.DataFrame, is_one: bool
) -> Claim:
    """The models that may have the first rank."""
    first = [one for one, low in zip(names, board["low"], strict=True) if low == 1]
    rows = board.assign(**run_ends(part))
    where = " on this one test set" * bool(is_on_one_test_set(part).all())
    return Claim(
        f"best: {title}",
        f"{{models}} is shown to be the best{where}"
        if len(first) == 1
        else "{some} may be the best: {models}",
        rows,
        {
            "models": phrases.name(", ".join(map(quote_count, first))),
            "some": phrases.share(rows, rows["low"] == 1, "model"),
        },
        sample_of_ends(rows, part),
        headline=is_one,
        subject=title,
        null="no difference",
    )
