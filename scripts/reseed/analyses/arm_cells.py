"""The scores of each arm over its seeds: as `data.cells`, with arms told apart."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from reseed.analyses.arms import with_arms
from reseed.analyses.data import (
    CELL,
    SEEDS,
    Cell,
    Data,
    data_seeds,
    greater_is_better,
    primary_metric,
)
from reseed.errors import ReseedError, nearest

#: What is held fixed while an arm's seeds vary.
PLACE = list(CELL)


def arm_cells(data: Data, metric: str | None = None) -> Iterator[Cell]:
    """Every cell in order of appearance, on `metric` (None: the dataset's primary one).

    A seed's score is the mean over its folds; a seed with a failed fold is left out. A dataset
    whose task has no such metric is left out; ReseedError for one that no dataset has.
    """
    if metric is not None and metric not in data.metrics:
        measured = list(data.metrics.columns[data.metrics.dtypes == np.float64])
        raise ReseedError(f"metric {metric!r} was not measured.{nearest(metric, measured)}")
    every = with_arms(data.metrics).assign(data_seed=data_seeds(data.metrics))
    for key, trials in every.groupby(PLACE, sort=False, dropna=False):
        place = dict(zip(PLACE, key, strict=True))
        name = metric or primary_metric(data.about, place["dataset"])
        score = trials[name] if name in trials else pd.Series(np.nan, trials.index)
        finished = trials["status"] == "ok"
        if metric is not None and finished.any() and score[finished].isna().all():
            continue
        bad = ~finished | ~np.isfinite(score)
        seeds = trials.assign(score=score, bad=bad).groupby(SEEDS, sort=True)
        rows = seeds.agg(score=("score", "mean"), bad=("bad", "sum")).reset_index()
        yield Cell(place, name, greater_is_better(data.about, name), rows)
