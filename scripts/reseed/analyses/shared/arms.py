"""Arms: what is compared, by default the model, else a model with its own seeds."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

#: The column of arms in every table. In a table without it, the model is the arm.
ARM = "arm"
MODEL = "model"


def with_arms(table: pd.DataFrame) -> pd.DataFrame:
    """The table with a column `ARM`."""
    if ARM in table:
        return table.assign(**{ARM: table[ARM].astype(object).fillna(table[MODEL])})
    return table.assign(**{ARM: table[MODEL]})


def get_arm(key: Mapping) -> str:
    """The arm of a row or key; its model if it has no arm."""
    arm = key.get(ARM)
    return key[MODEL] if arm is None or arm != arm else arm
