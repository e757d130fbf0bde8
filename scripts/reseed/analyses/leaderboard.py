"""Mean score of every model on every dataset, and its rank among the models run there."""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from reseed.analyses.data import Data
from reseed.analyses.pairing import COMPARED, GROUP, SPLIT, Group, groups
from reseed.options import Strict
from reseed.verdicts import ALL_DATASETS

COLUMNS = [
    *GROUP, "metric", "greater_is_better", "factor", "unit", "model", "n", "splits", "failed",
    "mean", "sd", "low", "high", "rank", "models", "datasets", "firsts",
]  # fmt: skip


class Options(Strict):
    """It takes none."""


def analyse(data: Data, options: dict) -> pd.DataFrame:
    """One row a setting and model, best mean first; ties share the mean of their ranks.

    `n` finished runs on `splits` splits, `failed` others; `mean`, `sd` (n − 1), `low` and `high`
    (least and greatest) of the finished ones, in units of the score. Means are over a model's own
    runs: models that lack runs are not on equal terms, which `n` shows.

    Where a setting spans two datasets or more, a further row a model under `ALL_DATASETS` holds
    its mean rank over the `datasets` on which every model has a finished run, and on how many of
    them it is first, alone or tied. It ranks means; whether a difference is more than luck is what
    the analysis `pairs` says.
    """
    found = list(groups(data))
    rows = [row for group in found for row in _rows(group)]
    rows += _over_datasets(rows)
    return pd.DataFrame(rows, columns=COLUMNS)


def _rows(group: Group) -> list[dict]:
    rows = []
    splits = group.trials.drop_duplicates([COMPARED, *SPLIT])[COMPARED].value_counts()
    for model in group.models:
        scores = group.of(model)["score"].to_numpy(dtype=np.float64)
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
            row["sd"] = scores.std(ddof=1) if len(scores) > 1 else np.nan
        rows.append(row)
    ranked = [row for row in rows if row["n"]]
    for row, rank in zip(
        ranked, rankdata([-group.sign * row["mean"] for row in ranked]), strict=True
    ):
        row |= {"rank": float(rank), "models": len(ranked)}
    return sorted(rows, key=lambda row: row.get("rank", np.inf))


def _over_datasets(rows: list[dict]) -> list[dict]:
    """Mean ranks over the datasets that are complete, by what else the settings share."""
    table, found = pd.DataFrame(rows, columns=COLUMNS), []
    shared = ["experiment", "hyperparameters_source"]
    for key, part in table.groupby(shared, sort=False, dropna=False):
        place = part["dataset"] + "\x1f" + part["scheme"]
        ranks = part.assign(place=place).pivot(index="place", columns="model", values="rank")
        complete = ranks.dropna()
        if len(ranks) < 2 or ranks.shape[1] < 2:
            continue
        first = complete.eq(complete.min(axis="columns"), axis="index").sum()
        failed = part.groupby("model")["failed"].sum()
        order = complete.mean().sort_values(kind="stable") if len(complete) else ranks.iloc[0] * 0
        for model, rank in order.items():
            found.append(
                dict(zip(shared, key, strict=True))
                | {
                    "varied": part["varied"].iloc[0],
                    "dataset": ALL_DATASETS,
                    "scheme": "",
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
    return found
