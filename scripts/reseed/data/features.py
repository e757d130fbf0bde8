"""The type of a column of a table.

It has its own module, because the code hash of a trial covers every module that training imports.
"""

from typing import Literal, TypedDict


class Feature(TypedDict):
    """Name and kind of a column of a table."""

    name: str
    kind: Literal["numeric", "categorical"]
