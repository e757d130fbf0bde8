"""What more seeds, splits or items would do to the error of a mean difference.

The squared standard error is a sum of parts; each part is divided by the number of levels of its
sources. Twice the levels of a source halves every part that it is a source of.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from reseed.stats.planning import detectable_effect

#: Part of the squared standard error by the sources whose levels divide it; any positive unit.
Shares = Mapping[tuple[str, ...], float]


def split_shares(splits: int, test_train_ratio: float, seed_share: float = 0.0) -> Shares:
    """Parts of the error of the corrected resampled t test, s² (1/J + n_test/n_train).

    The part n_test/n_train stays for any number of splits; it is of the `rows` of the data. s² is
    taken as inversely proportional to the number of rows, as the test sets' part of it is.

    Args:
        splits: J, number of splits.
        test_train_ratio: n_test / n_train.
        seed_share: share of s² that is due to the seeds within a split.
    """
    return {
        ("seeds", "splits"): seed_share / splits,
        ("seeds",): seed_share * test_train_ratio,
        ("splits", "rows"): (1 - seed_share) / splits,
        ("rows",): (1 - seed_share) * test_train_ratio,
    }


def crossed_shares(seed_share: float, item_share: float) -> Shares:
    """Parts of the error of a crossed comparison: seeds, items, and both together."""
    both = max(1 - seed_share - item_share, 0.0)
    return {("seeds",): seed_share, ("items",): item_share, ("seeds", "items"): both}


def remaining_error(shares: Shares, source: str, factor: float = 2.0) -> float:
    """Standard error with `factor` times the levels of `source`, relative to the present one."""
    total = sum(shares.values())
    if total <= 0:
        return 1.0
    left = sum(part / factor if source in sources else part for sources, part in shares.items())
    return float(np.sqrt(left / total))


def seed_share_of_splits(d: np.ndarray, splits: int) -> np.ndarray:
    """Share of the variance between split means that is due to the seeds within splits.

    Args:
        d: (..., splits × seeds) differences of single runs, by split, the same number in each.
        splits: number of splits.

    Returns:
        (...) shares in [0, 1]; 0 with one seed in each split; NaN for unequal numbers or no
        variance.
    """
    seeds, rest = divmod(d.shape[-1], splits)
    if rest or splits < 2:
        return np.full(d.shape[:-1], np.nan)
    if seeds == 1:
        return np.zeros(d.shape[:-1])
    grid = d.reshape(*d.shape[:-1], splits, seeds)
    between = grid.mean(axis=-1).var(axis=-1, ddof=1)
    within = grid.var(axis=-1, ddof=1).mean(axis=-1) / seeds
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(between > 0, np.minimum(within / between, 1.0), np.nan)


def detectable_factor(df: float, df_more: float, power: float, alpha: float) -> float:
    """Smallest detectable effect at `df_more` degrees of freedom, relative to that at `df`."""
    now, later = detectable_effect([df, df_more], power, alpha)
    return float(later / now)
