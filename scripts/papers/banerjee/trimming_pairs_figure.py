"""Churn of every pair of runs against their α̂ [Banerjee et al., Figure 10]."""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from reseed.comparison.claims import phrases
from reseed.comparison.claims.claim import Claim
from reseed.comparison.claims.estimates import Estimate, Sample
from reseed.core.schemas import Row
from reseed.plugins.options import Arms as Options
from reseed.report.rendering import style
from reseed.report.rendering.data import ExhibitData, require_rows
from reseed.report.rendering.figures import NO_CENTRE, FigureInfo
from reseed.report.rendering.least import LEAST, Least, with_least
from reseed.report.rendering.numbers import counted
from reseed.report.rendering.panels import dot, titled_panels
from reseed.stats.association import PartialCorrelation, partial_rank_correlation

from papers.banerjee.trimming_claims import show_percent
from papers.banerjee.trimming_text import NOTHING, footnote_trimming, group_by_arm, select_measured

_COLOURS = {0: style.BLUE, 1: style.ORANGE, 2: style.BLACK}
_LABELS = {0: "α̂ of both at or below", 1: "of one above", 2: "of both above"}

DRAWS = ("papers.banerjee.trimming_pairs:analyse",)


@style.styled
def figure(data: ExhibitData, options: Options) -> tuple[Figure, FigureInfo]:
    """A panel for each arm, a dot for each pair: churn against the greater α̂."""
    rows = require_rows(select_measured(data, options), NOTHING)
    threshold = rows["threshold"].iloc[0]
    above = (rows["alpha_high"] > threshold).astype(int) + (rows["alpha_low"] > threshold)
    rows = rows.assign(above=above)
    arms, few = with_least(group_by_arm(data, rows), Least(LEAST, _count_runs))
    canvas, panels, omitted = titled_panels(arms, 2.2, min(3, len(arms)), legend=0.6)
    for axis, part in panels:
        for number, colour in _COLOURS.items():
            chosen = part[part["above"] == number]
            axis.plot(chosen["alpha_high"], chosen["churn"], "o", ms=2.4, mew=0, alpha=0.45,
                      color=colour, rasterized=True)  # fmt: skip
        axis.axvline(threshold, color=style.GREY, lw=0.9, ls="--")
        axis.set_xlim(0, 1.04 * rows["alpha_high"].max() or 1)
        axis.set_ylim(0, 1.06 * rows["churn"].max() or 0.01)
        axis.set_xlabel("Greater α̂ of the pair")
        axis.set_ylabel("Pairwise churn")
        axis.xaxis.set_major_locator(MaxNLocator(4))
    handles = [dot(colour, _LABELS[number]) for number, colour in _COLOURS.items()]
    canvas.legend(handles=handles, loc="outside lower center", ncols=3)
    text = f"The dashed line is the threshold, {threshold:g}. Pairs share runs."
    return canvas, FigureInfo(
        rows,
        footnote_trimming(data, rows, text, few, omitted),
        claims=[*_claims(arms)],
        drawn=NO_CENTRE,
        alt=("A dot a pair of runs: its churn against the greater α̂ of the two, coloured"
                      " by how many of them are above the dashed threshold."),
    )  # fmt: skip


def _claims(arms: list) -> Iterator[Claim]:
    """Churn of all pairs, of those with a low α̂ of both for each arm, and its relation to α̂."""
    titles, rows = [title for title, _ in arms], pd.DataFrame([_summary(p) for _, p in arms])
    yield Claim(
        "churn",
        "a pair of runs disagrees on at most {most} of the test items",
        rows,
        {"most": phrases.listed(rows, "most", show_percent, titles, is_comparable=True)},
        Sample.of(rows, "runs", "run"),
        "Churn of a pair: at most {most}",
        statistic="greatest churn of a pair",
    )
    for i in rows.index[rows["low_pairs"] > 0]:
        one = rows.loc[[i]]
        churn = {
            name: phrases.extent(one, ends, show_percent, is_comparable=True)
            for name, ends in (("all", ["least", "most"]), ("low", ["low_least", "low_most"]))
        }
        counts = {name: phrases.single(one, name, _count_pairs) for name in ("pairs", "low_pairs")}
        yield Claim(
            f"churn_low_alpha_{i + 1}",
            "pairs of runs disagree on {all} of the test items, pairs with a low α̂ of both on"
            " {low}",
            one,
            churn | counts,
            Sample.of(one, "runs", "run"),
            subject=titles[i],
            basis="{pairs} and {low_pairs}",
            statistic="churn of pairs",
        )
    relations = [(title, _correlate(part)) for title, part in arms]
    known = [(title, one) for title, one in relations if isfinite(one.r)]
    if known:
        rows = pd.DataFrame([vars(one) for _, one in known])
        yield Claim(
            "alpha_with_churn",
            "",
            rows,
            {},
            Sample.of(rows, "n", "run"),
            statistic="rank correlation of α̂ and mean churn",
            null="correlation 0",
            estimates=[
                Estimate(title, one.r, one.low, one.high, one.level, (-1, 1))
                for title, one in known
            ],
        )


def _correlate(part: pd.DataFrame) -> PartialCorrelation:
    """Rank correlation over runs of α̂ with the mean churn against all other runs."""
    sides = [
        part[[f"seed_{side}", f"alpha_{side}", "churn"]].set_axis(
            ["seed", "alpha", "churn"], axis=1
        )
        for side in "ab"
    ]
    runs = pd.concat(sides).groupby("seed").agg(alpha=("alpha", "first"), churn=("churn", "mean"))
    return partial_rank_correlation(runs["alpha"], runs["churn"])


def _count_runs(part: pd.DataFrame) -> int:
    return len({*part["seed_a"], *part["seed_b"]})


def _count_pairs(count: float) -> str:
    return counted(int(count), "pair")


def _summary(part: pd.DataFrame) -> Row:
    low = part.loc[part["both_admitted"].astype(bool), "churn"]
    return {
        "runs": _count_runs(part),
        "pairs": len(part),
        "least": part["churn"].min(),
        "most": part["churn"].max(),
        "low_pairs": len(low),
        "low_least": low.min(),
        "low_most": low.max(),
    }
