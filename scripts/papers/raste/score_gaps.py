"""Differences of two algorithms over data seeds, in SDs of a score (Raste, Section 4.1)."""

from __future__ import annotations

from reseed.comparison.claims.formatting import format_level
from reseed.plugins.options import NoOptions
from reseed.report.rendering import numbers
from reseed.report.rendering.arms import arm_title
from reseed.report.rendering.data import ExhibitData, footnote, metric_title, require_rows
from reseed.report.rendering.tables import Rows, Table

DRAWS = ("papers.raste.gaps:analyse",)


def table(data: ExhibitData, options: NoOptions) -> Table:
    """One row for each pair of arms on each dataset, with medians and the difference of means."""
    rows = require_rows(
        data.rows(), "No two of these algorithms share enough splits at this scale."
    )
    lines = Rows()
    for row in rows.to_dict("records"):
        medians, gap = (
            (row["median_a"], row["median_b"]),
            [row[f"gap{end}"] for end in ("", "_low", "_high")],
        )
        places = numbers.decimals(medians, 2, 4)
        arms = [arm_title(data, row[side], row["experiment"]) for side in ("arm", "other")]
        lines.add(
            {
                "Algorithms": " and ".join(arms),
                "n": f"{row['n']:.0f}",
                "Medians": " and ".join(numbers.fixed(median, places) for median in medians),
                "Difference": numbers.with_interval(*(size * row["sd"] for size in gap), places),
                "In SDs of a score": numbers.with_interval(*gap, 2),
            },
            f"{data.dataset(row['dataset'])}, {metric_title(row['metric'])}",
        )
    return lines.table(
        data,
        rows,
        footnote(
            data,
            rows,
            "Difference of means over data seeds, positive where the first algorithm scores better,"
            f" with its {format_level(rows['level'].iloc[0])} interval (corrected resampled t). SD:"
            " of a single score over data seeds.",
            per="row",
        ),
    )
