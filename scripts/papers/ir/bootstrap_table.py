"""Standard deviations of each score: test-set bootstrap, seeds, and what was published."""

from __future__ import annotations

import pandas as pd
from reseed.plugins.options import Experiments as Options
from reseed.rendering import numbers
from reseed.rendering.arms import cells
from reseed.rendering.data import ExhibitData, footnote, require_rows
from reseed.rendering.headlines import LEAST
from reseed.rendering.settings import cell_noun
from reseed.rendering.tables import Rows, Table

from papers.ir.seed_scores_table import METRICS, by_test_set, measured

_SHOWN = {
    "bootstrap_sd": "bootstrap",
    "sd": "seeds",
    "published_bootstrap_sd": "published bootstrap",
}


DRAWS = ("papers.ir.seed_scores:analyse",)


def table(data: ExhibitData, options: Options) -> Table:
    """One row for each model and test set, with the SDs of each score."""
    rows = require_rows(
        data.rows(options.experiments), "No per-item scores of a classifier at this scale."
    )
    shown = [name for name in _SHOWN if rows[name].notna().any()]
    lines = Rows()
    for title, part in by_test_set(data, rows):
        for arm, cell in cells(data, part):
            sds = cell.set_index("metric")
            line = {("", "Model"): arm} | {
                (METRICS[metric], _SHOWN[name]): numbers.fixed(sds.loc[metric, name], 4)
                for metric in METRICS
                for name in shown
            }
            lines.add(line, title)
    note = footnote(
        data,
        rows,
        f"Bootstrap: SD of one trained model over {rows['n_boot'].max():.0f} resamples of the test"
        " items, root mean square over seeds. Seeds: SD over seeds on the same test items. They are"
        " noises of different things: of which items were drawn, and of which run was.",
        "Published: one model of the paper; its test sets are not these ones (the SDs imply other"
        " sizes than it states)."
        if "published_bootstrap_sd" in shown
        else "",
    )
    return lines.table(
        data,
        rows,
        note,
        headline=_headline(rows),
        findings=_findings(rows),
    )


def _compared(rows: pd.DataFrame) -> tuple[pd.DataFrame, int]:
    """(cells with both SDs, number of those in which the SD over seeds is larger)."""
    f1 = measured(rows)
    f1 = f1[f1["bootstrap_sd"].notna()]
    return f1, int((f1["sd"] > f1["bootstrap_sd"]).sum())


def _headline(rows: pd.DataFrame) -> str:
    f1, more = _compared(rows[rows["n"] >= LEAST])
    if f1.empty:
        return ""
    of = numbers.counted(len(f1), *cell_noun(f1))
    return f"The seed moves F1 more than test rows do in {more} of {of}"


def _findings(rows: pd.DataFrame) -> list[str]:
    f1, more = _compared(rows)
    if f1.empty:
        return []
    times, noun = f1["sd"] / f1["bootstrap_sd"].where(f1["bootstrap_sd"] > 0), cell_noun(f1)
    over = numbers.spread_over(times, noun[0].partition(" ")[0])
    return [
        f"The seed moves F1 more than the luck of the test set does in"
        f" {numbers.part_of(more, len(f1), *noun)} ({numbers.from_to(f1['n'])} seeds each): the"
        f" SD over seeds is {over} times that over resampled test sets."
    ]
