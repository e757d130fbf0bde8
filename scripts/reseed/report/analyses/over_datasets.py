"""The size of the difference between two models over several datasets [hierarchical model]."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from itertools import combinations
from math import nan
from typing import Literal

import numpy as np
import pandas as pd

from reseed.comparison.claims.build import build_verdict
from reseed.comparison.claims.pair_row import PairRow
from reseed.comparison.claims.typed_row import AcrossRow
from reseed.core.schemas import Row
from reseed.plugins.options import Level, Positive, Strict
from reseed.report.analyses.shared.data import Data
from reseed.report.analyses.shared.keys import group_across_datasets, merge_keys
from reseed.report.analyses.shared.pairing import ModelGroup, group_models, pair_runs
from reseed.report.analyses.shared.shares import share_maximum
from reseed.stats.comparison import CorrectedT, differences, holm, nadeau_bengio
from reseed.stats.hierarchical import Hierarchical, hierarchical_effect, t_standard_error
from reseed.stats.signed_rank import wilcoxon_p
from reseed.stats.unpaired import UnpairedComparison, compare_unpaired


@dataclass(frozen=True)
class EffectRow(AcrossRow):
    """A row of this analysis; `analyse` documents the columns."""

    statistic: str = ""
    dataset: str = ""
    model_a: str = ""
    model_b: str = ""
    scale: str = ""
    factor: float = nan
    unit: str = ""
    datasets: float = nan
    runs_min: float = nan
    observed: float = nan
    effect: float = nan
    low: float = nan
    high: float = nan
    level: float = nan
    tau: float = nan
    tau_low: float = nan
    tau_high: float = nan
    rope: float = nan
    p_a_better: float = nan
    p_equivalent: float = nan
    p_b_better: float = nan
    new_low: float = nan
    new_high: float = nan
    new_a_better: float = nan
    new_equivalent: float = nan
    new_b_better: float = nan
    wins: float = nan
    losses: float = nan
    rank_p: float = nan
    rank_p_holm: float = nan
    outcome: str = ""
    verdict: str = ""
    left_out: str = ""
    left_out_why: str = ""
    reason: str = ""


#: Words in names of metrics that are at most 1 but are not shares.
_AT_MOST_ONE = re.compile("r2|mcc|matthews|kappa")
#: Fewest runs on a dataset: the variance of a t exists from three degrees of freedom on.
MIN_RUNS = 4
#: Fewest datasets with so many runs.
MIN_DATASETS = 3


class Options(Strict):
    """scale: `points` (differences of a share; the default if all datasets have the same share as
        their metric) or `relative` (differences of the logarithm of the loss: 0.1 is about 10 %
        fewer errors). The loss is the score if less is better; 1 − score for a share, R², MCC and
        kappa; −score if greater is better and no score is above 0.
    rope: half-width of practical equivalence, in units of the score or, for the relative scale, of
        the logarithm of the loss (None: no pair is called equivalent).
    level: confidence level of the intervals.
    """

    scale: Literal["points", "relative"] | None = None
    rope: Positive | None = None
    level: Level = 0.95


def analyse(data: Data, options: Options) -> pd.DataFrame:
    """One `pair` row a pair of models, and one `dataset` row for each dataset of the pair.

    Rows of pairs, by the hierarchical model of `stats.hierarchical`:

    - `effect` with its interval: mean difference over datasets like these (positive: A is better).
    - `tau`: SD of the difference between datasets.
    - `p_a_better`, `p_equivalent`, `p_b_better`: posterior shares of the mean effect above, within
      and below `rope` (above and below 0 without one); `new_…`: those of the effect on one new
      dataset.
    - `outcome`: see `claims.mean_verdicts`.
    - `wins`, `losses`: datasets on which A's mean is better, or worse.
    - `rank_p`: signed-rank test over datasets; `rank_p_holm`: adjusted over pairs.

    Rows of datasets: the `observed` difference and the shrunken one (`effect`). A dataset is
    `left_out` if it has fewer than `MIN_RUNS` comparable runs of both models, or no loss with a
    logarithm for the relative scale; `left_out_why` is JSON, {reason: datasets}. The datasets of a
    comparison: see `keys.group_across_datasets`.
    """
    groups, rows = group_models(data), []
    for positions in group_across_datasets([group.key for group in groups]):
        parts = [groups[i] for i in positions]
        key = merge_keys(pd.DataFrame([group.key for group in parts])) | {"dataset": ""}
        rows += [key | row for row in _compare_all(parts, options)]
    return EffectRow.make_table(rows)


def _compare_all(groups: list[ModelGroup], options: Options) -> list[Row]:
    # Datasets without a finished run do not affect the scale.
    scored = [group for group in groups if len(group.trials)] or groups
    shares = {(group.metric, _share_maximum(group)) for group in scored}
    is_one_share = len(shares) == 1 and None not in next(iter(shares))
    scale = options.scale or ("points" if is_one_share else "relative")
    units = {(group.metric, group.factor) for group in scored}
    shared = {
        "scale": scale,
        "factor": scored[0].factor if scale == "points" else 1.0,
        "unit": scored[0].unit if scale == "points" else "of the loss",
        "level": options.level,
        "rope": np.nan if options.rope is None else options.rope,
        "reason": "",
    }
    if scale == "points" and len(units) > 1:
        metrics = ", ".join(dict.fromkeys(group.metric for group in scored))
        shared["reason"] = (
            f"points of different metrics ({metrics}) have no mean: use the scale `relative`"
        )
    models = list(dict.fromkeys(model for group in groups for model in group.models))
    rows = [row for a, b in combinations(models, 2) for row in _compare_pair(groups, a, b, shared)]
    tested = [row for row in rows if np.isfinite(row.get("rank_p", np.nan))]
    if tested:
        for row, p in zip(tested, holm([row["rank_p"] for row in tested]), strict=True):
            row["rank_p_holm"] = float(p)
    return rows


def _share_maximum(group: ModelGroup) -> float | None:
    return share_maximum(group.metric, group.trials["score"])


def _compare_pair(groups: list[ModelGroup], a: str, b: str, shared: Row) -> list[Row]:
    names, effects, errors, runs = [], [], [], []
    left_out: dict[str, list[str]] = {}
    for group in groups:
        try:
            effect, standard_error, n = _estimate_effect(group, a, b, shared["scale"])
        except ValueError as error:
            left_out.setdefault(str(error), []).append(group.key["dataset"])
            continue
        names.append(group.key["dataset"])
        effects.append(effect)
        errors.append(standard_error)
        runs.append(n)
    why = "; ".join(f"{', '.join(which)}: {reason}" for reason, which in left_out.items())
    shared = shared | {
        "datasets": len(names),
        "left_out": ", ".join(name for which in left_out.values() for name in which),
        "left_out_why": json.dumps(left_out, ensure_ascii=False) if left_out else "",
    }
    if len(names) < MIN_DATASETS and not shared["reason"]:
        shared["reason"] = f"fewer than {MIN_DATASETS} datasets" + f" ({why})" * bool(why)
    if shared["reason"]:
        return [shared | {"statistic": "pair", "model_a": a, "model_b": b}]
    d, s = np.array(effects), np.array(errors)
    rope = np.nan_to_num(shared["rope"])
    result = hierarchical_effect(d, s, rope, shared["level"])
    if result.mean < 0:
        a, b, d = b, a, -d
        result = hierarchical_effect(d, s, rope, shared["level"])
    shared |= {"model_a": a, "model_b": b, "runs_min": min(runs)}
    observed = differences(d, np.zeros(d.size))
    pair = (
        shared
        | _posterior_columns(result, rope > 0)
        | {
            "statistic": "pair",
            "observed": float(d.mean()),
            "wins": int((observed > 0).sum()),
            "losses": int((observed < 0).sum()),
            "rank_p": float(wilcoxon_p(observed)),
        }
    )
    verdict = build_verdict(_as_pair(EffectRow.of(pair)))
    pair |= {"outcome": verdict.outcome, "verdict": verdict.sentence()}
    by_dataset = zip(names, d, result.effects, result.effects_low, result.effects_high, strict=True)
    return [pair] + [
        shared | {"statistic": "dataset", "dataset": name, "observed": float(one),
                  "effect": float(mid), "low": float(low), "high": float(high)}
        for name, one, mid, low, high in by_dataset
    ]  # fmt: skip


def _as_pair(row: EffectRow) -> PairRow:
    """The pair that a verdict is about; the interval decides, so α is that of its level."""
    return PairRow(
        row.model_a,
        row.model_b,
        design="effects",
        factor=row.factor,
        unit=row.unit,
        n=row.datasets,
        difference=row.effect,
        low=row.low,
        high=row.high,
        level=row.level,
        alpha=1 - row.level,
        rope=row.rope,
        p_equivalent=row.p_equivalent,
    )


def _posterior_columns(result: Hierarchical, with_region: bool) -> Row:
    equivalent = result.mean_shares.equivalent, result.new_shares.equivalent
    if not with_region:
        equivalent = np.nan, np.nan
    return {
        "effect": result.mean,
        "low": result.low,
        "high": result.high,
        "tau": result.tau,
        "tau_low": result.tau_low,
        "tau_high": result.tau_high,
        "p_a_better": result.mean_shares.above,
        "p_equivalent": equivalent[0],
        "p_b_better": result.mean_shares.below,
        "new_low": result.new_low,
        "new_high": result.new_high,
        "new_a_better": result.new_shares.above,
        "new_equivalent": equivalent[1],
        "new_b_better": result.new_shares.below,
    }


def _estimate_effect(group: ModelGroup, a: str, b: str, scale: str) -> tuple[float, float, int]:
    """Mean difference, its standard error and the number of runs.

    Raises ValueError, with the reason, if it cannot be estimated.
    """
    if a not in group.models or b not in group.models:
        raise ValueError("a model is missing")
    of_a, of_b = (_to_scale(group, group.scores[[group.models.index(m)]], scale) for m in (a, b))
    (pairing,) = pair_runs(of_a, of_b, group.split)
    if pairing.n < MIN_RUNS or pairing.design == "different splits":
        raise ValueError(f"fewer than {MIN_RUNS} comparable runs of both")
    test: CorrectedT | UnpairedComparison
    if pairing.is_paired:
        d = differences(pairing.a, pairing.b)
        ratio = group.test_train_ratio if pairing.design == "splits" else 0.0
        test, effect = nadeau_bengio(d, ratio), d.mean()
    else:
        unpaired = compare_unpaired(pairing.a, pairing.b)
        test, effect = unpaired, unpaired.mean_difference
    if not test.scale > 0:
        raise ValueError("all runs give the same difference, which has no standard error")
    return float(effect), t_standard_error(float(test.scale), float(test.df)), pairing.n


def _to_scale(group: ModelGroup, scores: np.ndarray, scale: str) -> np.ndarray:
    """Scores (NaN: no run) on the scale of the effect; greater is better."""
    if scale == "points":
        return group.sign * scores
    loss = _losses(group, scores)
    if (loss <= 0).any():
        raise ValueError("a run has a loss of 0 or less, which has no logarithm")
    return -np.log(loss)


def _losses(group: ModelGroup, scores: np.ndarray) -> np.ndarray:
    if not group.greater_is_better:
        return scores
    maximum = _share_maximum(group)
    if maximum is not None:
        return maximum - scores
    if any(_AT_MOST_ONE.fullmatch(word) for word in re.split(r"[^a-z0-9]+", group.metric.lower())):
        return 1.0 - scores
    if (group.trials["score"] <= 0).all():
        return -scores
    raise ValueError(f"{group.metric} has no loss with a relative scale")
