"""Arms over all tasks: interval estimates, or performance profiles [Agarwal et al. 2021]."""

from __future__ import annotations

from typing import Literal

import pandas as pd
from matplotlib.figure import Figure

from reseed.analyses.aggregates import FEW
from reseed.exhibits import style
from reseed.exhibits.arms import arm_title
from reseed.exhibits.data import ExhibitData
from reseed.exhibits.figures import Drawn, empty_figure
from reseed.exhibits.headlines import LEAST
from reseed.exhibits.numbers import from_to
from reseed.exhibits.panels import colours, forest, line, panel_grid
from reseed.options import Experiments

NOTHING = "Fewer than two datasets on which every arm has two runs at this scale."
_TITLES = {
    "iqm": "Interquartile mean",
    "mean": "Mean",
    "median": "Median of tasks",
    "optimality_gap": "Optimality gap (less is better)",
    "run_profile": "Share of runs above",
    "task_profile": "Share of tasks with a mean above",
}
_SCALES = {
    "none": "Scores as they are.",
    "range": "Scores scaled on each task: 0 is the worst and 1 the best single run of any arm here,"
    " so they change with the arms compared.",
    "given": "Scores scaled on each task to the given baseline (0) and reference (1).",
}


def known(data: ExhibitData, options: dict) -> pd.DataFrame:
    """Rows with a value, of one experiment: the first, unless `options["experiments"]` says."""
    rows = data.rows(options.get("experiments"))
    rows = rows if rows.empty else rows[rows["reason"] == ""]
    return rows if rows.empty else rows[rows["experiment"] == rows["experiment"].iloc[0]]


def note(data: ExhibitData, rows: pd.DataFrame, *sentences: str) -> str:
    """The footnote: scale, tasks, runs, and whether the intervals hold at that number."""
    first = rows.iloc[0]
    low = int(first["runs_min"])
    runs = from_to(first[["runs_min", "runs_max"]], to="–")
    parts = [
        f"{data.scale} Tasks: {first['tasks']:.0f}; runs a task: {runs}; failed"
        f" runs (left out): {first['failed']:.0f}.",
        _SCALES[first["scale"]],
        f"{100 * first['level']:g} % stratified bootstrap intervals over runs; tasks are fixed.",
    ]
    if low < FEW:
        parts.append(
            f"With {low} runs a task they are too narrow: simulated, 95 % intervals covered 82 to"
            " 92 % at 3 runs a task, 90 to 93 % at 5, 92 to 93 % at 10, 94 to 95 % at 20."
        )
    if first["left_out"]:
        parts.append(f"Left out, because an arm lacks two runs: {first['left_out']}.")
    return " ".join([*parts, *(s for s in sentences if s)])


DRAWS = ("aggregates",)


class Options(Experiments):
    """show: `intervals` (a panel an aggregate) or `profiles` (runs and tasks above a score)."""

    show: Literal["intervals", "profiles"] = "intervals"


@style.styled
def figure(data: ExhibitData, options: dict) -> tuple[Figure, Drawn]:
    """Aggregates with their intervals, or performance profiles."""
    rows = known(data, options)
    if rows.empty:
        return empty_figure(data, NOTHING)
    if options.get("show", "intervals") == "profiles":
        return _profiles(data, rows)
    names = [name for name in _TITLES if (rows["statistic"] == name).any()][:4]
    arms = list(dict.fromkeys(rows["arm"].dropna()))
    canvas, axes = panel_grid([0.24 * len(arms) + 0.8] * len(names), legend=0.1)
    for axis, name in zip(axes, names, strict=False):
        part = rows[rows["statistic"] == name]
        labels = [arm_title(data, arm) for arm in part["arm"]]
        forest(axis, labels, *(part[c].to_numpy() for c in ("value", "low", "high")))
        axis.set_title(_TITLES[name])
        axis.locator_params(axis="x", nbins=5)
    shown = rows[rows["statistic"].isin(names)]
    found = _findings(data, rows)
    return canvas, Drawn(
        shown,
        note(data, rows),
        findings=found,
        headline=_headline(data, rows),
        alt=" ".join(["A panel an aggregate over tasks, a line an arm with its interval.", *found]),
    )


def _profiles(data: ExhibitData, known: pd.DataFrame) -> tuple[Figure, Drawn]:
    rows = known[known["statistic"].isin(["run_profile", "task_profile"])]
    arms = list(dict.fromkeys(rows["arm"]))
    palette = colours(arms)
    canvas, axes = panel_grid([2.3] * 2, legend=0.6)
    for axis, name in zip(axes, ("run_profile", "task_profile"), strict=False):
        for arm, part in rows[rows["statistic"] == name].groupby("arm", sort=False):
            axis.fill_between(part["tau"], part["low"], part["high"], color=palette[arm],
                              alpha=0.18, lw=0, step="post")  # fmt: skip
            axis.step(part["tau"], part["value"], where="post", color=palette[arm], lw=1.3)
        axis.set_title(_TITLES[name])
        axis.set_xlabel("Score")
        axis.set_ylim(0, 1.02)
    handles = [line(palette[arm], arm_title(data, arm)) for arm in arms]
    canvas.legend(handles=handles, loc="outside lower center", ncols=min(5, len(arms)))
    found = _findings(data, known)
    return canvas, Drawn(
        rows,
        note(data, rows),
        findings=found,
        headline=_headline(data, known),
        alt=" ".join(["A falling line an arm with its band: the share of runs, and of tasks, that"
                      " score above what the axis says.", *found]),
    )  # fmt: skip


def _two_best(rows: pd.DataFrame) -> tuple[pd.Series, pd.Series, bool] | None:
    """Best and second by interquartile mean, and whether their intervals are apart."""
    iqm = rows[rows["statistic"] == "iqm"].sort_values("value", ascending=False)
    if len(iqm) < 2:
        return None
    best, second = iqm.iloc[0], iqm.iloc[1]
    return best, second, bool(best["low"] > second["high"])


def _headline(data: ExhibitData, rows: pd.DataFrame) -> str:
    found = _two_best(rows)
    if found is None or found[0]["runs_min"] < LEAST:
        return ""
    best, second, apart = found
    told = "above that of" if apart else "its interval overlaps that of"
    name, other = (arm_title(data, row["arm"]) for row in (best, second))
    return f"Greatest interquartile mean: {name}, {told} {other}"


def _findings(data: ExhibitData, rows: pd.DataFrame) -> list[str]:
    found = _two_best(rows)
    if found is None:
        return []
    best, second, apart = found
    return [
        f"{arm_title(data, best['arm'])} has the greatest interquartile mean, {best['value']:.3g}"
        f" [{best['low']:.3g}, {best['high']:.3g}]; its interval"
        f" {'lies above' if apart else 'overlaps'} that of {arm_title(data, second['arm'])}"
        f" ({second['value']:.3g}; {best['tasks']:.0f} tasks)."
    ]
