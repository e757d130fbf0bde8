"""Compare arms on one test set from their per-item outputs: seeds and items both drawn."""

from __future__ import annotations

from itertools import combinations
from typing import Annotated

import numpy as np
import pandas as pd
from pydantic import Field

from reseed.analyses.shared.adjustment import decide_family
from reseed.analyses.shared.arms import ARM
from reseed.analyses.shared.data import Data, primary_metric
from reseed.analyses.shared.equivalence import rope_by_metric
from reseed.analyses.shared.item_scores import describe_items
from reseed.analyses.shared.outputs import (
    Outputs,
    SplitOptions,
    group_by_test_set,
    metrics_of_task,
    pair_disjoint_arms,
    select_outputs,
)
from reseed.analyses.shared.pairing import difference_unit
from reseed.core.schemas import TEST_SET_COLUMNS, Row
from reseed.core.study_info import DatasetInfo
from reseed.metrics.names import is_share
from reseed.metrics.outputs import SCORED
from reseed.metrics.registry import METRICS
from reseed.plugins.options import Count, Level, Names, Rope
from reseed.stats.bootstrap import PER_ITEM, WEIGHTED_METRICS
from reseed.stats.crossed_comparison import (
    item_values,
    seed_item_bootstrap,
    seed_permutation_test,
)
from reseed.stats.item_model import Factor, item_difference
from reseed.stats.two_models import delong, mcnemar, swap_test
from reseed.verdicts.designs import ITEM_MODEL, SEEDS_AND_ITEMS, SOURCES, match_seeds
from reseed.verdicts.pair import Pair

READS = "predictions"

COLUMNS = [
    *TEST_SET_COLUMNS, "metric", "primary", "greater_is_better", "factor", "unit", "arm_a", "arm_b",
    "outcome", "scope", "items", "runs_a", "runs_b", "shared_seeds", "failed", "mean_a",
    "mean_b", "difference", "low", "high", "se", "p", "p_adjusted", "pairs",
    "alpha", "method", "level_seed", "level_prompt", "level_cluster", "level_item", "skewness",
    "seed_share", "sd_runs", "boot_se", "boot_low", "boot_high", "n_boot", "permutation_p",
    "swap_p",
    "single_test", "single_pairs", "single_a", "single_b", "single_p_median", "rope", "reason",
]  # fmt: skip

#: Columns that hold for all pairs at once.
_DECIDED = ("p", "low", "high", "p_adjusted", "pairs", "outcome")


class Options(SplitOptions):
    """metrics: metrics to compare by (None: the task's default metric and the primary one).
    alpha: size of the tests, and 1 minus the level of the intervals, for all pairs at once.
    n_boot: resamples of the seed × item bootstrap (0: none).
    n_permutations: permutations of the permutation tests.
    max_runs: most runs of each arm; the first ones are used.
    rope: half-width of practical equivalence in units of the score; by metric if there are
        several (None: no pair is called equivalent).
    """

    metrics: Names | None = None
    alpha: Level = 0.05
    n_boot: Annotated[int, Field(ge=0)] = 400
    n_permutations: Count = 10_000
    max_runs: Count = 200
    rope: Rope = None


def analyse(data: Data, options: Options) -> pd.DataFrame:
    """One row a pair of arms on a test set, and metric; `arm_a` has the better mean.

    `difference` (positive: A is better), its interval and `p` are those of `stats.item_model`. It
    generalises over seeds and items if each arm has two runs or more, else over items for the
    trained models (`scope`).

    - `p_adjusted`, `low`, `high`: for all pairs of a test set and metric, as in the analysis
      `pairs`; `skewness`: of the mean difference, where a few items lie far from the others.
    - `seed_share`: the seeds' part of the squared standard error.
    - `sd_runs`: SD of the difference over pairs of runs; 0 where the seed changes no score.
    - `boot_…`: seed × item bootstrap.
    - `permutation_p`: permutes runs between the arms; the test set is fixed.
    - `swap_p`: swaps outputs between the arms, item by item; the trained models are fixed.
    - `single_test`: the test that one run of each arm allows (McNemar's mid-p for accuracy, DeLong
      for AUC, else the paired t over items), on `single_pairs` pairs of runs; `single_a`,
      `single_b`: shares of them that declare A or B better.

    Arms that cannot be compared, such as arms that share no split, are a row with a `reason`.
    """
    outputs = select_outputs(data, options)
    test_sets = [*group_by_test_set(outputs), *pair_disjoint_arms(outputs)]
    factors = {
        metric: _choose_unit(data.info.datasets[first.key["dataset"]], first, metric)[0]
        for first, *_ in test_sets
        for metric, _ in _metrics(data, first, options)
    }
    ropes = rope_by_metric(options.rope, factors)
    rows = [row for arms in test_sets for row in _compare_arms(data, arms, ropes, options)]
    return pd.DataFrame(rows, columns=COLUMNS)


