"""One score a seed where each trial is a window of time."""

from __future__ import annotations

from typing import Any

import pandas as pd

from reseed.core.code_hash import digest
from reseed.core.identifiers import TIME_PREFIX
from reseed.core.schemas import CELL_COLUMNS, TRIAL_COLUMNS

NOTE = (
    "Windows of time are no random draws: a score is the mean over the windows of a split, and a "
    "verdict holds for new seeds on exactly these windows, not for other times."
)


def average_windows(trials: pd.DataFrame) -> pd.DataFrame:
    """Trials (`reseed.core.schemas`) with one row a seed for each scheme of kind `time`.

    Its scores are means over the windows. A seed of which a window failed has failed.
    """
    are_windows = trials["scheme"].str.startswith(TIME_PREFIX)
    if not are_windows.any():
        return trials
    keys = [name for name in (*CELL_COLUMNS, *TRIAL_COLUMNS) if name != "fold"]
    how: dict[str, Any] = dict.fromkeys(trials.columns, "first")
    scores = trials.select_dtypes("float").columns.difference([*keys, "train_seconds"])
    how |= dict.fromkeys(scores, lambda one: one.mean(skipna=False))
    how |= {
        "fold": lambda _: 0,
        "train_seconds": "sum",
        "converged": lambda one: bool(one.dropna().all()) if one.notna().any() else None,
        "fingerprint": lambda one: None if one.isna().any() else digest(*one),
    }
    # The first of a group is a failed one, if it has any.
    windows = trials[are_windows].sort_values(
        "status", key=lambda status: status == "ok", kind="stable"
    )
    place = pd.Series(range(len(trials)), trials.index).rename("place")
    averages = (
        windows.join(place)
        .groupby(keys, sort=False, dropna=False)
        .agg(how | {"place": "min"})
        .set_index("place")
    )
    rest = trials[~are_windows].set_index(place[~are_windows].to_numpy())
    return pd.concat([rest, averages]).sort_index().reset_index(drop=True)[trials.columns]
