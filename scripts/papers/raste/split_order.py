"""How far models agree on which splits give good scores."""

from __future__ import annotations

import pandas as pd
from reseed.analyses.shared.data import Data, cells, group_by_key
from reseed.core.schemas import Row
from reseed.plugins.options import Level, Strict
from reseed.stats.ranking import split_agreement

_PLACE = ["experiment", "dataset", "scheme", "hyperparameters_source"]
_LEAST = 3  # shared splits


class Options(Strict):
    """level: of the intervals."""

    level: Level = 0.95


def analyse(data: Data, options: Options) -> pd.DataFrame:
    """One row a dataset: `tau`, Kendall's τ of two models over splits, averaged over pairs."""
    rows: list[Row] = []
    for group in group_by_key([cell for cell in cells(data) if len(cell.scores)], _PLACE).values():
        means = [cell.scores.groupby("data_seed")["score"].mean() for cell in group]
        names = [cell.key["arm"] for cell in group]
        scores = pd.DataFrame(dict(zip(names, means, strict=True))).dropna()
        if len(scores) < _LEAST or scores.shape[1] < 2:
            continue
        found = split_agreement(scores.to_numpy(), options.level)
        key = {name: group[0].key[name] for name in _PLACE}
        ends = {"tau": found.tau, "tau_low": found.low, "tau_high": found.high}
        rows.append(key | {"n": len(scores), **ends, "level": options.level})
    return pd.DataFrame(rows)
