"""Convergence time of each run against its final score."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure
from reseed.comparison.claims import phrases
from reseed.comparison.claims.claim import Claim
from reseed.comparison.claims.estimates import Estimate, Sample, Test
from reseed.plugins.options import Arms as Options
from reseed.report.exhibits.curves_figure import NOTHING, measure_in_text, measure_title
from reseed.report.rendering import numbers, style
from reseed.report.rendering.arms import cells, select_rows
from reseed.report.rendering.data import ExhibitData, footnote, require_rows
from reseed.report.rendering.figures import NO_CENTRE, FigureInfo
from reseed.report.rendering.least import Least, with_least
from reseed.report.rendering.panels import colours, titled_panels
from reseed.stats.association import detectable_correlation

from papers.picard.range_claims import LEAST

DRAWS = ("papers.picard.convergence:analyse",)

# Fewer runs, or fewer epochs at which they converge, show no relation.
_LEAST = (
    Least(LEAST, len),
    Least(
        4,
        lambda part: part["converged"].nunique(),
        "epoch of convergence",
        "epochs of convergence",
    ),
)


@style.styled
def figure(data: ExhibitData, options: Options) -> tuple[Figure, FigureInfo]:
    """A panel for each arm, a dot for each run."""
    rows = require_rows(select_rows(data, options), NOTHING)
    arms, few = with_least(cells(data, rows), *_LEAST)
    palette = colours([title for title, _ in arms])
    coloured = [(title, (part, palette[title])) for title, part in arms]
    canvas, panels, omitted = titled_panels(coloured, 2.1, legend=0.2)
    for axis, (part, colour) in panels:
        size = 3.6 if len(part) < 500 else 1.8
        axis.plot(part["converged"], part["final"], "o", ms=size, mew=0, alpha=0.6,
                  color=colour, rasterized=True)  # fmt: skip
        axis.set_xlabel("Epoch of convergence")
        axis.set_ylabel(f"{measure_title(part['measure'].iloc[0])} at the end")
        axis.locator_params(axis="x", integer=True)
        axis.margins(x=0.06)
    several = rows["measure"].nunique() > 1
    within = [
        numbers.from_to(part["tolerance"], "{:.2g}".format)
        + (f" ({measure_in_text(measure)})" if several else "")
        for measure, part in rows.groupby("measure", sort=False)
    ]
    text = (
        "Convergence: the epoch from which on a run stays within"
        f" {numbers.several(within)} of its own last value."
    )
    return canvas, FigureInfo(
        rows,
        footnote(data, rows, text, few, omitted, per="arm"),
        claims=_claim(arms),
        drawn=NO_CENTRE,
        alt="A dot a run: the epoch at which it converged against its score at the end.",
    )  # fmt: skip


def _claim(arms: list) -> list[Claim]:
    """The rank correlation of each arm with enough runs for one."""
    known = [(title, part.iloc[[0]]) for title, part in arms if part["rho"].notna().all()]
    if not known:
        return []
    rows = pd.concat([first for _, first in known], ignore_index=True)
    rows = rows.assign(finished=rows["n"] - rows["broken"])
    tests = [Test("no rank correlation", float(p)) for p in rows["rho_p"]]
    rejects = pd.Series([test.rejects for test in tests], rows.index)
    precision = ""
    if not rejects.all():
        least = detectable_correlation(rows["finished"].to_numpy())
        precision = f"power 80 % against a correlation of {numbers.from_to(least, '{:.2f}'.format)}"
    is_one = len(rows) == 1
    return [
        Claim(
            "convergence",
            "the rank correlation of the epoch of convergence with the final score is {estimates}:"
            f" a relation is {'{shown}' if is_one else 'shown in {count}'}",
            rows,
            {
                "shown": phrases.name("shown" if rejects[0] else "not shown"),
                "count": phrases.share(rows, rejects, "arm"),
            },
            Sample.of(rows, "finished", "run"),
            "When a run converges is {shown} to go with its final score ({n})"
            if is_one
            else "A relation of convergence time and final score is shown in {count}",
            statistic="rank correlation",
            estimates=Estimate.of_rows(rows, [title for title, _ in known], "rho", (-1, 1)),
            tests=tests,
            null="correlation 0",
            precision=precision,
        )
    ]
