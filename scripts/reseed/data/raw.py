"""The result of every reader: rows as in the source, without types or selection."""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd


@dataclass(frozen=True)
class Raw:
    """Rows of a source.

    frame: one row for each example. Its columns are the target, the group and the other columns
        that the entry names; for tables also the features, for texts the text columns.
    images: uint8 (n, height, width, channels) in the order of the frame; only for kind images.
    parts: (n,) of "train", "validation", "test" if the source has official parts.
    notes: remarks on this source for the report.
    """

    frame: pd.DataFrame
    notes: list[str] = field(default_factory=list)
    images: np.ndarray | None = None
    parts: np.ndarray | None = None
