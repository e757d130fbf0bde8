"""Logit gaps of single runs and of their ensemble [Banerjee et al., Figure 4, left]."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from reseed.comparison.claims import phrases
from reseed.comparison.claims.claim import Claim
from reseed.comparison.claims.estimates import Sample
from reseed.plugins.options import Arms as Options
from reseed.report.rendering import style
from reseed.report.rendering.data import ExhibitData, footnote, require_rows
from reseed.report.rendering.figures import FigureInfo
from reseed.report.rendering.least import LEAST, Least, with_least
from reseed.report.rendering.numbers import rounded_percent
from reseed.report.rendering.panels import line, titled_panels

from papers.banerjee.gap_distribution import SMALL
from papers.banerjee.trimming_claims import (
    share_estimates,
    share_rows,
    show_percent,
)
from papers.banerjee.trimming_text import NOTHING, group_by_arm, select_measured

DRAWS = ("papers.banerjee.gap_distribution:analyse",)


@style.styled
def figure(data: ExhibitData, options: Options) -> tuple[Figure, FigureInfo]:
    """A panel for each arm: share of test items by logit gap, with a band over runs."""
    rows = require_rows(select_measured(data, options), NOTHING)
    arms, few = with_least(group_by_arm(data, rows), Least(LEAST, lambda part: part["n"].iloc[0]))
    canvas, panels, omitted = titled_panels(arms, 2.1, legend=0.6)
    for axis, part in panels:
        edges = np.append(part["left"], part["right"].iloc[-1])
        low, high, mean, together = (
            part[name].to_numpy() for name in ("runs_min", "runs_max", "runs_mean", "ensemble")
        )
        axis.fill_between(edges, np.append(low, low[-1]), np.append(high, high[-1]), step="post",
                          color=style.SKY, alpha=0.4, lw=0)  # fmt: skip
        axis.stairs(mean, edges, color=style.BLUE, lw=1.2)
        axis.stairs(together, edges, color=style.RED, lw=1.2)
        axis.set_xlabel("Logit gap")
        axis.set_ylabel("Share of test items")
        axis.set_ylim(bottom=0)
    handles = [
        line(style.SKY, "Single runs, least to most", width=6),
        line(style.BLUE, "Single runs, mean"),
        line(style.RED, "Ensemble of them"),
    ]
    handles[0].set_alpha(0.4)  # as in the panels
    canvas.legend(handles=handles, loc="outside lower center", ncols=3)
    text = "Gaps are clipped: the outermost bins hold everything beyond."
    return canvas, FigureInfo(
        rows,
        footnote(data, rows, text, few, omitted, per="arm"),
        claims=_claims(arms),
        drawn=frozenset({"mean"}),
        alt=("Share of the test items by logit gap: the ensemble's outline over that of"
                      " the mean single run and the band of all runs."),
    )  # fmt: skip


def _claims(arms: list) -> list[Claim]:
    """Share of items with a small gap, of single runs and of their ensemble."""
    titles = [title for title, _ in arms]
    rows = pd.DataFrame([part.iloc[0] for _, part in arms]).reset_index(drop=True)
    shares = share_rows(titles, [(int(row["runs_above"]), row["n"]) for _, row in rows.iterrows()])
    names = {
        name: phrases.listed(rows, column, show_percent, titles, is_comparable=True)
        for name, column in (("single", "runs_small"), ("ensemble", "ensemble_small"))
    }
    headline = "Gaps within ±{bound}: {single} of items in single runs, {ensemble} in the ensemble"
    return [
        Claim(
            "small_gaps",
            "the logit gap is within ±{bound} for {single} of the test items in single runs on"
            " average, and for {ensemble} in their ensemble",
            rows,
            names | {"bound": phrases.setting(SMALL)},
            Sample.of(rows, "n", "run"),
            headline if len(arms) == 1 else "",
            statistic="share of test items",
        ),
        Claim(
            "fewer_small_gaps",
            "the share of single runs with more such gaps than their ensemble is {estimates}",
            rows,
            {},
            Sample.of(rows, "n", "run"),
            show=rounded_percent,
            statistic="share of single runs",
            null="one half of the runs",
            estimates=share_estimates(shares),
        ),
    ]
