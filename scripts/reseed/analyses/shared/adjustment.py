"""Test and interval of each pair, for all pairs of a family at once (Bonferroni).

With m tested pairs each is tested at α/m: `p_adjusted` is m · p, at most 1, and the interval has
the level 1 − α/m. So an interval excludes 0 exactly where a difference is shown, and all intervals
of a family cover together with 1 − α, whatever the dependence of the pairs.
"""

from __future__ import annotations

import numpy as np

from reseed.core.schemas import Row
from reseed.stats.paired_proportions import kept_interval
from reseed.stats.planning import detectable_effect
from reseed.stats.skewness import accepted_t
from reseed.stats.weighted_t import equivalent_df, upper_quantile


def adjust_family(rows: list[Row], family: str = "") -> None:
    """Add `p_adjusted`, `low`, `high` and `pairs` to the rows of a family that have a test.

    Rows without enough runs or without variation have no p and no interval.

    Args:
        rows: of `pairs` or `item_pairs`, with `p`, `scale`, `parts` or `df`, and `alpha`.
        family: name of the family, as `pairs` shows it.
    """
    tested = []
    for row in rows:
        if _is_tested(row):
            tested.append(row)
        else:
            row["p"] = np.nan
    if not tested:
        return
    alpha, count = tested[0]["alpha"], len(tested)
    ends = _find_intervals(tested, alpha / count)
    for row, low, high in zip(tested, *ends, strict=True):
        row |= {"family": family, "pairs": count, "low": low, "high": high}
        row["p_adjusted"] = min(1.0, count * row["p"])
    tested = [row for row in tested if row["scale"] > 0 and "target_power" in row]
    if tested:
        # Rounding leaves few distinct degrees of freedom to compute for.
        tail, power = alpha / count / 2, tested[0]["target_power"]
        df = [row["df"] if "df" in row else equivalent_df(tail, row["parts"]) for row in tested]
        effects = detectable_effect(np.round(df, 1), power, alpha / count)
        for row, effect in zip(tested, effects, strict=True):
            row["detectable"] = float(effect) * row["scale"]


def _is_tested(row: Row) -> bool:
    varies = row.get("scale", 0.0) > 0 or row.get("discordant") is not None
    has_enough = row.get("n", 0) >= row.get("min_runs", 0)
    return bool(np.isfinite(row.get("p", np.nan)) and varies and has_enough)


def _find_intervals(tested: list[Row], alpha: float) -> tuple[list[float], list[float]]:
    """The differences that the test of each row keeps at size `alpha`."""
    known: dict[float, float] = {}
    critical = []
    for row in tested:
        parts = row.get("parts") or [(1.0, row["df"])]
        if len(parts) > 1:
            critical.append(upper_quantile(alpha / 2, parts))
        else:
            ((_, df),) = parts
            if df not in known:
                known[df] = upper_quantile(alpha / 2, parts)
            critical.append(known[df])
    skew = np.nan_to_num([row.get("skewness", 0.0) for row in tested])
    least, greatest = accepted_t(critical, skew)
    difference, scale = (
        np.array([row[name] for row in tested]) for name in ("difference", "scale")
    )
    low, high = difference - greatest * scale, difference - least * scale
    for k, row in enumerate(tested):
        if row.get("discordant") is not None:
            only_a, only_b = row["discordant"]
            low[k], high[k] = kept_interval(only_a, only_b, row["items"], 1 - alpha)
    return low.tolist(), high.tolist()
