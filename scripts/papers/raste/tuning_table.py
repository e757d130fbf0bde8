"""Table 5: hyper-parameters tuned once against tuned anew for each pair of seeds."""

from __future__ import annotations

import numpy as np
import pandas as pd
from reseed.comparison.claims import phrases
from reseed.comparison.claims.claim import Claim
from reseed.comparison.claims.estimates import Estimate, Sample
from reseed.core.schemas import Row
from reseed.plugins.options import Names, Strict
from reseed.report.analyses.shared.arms import with_arms
from reseed.report.exhibits.shared.spread_cells import mean_log_ratio
from reseed.report.exhibits.spread_table import (
    LEAST,
    UNCERTAIN,
    build_columns,
    count_equal_decimals,
    note_missing_spreads,
    read_spreads,
    with_sd_ratio,
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
        claims=[_claim(data, varied, part) for varied, part in _ratios(both).groupby("varied")],
    )


def _single(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows in which one kind of seed varies."""
    return rows if rows.empty else rows[rows["varied"].isin(["model", "data"])]


def _ratios(both: pd.DataFrame) -> pd.DataFrame:
    """Rows in which both SDs were measured: `ratio` (tuned by fixed) with its interval."""
    usable = both[(both["n"] >= LEAST) & ~phrases.is_degenerate(both)]
    fixed, tuned = (
        usable[usable["tuning"] == name].drop_duplicates(ROW) for name in ("fixed", "tuned")
    )
    pairs = tuned.merge(fixed, on=[*ROW, "metric"], suffixes=("", "_fixed"))
    return with_sd_ratio(pairs, "", "_fixed")


def _claim(data: ExhibitData, varied: str, rows: pd.DataFrame) -> Claim:
    headline = "Tuned for each pair, the SD over {varied} is {times} times that of fixed ones"
    return Claim(
        name=f"tuned_over_fixed_{varied}",
        finding="with hyper-parameters tuned for each pair of seeds, the SD over {varied} is"
        " {ratio} times that with fixed ones",
        headline=headline if rows["metric"].nunique() == 1 else "",
        rows=rows,
        phrases={
            "varied": phrases.name(VARIED[varied]),
            "ratio": phrases.pooled(
                rows, "ratio", numbers.ratio, noun="algorithm", title=metric_title
            ),
            "times": phrases.centre(rows, "ratio", numbers.times, title=metric_title),
        },
        sample=Sample.of(rows, ["n", "n_fixed"], "seed", each="a side"),
        statistic="SD tuned / SD fixed",
        estimates=Estimate.of_rows(rows, arm_titles(data, rows), "ratio", (0, np.inf)),
        null="ratio 1",
        average=mean_log_ratio(data, [(row, _fixed(row)) for row in rows.to_dict("records")]),
    )


def _fixed(row: Row) -> Row:
    """The cell with fixed hyper-parameters of a row of `_ratios`."""
    names = ("experiment", "hyperparameters_source")
    return row | {name: row[f"{name}_fixed"] for name in names}
