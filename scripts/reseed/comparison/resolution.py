"""Whether doubles can tell the scores of a table apart."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from reseed.core.errors import ReseedError

#: Range of scores relative to their size, below which rounding decides what is left of differences.
_LEAST = 1e-9
#: Range of equal scores that were computed in different ways, such as 0.1 + 0.2 and 0.3.
_ROUNDING = 1e-14
#: Scores of this size that differ in the last digits alone are not taken as equal.
_LARGE = 1e6


def check_frame(frame: pd.DataFrame, metric: str) -> None:
    """As `check_resolution`, for columns `dataset` and `score`."""
    for dataset, rows in frame.groupby("dataset", sort=False):
        check_resolution(rows["score"], str(dataset), metric)


def check_resolution(scores: ArrayLike, dataset: str, metric: str) -> None:
    """Refuse scores that lie far from 0 and close to each other; NaN is left out.

    Raises:
        ReseedError: if all scores of the dataset differ by less than 1e-9 of their size.
    """
    values = np.asarray(scores, dtype=float)
    values = values[np.isfinite(values)]
    if not values.size:
        return
    size, spread = float(np.abs(values).max()), float(np.ptp(values))
    is_noise = spread <= _ROUNDING * size and size < _LARGE
    if 0 < spread < _LEAST * size and not is_noise:
        where = f"dataset {dataset}: " if dataset else ""
        raise ReseedError(
            f"{where}all scores of {metric!r} are near {size:.3g} and differ by at most "
            f"{spread:.1g}: rounding hides differences. Subtract one number from all, such as the "
            "least score; their differences stay."
        )
