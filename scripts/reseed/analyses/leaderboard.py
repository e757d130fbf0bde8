"""Mean score of every model on every dataset, and its rank among the models run there."""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from reseed.analyses.shared.arms import ARM
from reseed.analyses.shared.data import Data
from reseed.analyses.shared.keys import group_across_datasets, merge_keys
from reseed.analyses.shared.pairing import ModelGroup, group_models
from reseed.claims.verdicts import ALL_DATASETS
from reseed.core.schemas import COMPARISON_COLUMNS, SPLIT_COLUMNS, Row
from reseed.plugins.options import Strict
from reseed.stats.comparison import merge_rounding_noise

COLUMNS = [
    *COMPARISON_COLUMNS, "metric", "greater_is_better", "factor", "unit", "model", "n", "splits",
    "failed", "mean", "sd", "low", "high", "rank", "models", "datasets", "firsts",
]  # fmt: skip


class Options(Strict):
    """It takes none."""


def analyse(data: Data, options: Options) -> pd.DataFrame:
    """One row a setting and model, best mean first; ties share the mean of their ranks.

    `n` finished runs on `splits` splits, `failed` others; `mean`, `sd` (n − 1), `low` and `high`
    (least and greatest) of the finished ones, in units of the score. Means are over a model's own
    runs: models that lack runs are not on equal terms, which `n` shows.

    Where two datasets or more belong together (`pairing.across_datasets`), a further row a model
    under `ALL_DATASETS` holds its mean rank over those of the `datasets` on which every model has a
    finished run (`n`), and on how many of them it is first, alone or tied. It ranks means; whether
    a difference is more than luck is what the analysis `pairs` says.
    """
    found = list(group_models(data))
    rows = [_rows(group) for group in found]
    listed = [row for part in rows for row in part] + _over_datasets(found, rows)
    return pd.DataFrame(listed, columns=COLUMNS)


def _rows(group: ModelGroup) -> list[Row]:
    rows = []
    splits = group.trials.drop_duplicates([ARM, *SPLIT_COLUMNS])[ARM].value_counts()
    for model in group.models:
        scores = group.trials_of(model)["score"].to_numpy(dtype=np.float64)
        row = group.key | {
            "metric": group.metric,
            "greater_is_better": group.greater_is_better,
            "factor": group.factor,
            "unit": group.unit,
            "model": model,
            "n": len(scores),
            "splits": int(splits.get(model, 0)),
            "failed": group.failed[model],
        }
        if len(scores):
            row |= {"mean": scores.mean(), "low": scores.min(), "high": scores.max()}
            # From the first on, so that scores that are all the same have no noise for an SD.
            row["sd"] = (scores - scores[0]).std(ddof=1) if len(scores) > 1 else np.nan
        rows.append(row)
    ranked = [row for row in rows if row["n"]]
    sizes = [max(abs(row["low"]), abs(row["high"])) for row in ranked]
    # The order of adding breaks no tie.
    means = merge_rounding_noise(np.array([row["mean"] for row in ranked]), np.array(sizes))
    for row, mean, rank in zip(ranked, means, rankdata(-group.sign * means), strict=True):
        row |= {"mean": float(mean), "rank": float(rank), "models": len(ranked)}
    return sorted(rows, key=lambda row: row.get("rank", np.inf))


def _over_datasets(found: list[ModelGroup], rows: list[list[Row]]) -> list[Row]:
    """Mean ranks over the datasets that are complete, of what is one comparison over datasets."""
    over = []
    for chosen in group_across_datasets([group.key for group in found]):
        part = pd.DataFrame([row for i in chosen for row in rows[i]], columns=COLUMNS)
        ranks = part.pivot(index="dataset", columns="model", values="rank")
        complete = ranks.dropna()
        if len(ranks) < 2 or ranks.shape[1] < 2:
            continue
        first = complete.eq(complete.min(axis="columns"), axis="index").sum()
        failed = part.groupby("model")["failed"].sum()
        order = complete.mean().sort_values(kind="stable") if len(complete) else ranks.iloc[0] * 0
        place = merge_keys(part)
        for model, rank in order.items():
            over.append(
                place
                | {
                    "dataset": ALL_DATASETS,
                    "metric": "rank",
                    "greater_is_better": False,
                    "factor": 1.0,
                    "unit": "",
                    "model": model,
                    "n": len(complete),
                    "failed": int(failed[model]),
                    "mean": float(rank) if len(complete) else np.nan,
                    "models": ranks.shape[1],
                    "datasets": len(ranks),
                    "firsts": int(first[model]),
                }
            )
    return over
