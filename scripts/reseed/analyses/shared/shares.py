"""Whether scores are shares, and of what: of 1, or of 100 where they are told in percent."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from reseed.metrics.names import MAX_ROUNDED_SHARE, is_share


def whole(metric: str, scores: ArrayLike) -> float | None:
    """The greatest share (1, or 100 for percent); None where scores (n,) can be no shares.

    By the name of the metric and its scores.
    """
    x = np.asarray(scores, dtype=np.float64)
    if not is_share(metric) or x.size == 0 or x.min() < 0 or x.max() > 100 * MAX_ROUNDED_SHARE:
        return None
    return 1.0 if x.max() <= MAX_ROUNDED_SHARE else 100.0
