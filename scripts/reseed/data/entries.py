"""Entries of `config/datasets/` and `config/weights/` as plain data.

The classes of these files are `Dataset` and `Weights` of `reseed.config.datasets`. A reader gets
the plain data, so that a user's reader needs nothing of Reseed.
"""

from typing import Any, TypedDict


class SourceEntry(TypedDict, total=False):
    """One source: `kind` is mirror, pypi, url or file, which decides the other fields."""

    kind: str
    path: str | list[str]
    url: str | list[str]
    package: str
    version: str
    filename: str
    sha256: str | list[str] | None
    members: dict[str, str] | None


class OfficialEntry(TypedDict, total=False):
    """Official parts: values of a column, or without `column` a file of row numbers each."""

    column: str | None
    train: list[Any] | str | None
    validation: list[Any] | str | None
    test: list[Any] | str


class WeightsEntry(TypedDict, total=False):
    """Pretrained weights; the fields of `reseed.config.datasets.Weights`."""

    name: str
    title: str
    licence: str
    citation: str
    sources: list[SourceEntry]
    notes: list[str]


class DatasetEntry(WeightsEntry, total=False):
    """A dataset; the fields of `reseed.config.datasets.Dataset`."""

    task: str
    kind: str
    reader: str | None
    target: str
    text: list[str]
    unit: str
    positive: str | int | float | bool | None
    group: str | None
    drop: list[str]
    official: OfficialEntry | None
    rows: int | None
    metric: str | None
    stand_in_for: str | None
    options: dict[str, Any]
