"""Keys of comparisons: which belong together over datasets, and what they have in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from reseed.core.schemas import COMPARISON_COLUMNS, Row

_ACROSS_COLUMNS = ["experiment", "hyperparameters_source"]
_SPLITTING_COLUMNS = ["scheme", "test_ratio"]


def merge_keys(rows: pd.DataFrame) -> Row:
    """The values of `COMPARISON_COLUMNS` that rows share.

    Texts that differ are listed, separated by commas; numbers that differ give NaN.
    """
    values = {name: rows[name].unique() for name in COMPARISON_COLUMNS}
    return {
        name: each[0] if len(each) == 1 else np.nan if each.dtype == float else ", ".join(each)
        for name, each in values.items()
    }


def group_across_datasets(keys: Sequence[Mapping]) -> list[list[int]]:
    """Positions of the `keys` (of `COMPARISON_COLUMNS`) that form each comparison over datasets.

    They share an experiment and a source of hyper-parameters. Datasets may be split differently,
    as they seldom have the same test ratio. If one dataset was split in several ways, each way is
    a comparison of its own, so that no dataset counts twice.
    """
    table = pd.DataFrame(list(keys), columns=[*_ACROSS_COLUMNS, *_SPLITTING_COLUMNS, "dataset"])
    way = table.groupby(_SPLITTING_COLUMNS, sort=False, dropna=False).ngroup()
    ways = way.groupby([table[name] for name in [*_ACROSS_COLUMNS, "dataset"]], dropna=False)
    several = (ways.transform("nunique") > 1).groupby(
        [table[name] for name in _ACROSS_COLUMNS], dropna=False
    )
    way = way.where(several.transform("any"), -1)
    columns = [*_ACROSS_COLUMNS, "way"]
    number = table.assign(way=way).groupby(columns, sort=False, dropna=False).ngroup()
    return [np.flatnonzero(number == i).tolist() for i in range(number.nunique())]
