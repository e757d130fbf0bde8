"""Power of the comparison of each pair of models by number of runs."""

from __future__ import annotations

import textwrap

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reseed.comparison.claims import phrases
from reseed.comparison.claims.claim import Claim
from reseed.core.schemas import COMPARISON_COLUMNS
from reseed.plugins.options import Experiments as Options
from reseed.report.analyses.seeds_needed import PlanRow
from reseed.report.rendering import style
from reseed.report.rendering.colours import DASHES, LINES
from reseed.report.rendering.data import ExhibitData, NothingToShow
from reseed.report.rendering.figures import NO_CENTRE, FigureInfo
from reseed.report.rendering.least import LEAST, Least, with_least
from reseed.report.rendering.numbers import from_to, percent, whole
from reseed.report.rendering.panels import name_omitted, panel_grid, set_title
from reseed.report.rendering.settings import (
    LONG_LABEL,
    RUNS,
    footnote_pairs,
    group_by_setting,
    in_unit,
    join_titles,
    pair_runs,
    pair_title,
)

PAIR = ["model_a", "model_b"]
# Number of lines that colours and dashes distinguish.
_MOST = len(LINES) * len(DASHES)
# Letters of a line of the legend, and of the text on a pair.
_WIDEST, _MOST_SAID = 84, 25


DRAWS = ("seeds_needed",)


@style.styled
def figure(data: ExhibitData, options: Options) -> tuple[Figure, FigureInfo]:
    """A panel for each setting, a line for each pair with the runs it needs."""
    rows = data.rows(options.experiments)
    if not rows.empty:
        rows = rows[rows["power"].notna()]
    panels = group_by_setting(data, rows)
    if not panels:
        reason = "No pair of models has two runs whose differences vary, which a plan starts from."
        raise NothingToShow(data.no_pairs(reason))
    pairs = [
        (join_titles(title, pair_title(data, PlanRow.read_first(pair))), pair)
        for title, part in panels
        for _, pair in part.groupby(PAIR, sort=False)
    ]
    enough, few = with_least(pairs, Least(LEAST, lambda part: part["n"].iloc[0]))
    rows = pd.concat([part for _, part in enough]).sort_index()
    panels = group_by_setting(data, rows)
    longest = max(len(pair_title(data, row)) for row in PlanRow.read(rows.drop_duplicates(PAIR)))
    columns = 1 if longest > LONG_LABEL else 2
    counts = [len(part.drop_duplicates(PAIR)) for _, part in panels]
    lines = 1 if longest < _WIDEST - _MOST_SAID else 2
    heights = [max(2.0, 0.16 * lines * min(count, _MOST) + 0.9) for count in counts]
    canvas, axes = panel_grid(heights, columns, legend=0.0)
    for axis, (title, part) in zip(axes, panels, strict=False):
        _panel(axis, data, part)
        set_title(axis, title)
    first, given = PlanRow.read_first(rows), _given(rows)
    target = given or "the observed difference, itself uncertain"
    most = f"At most {_MOST} pairs a panel, those that need fewest." if max(counts) > _MOST else ""
    return canvas, FigureInfo(
        rows,
        footnote_pairs(data, rows, most, few, name_omitted([title for title, _ in panels], axes)),
        claims=_claims(rows),
        definitions=[
            f"Power to show {target} at {_describe_test(rows)}, with the spread of the available"
            f" runs. The number is the runs needed for {100 * first.target_power:.0f} %. Dotted:"
            " the available runs."
        ],
        drawn=NO_CENTRE,
        alt="Curves of power over the number of runs, one a pair of models.",
    )


def _given(rows: pd.DataFrame) -> str:
    """The configured difference in the unit of each metric; empty for the observed difference.

    For example, 0.005 are 0.5 points of AUC.
    """
    asked = rows[rows["target_is"] == "given"].drop_duplicates(["metric", "factor", "unit"])
    sizes = [
        f"{row.target_difference * row.factor:g} {in_unit(row.metric, row.unit)}"
        for row in PlanRow.read(asked)
    ]
    return f"a difference of {' or '.join(sizes)}" if sizes else ""


