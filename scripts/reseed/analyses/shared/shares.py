"""Recognises scores that are shares, of 1 or of 100 (percent)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from reseed.metrics.names import MAX_ROUNDED_SHARE, is_share


def share_maximum(metric: str, scores: ArrayLike) -> float | None:
    """The greatest possible share, 1 or 100, by the metric's name and its scores (n,).

    None if the scores cannot be shares.
    """
    x = np.asarray(scores, dtype=np.float64)
    if not is_share(metric) or x.size == 0 or x.min() < 0 or x.max() > 100 * MAX_ROUNDED_SHARE:
        return None
    return 1.0 if x.max() <= MAX_ROUNDED_SHARE else 100.0
