"""Stability of the order of models: agreement of single runs, and the effect of averaging."""

from __future__ import annotations

from dataclasses import replace
from math import isfinite
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reseed.comparison.claims import phrases
from reseed.comparison.claims.claim import Claim
from reseed.comparison.claims.estimates import Sample
from reseed.comparison.claims.formatting import format_share
from reseed.plugins.options import Count, Experiments
from reseed.report.analyses.ranking import StabilityRow
from reseed.report.rendering import style
from reseed.report.rendering.colours import DASHES, LINES
from reseed.report.rendering.data import ExhibitData, NothingToShow
from reseed.report.rendering.figures import FigureInfo
from reseed.report.rendering.panels import name_omitted, panel_grid
from reseed.report.rendering.settings import count_settings, footnote_pairs, group_by_setting

# Number of lines that colours and dashes distinguish.
_MOST = len(LINES) * len(DASHES)

# Level of the tests that tell shown differences from others.
_ALPHA = 0.05

DRAWS = ("ranking",)


class Options(Experiments):
    """min_runs: fewest runs of a setting that is drawn; nine runs give three points of a curve."""

    min_runs: Count = 2


@style.styled
def figure(data: ExhibitData, options: Options) -> tuple[Figure, FigureInfo]:
    """Left: Kendall's τ between runs. Right: how often the mean of m runs reverses an order."""
    rows = data.rows(options.experiments)
    rows = StabilityRow.select(rows, _is_shown)
    # Titles are distinct over all settings, since a dataset may be drawn for one experiment only.
    parts = group_by_setting(data, rows)
    panels = [(title, _select_known(part)) for title, part in parts if not _orderless(part)]
    if not panels:
        reason = (
            "No two models, or not all of a dataset, have two runs on the same splits with"
            " different scores: no order can be compared."
        )
        raise NothingToShow(data.no_pairs(reason))
    runs = [StabilityRow.read_first(part).n for _, part in panels]
    if max(runs) < options.min_runs:
        raise NothingToShow(
            f"Each setting has at most {max(runs):.0f} runs at this scale. The figure of orders"
            f" needs {options.min_runs}."
        )
    panels = [one for one, n in zip(panels, runs, strict=True) if n >= options.min_runs]
    absent = _absent([title for title, part in parts if _orderless(part)])
    rows = _select_known(rows)
    titles, drawn = [title for title, _ in panels], panels[:_MOST]
    labels = titles[:_MOST] if len(panels) > 1 else []
    tall = max(2.3, 0.26 * len(drawn) + 0.7)
    canvas, (left, right) = panel_grid(
        [tall, tall], legend=style.legend_room(labels), width_ratios=[1, 1.2]
    )
    _agreement(left, drawn)
    _reversal(right, drawn)
    if len(panels) > 1:
        style.legend_below(canvas, right.get_legend_handles_labels()[0])
    level = max(row.level for row in StabilityRow.read(rows) if row.statistic == "mean_tau")
    return canvas, FigureInfo(
        rows,
        footnote_pairs(data, rows, absent, name_omitted(titles, drawn), per="dataset"),
        claims=_claims(panels),
        definitions=[
            f"Left: mean over all pairs of single runs, with the central {100 * level:.0f}"
            " % of them (1: same order, −1: opposite). Right: mean over pairs of models of the"
            " chance that m runs and the other n − m, drawn with replacement, order it unlike; 50 %"
            " for a tie. Most exceed the flips of the verdicts, which compare a run with the mean"
            " of all runs, itself included."
        ],
        drawn=frozenset({"mean"}),
        alt=("Left: agreement of the orders of two runs, by dataset. Right: how often the"
                      " mean of m runs orders a pair otherwise than the other runs do."),
    )  # fmt: skip


def _is_shown(row: StabilityRow) -> bool:
    return row.statistic in ("mean_tau", "mean_reversal") or (
        row.statistic == "reversal" and row.m == 1
    )


def _select_known(rows: pd.DataFrame) -> pd.DataFrame:
    return StabilityRow.select(rows, lambda row: isfinite(row.value))


def _orderless(part: pd.DataFrame) -> bool:
    return not any(row.statistic == "mean_tau" for row in StabilityRow.read(_select_known(part)))


def _absent(titles: list[str]) -> str:
    named = ", ".join(titles)
    return (
        f"Not shown, as its models do not share two runs, or always tie: {named}." if named else ""
    )


def _agreement(axis: Axes, panels: list[tuple[str, pd.DataFrame]]) -> None:
    rows = [row for _, part in panels for row in StabilityRow.read(part)]
    taus = [row for row in rows if row.statistic == "mean_tau"]
    for i, row in enumerate(taus):
        y, colour = len(panels) - 1 - i, _look(i)["color"]
        axis.plot([row.low, row.high], [y, y], color=colour, lw=2.2, alpha=0.4)
        axis.plot(row.value, y, "o", color=colour, ms=5)
    axis.set_yticks(range(len(panels)), [title for title, _ in reversed(panels)])
    axis.set_ylim(-0.6, len(panels) - 0.4)
    lowest = min(row.low for row in taus)
    axis.set_xlim(min(-0.05, lowest - 0.05), 1.05)
    axis.set_xticks([tick for tick in (-1, -0.5, 0, 0.5, 1) if tick >= lowest - 0.05 or tick >= 0])
    axis.grid(axis="x")
    axis.grid(visible=False, axis="y")
    axis.tick_params(axis="y", length=0)
    axis.set_xlabel("Kendall’s τ between two single runs")


