"""Differences of arms on one test set: over seeds and items, and by the bootstrap."""

from __future__ import annotations

from matplotlib.figure import Figure

from reseed.report.exhibits.item_pairs_table import (
    COVERS,
    claims,
    explain_absence,
    failures,
    has_seeds,
    measured,
)
from reseed.report.exhibits.item_pairs_table import PairOptions as Options
from reseed.report.rendering import coverage, style
from reseed.report.rendering.arms import TEST_SET_KEY, add_metric, group_title, key_columns
from reseed.report.rendering.data import ExhibitData, footnote, require_rows
from reseed.report.rendering.figures import NO_CENTRE, FigureInfo
from reseed.report.rendering.panels import forest, line, name_omitted, panel_grid, set_title
from reseed.report.rendering.settings import pair_title

_MOST = 24  # pairs in a panel


DRAWS = ("item_pairs",)


@style.styled
def figure(data: ExhibitData, options: Options) -> tuple[Figure, FigureInfo]:
    """A panel for each test set and metric, a line for each pair."""
    rows = require_rows(measured(data, options), explain_absence(options))
    parts = rows.groupby([*key_columns(rows, TEST_SET_KEY), "metric"], sort=False, dropna=False)
    panels = [
        (add_metric(data, group_title(data, rows, first), first["metric"]), part)
        for first, part in ((part.iloc[0], part) for _, part in parts)
    ]
    most = min(_MOST, max(len(part) for _, part in panels))
    columns = 1 if most > 1 else 2
    canvas, axes = panel_grid([0.26 * most + 0.9] * len(panels), columns, legend=0.6)
    for axis, (title, part) in zip(axes, panels, strict=False):
        part = part.sort_values("p", kind="stable").head(_MOST)
        first, factor = part.iloc[0], part["factor"].to_numpy()
        labels = [
            pair_title(data, row) + ("" if has_seeds(row) else " (as trained)")
            for _, row in part.iterrows()
        ]
        values, low, high, boot_low, boot_high = (
            part[name].to_numpy() * factor
            for name in ("difference", "low", "high", "boot_low", "boot_high")
        )
        forest(axis, labels, values, boot_low, boot_high, style.GREY, 0.18, 0.9)
        forest(axis, labels, values, low, high, style.BLUE, -0.1)
        axis.axvline(0, color=style.BLACK, lw=0.8)
        set_title(axis, title, 60 if columns == 1 else 24)
        axis.set_xlabel(f"Difference, {first['unit'] or 'score'} (right: the first is better)")
    level = rows["level"].max()
    handles = [
        line(style.BLUE, f"{100 * level:g} % interval over seeds and items"),
        line(style.GREY, "Bootstrap of seeds and items", width=0.9),
    ]
    canvas.legend(handles=handles, loc="outside lower center", ncols=2)
    note = (
        "The bootstrap is too wide where runs disagree item by item, and too narrow with few seeds:"
        " it is no basis for a verdict."
    )
    blue = "Blue: t interval for crossed samples of seeds and items."
    covers = coverage.at(level, COVERS)
    more = f" Of each panel the {_MOST} pairs with the smallest p." if most == _MOST else ""
    shown = rows.drop(columns=["experiment"])
    return canvas, FigureInfo(
        rows,
        footnote(
            data, shown, blue, covers, note + more, failures(rows),
            name_omitted([title for title, _ in panels], axes),
        ),
        claims=claims(data, rows),
        drawn=NO_CENTRE,
        alt=("A line a pair of models: the difference with its interval over seeds and"
                      " items, the bootstrap's as a thin line, and a line at no difference."),
    )  # fmt: skip
