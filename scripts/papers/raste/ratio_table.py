"""Median and range by test ratio, a group of columns for each model (Raste, Table 4)."""

from __future__ import annotations

from reseed.analyses.spread import SpreadRow
from reseed.plugins.options import TheseExperiments as Options
from reseed.report.exhibits.spread_table import (
    LEAST,
    UNCERTAIN,
    count_equal_decimals,
    note_missing_spreads,
    read_spreads,
)
from reseed.report.rendering import numbers
from reseed.report.rendering.arms import arm_titles
from reseed.report.rendering.data import ExhibitData, NothingToShow, footnote, metric_title
from reseed.report.rendering.tables import Rows, Table

_SERIES = ["experiment", "dataset", "hyperparameters_source"]

DRAWS = ("spread",)


def table(data: ExhibitData, options: Options) -> Table:
    """One row for each experiment, dataset and test ratio."""
    rows = data.require_rows(
        "No test ratio was varied at this scale.",
        options.experiments,
        keep=lambda rows: rows["held"].eq("") & rows["test_ratio"].notna(),
    )
    if (most := int(rows["n"].max())) < LEAST:
        seeds = numbers.counted(most, "seed")
        raise NothingToShow(f"{seeds} a test ratio at this scale: no spread to see.")
    rows = rows.assign(title=arm_titles(data, rows))
    arms = list(dict.fromkeys(rows["title"]))
    places = count_equal_decimals(rows)
    lines, same = Rows(), rows.groupby([*_SERIES, "test_ratio"])["scheme"].transform("nunique") > 1
    row = [*_SERIES, "test_ratio", "scheme"]
    for (experiment, dataset, source, ratio, scheme), part in rows.groupby(row, sort=False):
        cells = dict(zip(part["title"], read_spreads(part), strict=True))
        shown = f"{ratio:g} ({scheme})" if same[part.index].any() else f"{ratio:g}"
        line = {("", "Test ratio"): shown, ("", "n"): numbers.from_to(part["n"], to="–")}
        for arm in arms:
            cell = cells.get(arm, SpreadRow())
            line[arm, "Median"] = numbers.fixed(cell.median, places[dataset])
            line[arm, "Range"] = numbers.fixed(cell.range, places[dataset])
        heading = f"{data.dataset(dataset)}, {metric_title(data.metric(dataset))}"
        extra = f", {source}" if rows["hyperparameters_source"].nunique() > 1 else ""
        lines.add(line, f"{heading}: {data.experiment(experiment)}{extra}")
    return lines.table(
        data,
        rows.drop(columns="title"),
        footnote(data, rows, note_missing_spreads(rows)),
        definitions=[
            UNCERTAIN,
            "The SD falls where its rank correlation with the test ratio is negative; over few"
            " ratios this is a direction, not a test.",
        ],
    )
