"""Changes of the order of models between runs, and the number of runs that fix it."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan

import numpy as np
import pandas as pd

from reseed.comparison.claims.typed_row import ComparedRow
from reseed.core.schemas import Row
from reseed.plugins.options import Count, Level, Strict
from reseed.report.analyses.shared.data import Data
from reseed.report.analyses.shared.pairing import (
    MIN_RUNS,
    Design,
    ModelGroup,
    Pairing,
    group_models,
    pair_models,
)
from reseed.stats.comparison import differences, holm, nadeau_bengio, pair_differences
from reseed.stats.ranking import disagreement_of_means, instability, kendall_agreement
from reseed.stats.simultaneous import holm_in_both_directions
from reseed.stats.unpaired import compare_unpaired

#: From this many comparisons on, draws are shared among them, down to `_FEWEST_DRAWS` each.
_MANY_GROUPS = 20
_FEWEST_DRAWS = 500
_STEPS = [1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100]


@dataclass(frozen=True)
class StabilityRow(ComparedRow):
    """A row of this analysis; `analyse` documents the columns."""

    metric: str = ""
    statistic: str = ""
    model_a: str = ""
    model_b: str = ""
    m: float = nan
    value: float = nan
    low: float = nan
    high: float = nan
    se: float = nan
    level: float = nan
    n: float = nan
    models: float = nan
    left_out: float = nan
    failed: float = nan
    p_adjusted: float = nan
    p_holm: float = nan


class Options(Strict):
    """level: central share of the pairs of runs between `low` and `high`.
    n_draws: random draws of the runs whose means are compared (with more than 20 datasets, fewer).
    """

    level: Level = 0.9
    n_draws: Count = 4000


def analyse(data: Data, options: Options) -> pd.DataFrame:
    """Rows of five statistics for each comparison, on the runs that all of its models share.

    - `mean_tau`: Kendall's τ_b between the model orders of two single runs, mean over all pairs of
      runs; `low`, `high`: the central share `level` of them (not an interval of the mean).
    - `identical_orders`: share of pairs of runs with the same order of all models.
    - `instability`: share of runs whose order of a pair differs from that of the means; a tie
      counts one half.
    - `reversal`: probability that the means of `m` runs and of n − m other runs order a pair
      differently (`stats.ranking.disagreement_of_means`; a tie counts one half), with its Monte
      Carlo standard error `se`. `p_adjusted`, `p_holm`: of the test of `pairs` that the two
      means differ.
    - `mean_reversal`: mean of `reversal` over pairs.

    A run is a split and model seed, or a run of `shared_runs`.
    """
    groups = group_models(data)
    draws = max(_FEWEST_DRAWS, options.n_draws * _MANY_GROUPS // max(_MANY_GROUPS, len(groups)))
    options = options.model_copy(update={"n_draws": min(options.n_draws, draws)})
    rows = [row for group in groups for row in _rows(group, options)]
    return StabilityRow.make_table(rows)


def shared_runs(group: ModelGroup) -> tuple[list[str], np.ndarray]:
    """Models with a finished run, and (models, runs) scores of the runs that all of them have.

    If they share fewer than two runs (other seeds), run i of each model on a split counts as one.
    """
    ran = np.isfinite(group.scores).any(axis=1)
    models = [model for model, some in zip(group.models, ran, strict=True) if some]
    shared = _keep_complete_runs(group.scores[ran])
    return models, shared if shared.shape[1] > 1 else _keep_complete_runs(
        group.scores_by_number[ran]
    )


def _keep_complete_runs(scores: np.ndarray) -> np.ndarray:
    """The runs (columns) in which every model (row) has a score."""
    return scores[:, np.isfinite(scores).all(axis=0)]


def _rows(group: ModelGroup, options: Options) -> list[Row]:
    models, scores = shared_runs(group)
    level, n = options.level, scores.shape[1]
    shared = group.key | {
        "metric": group.metric,
        "n": n,
        "models": len(models),
        "left_out": len(group.trials) - scores.size,
        "failed": sum(group.failed.values()),
    }
    if len(models) < 2 or n < 2:
        return [shared | {"statistic": "mean_tau", "value": np.nan}]
    tails = [(1 - level) / 2, (1 + level) / 2]
    orders = kendall_agreement(scores, tails)
    low, high = map(float, orders.quantiles)
    tau = {"value": orders.mean, "low": low, "high": high, "level": level}
    rows = [
        {"statistic": "mean_tau", **tau},
        {"statistic": "identical_orders", "value": orders.identical},
    ]
    table = instability(scores, ties="half")
    names = [(models[i], models[j]) for i, j in zip(*np.triu_indices(len(models), 1), strict=True)]
    for (a, b), value in zip(names, table[np.triu_indices(len(models), 1)], strict=True):
        rows.append({"statistic": "instability", "model_a": a, "model_b": b, "value": float(value)})
    adjusted = _adjusted_p(group, names)
    # Two thirds of the runs remain for the other mean.
    for m in [step for step in _STEPS if step <= max(1, n // 3)]:
        rows += _reversals(group, names, pair_differences(scores), m, options)
    for row in rows:
        if row["statistic"] == "reversal":
            row |= adjusted[str(row["model_a"]), str(row["model_b"])]
    return [shared | row for row in rows]


def _adjusted_p(group: ModelGroup, names: list[tuple[str, str]]) -> dict[tuple[str, str], Row]:
    """p-values of each pair, adjusted as in `pairs` over the tested pairs; NaN for others."""
    p_of = _p_values(group)
    p = {pair: p_of.get(frozenset(pair), np.nan) for pair in names}
    tested = [pair for pair in names if np.isfinite(p[pair])]
    rows: dict[tuple[str, str], Row] = {pair: {} for pair in names}
    methods = {"p_adjusted": holm_in_both_directions, "p_holm": holm} if tested else {}
    for name, adjust in methods.items():
        for pair, value in zip(tested, adjust([p[one] for one in tested]), strict=True):
            rows[pair][name] = float(value)
    return rows


def _p_values(group: ModelGroup) -> dict[frozenset[str], float]:
    """p-value of each pair with `MIN_RUNS` runs and variation; pairs of one design are batched."""
    p: dict[frozenset[str], float] = {}
    batches: dict[tuple[Design, int], list[tuple[frozenset[str], Pairing]]] = {}
    for a, b, pairing in pair_models(group):
        if pairing.n < MIN_RUNS or pairing.design == "different splits":
            continue
        if pairing.is_paired:
            batches.setdefault((pairing.design, pairing.n), []).append((frozenset((a, b)), pairing))
        else:
            unpaired = compare_unpaired(pairing.a, pairing.b)
            if unpaired.low < unpaired.high:
                p[frozenset((a, b))] = float(unpaired.welch_p)
    for (design, _), batch in batches.items():
        pairs, pairings = zip(*batch, strict=True)
        d = differences(
            np.stack([one.a for one in pairings]), np.stack([one.b for one in pairings])
        )
        ratio = group.test_train_ratio if design == "splits" else 0.0
        test = nadeau_bengio(d, ratio)
        known = np.where(test.low < test.high, test.p_value, np.nan)
        p |= zip(pairs, known.tolist(), strict=True)
    return p


def _reversals(
    group: ModelGroup, names: list[tuple[str, str]], d: np.ndarray, m: int, options: Options
) -> list[Row]:
    draws = options.n_draws
    reversal = disagreement_of_means(d, m, n_draws=draws, rng=group.rng("reversal", str(m)))
    mean = float(np.mean(reversal.probability))
    rows = [{"statistic": "mean_reversal", "m": m, "value": mean}]
    for (a, b), value, se in zip(names, reversal.probability, reversal.se, strict=True):
        row = {"model_a": a, "model_b": b, "m": m, "value": float(value), "se": float(se)}
        rows.append({"statistic": "reversal", **row})
    return rows
