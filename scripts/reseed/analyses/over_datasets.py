"""Two models over several datasets: how large the difference is, not only how often it is seen."""

from __future__ import annotations

import json
import re
from itertools import combinations
from typing import Literal

import numpy as np
import pandas as pd

from reseed.analyses.shared.data import Data
from reseed.analyses.shared.keys import group_across_datasets, merge_keys
from reseed.analyses.shared.pairing import ModelGroup, group_models, pair_runs
from reseed.analyses.shared.shares import share_maximum
from reseed.claims.effect_verdicts import build_effect_verdict
from reseed.core.schemas import COMPARISON_COLUMNS, Row
from reseed.plugins.options import Level, Positive, Strict
from reseed.stats.comparison import differences, holm, nadeau_bengio
from reseed.stats.hierarchical import Hierarchical, hierarchical_effect, t_standard_error
from reseed.stats.signed_rank import wilcoxon_p
from reseed.stats.unpaired import compare_unpaired

COLUMNS = [
    *[name for name in COMPARISON_COLUMNS if name != "dataset"], "statistic", "dataset", "model_a",
    "model_b", "scale", "factor", "unit", "datasets", "runs_min", "observed", "effect", "low",
    "high", "level", "tau", "tau_low", "tau_high", "rope", "p_a_better", "p_equivalent",
    "p_b_better", "new_low", "new_high", "new_a_better", "new_equivalent", "new_b_better", "wins",
    "losses", "rank_p", "rank_p_holm", "outcome", "verdict", "left_out", "left_out_why", "reason",
]  # fmt: skip
#: Scores that are no shares and at most 1 too, by the words of their names.
_AT_MOST_ONE = re.compile("r2|mcc|matthews|kappa")
#: Fewest runs on a dataset (the variance of a t exists from three degrees of freedom on), and
#: fewest datasets with so many.
RUNS, DATASETS = 4, 3


class Options(Strict):
    """scale: `points` (differences of a share; the default where every dataset is judged by the
        same share) or `relative` (of the logarithm of the loss, so that 0.1 is about 10 % fewer
        errors). The loss is the score where less is better; 1 − score for a share, R², MCC and
        kappa; −score where greater is better and none is above 0.
    rope: half-width of practical equivalence, in units of the score, or of the logarithm of the
        loss where the scale is relative (None: nothing is called equivalent).
    level: of the intervals.
    """

    scale: Literal["points", "relative"] | None = None
    rope: Positive | None = None
    level: Level = 0.95


def analyse(data: Data, options: Options) -> pd.DataFrame:
    """One `pair` row a pair of models, and one `dataset` row each dataset of the pair.

    `effect` with its interval: the mean difference over datasets like these (positive: A is
    better), by the hierarchical model of `stats.hierarchical`; `tau`: SD of the difference between
    datasets; `p_a_better`, `p_equivalent`, `p_b_better`: posterior shares of the mean effect above,
    within and below `rope` (above and below 0 without one), `new_…` those of the effect on one new
    dataset; `outcome`: see `claims.effect_verdicts.decide_effect_outcome`. `wins`, `losses`:
    datasets on which A's mean is better, or worse; `rank_p`
    the signed-rank test over datasets, `rank_p_holm` adjusted over pairs. Of a
    dataset: the `observed` difference and the one shrunken towards the others (`effect`). Datasets
    without four comparable runs of both, or without a loss that has a logarithm where the scale is
    relative, are `left_out`; `left_out_why` says which for what, as JSON: {reason: datasets}.
    What belongs together: see `pairing.across_datasets`.
    """
    found, rows = list(group_models(data)), []
    for chosen in group_across_datasets([group.key for group in found]):
        several = [found[i] for i in chosen]
        shared = merge_keys(pd.DataFrame([group.key for group in several]))
        shared["dataset"] = ""
        rows += [shared | row for row in _of_group(several, options)]
    return pd.DataFrame(rows, columns=COLUMNS)


def _of_group(several: list[ModelGroup], options: Options) -> list[Row]:
    # A dataset on which nothing finished has no say in the scale.
    scored = [group for group in several if len(group.trials)] or several
    shares = {(group.metric, _whole(group)) for group in scored}
    same = len(shares) == 1 and None not in next(iter(shares))
    scale = options.scale or ("points" if same else "relative")
    unlike = scale == "points" and len({(group.metric, group.factor) for group in scored}) > 1
    shared = {
        "scale": scale,
        "factor": scored[0].factor if scale == "points" else 1.0,
        "unit": scored[0].unit if scale == "points" else "of the loss",
        "level": options.level,
        "rope": np.nan if options.rope is None else options.rope,
        "reason": "",
    }
    if unlike:
        metrics = ", ".join(dict.fromkeys(group.metric for group in scored))
        shared["reason"] = (
            f"points of unlike scores ({metrics}) have no mean: use the scale `relative`"
        )
    models = list(dict.fromkeys(model for group in several for model in group.models))
    rows = [row for a, b in combinations(models, 2) for row in _of_pair(several, a, b, shared)]
    tested = [row for row in rows if np.isfinite(row.get("rank_p", np.nan))]
    if tested:
        for row, p in zip(tested, holm([row["rank_p"] for row in tested]), strict=True):
            row["rank_p_holm"] = float(p)
    return rows


