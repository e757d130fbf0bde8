"""Mean score of every model on every dataset, and its rank among the models run there."""

from __future__ import annotations

import numpy as np
import pandas as pd

from reseed.analyses.shared.arms import ARM
from reseed.analyses.shared.data import Data
from reseed.analyses.shared.item_scores import ItemScores, measure_mean
from reseed.analyses.shared.keys import group_across_datasets, merge_keys
from reseed.analyses.shared.pairing import ModelGroup, group_models
from reseed.core.schemas import COMPARISON_COLUMNS, SPLIT_COLUMNS, Row
from reseed.plugins.options import NoOptions
from reseed.stats.comparison import merge_rounding_noise
from reseed.stats.distributions import rankdata
from reseed.stats.spread import spread
from reseed.verdicts.decide import ALL_DATASETS
from reseed.verdicts.scope import name_generality

Options = NoOptions

COLUMNS = [
    *COMPARISON_COLUMNS, "metric", "greater_is_better", "factor", "unit", "model", "n", "splits",
    "failed", "mean", "sd", "low", "high", "rank", "models", "datasets", "firsts",
]  # fmt: skip
#: Of scores of items, where the mean has an interval.
_OF_ITEMS = ["items", "mean_low", "mean_high", "level", "holds_for"]


def analyse(data: Data, options: Options) -> pd.DataFrame:
    """One row a comparison and model, best mean first; ties share the mean of their ranks.

    `n`: finished runs, on `splits` splits; `failed`: other runs. `mean`, `sd` (n − 1), `low` and
    `high` (smallest and greatest) of the finished runs, in units of the score. Each mean is over a
    model's own runs; `n` shows which models lack runs.

    For a comparison over two datasets or more (`keys.group_across_datasets`), a further row a
    model under `ALL_DATASETS` has its mean rank over the `n` of `datasets` on which every model has
    a finished run, and the number of `firsts`, alone or tied. The ranks are of means; the analysis
    `pairs` tests differences.

    Scores of `items` in memory have `mean_low` and `mean_high`, the interval of the mean at `level`
    over items and what is crossed with them; `holds_for` names what it allows for.
    """
    groups = group_models(data)
    by_group = [_rows(group) for group in groups]
    for group, part in zip(groups, by_group, strict=True):
        if scores := data.items.get(group.key["dataset"]):
            for row in part:
                row |= _bound_mean(scores, row)
    rows = [row for part in by_group for row in part] + _rank_over_datasets(groups, by_group)
    if not data.items:
        return pd.DataFrame(rows, columns=COLUMNS)
    return pd.DataFrame(rows, columns=[*COLUMNS, *_OF_ITEMS]).fillna({"holds_for": ""})


def _bound_mean(scores: ItemScores, row: Row) -> Row:
    """The interval of a mean over items; nothing where items do not show how much they vary."""
    test = measure_mean(scores, row["model"]) if row["model"] in scores.models else None
    if test is None or not test.low < test.high:
        return {}
    ends = (test.low, test.high)
    if row["unit"] == "points":  # of shares, which lie between 0 and 1
        ends = tuple(min(max(end * row["factor"], 0), 100) / row["factor"] for end in ends)
    return {
        "items": len(scores.items),
        "mean_low": ends[0],
        "mean_high": ends[1],
        "level": test.level,
        "holds_for": name_generality(test.levels),
    }


def _rows(group: ModelGroup) -> list[Row]:
    rows = []
    splits = group.trials.drop_duplicates([ARM, *SPLIT_COLUMNS])[ARM].value_counts()
    for model, described in _describe(group.scores_by_model).items():
        row = group.key | {
            "metric": group.metric,
            "greater_is_better": group.greater_is_better,
            "factor": group.factor,
            "unit": group.unit,
            "model": model,
            "splits": int(splits.get(model, 0)),
            "failed": group.failed[model],
        }
        rows.append(row | described)
    ranked = [row for row in rows if row["n"]]
    sizes = [max(abs(row["low"]), abs(row["high"])) for row in ranked]
    # Rounding errors of sums do not break ties.
    means = merge_rounding_noise(np.array([row["mean"] for row in ranked]), np.array(sizes))
    for row, mean, rank in zip(ranked, means, rankdata(-group.sign * means), strict=True):
        row |= {"mean": float(mean), "rank": float(rank), "models": len(ranked)}
    return sorted(rows, key=lambda row: row.get("rank", np.inf))


def _describe(scores: dict[str, np.ndarray]) -> dict[str, Row]:
    """`n`, `mean`, `sd`, `low`, `high` by model; models with equal n are computed together."""
    described: dict[str, Row] = {model: {"n": len(values)} for model, values in scores.items()}
    for n in {len(values) for values in scores.values()} - {0}:
        models = [model for model, values in scores.items() if len(values) == n]
        rows = np.stack([scores[model] for model in models])
        columns = rows.mean(axis=1), rows.min(axis=1), rows.max(axis=1), np.asarray(spread(rows).sd)
        for model, *values in zip(models, *(column.tolist() for column in columns), strict=True):
            described[model] |= zip(("mean", "low", "high", "sd"), values, strict=True)
    return described


def _rank_over_datasets(groups: list[ModelGroup], by_group: list[list[Row]]) -> list[Row]:
    """Rows of mean ranks over the datasets on which every model has a finished run."""
    rows: list[Row] = []
    for positions in group_across_datasets([group.key for group in groups]):
        part = pd.DataFrame([row for i in positions for row in by_group[i]], columns=COLUMNS)
        ranks = part.pivot(index="dataset", columns="model", values="rank")
        complete = ranks.dropna()
        if len(ranks) < 2 or ranks.shape[1] < 2:
            continue
        first = complete.eq(complete.min(axis="columns"), axis="index").sum()
        failed = part.groupby("model")["failed"].sum()
        order = complete.mean().sort_values(kind="stable") if len(complete) else ranks.iloc[0] * 0
        key = merge_keys(part)
        for model, rank in order.items():
            rows.append(
                key
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
    return rows