def _compare_arms(
    data: Data, arms: list[Outputs], ropes: dict[str, float], options: Options
) -> list[Row]:
    rows = []
    for metric, primary in _metrics(data, arms[0], options):
        pairs = [
            _row(data, a, b, metric, options)
            | {"primary": primary, "rope": ropes.get(metric, np.nan)}
            for a, b in combinations(arms, 2)
        ]
        compared = [row for row in pairs if row["reason"] == ""]
        family = [
            Pair(
                design=ITEM_MODEL.design, n=row["items"], alpha=row["alpha"], rope=row["rope"],
                difference=row["difference"], p=row["p"], tested=row["tested"],
            )
            for row in compared
        ]  # fmt: skip
        for row, pair in zip(compared, decide_family(family), strict=True):
            row |= {name: getattr(pair, name) for name in _DECIDED}
        rows += pairs
    return rows


def _metrics(data: Data, one: Outputs, options: Options) -> list[tuple[str, bool]]:
    primary = primary_metric(data.info, one.key["dataset"])
    by_name = metrics_of_task(one.task, primary).items()
    chosen = options.metrics or [name for name, known in by_name if known in WEIGHTED_METRICS]
    return [(metric, metric == primary) for metric in dict.fromkeys(chosen)]


def _choose_unit(dataset: DatasetInfo, one: Outputs, metric: str) -> tuple[float, str]:
    """(factor, name) of the unit of a difference: the target's, of an absolute error.

    Of given scores by their size too, which may be in percent.
    """
    if one.task == SCORED:
        return difference_unit(metric, pd.Series(one.probability.ravel()), dataset.metric_unit)
    if is_share(metric):
        return 100.0, "points"
    return 1.0, dataset.unit or "" if metric == "mae" else ""


def _row(data: Data, a: Outputs, b: Outputs, metric: str, options: Options) -> Row:
    dataset = data.info.datasets[a.key["dataset"]]
    known = METRICS[metric].greater_is_better if metric in METRICS else False
    factor, unit = _choose_unit(dataset, a, metric)
    row = {name: a.key[name] for name in TEST_SET_COLUMNS} | {
        "metric": metric,
        "greater_is_better": dataset.greater_is_better if metric == dataset.metric else known,
        "factor": factor,
        "unit": unit,
        "arm_a": a.key[ARM],
        "arm_b": b.key[ARM],
        "items": len(a.y_true),
        "failed": a.failed + b.failed,
        "alpha": options.alpha,
        "reason": "",
        "outcome": "not tested",
    }
    try:
        if any(a.key[name] != b.key[name] for name in TEST_SET_COLUMNS):
            raise ValueError("they are on different splits")
        if not (a.n and b.n):
            raise ValueError("one of them has no finished run")
        most = options.max_runs
        sides, is_shared = match_seeds(a.seeds, b.seeds)
        rows_a, rows_b = (side[:most] for side in sides)
        computed = metrics_of_task(a.task, dataset.metric).get(metric, metric)
        return row | _measure(a, b, rows_a, rows_b, computed, is_shared, row, options)
    except ValueError as error:
        return row | {"reason": str(error)}