def _whole(group: ModelGroup) -> float | None:
    return share_maximum(group.metric, group.trials["score"])


def _of_pair(several: list[ModelGroup], a: str, b: str, shared: Row) -> list[Row]:
    names, effects, errors, runs = [], [], [], []
    left_out: dict[str, list[str]] = {}
    for group in several:
        try:
            effect, error, n = _effect(group, a, b, shared["scale"])
        except ValueError as why:
            left_out.setdefault(str(why), []).append(group.key["dataset"])
            continue
        names.append(group.key["dataset"])
        effects.append(effect)
        errors.append(error)
        runs.append(n)
    why = "; ".join(f"{', '.join(which)}: {reason}" for reason, which in left_out.items())
    shared = shared | {
        "datasets": len(names),
        "left_out": ", ".join(name for which in left_out.values() for name in which),
        "left_out_why": json.dumps(left_out, ensure_ascii=False) if left_out else "",
    }
    if len(names) < DATASETS and not shared["reason"]:
        shared["reason"] = f"fewer than {DATASETS} datasets" + f" ({why})" * bool(why)
    if shared["reason"]:
        return [shared | {"statistic": "pair", "model_a": a, "model_b": b}]
    d, s = np.array(effects), np.array(errors)
    rope = np.nan_to_num(shared["rope"])
    result = hierarchical_effect(d, s, rope, shared["level"])
    if result.mean < 0:
        a, b, d = b, a, -d
        result = hierarchical_effect(d, s, rope, shared["level"])
    shared |= {"model_a": a, "model_b": b, "runs_min": min(runs)}
    seen = differences(d, np.zeros(d.size))
    pair = (
        shared
        | _told(result, rope > 0)
        | {
            "statistic": "pair",
            "observed": float(d.mean()),
            "wins": int((seen > 0).sum()),
            "losses": int((seen < 0).sum()),
            "rank_p": float(wilcoxon_p(seen)),
        }
    )
    verdict = build_effect_verdict(pair)
    pair |= {"outcome": verdict.outcome, "verdict": verdict.sentence()}
    own = zip(names, d, result.effects, result.effects_low, result.effects_high, strict=True)
    return [pair] + [
        shared | {"statistic": "dataset", "dataset": name, "observed": float(one),
                  "effect": float(mid), "low": float(low), "high": float(high)}
        for name, one, mid, low, high in own
    ]  # fmt: skip


def _told(result: Hierarchical, with_region: bool) -> Row:
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


def _effect(group: ModelGroup, a: str, b: str, scale: str) -> tuple[float, float, int]:
    """Mean difference, its standard error and runs; ValueError where it cannot be had."""
    if a not in group.models or b not in group.models:
        raise ValueError("a model is missing")
    scores = (_on_scale(group, group.scores[[group.models.index(m)]], scale) for m in (a, b))
    (pairing,) = pair_runs(*scores, group.split)
    if pairing.n < RUNS or pairing.design == "different splits":
        raise ValueError(f"fewer than {RUNS} comparable runs of both")
    if pairing.is_paired:
        d = differences(pairing.a, pairing.b)
        ratio = group.test_train_ratio if pairing.design == "splits" else 0.0
        test, effect = nadeau_bengio(d, ratio), d.mean()
    else:
        test = compare_unpaired(pairing.a, pairing.b)
        effect = test.mean_difference
    if not test.scale > 0:
        raise ValueError("all runs give the same difference, which has no standard error")
    return float(effect), t_standard_error(float(test.scale), float(test.df)), pairing.n


def _on_scale(group: ModelGroup, scores: np.ndarray, scale: str) -> np.ndarray:
    """Scores (NaN: no run) that are the better the greater, on the scale of the effect."""
    if scale == "points":
        return group.sign * scores
    loss = _losses(group, scores)
    if (loss <= 0).any():
        raise ValueError("a run has a loss of 0 or less, which has no logarithm")
    return -np.log(loss)


def _losses(group: ModelGroup, scores: np.ndarray) -> np.ndarray:
    if not group.greater_is_better:
        return scores
    most = _whole(group)
    if most is not None:
        return most - scores
    if any(_AT_MOST_ONE.fullmatch(word) for word in re.split(r"[^a-z0-9]+", group.metric.lower())):
        return 1.0 - scores
    if (group.trials["score"] <= 0).all():
        return -scores
    raise ValueError(f"{group.metric} has no loss that could be told in relative terms")
