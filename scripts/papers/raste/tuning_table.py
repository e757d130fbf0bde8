"""Table 5: hyper-parameters tuned once against tuned anew for each pair of seeds."""

from __future__ import annotations

import numpy as np
import pandas as pd
from reseed.analyses.shared.arms import with_arms
from reseed.exhibits.spread_table import LEAST, UNCERTAIN, columns, few, score_places
from reseed.plugins.options import Names, Strict
from reseed.rendering import numbers
from reseed.rendering.arms import arm_titles
from reseed.rendering.data import VARIED, ExhibitData, NothingToShow, footnote, metric_title
from reseed.rendering.tables import Rows, Table

ROW = ["dataset", "scheme", "varied", "arm"]


DRAWS = ("spread",)


class Options(Strict):
    """fixed: experiments whose hyper-parameters were held.
    tuned: experiments that searched them anew for each pair of seeds.
    """

    fixed: Names
    tuned: Names


def table(data: ExhibitData, options: Options) -> Table:
    """One row a varied seed and model; columns of `fixed` and of `tuned`.

    A crossed experiment enters by its slices (one seed varied, the other held at its first).
    """
    fixed, tuned = (_single(data.rows(names)) for names in (options.fixed, options.tuned))
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
    places = {d: score_places(part) for d, part in both.groupby("dataset")}
    lines = Rows()
    ordered = both.sort_values("varied", key=lambda s: s != "model", kind="stable")
    for (dataset, _, varied, _), part in ordered.groupby(ROW, sort=False):
        cell = part.drop_duplicates("tuning").set_index("tuning")
        line = {("", "Algorithm"): arm_titles(data, part)[0]}
        for name, title in (("fixed", "Fixed"), ("tuned", "Tuned for each pair")):
            entry = cell.loc[name] if name in cell.index else None
            line |= columns(title, entry, places[dataset], sd=True)
        metric = metric_title(data.metric(dataset))
        lines.add(line, f"{data.dataset(dataset)}, {metric}: {VARIED[varied]} varied")
    held = numbers.several(sorted(set(tuned["held"]) - {""}))
    slices = (
        f"Tuned rows are slices of the crossed grid at {held}, the seeds held in the fixed"
        " experiments too: the medians that the paper prints agree with a slice, not with a"
        " pool over the grid."
    )
    ratios = _ratios(both)
    return lines.table(
        data,
        both,
        footnote(data, both, few(both)),
        definitions=[slices if held else "", UNCERTAIN],
        findings=_findings(ratios),
        headline=_headline(ratios),
    )


def _single(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows in which one kind of seed varies."""
    return rows if rows.empty else rows[rows["varied"].isin(["model", "data"])]


def _ratios(both: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Varied seed → SD `fixed` and `tuned` of each model, their `ratio`, and the seeds behind."""
    usable = both[both["n"] >= LEAST]
    if usable.empty:
        return {}
    wide = usable.pivot_table(index=ROW, columns="tuning", values=["sd", "n"], aggfunc="first")
    if not {("sd", "fixed"), ("sd", "tuned")} <= set(wide.columns):
        return {}
    found = {}
    for varied, part in wide.dropna().groupby(level="varied"):
        ratio = (part["sd"]["tuned"] / part["sd"]["fixed"]).replace(np.inf, np.nan)
        found[varied] = part["n"].assign(ratio=ratio).dropna()
    return {varied: part for varied, part in found.items() if len(part)}


def _headline(ratios: dict[str, pd.DataFrame]) -> str:
    parts = [
        f"{numbers.times(float(part['ratio'].median()))} times over {VARIED[varied]}"
        for varied, part in ratios.items()
    ]
    return f"Tuning anew: the SD is {numbers.several(parts)}" if parts else ""


def _findings(ratios: dict[str, pd.DataFrame]) -> list[str]:
    return [
        f"Tuning anew for each pair gives an SD over {VARIED[varied]} that is"
        f" {numbers.spread_over(part['ratio'], 'algorithm')} times that with fixed"
        f" hyper-parameters ({int(part['tuned'].min())} seeds tuned anew,"
        f" {int(part['fixed'].min())} fixed)."
        for varied, part in ratios.items()
    ]
