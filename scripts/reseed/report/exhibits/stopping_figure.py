"""Confidence sequence of each pair of models after every seed."""

from __future__ import annotations

import math

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reseed.comparison.claims import phrases
from reseed.comparison.claims.claim import Claim
from reseed.core.schemas import COMPARISON_COLUMNS
from reseed.plugins.options import Experiments as Options
from reseed.report.analyses.stopping import StopRow
from reseed.report.rendering import style
from reseed.report.rendering.data import ExhibitData
from reseed.report.rendering.figures import FigureInfo
from reseed.report.rendering.numbers import from_to, whole
from reseed.report.rendering.panels import line, name_omitted, panel_grid, set_title
from reseed.report.rendering.settings import (
    footnote_pairs,
    group_by_setting,
    pair_runs,
    pair_title,
    pair_titles,
)

NOTHING = "No pair of models has two comparable runs at this scale."
PAIR = ["model_a", "model_b"]
#: Outcomes that decide a comparison; a narrow interval alone does not.
SETTLED = ("difference", "equivalent")


DRAWS = ("stopping",)


@style.styled
def figure(data: ExhibitData, options: Options) -> tuple[Figure, FigureInfo]:
    """A panel for each pair: difference and its interval by number of runs."""
    rows = data.require_rows(NOTHING, options.experiments)
    several = len(group_by_setting(data, rows)) > 1
    panels = [
        (pair_title(data, StopRow.read_first(part)) + (f", {title}" if several else ""), part)
        for title, setting in group_by_setting(data, rows)
        for _, part in setting.groupby(PAIR, sort=False)
    ]
    canvas, axes = panel_grid([1.9] * len(panels), 2 if several else 3, legend=0.6)
    for axis, (title, part) in zip(axes, panels, strict=False):
        _panel(axis, part)
        set_title(axis, title)
    handles = [
        line(style.BLUE, "Mean difference"),
        line(style.SKY, f"{_levels(rows)} % confidence sequence", width=6),
        line(style.BLACK, "Settled", ":", 1.2),
    ]
    canvas.legend(handles=handles, loc="outside lower center", ncols=3)
    known = rows.drop_duplicates([*COMPARISON_COLUMNS, *PAIR]).rename(columns={"model_a": "model"})
    omitted = name_omitted([title for title, _ in panels], axes)
    return canvas, FigureInfo(
        rows,
        footnote_pairs(data, known, GUARANTEE, describe_overlap(rows), omitted),
        claims=claim_settled(data, rows),
        drawn=frozenset({"mean"}),
        alt=("A panel a pair of models: the mean difference over the number of runs, in a"
                      " band; dotted where the pair is settled."),
    )  # fmt: skip


GUARANTEE = (
    "The sequence may be looked at after every run: for independent Gaussian differences all of it"
    " covers at once. Seeds are taken in the order of their numbers."
)


def _levels(rows: pd.DataFrame) -> str:
    """The level of the sequences, or their range, such as `95 to 99.2`."""
    return from_to(100 * (1 - rows["test_alpha"]), lambda level: f"{level:.4g}")


def describe_overlap(rows: pd.DataFrame) -> str:
    """Sentence on splits that share rows; empty if runs differ in seeds only."""
    if "splits" not in set(rows["design"]):
        return ""
    return "Splits of one table overlap: over them the sequence is too narrow, and none a verdict."


def _panel(axis: Axes, part: pd.DataFrame) -> None:
    rows = StopRow.read(part)
    bands = [(row.runs, *row.shown_difference[1:]) for row in rows if row.has_interval]
    if bands:
        runs, lows, highs = zip(*bands, strict=True)
        axis.fill_between(runs, lows, highs, color=style.SKY, alpha=0.5, lw=0)
    means = [row.mean * row.factor for row in rows]
    axis.plot([row.runs for row in rows], means, color=style.BLUE, lw=1.3)
    axis.axhline(0, color=style.BLACK, lw=0.8)
    at = settled_at(rows[0])
    if math.isfinite(at):
        axis.axvline(at, color=style.BLACK, lw=1.2, ls=":")
    # The first intervals are too wide for the scale of the last ones.
    if bands:
        _, low, high = bands[-1]
        axis.set_ylim(min(low, 0) - 2 * (high - low), max(high, 0) + 2 * (high - low))
    axis.set_xlabel("Runs of each")
    axis.set_ylabel(f"Difference, {rows[0].unit}" if rows[0].unit else "Difference")
    axis.locator_params(axis="x", integer=True)


def settled_at(row: StopRow) -> float:
    """Number of runs after which a pair was decided, or NaN."""
    return row.stopped_at if row.outcome in SETTLED else math.nan


def describe_pair(data: ExhibitData, row: StopRow) -> str:
    """Outcome of a decided pair: `RF beats XGB`."""
    titles = pair_titles(data, row)
    if row.outcome == "equivalent":
        return f"{' and '.join(titles)} are equivalent"
    ahead, behind = titles if row.winner == row.model_a else titles[::-1]
    return f"{ahead} beats {behind}"


def claim_settled(data: ExhibitData, rows: pd.DataFrame) -> list[Claim]:
    """Number of decided pairs, their runs, and the first three of them."""
    valid = StopRow.select(rows, lambda row: row.design != "splits")
    last = valid.drop_duplicates([*COMPARISON_COLUMNS, *PAIR])
    if last.empty:
        return []
    is_settled = StopRow.where(last, lambda row: row.outcome in SETTLED)
    settled = last[is_settled]
    names = {"settled": phrases.share(last, is_settled, "pair")}
    finding = "{n} of each settle {settled}"
    claims = [Claim("settled", finding, last, names, pair_runs(last), headline=True)]
    if len(settled) > 1:
        names = {"after": phrases.extent(settled, "stopped_at", whole, is_comparable=True)}
        finding = "these pairs are settled after {after} runs, of {n} available"
        claims.append(Claim("settled_after", finding, settled, names, pair_runs(settled)))
    titles = {i: title for title, part in group_by_setting(data, last) for i in part.index}
    for number, i in enumerate(settled.nsmallest(3, "stopped_at").index, 1):
        pair = settled.loc[[i]]
        names = {
            "at": phrases.single(pair, "stopped_at", whole),
            "outcome": phrases.name(describe_pair(data, StopRow.read_first(pair))),
        }
        finding = (
            "stopped at run {at} of {n}, the comparison says: {outcome}"
            f"{_since(rows, pair.iloc[0])}"
        )
        claims.append(
            Claim(
                f"settled_pair_{number}", finding, pair, names, pair_runs(pair), subject=titles[i]
            )
        )
    return claims


def _since(rows: pd.DataFrame, row: pd.Series) -> str:
    """The last interval of a pair decided earlier; empty if it agrees."""
    same = [name for name in (*COMPARISON_COLUMNS, *PAIR) if pd.notna(row[name])]
    last = StopRow.of(rows[(rows[same] == row[same]).all(axis="columns")].iloc[-1])
    if last.outcome != "difference" or not last.has_interval:
        return ""
    if last.low <= 0 <= last.high:
        return "; at the last run the interval includes zero again"
    ahead = last.model_a if last.low > 0 else last.model_b
    return "" if ahead == last.winner else "; at the last run the interval says the opposite"
