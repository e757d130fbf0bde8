"""Alpha-hat of each trained model against its test accuracy [Banerjee et al., section V-B3]."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from reseed.plugins.options import NoOptions
from reseed.report.analyses.seed_choice import ModelRow
from reseed.report.exhibits.shared.seed_choice import (
    NOTHING,
    by_which_score,
    claims,
    describe_alpha,
    footnote_choice,
    select_models,
)
from reseed.report.rendering import style
from reseed.report.rendering.arms import arm_titles
from reseed.report.rendering.data import ExhibitData, NothingToShow, require_rows
from reseed.report.rendering.figures import NO_CENTRE, FigureInfo
from reseed.report.rendering.majority import is_majority, why_majority
from reseed.report.rendering.panels import colours, dot, name_omitted, panel_grid, set_title

# Panels are left out if every α̂ is below this share of the threshold.
_FLAT = 0.2


DRAWS = ("seed_choice",)


@style.styled
def figure(data: ExhibitData, options: NoOptions) -> tuple[Figure, FigureInfo]:
    """One dot for each trained model, a panel for each dataset; candidates have a ring."""
    rows = require_rows(select_models(data), NOTHING)
    rows = rows.assign(title=arm_titles(data, rows))
    palette, threshold = colours(rows["arm"]), ModelRow.read_first(rows).threshold
    panels = list(rows.groupby("dataset", sort=False))
    flat = [d for d, part in panels if _greatest_alpha(part) <= _FLAT * threshold]
    majority = [d for d, part in panels if is_majority(data, d, part["accuracy"])]
    left_out = (*flat, *majority)
    panels = [(d, part) for d, part in panels if d not in left_out]
    reasons = [why_flat(data, flat), why_majority(data, majority)]
    if not panels:
        raise NothingToShow(" ".join(reason for reason in reasons if reason))
    rows = ModelRow.select(rows, lambda row: row.dataset not in left_out)
    handles = [
        dot(palette[ModelRow.read_first(part).arm], title)
        for title, part in rows.groupby("title", sort=False)
    ]
    handles += [
        Line2D([], [], ls="", marker="o", ms=7, mfc="none", mec=style.BLACK, mew=0.9,
               label="Candidate: admitted, and dominated by no other"),
        Line2D([], [], color=style.GREY, lw=0.9, ls="--", label=f"Admitted: α̂ ≤ {threshold:g}"),
    ]  # fmt: skip
    labels = [str(handle.get_label()) for handle in handles]
    canvas, axes = panel_grid([2.4] * len(panels), legend=style.legend_room(labels))
    for axis, (dataset, part) in zip(axes, panels, strict=False):
        _panel(axis, part, palette)
        set_title(axis, data.dataset(dataset))
    style.legend_below(canvas, handles)
    omitted = name_omitted([data.dataset(d) for d, _ in panels], axes)
    return canvas, FigureInfo(
        rows.drop(columns="title"),
        footnote_choice(data, rows, by_which_score(data, rows), *reasons, omitted),
        # The cost of a choice by test accuracy is the table's.
        claims=[c for c in claims(rows) if c.name != "selection_optimism"],
        definitions=[describe_alpha(rows)],
        drawn=NO_CENTRE,
        alt="Dots of α̂ against test accuracy, one a trained model.",
    )


def _greatest_alpha(rows: pd.DataFrame) -> float:
    return max(row.alpha_hat for row in ModelRow.read(rows))


def why_flat(data: ExhibitData, datasets: list[str]) -> str:
    """Sentence on the panels without variation, which are not drawn."""
    if not datasets:
        return ""
    named = ", ".join(data.dataset(d) for d in datasets)
    return f"Not drawn, as α̂ is all but 0 for every model: {named}."


def _panel(axis: Axes, rows: pd.DataFrame, palette: dict[str, str]) -> None:
    for arm, part in rows.groupby("arm", sort=False):
        axis.plot(part["accuracy"], part["alpha_hat"], "o", ms=4, mew=0, alpha=0.75,
                  color=palette[arm], clip_on=False)  # fmt: skip
    chosen = [row for row in ModelRow.read(rows) if row.is_candidate]
    axis.plot([row.accuracy for row in chosen], [row.alpha_hat for row in chosen], "o", ms=7,
              mfc="none", mec=style.BLACK, mew=0.9, clip_on=False)  # fmt: skip
    threshold = ModelRow.read_first(rows).threshold
    axis.axhline(threshold, color=style.GREY, lw=0.9, ls="--")
    axis.set_ylim(0, 1.08 * max(_greatest_alpha(rows), 1.5 * threshold))
    axis.margins(x=0.06)
    axis.yaxis.set_major_locator(MaxNLocator(5))
    axis.set_xlabel("Test accuracy (not to choose by)")
    axis.set_ylabel("α̂ against the other seeds")
