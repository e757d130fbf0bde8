"""Table 5: hyper-parameters tuned once against tuned anew for each pair of seeds."""

from __future__ import annotations

import numpy as np
import pandas as pd

from reseed.exhibits import numbers
from reseed.exhibits.data import METRICS, VARIED, ExhibitData, footnote
from reseed.exhibits.spread_table import UNCERTAIN, score_places
from reseed.exhibits.tables import Table, empty_table

ROW = ["dataset", "scheme", "varied", "model"]


def table(data: ExhibitData, options: dict) -> Table:
    """One row a varied seed and model; columns of `options["fixed"]` and of `options["tuned"]`.

    A crossed experiment enters by its slices (one seed varied, the other held at its first).
    """
    fixed, tuned = (_single(data.rows(options[name])) for name in ("fixed", "tuned"))
    if tuned.empty or fixed.empty:
        missing = "tuned for each pair of seeds" if tuned.empty else "held fixed"
        return empty_table(data, f"No hyper-parameters were {missing} at this scale.")
    fixed = fixed[fixed["dataset"].isin(tuned["dataset"]) & fixed["scheme"].isin(tuned["scheme"])]
    both = pd.concat([fixed.assign(tuning="fixed"), tuned.assign(tuning="tuned")])
    places = {d: score_places(part) for d, part in both.groupby("dataset")}
    shown, sections = [], []
    ordered = both.sort_values("varied", key=lambda s: s != "model", kind="stable")
    for (dataset, _, varied, model), part in ordered.groupby(ROW, sort=False):
        cell = part.drop_duplicates("tuning").set_index("tuning")
        if "tuned" not in cell.index:
            continue
        line = {("", "Algorithm"): data.model(model)}
        for name, title in (("fixed", "Fixed"), ("tuned", "Tuned for each pair")):
            entry = cell.loc[name] if name in cell.index else None
            line |= _group(title, entry, places[dataset])
        shown.append(line)
        metric = METRICS[data.metric(dataset)]
        sections.append(f"{data.dataset(dataset)}, {metric}: {VARIED[varied]} varied")
    frame = pd.DataFrame(shown)
    frame.columns = pd.MultiIndex.from_tuples(frame.columns)
    held = numbers.several(sorted(set(tuned["held"]) - {""}))
    return Table(
        data,
        frame,
        both,
        footnote(
            data,
            both,
            f"Tuned rows are slices of the crossed grid at {held}, the seeds held in the fixed"
            " experiments too: the medians that the paper prints agree with a slice, not with a"
            " pool over the grid."
            if held
            else "",
            UNCERTAIN,
        ),
        sections=sections,
        findings=_findings(both),
    )


def _single(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows in which one kind of seed varies."""
    return rows if rows.empty else rows[rows["varied"].isin(["model", "data"])]


def _group(title: str, entry: pd.Series | None, places: int) -> dict:
    names = {"median": "Median", "iqr": "IQR", "range": "Range", "sd": "SD"}
    found = {name: np.nan for name in names} if entry is None else entry
    relative = np.nan if entry is None else entry["relative_variation"]
    n = "not run" if entry is None else numbers.seeds(int(entry["n"]), int(entry["failed"]))
    values = {"n": n} | {t: numbers.fixed(found[name], places) for name, t in names.items()}
    values["Relative variation"] = numbers.fixed(relative, 3)
    return {(title, name): value for name, value in values.items()}


def _findings(both: pd.DataFrame) -> list[str]:
    sd = both.pivot_table(index=ROW, columns="tuning", values="sd", aggfunc="first")
    found = []
    if {"fixed", "tuned"} <= set(sd.columns):
        for varied, part in sd.dropna().groupby(level="varied"):
            ratio = (part["tuned"] / part["fixed"]).replace(np.inf, np.nan).dropna()
            if len(ratio):
                found.append(
                    f"Tuning anew for each pair gives a standard deviation over {VARIED[varied]}"
                    f" that is {numbers.ratio(ratio.median())} times that with fixed"
                    f" hyper-parameters (median of {len(ratio)} algorithms, from"
                    f" {numbers.ratio(ratio.min())} to {numbers.ratio(ratio.max())})."
                )
    return found
