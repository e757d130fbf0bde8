"""Averages scores of single items, such as the nDCG of each query, to the score of a run."""

from __future__ import annotations

import numpy as np
import pandas as pd

from reseed.readers.item_predictions import check_same_items, refuse_duplicate_items
from reseed.readers.run_keys import METRIC_KEY
from reseed.readers.scores import Scores


def list_item_scores(scores: Scores) -> pd.DataFrame:
    """One row an item of a run and metric; repeats of an item are averaged.

    Raises ReseedError for an item that occurs twice in a run, and if runs of one split differ in
    their items.
    """
    rows = scores.frame
    if "repetition" in scores.named:
        groups = rows.groupby([*METRIC_KEY, "item", "prompt"], sort=False)
        is_scored = groups["value"].transform("count") == groups["value"].transform("size")
        mean = groups["value"].transform("mean").where(is_scored)
        rows = rows.assign(value=mean).drop_duplicates([*METRIC_KEY, "item", "prompt"])
    rows = rows.set_index("row", drop=False)
    for _, of_metric in rows.groupby("metric", sort=False):
        refuse_duplicate_items(scores.source, of_metric)
        check_same_items(scores.source, of_metric)
    return rows.reset_index(drop=True)


def average_items(scores: Scores) -> pd.DataFrame:
    """One row a run and metric: the mean over its items.

    NaN if an item has no score. A run has failed if any of its items has.
    """
    long = list_item_scores(scores)
    runs = long.assign(reason=long["reason"].where(long["reason"] != "")).groupby(
        METRIC_KEY, sort=False
    )
    counts = runs["row"].size()
    mean = runs["value"].mean().where(runs["value"].count() == counts, np.nan)
    few, many = counts.min(), counts.max()
    items = f"{few:,} to {many:,}" if few < many else f"{few:,}"
    scores.source.notes.append(f"A run's score is the mean over its items ({items} a run).")
    first = runs[["reason", "row"]].first()
    return first.assign(reason=first["reason"].fillna(""), value=mean).reset_index()
