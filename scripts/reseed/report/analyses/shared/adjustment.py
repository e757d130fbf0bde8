"""Adjusted p-values, joint intervals and detectable differences of a family of pairs."""

from __future__ import annotations

import numpy as np

from reseed.comparison.claims.designs import ITEM_MODEL
from reseed.core.schemas import Row
from reseed.stats.comparison import holm
from reseed.stats.planning import detectable_effect
from reseed.stats.simultaneous import holm_in_both_directions, intervals_of_holm
from reseed.stats.weighted_t import upper_quantile

#: p-value, its adjusted column, and the adjustment; that in both directions decides.
_ADJUSTED = (
    ("p", "p_adjusted", holm_in_both_directions),
    ("p", "p_holm", holm),
    ("rank_p", "rank_p_holm", holm),
    ("equivalence_p", "equivalence_p_holm", holm),
    ("conservative_p", "conservative_p_holm", holm_in_both_directions),
    ("skew_p", "skew_p_adjusted", holm_in_both_directions),
    ("p_rounded", "p_adjusted_rounded", holm_in_both_directions),
    ("p_if_se", "p_adjusted_if_se", holm_in_both_directions),
)


def adjust_p(rows: list[Row]) -> None:
    """Adjust p-values over the pairs that vary; `pairs` is their number. Others keep theirs."""
    tested = [row for row in rows if row["low"] < row["high"]]
    for row in rows:
        row |= {"p_holm": row["p"], "p_adjusted": row["p"], "pairs": len(tested)}
    _adjust(tested)


def _adjust(tested: list[Row]) -> None:
    for name, column, adjust in _ADJUSTED:
        with_p = [row for row in tested if np.isfinite(row.get(name, np.nan))]
        adjusted = adjust([row[name] for row in with_p]).tolist() if with_p else []
        for row, p in zip(with_p, adjusted, strict=True):
            row[column] = p


def adjust_family(rows: list[Row], family: str) -> None:
    """Adjust p-values over the pairs of a family that have enough runs and variation."""
    with_test = (row for row in rows if np.isfinite(row.get("p", np.nan)))
    tested = [r for r in with_test if r["n"] >= r["min_runs"] and r["low"] < r["high"]]
    if not tested:
        return
    _adjust(tested)
    count = len(tested)
    for row in tested:
        row |= {"pairs": count, "family": family}
    tested = [row for row in tested if row["design"] != ITEM_MODEL.design]  # has its own columns
    if not tested:
        return
    # At Holm's strictest step. Rounding leaves few distinct degrees of freedom to compute for.
    level, power = tested[0]["alpha"] / count, tested[0]["target_power"]
    effect = detectable_effect(np.round([row["df"] for row in tested], 1), power, level)
    joint_low, joint_high = _find_joint_intervals(tested)
    for k, row in enumerate(tested):
        row |= {
            "joint_low": joint_low[k],
            "joint_high": joint_high[k],
            "rank_p_least": float(np.minimum(1.0, count * row["rank_floor"])),
            "detectable": float(effect[k]) * row["scale"],
        }


def _find_joint_intervals(tested: list[Row]) -> tuple[np.ndarray, np.ndarray]:
    parts = [row.get("parts") or [(1.0, row["df"])] for row in tested]
    return intervals_of_holm(
        [row["difference"] for row in tested],
        [row["scale"] for row in tested],
        [row["p_adjusted"] for row in tested],
        quantile=lambda tail: np.array([upper_quantile(tail, one) for one in parts]),
        alpha=tested[0]["alpha"],
    )
