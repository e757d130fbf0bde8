"""Table 4: median and range by test ratio, a group of columns each model."""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy import stats

from reseed.exhibits import numbers
from reseed.exhibits.data import METRICS, VARIED, ExhibitData, footnote
from reseed.exhibits.spread_table import UNCERTAIN, score_places
from reseed.exhibits.tables import Table, empty_table

ROW = ["experiment", "dataset", "hyperparameters_source", "test_ratio"]


def table(data: ExhibitData, options: dict) -> Table:
    """One row an experiment, dataset and test ratio."""
    rows = data.rows(options["experiments"])
    if not rows.empty:
        rows = rows[rows["held"].eq("") & rows["test_ratio"].notna()]
    if rows.empty:
        return empty_table(data, "No test ratio was varied at this scale.")
    models = list(dict.fromkeys(rows["model"]))
    places = {d: score_places(part) for d, part in rows.groupby("dataset")}
    shown, sections = [], []
    for (experiment, dataset, source, ratio), part in rows.groupby(ROW, sort=False):
        cell = part.set_index("model")
        line = {("", "Test ratio"): f"{ratio:g}", ("", "n"): _seeds(cell)}
        for model in models:
            entry = cell.loc[model] if model in cell.index else {"median": np.nan, "range": np.nan}
            for name in ("median", "range"):
                text = numbers.fixed(entry[name], places[dataset])
                line[data.model(model), name.capitalize()] = text
        shown.append(line)
        heading = f"{data.dataset(dataset)}, {METRICS[data.metric(dataset)]}"
        extra = f", {source}" if rows["hyperparameters_source"].nunique() > 1 else ""
        sections.append(f"{heading}: {data.experiment(experiment)}{extra}")
    frame = pd.DataFrame(shown)
    frame.columns = pd.MultiIndex.from_tuples(frame.columns)
    return Table(
        data,
        frame,
        rows,
        footnote(data, rows, UNCERTAIN),
        sections=sections,
        text_columns=1,
        findings=_findings(data, rows),
    )


def _seeds(cell: pd.DataFrame) -> str:
    low, high = int(cell["n"].min()), int(cell["n"].max())
    return str(low) if low == high else f"{low}–{high}"


def _findings(data: ExhibitData, rows: pd.DataFrame) -> list[str]:
    """Rank correlation of SD with the ratio, per varied seed: a direction, not a test."""
    found = []
    for (dataset, varied), part in rows.groupby(["dataset", "varied"], sort=False):
        trends = [
            stats.spearmanr(one["test_ratio"], one["sd"]).statistic
            for _, one in part.dropna(subset="sd").groupby("model")
            if one["test_ratio"].nunique() > 2 and one["sd"].nunique() > 1
        ]
        if trends:
            falling = sum(trend < 0 for trend in trends)
            found.append(
                f"{data.dataset(dataset)}: as the test ratio grows, the SD over {VARIED[varied]}"
                f" tends to fall for {falling} of {len(trends)} algorithms (sign of the rank"
                " correlation; few ratios, so a direction and no test)."
            )
    return found
