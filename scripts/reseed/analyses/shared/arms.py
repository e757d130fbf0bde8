"""What is compared: an arm, a model with seeds of its own; by default the model itself."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

#: The column that names an arm in every table; where a table lacks it, its `MODEL` is the arm.
ARM = "arm"
MODEL = "model"


def with_arms(table: pd.DataFrame) -> pd.DataFrame:
    """The table with a column `ARM`."""
    if ARM in table:
        return table.assign(**{ARM: table[ARM].astype(object).fillna(table[MODEL])})
    return table.assign(**{ARM: table[MODEL]})


def get_arm(key: Mapping) -> str:
    """The arm of a row or key that may have none of its own."""
    arm = key.get(ARM)
    return key[MODEL] if arm is None or arm != arm else arm
