"""Interval and verdict of each pair, for all pairs of a family at once (Bonferroni).

With m tested pairs each is tested at α/m: `p_adjusted` is m · p, at most 1, and the interval has
the level 1 − α/m. So an interval excludes 0 exactly where a difference is shown, and all intervals
of a family cover together with 1 − α, whatever the dependence of the pairs.
"""

from __future__ import annotations

from math import isfinite, nan

import numpy as np

from reseed.core.schemas import Row
from reseed.stats.paired_proportions import kept_interval
from reseed.stats.planning import detectable_effect
from reseed.stats.skewness import accepted_t
from reseed.stats.weighted_t import equivalent_df, upper_quantile
from reseed.verdicts.decide import decide
from reseed.verdicts.pair import Pair


def decide_family(pairs: list[Pair], family: str = "", power: float | None = None) -> list[Pair]:
    """The pairs with `p_adjusted`, `low`, `high`, `pairs`, their verdicts, and `detectable`.

    Pairs without enough runs or without variation get no p and no interval.

    Args:
        pairs: of one `alpha`, each with `p` and `tested`.
        family: name of the family, as the rows show it.
        power: of the detectable difference (None: it is not computed).
    """
    found = [k for k, pair in enumerate(pairs) if _is_tested(pair)]
    columns: list[Row] = [{"p": nan} for _ in pairs]
    if found:
        tested = [pairs[k] for k in found]
        count, alpha = len(tested), tested[0].alpha / len(tested)
        effects = np.full(count, nan)
        if power is not None:
            # Rounding leaves few distinct degrees of freedom to compute for.
            df = [equivalent_df(alpha / 2, pair.tested.parts) for pair in tested]
            scale = [pair.tested.scale for pair in tested]
            effects = detectable_effect(np.round(df, 1), power, alpha) * scale
            effects[np.equal(scale, 0)] = nan
        for k, pair, low, high, effect in zip(
            found, tested, *_find_intervals(tested, alpha), effects.tolist(), strict=True
        ):
            columns[k] = {
                "p": pair.p,
                "p_adjusted": min(1.0, count * pair.p),
                "low": min(max(low, -pair.tested.most), pair.tested.most),
                "high": min(max(high, -pair.tested.most), pair.tested.most),
                "pairs": count,
                "family": family,
                "detectable": effect,
            }
    adjusted = [pair._replace(**one) for pair, one in zip(pairs, columns, strict=True)]
    return [pair._replace(**decide(pair)._asdict()) for pair in adjusted]


def _is_tested(pair: Pair) -> bool:
    varies = pair.tested.scale > 0 or pair.tested.discordant is not None
    return isfinite(pair.p) and varies and pair.n >= pair.tested.least


def _find_intervals(pairs: list[Pair], alpha: float) -> tuple[list[float], list[float]]:
    """The differences that the test of each pair keeps at size `alpha`."""
    known: dict[tuple, float] = {}
    for pair in pairs:
        parts = pair.tested.parts
        if parts not in known:
            known[parts] = upper_quantile(alpha / 2, list(parts))
    critical = [known[pair.tested.parts] for pair in pairs]
    skew = np.nan_to_num([pair.tested.skewness for pair in pairs])
    least, greatest = accepted_t(critical, skew)
    difference = np.array([pair.difference for pair in pairs])
    scale = np.array([pair.tested.scale for pair in pairs])
    low, high = difference - greatest * scale, difference - least * scale
    for k, pair in enumerate(pairs):
        if pair.tested.discordant is not None:
            low[k], high[k] = kept_interval(*pair.tested.discordant, pair.tested.items, 1 - alpha)
    return low.tolist(), high.tolist()