def _reversal(axis: Axes, panels: list[tuple[str, pd.DataFrame]]) -> None:
    most, top = 1.0, 0.0
    for i, (title, part) in enumerate(panels):
        curve = StabilityRow.read(_select_curve(part))
        if curve:
            m, values = [row.m for row in curve], [row.value for row in curve]
            shares = [100 * value for value in values]
            axis.plot(m, shares, ms=3.5, marker="o", label=title, **_look(i))
            most, top = max(most, *m), max(top, *values)
    steps = [m for m in (1, 2, 3, 5, 10, 20, 50, 100) if m <= most]
    axis.set_xscale("log")
    axis.set_xticks(steps, [str(m) for m in steps])
    axis.minorticks_off()
    axis.set_ylim(0, max(5.0, 115 * top))
    axis.set_xlabel("Runs averaged, m")
    axis.set_ylabel("Reversed order of a pair (%)")


def _look(i: int) -> dict[str, Any]:
    return {"color": LINES[i % len(LINES)], "ls": DASHES[i // len(LINES) % len(DASHES)]}


def _select_curve(part: pd.DataFrame) -> pd.DataFrame:
    return StabilityRow.select(part, lambda row: row.statistic == "mean_reversal").sort_values("m")


def _claims(panels: list[tuple[str, pd.DataFrame]]) -> list[Claim]:
    """How often a single run, and the mean of most runs, reverse the order of a pair.

    The order of the other runs is no truth: where no difference of two models is shown, either may
    be right.
    """
    curves = [curve for _, part in panels if len(curve := _select_curve(part))]
    if not curves:
        return []
    first, last = (pd.concat([curve.iloc[[end]] for curve in curves]) for end in (0, -1))
    by_pair = _by_pair(pd.concat([part for _, part in panels]))
    if not any(row.value for row in StabilityRow.read(first)):
        by_pair = replace(by_pair, headline="No single run reverses the order of a pair of models")
    claims = [
        replace(
            _reversals("wrong_order", "a single run", first),
            basis="mean over pairs; {where}",
            statistic="probability of a reversed order",
        ),
        by_pair,
    ]
    averaged = StabilityRow.select(last, lambda row: row.m > 1)
    if len(averaged):
        claims.append(_reversals("averaged_order", "the mean of {m} runs", averaged))
    return claims


def _reversals(name: str, runs: str, rows: pd.DataFrame) -> Claim:
    """How often `runs` order a pair otherwise than the mean of the other runs."""
    return Claim(
        name,
        f"{runs} orders a pair of models otherwise than the mean of the other runs in {{share}} of"
        " cases",
        rows,
        {
            "m": phrases.extent(rows, "m", "{:.0f}".format, is_comparable=True),
            "share": phrases.extent(rows, "value", format_share, is_comparable=True),
            "where": count_settings(rows),
        },
        Sample.of(rows, "n", "run"),
        basis="{where}",
    )


def _by_pair(rows: pd.DataFrame) -> Claim:
    """Reversals of pairs whose difference is shown, and of the others.

    Of two models without a shown difference either order may be right, so a reversal is no error.
    """
    pairs = StabilityRow.select(rows, lambda row: row.statistic == "reversal")
    shown = StabilityRow.where(pairs, lambda row: row.p_adjusted <= _ALPHA)
    names = {"pairs": phrases.share(pairs, shown, "pair")}
    for name, part, of in (
        ("shown", pairs[shown], "these"), ("open", pairs[~shown], "Where none is shown")
    ):  # fmt: skip
        if len(part):
            worst = part.nlargest(1, "value")
            names[name] = phrases.extent(part, "value", format_share, of, is_comparable=True)
            names[f"most_{name}"] = phrases.single(worst, "value", format_share)
    notes = []
    headline = "No difference is shown; a single run reverses an order in up to {most_open}"
    if "shown" in names:
        notes.append("A single run orders these otherwise than the other runs in {shown} of cases.")
        headline = "A single run reverses a shown difference in up to {most_shown} of cases"
        if not any(row.value for row in StabilityRow.read(pairs[shown])):
            headline = "No single run reverses a shown difference"
    if "open" in names:
        notes.append(
            "Where none is shown, either order may be right; a single run orders such a pair"
            " otherwise in {open} of cases."
        )
    if {"shown", "open"} <= set(names):
        headline += "; other pairs are reversed in up to {most_open}"
    return Claim(
        "order_by_pair",
        "a difference is shown for {pairs}",
        pairs,
        names,
        Sample.of(pairs, "n", "run"),
        headline=headline,
        basis="adjusted",
        note=" ".join(notes),
        null="no difference",
    )
