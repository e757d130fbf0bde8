"""Median and range by test ratio, a group of columns for each model (Raste, Table 4)."""

from __future__ import annotations

import numpy as np
import pandas as pd
from reseed.exhibits.spread_table import LEAST, UNCERTAIN, few, score_places, spread_of
from reseed.plugins.options import TheseExperiments as Options
from reseed.rendering import numbers
from reseed.rendering.arms import arm_titles
from reseed.rendering.data import VARIED, ExhibitData, NothingToShow, footnote, metric_title
from reseed.rendering.headlines import listed
from reseed.rendering.tables import Rows, Table
from scipy import stats

# Fewest seeds for an order of SDs.
_ENOUGH = 5
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
    places = {d: score_places(part) for d, part in rows.groupby("dataset")}
    lines, same = Rows(), rows.groupby([*_SERIES, "test_ratio"])["scheme"].transform("nunique") > 1
    row = [*_SERIES, "test_ratio", "scheme"]
    for (experiment, dataset, source, ratio, scheme), part in rows.groupby(row, sort=False):
        cell = part.set_index("title")
        phrase = f"{ratio:g} ({scheme})" if same[part.index].any() else f"{ratio:g}"
        line = {("", "Test ratio"): phrase, ("", "n"): numbers.from_to(cell["n"], to="–")}
        for arm in arms:
            entry = cell.loc[arm] if arm in cell.index else None
            median = np.nan if entry is None else entry["median"]
            spread = np.nan if entry is None else spread_of(entry, "range")
            line[arm, "Median"] = numbers.fixed(median, places[dataset])
            line[arm, "Range"] = numbers.fixed(spread, places[dataset])
        heading = f"{data.dataset(dataset)}, {metric_title(data.metric(dataset))}"
        extra = f", {source}" if rows["hyperparameters_source"].nunique() > 1 else ""
        lines.add(line, f"{heading}: {data.experiment(experiment)}{extra}")
    found = _trends(rows)
    return lines.table(
        data,
        rows.drop(columns="title"),
        footnote(data, rows, few(rows)),
        definitions=[
            UNCERTAIN,
            "Trend: sign of the rank correlation of SD and test ratio; over few ratios a"
            " direction, no test.",
        ],
        findings=_findings(data, found),
        headline=_headline(found),
    )


def _trends(rows: pd.DataFrame) -> list[tuple[str, str, int, int, int]]:
    """(dataset, varied, arms whose SD falls with the test ratio, arms, largest number of seeds)."""
    found = []
    usable = rows[rows["n"] >= _ENOUGH].dropna(subset="sd")
    for (dataset, varied), part in usable.groupby(["dataset", "varied"], sort=False):
        trends = [
            stats.spearmanr(one["test_ratio"], one["sd"]).statistic
            for _, one in part.groupby([*_SERIES, "title"])
            if one["test_ratio"].nunique() > 2 and one["sd"].nunique() > 1
        ]
        if trends:
            falling = sum(trend < 0 for trend in trends)
            found.append((dataset, varied, falling, len(trends), int(part["n"].max())))
    return found


def _headline(found: list) -> str:
    if not found:
        return ""
    table = pd.DataFrame(found, columns=["dataset", "varied", "falling", "total", "seeds"])
    sums = table.groupby("varied", sort=False)[["falling", "total"]].sum()
    if len(sums) == 1:
        varied, noun = table["varied"].iloc[0], "algorithm" if len(table) == 1 else "cell"
        of = f"{sums['falling'].iloc[0]} of {numbers.counted(sums['total'].iloc[0], noun)}"
        return f"With a larger test part the SD falls: over {VARIED.get(varied, varied)} for {of}"
    parts = [
        (VARIED.get(varied, varied), f"{falling} of {total}")
        for varied, falling, total in sums.itertuples(name=None)
    ]
    every = f"{table['falling'].sum()} of {numbers.counted(table['total'].sum(), 'cell')}"
    return listed("Larger test part, smaller SD", parts, every)


def _findings(data: ExhibitData, found: list) -> list[str]:
    return [
        f"{data.dataset(dataset)}: as the test part grows, the SD over {VARIED.get(varied, varied)}"
        f" tends to fall for {falling} of {numbers.counted(total, 'algorithm')}"
        f" ({seeds} seeds a ratio)."
        for dataset, varied, falling, total, seeds in found
    ]
