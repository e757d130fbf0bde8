"""Arms over all tasks: aggregates with intervals, or performance profiles [Agarwal et al. 2021]."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Literal

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reseed.comparison.claims import phrases
from reseed.comparison.claims.claim import Claim
from reseed.comparison.claims.estimates import ANY_NUMBER, Estimate, Sample
from reseed.comparison.claims.formatting import format_level
from reseed.plugins.options import Experiments
from reseed.report.analyses.aggregates import FEW, AggregateRow
from reseed.report.rendering import style
from reseed.report.rendering.arms import arm_title
from reseed.report.rendering.colours import DASHES
from reseed.report.rendering.data import ExhibitData, NothingToShow, marks, require_rows
from reseed.report.rendering.figures import NO_CENTRE, FigureInfo
from reseed.report.rendering.least import LEAST
from reseed.report.rendering.numbers import from_to, several
from reseed.report.rendering.panels import (
    COLOURS,
    count_panel_columns,
    forest,
    line,
    line_styles,
    name_omitted,
    panel_grid,
    set_title,
)
from reseed.report.rendering.settings import CROSS_DATASET_COLUMNS, group_by_comparison, join_titles

#: Number of arms that colours and dashes distinguish.
_MOST = len(COLOURS) * len(DASHES)
NOTHING = "Fewer than two datasets on which every arm has two runs at this scale."
_INTERVALS = {
    "iqm": "Interquartile mean",
    "mean": "Mean",
    "median": "Median of tasks",
    "optimality_gap": "Optimality gap (less is better)",
}
_PROFILES = {
    "run_profile": "Share of runs above",
    "task_profile": "Share of tasks with a mean above",
}
_SCALES = {
    "none": "Scores as they are.",
    "range": "Scores scaled on each task: 0 is the worst and 1 the best single run of any arm here,"
    " so they change with the arms compared.",
    "given": "Scores scaled on each task to the given baseline (0) and reference (1).",
}


def select_statistics(rows: pd.DataFrame, *names: str) -> pd.DataFrame:
    """The rows of these statistics."""
    return AggregateRow.select(rows, lambda row: row.statistic in names)


def footnote_aggregates(data: ExhibitData, rows: pd.DataFrame, *sentences: str) -> str:
    """The footnote: scale, tasks, runs, and the coverage of intervals at that number of runs."""
    boards = rows.drop_duplicates([name for name in CROSS_DATASET_COLUMNS if name in rows])
    each = AggregateRow.read(boards)
    low = min(row.runs_min for row in each)
    runs = from_to([end for row in each for end in (row.runs_min, row.runs_max)], to="–")
    left_out = dict.fromkeys(
        name for row in each if row.left_out for name in row.left_out.split(", ")
    )
    parts = [
        f"{data.scale} Tasks: {from_to((row.tasks for row in each), to='–')}; runs a task: {runs};"
        f" failed runs (left out): {sum(row.failed for row in each):.0f}.",
        *dict.fromkeys(_SCALES[row.scale] for row in each),
        f"{format_level(each[0].level)} stratified bootstrap intervals over runs; tasks are fixed.",
    ]
    if low < FEW:
        parts.append(
            f"With {low:.0f} runs a task they may be too narrow: simulated, 95 % intervals covered"
            " 88 to 95 % at 3 runs a task, 93 to 95 % at 5, 93 to 96 % at 10, 93 to 97 % at 20."
        )
    if left_out:
        named = "; ".join(map(data.dataset, left_out))
        parts.append(f"Left out, because an arm lacks two runs: {named}.")
    models = [arm for name in ("arm", "arm_b") if name in rows for arm in rows[name].dropna()]
    return " ".join([*parts, *(s for s in sentences if s), *marks(data, left_out, models)])


DRAWS = ("aggregates",)


class Options(Experiments):
    """show: `intervals` (a panel an aggregate) or `profiles` (runs and tasks above a score)."""

    show: Literal["intervals", "profiles"] = "intervals"


@style.styled
def figure(data: ExhibitData, options: Options) -> tuple[Figure, FigureInfo]:
    """Aggregates with their intervals, or performance profiles, of each experiment."""
    rows = require_rows(data.measured(options.experiments), NOTHING)
    profiles = options.show == "profiles"
    kinds = _PROFILES if profiles else _INTERVALS
    panels = [
        (join_titles(title, kinds[name]), part)
        for title, board in group_by_comparison(data, rows)
        for name in kinds
        if len(part := select_statistics(board, name))
    ]
    draw = _profiles if profiles else _intervals
    if profiles:  # equal scores have no profile
        panels = [
            (title, part)
            for title, part in panels
            if len({row.tau for row in AggregateRow.read(part)}) > 1
        ]
        if not panels:
            raise NothingToShow("Every run has the same score.")
    canvas, axes, arms = draw(data, panels)
    for axis, (title, _) in zip(axes, panels, strict=False):
        set_title(axis, title)
    seen = (
        "A line an arm with its band: the share of runs, and of tasks, that score above"
        " what the axis says."
        if profiles
        else "A panel an aggregate over tasks, a line an arm with its interval."
    )
    return canvas, FigureInfo(
        select_statistics(rows, *kinds),
        footnote_aggregates(
            data,
            rows,
            name_omitted([title for title, _ in panels], axes),
            name_omitted(arms, arms[:_MOST]),
        ),
        claims=claims(data, rows, _claim),
        drawn=NO_CENTRE if profiles else frozenset({"mean", "median"}),
        alt=seen,
    )


Panels = list[tuple[str, pd.DataFrame]]


def _intervals(data: ExhibitData, panels: Panels) -> tuple[Figure, list[Axes], list[str]]:
    names = [[_arm(data, row) for row in AggregateRow.read(part)] for _, part in panels]
    heights = [0.24 * len(labels) + 0.8 for labels in names]
    canvas, axes = panel_grid(heights, count_panel_columns(names), legend=0.1)
    for axis, (_, part), labels in zip(axes, panels, names, strict=False):
        forest(axis, labels, *(part[c].to_numpy() for c in ("value", "low", "high")))
    return canvas, axes, []


def _profiles(data: ExhibitData, panels: Panels) -> tuple[Figure, list[Axes], list[str]]:
    rows = pd.concat([part for _, part in panels])
    every = {row.arm: _arm(data, row) for row in AggregateRow.read(rows.drop_duplicates("arm"))}
    titles = dict(list(every.items())[:_MOST])
    look = line_styles(list(titles))
    handles = [line(look[arm]["color"], titles[arm], look[arm]["ls"]) for arm in titles]
    room = 0.2 + style.legend_room(list(titles.values()))
    canvas, axes = panel_grid([2.3] * len(panels), legend=room)
    for axis, (_, panel) in zip(axes, panels, strict=False):
        for arm, part in panel[panel["arm"].isin(titles)].groupby("arm", sort=False):
            axis.fill_between(part["tau"], part["low"], part["high"], color=look[arm]["color"],
                              alpha=0.18, lw=0, step="post")  # fmt: skip
            axis.step(part["tau"], part["value"], where="post", lw=1.3, **look[arm])
        axis.set_xlabel("Score")
        axis.set_ylim(0, 1.02)
    style.legend_below(canvas, handles)
    return canvas, axes, list(every.values())


def _arm(data: ExhibitData, row: AggregateRow) -> str:
    return arm_title(data, row.arm, row.experiment)


def claims(
    data: ExhibitData,
    rows: pd.DataFrame,
    make: Callable[[ExhibitData, str, pd.DataFrame], Iterator[Claim]],
) -> list[Claim]:
    """The claims of each comparison; a headline only for a single one with enough runs."""
    boards = group_by_comparison(data, rows)
    made = [claim for title, board in boards for claim in make(data, title, board)]
    if len(boards) > 1 or min(row.runs_min for row in AggregateRow.read(rows)) < LEAST:
        return [replace(claim, headline=False) for claim in made]
    return made


def _split_by_best(rows: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Arms with the greatest interquartile mean, and the others, best first."""
    iqm = select_statistics(rows, "iqm").sort_values("value", ascending=False, kind="stable")
    is_first = AggregateRow.where(iqm, lambda row: row.value == AggregateRow.read_first(iqm).value)
    return iqm[is_first], iqm[~is_first]


