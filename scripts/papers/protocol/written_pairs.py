"""Every pair of models by the tests of the protocol as it is written (Sections 3.2 and 3.3)."""

from __future__ import annotations

import pandas as pd
from reseed.analyses.shared.data import Data
from reseed.analyses.shared.pairing import group_models, pair_models
from reseed.core.schemas import COMPARISON_COLUMNS
from reseed.plugins.options import Count, Level, Strict
from reseed.stats.comparison import bca_mean_interval, differences, holm
from reseed.stats.ranking import instability

from papers.protocol.signed_rank import wilcoxon_p


class Options(Strict):
    """level: of the intervals, each for itself. n_boot: resamples of the folds."""

    level: Level = 0.95
    n_boot: Count = 10_000


def analyse(data: Data, options: Options) -> pd.DataFrame:
    """One row a pair of models on a dataset, the better mean first.

    - `difference`: of the mean fold scores, with its BCa interval `low`, `high`.
    - `p`, `p_holm`: Wilcoxon signed-rank test over folds, and adjusted over the pairs of a dataset.
    - `instability`: share of single runs that order the pair otherwise than the means.

    The folds count as independent, as in the paper; `decision_rules` measures what that costs.
    Pairs without two shared folds are left out.
    """
    rows = []
    for group in group_models(data):
        own = []
        for model_a, model_b, pairing in pair_models(group):
            if pairing.design != "splits" or pairing.n < 2:
                continue
            d = group.sign * differences(pairing.a, pairing.b)
            low, high = bca_mean_interval(
                d, options.level, options.n_boot, rng=group.rng("bca", model_a, model_b)
            )
            order = instability([pairing.trial_a, pairing.trial_b])
            own.append(
                {name: group.key[name] for name in COMPARISON_COLUMNS}
                | {"metric": group.metric, "arm": model_a, "other": model_b, "n": pairing.n}
                | {"difference": d.mean(), "low": float(low), "high": float(high)}
                | {"level": options.level, "p": float(wilcoxon_p(d))}
                | {"instability": order.item(1)}
            )
        if own:
            adjusted = holm([row["p"] for row in own])
            rows += [row | {"p_holm": p} for row, p in zip(own, adjusted, strict=True)]
    return pd.DataFrame(rows)
