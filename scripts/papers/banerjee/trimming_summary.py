"""Summary of each arm: accuracy and churn of all runs and of those with a low alpha-hat.

Source: Banerjee et al., Tables II and III.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
import pandas as pd
from reseed.analyses.shared.arms import ARM
from reseed.analyses.shared.data import Data
from reseed.analyses.shared.outputs import Outputs, select_outputs
from reseed.analyses.shared.published import read_published_table, with_published
from reseed.core.schemas import ARM_OUTPUT_COLUMNS, Row
from reseed.plugins.options import Count, PublishedFiles
from reseed.stats.spread import variance_limits

from papers.banerjee import trimming, trimming_pairs
from papers.banerjee.ensembles import pairwise_churn

READS = "predictions"

# Of the intervals of the SD.
_LEVEL = 0.95
_TABLE2 = ["accuracy_min", "accuracy_max", "ensemble_accuracy", "low_alpha_accuracy_min",
           "low_alpha_accuracy_max"]  # fmt: skip
_TABLE3 = ["churn_min", "churn_max", "low_alpha_churn_min", "low_alpha_churn_max"]


_PUBLISHED = [f"published_{name}" for name in (*_TABLE2, *_TABLE3)]
COLUMNS = [
    *ARM_OUTPUT_COLUMNS, "n", "references", "candidates", "failed", "items", "threshold", "delta",
    "accuracy_mean", "accuracy_sd", "accuracy_sd_low", "accuracy_sd_high", "level", "accuracy_min",
    "accuracy_max", "ensemble_accuracy", "low_alpha_accuracy_min", "low_alpha_accuracy_max",
    "admitted", "share_admitted", "churn_mean", "churn_min", "churn_max", "low_alpha_churn_min",
    "low_alpha_churn_max", "pairs", "pairs_admitted", "alpha_hat_mean", "alpha_hat_max", "ece_min",
    "ece_max", *_PUBLISHED, "reason",
]  # fmt: skip


class Options(trimming.RunOptions, trimming_pairs.Options, PublishedFiles):
    """published: the paper's source of randomness that an arm reproduces, {arm: source}; read
        from `banerjee_table2_accuracy_ranges` and `banerjee_table3_pairwise_churn`.
    published_items: number of test items of the paper's churn.
    """

    published: dict[str, Literal["init", "batch", "init_and_batch"]] = {}
    published_items: Count = trimming.PAPER_ITEMS


def analyse(data: Data, options: Options) -> pd.DataFrame:
    """One row an arm: Tables II and III, with the paper's numbers if an arm has any.

    Accuracies and churn are shares, over all `n` runs of the arm and their pairs. `low_alpha_…`:
    over the runs (pairs of runs) among the `candidates` whose alpha-hat (both alpha-hats) is at
    most `threshold`; `admitted` and `pairs_admitted` count them. `ensemble_accuracy`,
    `alpha_hat_…` and `ece_…` are of the candidates.
    """
    arms = select_outputs(data, options)
    runs = pd.DataFrame(trimming.run_rows(arms, options), columns=trimming.COLUMNS)
    pairs = trimming_pairs.analyse(data, options)
    rows = [_row(one, _of_arm(runs, one), _of_arm(pairs, one)) for one in arms]
    table = pd.DataFrame(rows, columns=COLUMNS)
    return _with_published(table, data, options) if options.published else table


def _of_arm(rows: pd.DataFrame, one: Outputs) -> pd.DataFrame:
    same = [rows[name] == one.key[name] for name in ARM_OUTPUT_COLUMNS]
    return rows[np.logical_and.reduce(same)]


def _row(one: Outputs, runs: pd.DataFrame, pairs: pd.DataFrame) -> Row:
    first = runs.iloc[0]
    same = ("n", "references", "failed", "items", "threshold", "delta", "reason")
    row = one.key | {name: first[name] for name in same}
    if first["reason"]:
        return row
    low = runs[runs["admitted"].astype(bool)]
    both = pairs[pairs["both_admitted"].astype(bool)]
    accuracy = one.correct.mean(axis=1)
    churn = pairwise_churn(one.labels)[np.triu_indices(one.n, 1)] / one.labels.shape[1]
    sd_low, sd_high = np.sqrt(variance_limits(accuracy, _LEVEL))
    return row | {
        "candidates": len(runs),
        "accuracy_mean": accuracy.mean(),
        "accuracy_sd": accuracy.std(ddof=1),
        "accuracy_sd_low": sd_low,
        "accuracy_sd_high": sd_high,
        "level": _LEVEL,
        **_range("accuracy", accuracy),
        "ensemble_accuracy": first["ensemble_accuracy"],
        **_range("low_alpha_accuracy", low["accuracy"]),
        "admitted": len(low),
        "share_admitted": len(low) / len(runs),
        "churn_mean": churn.mean(),
        **_range("churn", churn),
        **_range("low_alpha_churn", both["churn"]),
        "pairs": churn.size,
        "pairs_admitted": len(both),
        "alpha_hat_mean": runs["alpha_hat"].mean(),
        "alpha_hat_max": runs["alpha_hat"].max(),
        **_range("ece", runs["ece"]),
    }


def _range(name: str, values: pd.Series | np.ndarray) -> Row:
    return {f"{name}_min": values.min(), f"{name}_max": values.max()}


def _with_published(table: pd.DataFrame, data: Data, options: Options) -> pd.DataFrame:
    sources = [{"randomness": options.published.get(arm)} for arm in table[ARM]]
    for name, columns, unit in (
        ("banerjee_table2_accuracy_ranges", _TABLE2, 100.0),
        ("banerjee_table3_pairwise_churn", _TABLE3, float(options.published_items)),
    ):
        printed = read_published_table(data.published, name, ["randomness", *columns])
        table = with_published(table, printed, sources, dict.fromkeys(columns, unit))
    return table
