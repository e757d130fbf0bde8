"""Averages scores of single items, such as the nDCG of each query, to the score of a run."""

from __future__ import annotations

import numpy as np
import pandas as pd

from reseed.readers.columns import ColumnMap
from reseed.readers.item_predictions import check_same_items, refuse_duplicate_items
from reseed.readers.run_keys import RUN_KEY, read_item_labels
from reseed.readers.source_table import SourceTable

_METRIC_KEY = [*RUN_KEY, "metric"]


def add_items(table: SourceTable, columns: ColumnMap, long: pd.DataFrame) -> pd.DataFrame | None:
    """The long table with a column `item`; None if no run has several rows, so has no items.

    Raises ReseedError for an item without a name, for a row that summarises others, for an item
    that occurs twice in a run, and if runs of one split differ in their items.
    """
    if "item" not in columns or not long.duplicated(_METRIC_KEY).any():
        return None
    item = read_item_labels(table, str(columns["item"])).loc[long["row"]].set_axis(long.index)
    long = long.assign(item=item).set_index("row", drop=False)
    for _, rows in long.groupby("metric", sort=False):
        refuse_duplicate_items(table, rows)
        check_same_items(table, rows)
    return long.reset_index(drop=True)


def average_items(table: SourceTable, long: pd.DataFrame) -> pd.DataFrame:
    """One row a run and metric: the mean over its items.

    NaN if an item has no score. A run has failed if any of its items has.
    """
    runs = long.assign(reason=long["reason"].where(long["reason"] != "")).groupby(
        _METRIC_KEY, sort=False
    )
    counts = runs["row"].size()
    mean = runs["value"].mean().where(runs["value"].count() == counts, np.nan)
    few, many = counts.min(), counts.max()
    items = f"{few:,} to {many:,}" if few < many else f"{few:,}"
    table.notes.append(f"A run's score is the mean over its items ({items} a run).")
    first = runs[["reason", "row"]].first()
    return first.assign(reason=first["reason"].fillna(""), value=mean).reset_index()
