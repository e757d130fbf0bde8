"""Scores of single items, such as the nDCG of each query → the score of a run, their mean."""

from __future__ import annotations

import numpy as np
import pandas as pd

from reseed.importers.item_predictions import refuse_copies, same_items
from reseed.importers.long_table import KEY, item_labels
from reseed.importers.source_table import Table

_RUN = [*KEY, "metric"]


def with_items(table: Table, found: dict, long: pd.DataFrame) -> pd.DataFrame | None:
    """Long rows with their `item`; None where no run has more than one and so no items are told.

    Raises ReseedError for an item without a name or of a row that sums up others, where an item
    occurs twice in a run, and where runs of one split differ in their items.
    """
    if "item" not in found or not long.duplicated(_RUN).any():
        return None
    item = item_labels(table, found["item"]).loc[long["row"]].set_axis(long.index)
    long = long.assign(item=item).set_index("row", drop=False)
    for _, rows in long.groupby("metric", sort=False):
        refuse_copies(table, rows)
        same_items(table, rows)
    return long.reset_index(drop=True)


def means(table: Table, long: pd.DataFrame) -> pd.DataFrame:
    """A row a run and metric: the mean over its items, NaN where one of them has no score.

    A run has failed where any of its items has.
    """
    runs = long.assign(reason=long["reason"].where(long["reason"] != ""))
    runs = runs.groupby(_RUN, sort=False)
    mean = runs["value"].mean().where(runs["value"].count() == runs.size(), np.nan)
    counts = runs.size()
    told = f"{counts.min():,}" + (f" to {counts.max():,}" if counts.min() < counts.max() else "")
    table.notes.append(f"A run's score is the mean over its items ({told} a run).")
    first = runs[["reason", "row"]].first()
    return first.assign(reason=first["reason"].fillna(""), value=mean).reset_index()
