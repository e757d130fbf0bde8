"""Differences of two algorithms over seeds, in SDs of a score (Raste, Section 4.1)."""

from __future__ import annotations

import math

import pandas as pd
from reseed.analyses import pairs
from reseed.analyses.shared.data import Data, cells
from reseed.analyses.shared.pairing import Pair
from reseed.core.coordinates import base_name
from reseed.plugins.options import Strict
from reseed.verdicts.decide import ALL_DATASETS

_PLACE = ["experiment", "dataset", "scheme", "hyperparameters_source", "metric"]


class Options(Strict):
    """pairs: of arms; a difference is positive where the first scores better."""

    pairs: list[Pair]


def analyse(data: Data, options: Options) -> pd.DataFrame:
    """One row a pair of arms and dataset: `difference` of means over seeds, `gap` = it / `sd`.

    The difference and its interval are those of the analysis `pairs` of this pair alone. `sd`: of
    one score over seeds, the root mean square of both arms, which is taken as known.
    `median_a`, `median_b`.
    """
    scores = {
        (c.key["experiment"], c.key["dataset"], c.key["arm"]): c.scores["score"]
        for c in cells(data)
    }
    rows = []
    ran = {base_name(arm) for _, _, arm in scores}
    for first, second in options.pairs:
        if not {first, second} <= ran:
            continue
        table = pairs.analyse(data, pairs.Options(pairs=[[first, second]]))
        known = table[table["low"].notna() & (table["dataset"] != ALL_DATASETS)]
        for row in known.to_dict("records"):
            sign = 1 if base_name(row["model_a"]) == first else -1
            arms = [row["model_a"], row["model_b"]][::sign]
            a, b = (scores[row["experiment"], row["dataset"], arm] for arm in arms)
            sd = math.sqrt((a.var(ddof=1) + b.var(ddof=1)) / 2)
            if sd > 0:
                low, high = sorted(sign * row[end] for end in ("low", "high"))
                rows.append(
                    {name: row[name] for name in (*_PLACE, "n")}
                    | {"level": 1 - row["alpha"], "arm": arms[0], "other": arms[1]}
                    | {"pair": f"{first} {second}", "sd": sd}
                    | {"median_a": a.median(), "median_b": b.median()}
                    | {"difference": sign * row["difference"]}
                    | {"difference_low": low, "difference_high": high}
                    | {"gap": sign * row["difference"] / sd}
                    | {"gap_low": low / sd, "gap_high": high / sd}
                )
    return pd.DataFrame(rows)