def _describe_test(rows: pd.DataFrame) -> str:
    """The test that the runs are planned for."""
    alpha, pairs = PlanRow.read_first(rows).alpha, rows["pairs"]
    if pairs.max() == 1:
        return f"α = {alpha:g} in a test of one pair"
    return f"Holm's strictest step over {from_to(pairs)} pairs (α = {alpha:g} by their number)"


def _claims(rows: pd.DataFrame) -> list[Claim]:
    """Pairs for which the available runs suffice; the runs that the others need."""
    each = rows.drop_duplicates([*COMPARISON_COLUMNS, *PAIR])
    what = _given(rows)
    names = {
        "what": phrases.Phrase(what, "setting") if what else phrases.name("the observed difference")
    }
    first, is_known = PlanRow.read_first(each), each["runs_for_power"].notna()
    if len(each) == 1 and is_known.all():
        names["needed"] = phrases.single(each, "runs_for_power", whole)
        finding = "to show {what} takes {needed} runs; {n} are available"
        return [Claim("enough_runs", finding, each, names, pair_runs(each), headline=True)]
    names["power"] = phrases.setting(first.target_power, percent)
    is_enough = PlanRow.where(each, lambda row: row.runs_for_power <= row.n)
    claims = [
        Claim(
            "enough_runs",
            "{n} show {what} with a power of {power} in {enough} of models",
            each,
            names | {"enough": phrases.share(each, is_enough, "pair")},
            pair_runs(each),
            headline="A power of {power} is reached for {enough}",
        )
    ]
    short = each[is_known & ~is_enough]
    if len(short):
        needed = phrases.extent(short, "runs_for_power", whole, is_comparable=True)
        claims.append(_lacking("needed_runs", "{needed} runs", short, names | {"needed": needed}))
    never = each[~is_known]
    if len(never):
        tried = rows.groupby([*COMPARISON_COLUMNS, *PAIR], dropna=False)["runs"].max()
        most = phrases.setting(tried.max(), whole)
        more = "more than {most} runs"
        claims.append(_lacking("more_than_tried", more, never, names | {"most": most}))
    return claims


def _lacking(name: str, needed: str, rows: pd.DataFrame, names: dict[str, phrases.Phrase]) -> Claim:
    """What pairs without enough runs need."""
    return Claim(
        name,
        f"to show {{what}}, {{pairs}} need {needed}; {{n}} are available",
        rows,
        names | {"pairs": phrases.count(rows, "pair")},
        pair_runs(rows),
    )


def _panel(axis: Axes, data: ExhibitData, part: pd.DataFrame) -> None:
    rows = PlanRow.read(part)
    most, first = max(row.runs for row in rows), rows[0]
    curves = [PlanRow.read(curve) for _, curve in part.groupby(PAIR, sort=False)]
    curves.sort(key=lambda curve: np.nan_to_num(curve[0].runs_for_power, nan=np.inf))
    for i, curve in enumerate(curves[:_MOST]):
        row, needed = curve[0], curve[0].runs_for_power
        text = f"{needed:,.0f}" if np.isfinite(needed) else f"over {most:,.0f}"
        if row.power_limit < row.target_power:
            text = "never with this test set"
        colour, dash = LINES[i % len(LINES)], DASHES[i // len(LINES) % len(DASHES)]
        label = textwrap.fill(f"{pair_title(data, row)}: {text}", _WIDEST)
        power = [100 * one.power for one in curve]
        axis.plot([one.runs for one in curve], power, lw=1.2, label=label, color=colour, ls=dash)
    axis.axhline(100 * first.target_power, color=style.GREY, lw=0.8)
    axis.axvline(max(row.n for row in rows), color=style.GREY, lw=0.8, ls=":")
    axis.set_xscale("log")
    ticks = [t for t in (2, 10, 100, 1000, 10_000) if t <= most]
    axis.set_xticks(ticks, [f"{t:,}" for t in ticks])
    axis.minorticks_off()
    axis.set_ylim(0, 103)
    axis.set_ylabel("Power (%)")
    designs = dict.fromkeys(RUNS[row.design] for row in rows)
    axis.set_xlabel(f"Runs ({', '.join(designs)})")
    axis.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), title="Runs needed", fontsize=7)
