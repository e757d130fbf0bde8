"""Trials trained again with the same seeds: are they bitwise identical? (Raste, Section 4.1)"""

from __future__ import annotations

import pandas as pd
from reseed.analyses.shared.data import Data
from reseed.plugins.options import Level, Strict
from reseed.stats.shares import wilson_interval

READS = "repeats"


class Options(Strict):
    """level: of the interval."""

    level: Level = 0.95


def analyse(data: Data, options: Options) -> pd.DataFrame:
    """One row for each dataset and model of the trials that were trained again.

    `same` of `again` trials had the same status and outputs, bit for bit; `differs`: what others
    differ in. `share` with its interval is that of all `trained` trials, in each row.
    """
    if data.repeats is None:
        return pd.DataFrame()
    trials = data.repeats
    trials = trials.assign(text=trials["text"].where(~trials["same"].astype(bool)))
    share = float(trials["same"].mean())
    low, high = wilson_interval(share, len(trials), options.level)
    return (
        trials.groupby(["dataset", "model"], sort=False)
        .agg(
            again=("same", "size"),
            same=("same", "sum"),
            differs=("text", lambda texts: "; ".join(texts.dropna().unique()) or "nothing"),
        )
        .reset_index()
        .assign(
            trained=len(trials), share=share, share_low=low, share_high=high, level=options.level
        )
    )