def _claim(data: ExhibitData, title: str, rows: pd.DataFrame) -> Iterator[Claim]:
    """The arm with the greatest interquartile mean, and whether the intervals overlap."""
    first, others = _split_by_best(rows)
    if len(first) + len(others) < 2:
        return
    iqm = pd.concat([first, others])
    names = {
        "best": phrases.name(several(_arm(data, row) for row in AggregateRow.read(first))),
        "tasks": phrases.extent(iqm, "tasks", "{:.0f} tasks".format, is_comparable=True),
        "value": phrases.single(first.head(1), "value", "{:.3g}".format, ("low", "high")),
    }
    if len(first) > 1:
        headline = "Greatest interquartile mean: shared by {best}"
        finding = "{best} share the greatest interquartile mean, {value}"
    else:
        second = AggregateRow.read_first(others)
        is_apart = AggregateRow.read_first(first).low > second.high
        names["next"] = phrases.name(_arm(data, second))
        names["second"] = phrases.single(others.head(1), "value", "{:.3g}".format)
        place = "lies above" if is_apart else "overlaps"
        short = "above that of" if is_apart else "its interval overlaps that of"
        headline = f"Greatest interquartile mean: {{best}}, {short} {{next}}"
        finding = (
            "{best} has the greatest interquartile mean, {value}; its interval"
            f" {place} that of {{next}}, {{second}}"
        )
    yield Claim(
        join_titles("greatest_iqm", title),
        finding,
        iqm,
        names,
        Sample.of(iqm, ["runs_min", "runs_max"], "run"),
        headline=headline,
        subject=title,
        basis="{tasks}",
        statistic="interquartile mean",
        null="the interquartile mean of the next arm",
        estimates=[
            Estimate.truncated(
                _arm(data, row),
                row.value,
                (row.low, row.high),
                row.level,
                (0.0, 1.0) if row.scale == "range" else ANY_NUMBER,
            )
            for row in AggregateRow.read(iqm)
        ],
    )