def _measure(a, b, rows_a, rows_b, metric, shared, row, options) -> Row:
    predicted_a, predicted_b = a.predictions_for(metric)[rows_a], b.predictions_for(metric)[rows_b]
    values_a, values_b = (item_values(metric, a.y_true, p) for p in (predicted_a, predicted_b))
    swap = (values_a.mean() < values_b.mean()) == row["greater_is_better"]
    if swap:
        a, b = b, a
        predicted_a, predicted_b, values_a, values_b = predicted_b, predicted_a, values_b, values_a
    sign = 1 if row["greater_is_better"] else -1
    alpha, rng = row["alpha"], lambda purpose: a.rng(purpose, metric, b.key[ARM])
    first, second = (values_a, values_b)[::sign]
    test = item_difference(first, second, [Factor("seed", shared)])
    result = {
        "arm_a": a.key[ARM],
        "arm_b": b.key[ARM],
        "runs_a": len(values_a),
        "runs_b": len(values_b),
        "mean_a": float(values_a.mean()),
        "mean_b": float(values_b.mean()),
        "difference": test.difference,
        "se": test.se,
        "p": test.p_value,
        "tested": (tested := describe_items(test)),
        "skewness": tested.skewness if test.tail else np.nan,
        "method": test.method,
        **{f"level_{source}": test.levels.get(source, 0) for source in SOURCES},
        "shared_seeds": shared,
        "scope": SEEDS_AND_ITEMS.design if "seed" in test.levels else "items",
        "seed_share": test.factor_share if test.se > 0 else np.nan,
        "sd_runs": _sd_of_runs(values_a, values_b),
        **_single_runs(metric, a.y_true, predicted_a, predicted_b, sign * values_a,
                       sign * values_b, alpha),
    }  # fmt: skip
    if "seed" in test.levels:
        result["permutation_p"] = seed_permutation_test(
            values_a.mean(axis=1), values_b.mean(axis=1), shared_seeds=shared,
            n_permutations=options.n_permutations, rng=rng("permutation"),
        )  # fmt: skip
    if metric in PER_ITEM:  # what items can swap
        count = options.n_permutations
        means = values_a.mean(axis=0), values_b.mean(axis=0)
        result["swap_p"] = swap_test(*means, count, rng=rng("swap"))
    n_boot = options.n_boot
    if n_boot and metric in WEIGHTED_METRICS:
        boot = seed_item_bootstrap(
            metric, a.y_true, predicted_a, predicted_b, n_boot,
            shared_seeds=shared, level=1 - alpha, rng=rng("bootstrap"),
        )  # fmt: skip
        low, high = sorted((sign * boot.low, sign * boot.high))
        result |= {"boot_se": boot.se, "boot_low": low, "boot_high": high, "n_boot": boot.n_boot}
    return result


def _sd_of_runs(values_a: np.ndarray, values_b: np.ndarray) -> float:
    """SD of the difference of the scores of a run of A and one of B; NaN with one run a side."""
    runs = [values.mean(axis=1) for values in (values_a, values_b)]
    known = [float(scores.var(ddof=1)) for scores in runs if len(scores) > 1]
    return float(np.sqrt(sum(known))) if known else np.nan


def _single_runs(metric, y, predicted_a, predicted_b, values_a, values_b, alpha) -> Row:
    """Verdicts that single runs would have given, over pairs of runs."""
    count = min(len(values_a), len(values_b))
    difference = values_a[:count].mean(axis=1) - values_b[:count].mean(axis=1)
    if metric == "accuracy":
        name = "McNemar, mid-p"
        p = mcnemar(predicted_a[:count] == y, predicted_b[:count] == y).mid_p
    elif metric == "auc":
        name = "DeLong"
        p = delong(y, predicted_a[:count], predicted_b[:count]).p_value
    else:
        name = "paired t over items"
        pairs = zip(values_a[:count], values_b[:count], strict=True)
        p = np.array([item_difference(*pair).p_value for pair in pairs])
    return {
        "single_test": name,
        "single_pairs": count,
        "single_a": float(np.mean((p <= alpha) & (difference > 0))),
        "single_b": float(np.mean((p <= alpha) & (difference < 0))),
        "single_p_median": float(np.median(p)),
    }
