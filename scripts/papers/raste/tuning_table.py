"""Table 5: hyper-parameters tuned once against tuned anew for each pair of seeds."""

from __future__ import annotations

import pandas as pd
from reseed.analyses.shared.arms import with_arms
from reseed.plugins.options import Names, Strict
from reseed.report.exhibits.spread_table import (
    LEAST,
    UNCERTAIN,
    build_columns,
    count_equal_decimals,
    note_missing_spreads,
    read_spreads,
)
from reseed.report.rendering import numbers
from reseed.report.rendering.arms import arm_titles
from reseed.report.rendering.data import VARIED, ExhibitData, NothingToShow, footnote, metric_title
from reseed.report.rendering.tables import Rows, Table

ROW = ["dataset", "scheme", "varied", "arm"]

DRAWS = ("spread",)


class Options(Strict):
    """fixed: experiments whose hyper-parameters were held.
    tuned: experiments that searched them anew for each pair of seeds (null: none did).
    """

    fixed: Names
    tuned: Names | None = None


def table(data: ExhibitData, options: Options) -> Table:
    """One row a varied seed and model; columns of `fixed` and of `tuned`.

    A crossed experiment enters by its slices (one seed varied, the other held at its first).
    """
    fixed, tuned = (
        _single(data.rows(names)) if names else pd.DataFrame()
        for names in (options.fixed, options.tuned)
    )
    if tuned.empty or fixed.empty:
        missing = "tuned for each pair of seeds" if tuned.empty else "held fixed"
        raise NothingToShow(f"No hyper-parameters were {missing} at this scale.")
    if (most := int(tuned["n"].max())) < LEAST:
        raise NothingToShow(
            f"Tuned anew for {numbers.counted(most, 'seed')} at this scale: no spread to see."
        )
    both = with_arms(pd.concat([fixed.assign(tuning="fixed"), tuned.assign(tuning="tuned")]))
    # What was not tuned anew stands in no row.
    both = both[both["tuning"].eq("tuned").groupby([both[n] for n in ROW]).transform("any")]
    places = count_equal_decimals(both)
    lines = Rows()
    ordered = both.sort_values("varied", key=lambda s: s != "model", kind="stable")
    for (dataset, _, varied, _), part in ordered.groupby(ROW, sort=False):
        first = part.drop_duplicates("tuning")
        cells = dict(zip(first["tuning"], read_spreads(first), strict=True))
        line = {("", "Algorithm"): arm_titles(data, part)[0]}
        for name, title in (("fixed", "Fixed"), ("tuned", "Tuned for each pair")):
            line |= build_columns(title, cells.get(name), places[dataset], sd=True)
        metric = metric_title(data.metric(dataset))
        lines.add(line, f"{data.dataset(dataset)}, {metric}: {VARIED[varied]} varied")
    held = numbers.several(sorted(set(tuned["held"]) - {""}))
    slices = (
        f"Tuned rows are slices of the crossed grid at {held}, the seeds held in the fixed"
        " experiments too: the medians that the paper prints agree with a slice, not with a"
        " pool over the grid."
    )
    return lines.table(
        data,
        both,
        footnote(data, both, note_missing_spreads(both)),
        definitions=[slices if held else "", UNCERTAIN],
    )


def _single(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows in which one kind of seed varies."""
    return rows if rows.empty else rows[rows["varied"].isin(["model", "data"])]
