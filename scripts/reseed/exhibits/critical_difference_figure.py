"""Models by mean rank or mean score, with bars that join those not told apart [Demšar 2006]."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.transforms import ScaledTranslation

from reseed.exhibits import style
from reseed.exhibits.data import ExhibitData
from reseed.exhibits.figures import Drawn, empty_figure
from reseed.exhibits.letters import letters_of
from reseed.exhibits.numbers import counted
from reseed.exhibits.panels import entitle, panel_grid, undrawn
from reseed.exhibits.settings import metric_title, note, settings
from reseed.options import Experiments

#: Models a panel has room for.
_MOST = 40
#: Points from a panel's right edge to its first bar, and between bars.
_FIRST, _STEP = 8, 7

DRAWS = ("pairs",)


class Options(Experiments):
    """Which experiments are shown."""


@style.styled
def figure(data: ExhibitData, options: dict) -> tuple[Figure, Drawn]:
    """One dot a model, best on top; bars at the right join models that are not shown to differ.

    A panel over all datasets where the analysis `pairs` compared mean ranks, with the critical
    difference; else a panel each setting whose every pair has a verdict.
    """
    rows = data.rows(options.get("experiments"))
    boards, without = [], 0
    if not rows.empty:
        ranks = rows[rows["critical_difference"].notna()]
        chosen = ranks if len(ranks) else rows[rows["design"] != "datasets"]
        boards = [(t, part, _board(part)) for t, part in settings(data, chosen)]
        without = sum(board is None for _, _, board in boards)
        boards = [(t, part, board) for t, part, board in boards if board is not None]
    if not boards:
        return empty_figure(data, "No group of models has a verdict on every pair.")
    heights = [0.17 * min(len(board), _MOST) + 0.75 for _, _, board in boards]
    canvas, axes = panel_grid(heights, 2, legend=0.1)
    for axis, (title, part, board) in zip(axes, boards, strict=False):
        _panel(axis, data, part, board.head(_MOST))
        entitle(axis, title, 30)
    shown = pd.concat([part for _, part, _ in boards])
    raw = pd.concat([board.assign(setting=title) for title, _, board in boards])
    seen = [_finding(title, board) for title, _, board in boards[:6]]
    return canvas, Drawn(
        raw,
        note(
            data,
            shown,
            undrawn([title for title, _, _ in boards], axes),
            f"Not drawn: {counted(without, 'dataset')} with pairs without a verdict."
            if without
            else "",
        ),
        headline=_headline(boards),
        definitions=[
            "A bar joins models of which no two are shown to differ; a model beside no bar is told "
            "from every other. Over datasets by Friedman's and Nemenyi's tests, where the line CD "
            "is the difference of mean ranks that would be shown; on one dataset by the verdicts."
        ],
        alt=" ".join(["Models by mean, bars join those that are not told apart.", *seen]),
    )


def _board(part: pd.DataFrame) -> pd.DataFrame | None:
    """Model, mean and letters, best first; None where a pair has no verdict."""
    sides = [part[[f"model_{s}", f"mean_{s}"]].set_axis(["model", "mean"], axis=1) for s in "ab"]
    means = pd.concat(sides).groupby("model", sort=False)["mean"].mean().dropna()
    means = means.sort_values(ascending=not part["greater_is_better"].iloc[0], kind="stable")
    told = letters_of(part, list(means.index))
    if told is None:
        return None
    return means.rename("mean").reset_index().assign(letters=[told[m] for m in means.index])


def _panel(axis: Axes, data: ExhibitData, part: pd.DataFrame, board: pd.DataFrame) -> None:
    y = np.arange(len(board))
    axis.plot(board["mean"], y, "o", color=style.BLUE, ms=4.5, mew=0, clip_on=False)
    axis.set_yticks(y, [data.model(model) for model in board["model"]])
    axis.set_ylim(len(board) - 0.4, -0.6)
    axis.tick_params(axis="y", length=0)
    axis.grid(axis="x")
    axis.grid(visible=False, axis="y")
    width = part["critical_difference"].iloc[0]
    if np.isfinite(width):
        start = board["mean"].min()
        axis.plot([start, start + width], [-0.45, -0.45], color=style.BLACK, lw=1.4, clip_on=False)
        axis.annotate("CD", (start + width, -0.45), (3, 0), textcoords="offset points",
                      va="center", fontsize=7)  # fmt: skip
    axis.set_xlabel(
        "Mean rank" if np.isfinite(width) else f"Mean {metric_title(part.iloc[0]['metric'])}"
    )
    beside = {"xycoords": axis.get_yaxis_transform(), "textcoords": "offset points"}
    place = 0
    for letter in sorted(set("".join(board["letters"]))):
        members = [i for i, text in enumerate(board["letters"]) if letter in text]
        if len(members) < 2:
            continue
        x = _FIRST + _STEP * place
        place += 1
        ends = ((1, members[0] - 0.2), (1, members[-1] + 0.2))
        _bar(axis, x, ends)
        for i in range(members[0], members[-1] + 1):
            if i not in members:  # a gap: this one is told from some of them
                axis.annotate("×", (1, i), (x, 0), **beside, ha="center", va="center",
                              fontsize=9, color=style.RED)  # fmt: skip


def _bar(axis: Axes, x: float, ends: tuple) -> None:
    """A line `x` points right of the panel, between two heights of its own scale."""
    shift = ScaledTranslation(x / 72, 0, axis.figure.dpi_scale_trans)
    place = axis.get_yaxis_transform() + shift
    axis.plot([1, 1], [ends[0][1], ends[1][1]], color=style.BLACK, lw=2, clip_on=False,
              transform=place, solid_capstyle="butt")  # fmt: skip


def _alone(board: pd.DataFrame) -> bool:
    """Whether the best model shares its letters with nobody."""
    return sum("a" in text for text in board["letters"]) == 1


def _headline(boards: list) -> str:
    if len(boards) == 1:
        board = boards[0][2]
        groups = sum(
            sum(letter in text for text in board["letters"]) > 1
            for letter in set("".join(board["letters"]))
        )
        best = "the best is told from all others" if _alone(board) else "the best is not alone"
        return (
            f"{counted(len(board), 'model')} in {counted(groups, 'group')} not told apart; {best}"
        )
    alone = sum(_alone(board) for _, _, board in boards)
    return f"The best model is told from all others on {alone} of {len(boards)} datasets"


def _finding(title: str, board: pd.DataFrame) -> str:
    with_best = [m for m, text in zip(board["model"], board["letters"], strict=True) if "a" in text]
    others = f"not told from {', '.join(with_best[1:])}" if len(with_best) > 1 else "told from all"
    return f"{title}: {with_best[0]} first, {others}."
