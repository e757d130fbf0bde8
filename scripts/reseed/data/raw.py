"""What every reader gives: rows as they stand in the source, untyped and unselected."""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd


@dataclass(frozen=True)
class Raw:
    """Rows of a source.

    frame: one row an example; target, group and what else the entry names are its columns (tables:
    the features, texts: the text columns, too). images: uint8 (n, height, width, channels) in the
    frame's order; kind images only. parts: (n,) of "train", "validation", "test" where the source
    has parts of its own. notes: what a reader of the results should know of this source.
    """

    frame: pd.DataFrame
    notes: list[str] = field(default_factory=list)
    images: np.ndarray | None = None
    parts: np.ndarray | None = None
