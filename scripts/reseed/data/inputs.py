"""Inputs of models: a table, images or texts, with one protocol.

Each kind has a length, takes rows, hashes its content (independent of the file format), and writes
and opens its file.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from reseed.core.errors import ReseedError
from reseed.data.features import Feature

if TYPE_CHECKING:
    import pandas as pd

#: Bytes of an array that are hashed at a time.
_CHUNK = 1 << 24


class Inputs(Protocol):
    """Inputs of a dataset, row by row; `kind` is table, images or texts."""

    kind: ClassVar[str]

    @classmethod
    def open(cls, path: Path, fields: Mapping[str, Any]) -> Self:
        """Open the file that `write` wrote; `fields` are those of `describe`."""

    def __len__(self) -> int: ...

    def take(self, rows: np.ndarray) -> Any:
        """Return the rows with these numbers, in that order, in the form that models take."""

    def sha256(self) -> str:
        """Hash of the content."""

    def write(self, path: Path) -> None:
        """Write the inputs' file."""

    def describe(self) -> dict[str, Any]:
        """Fields of `meta.json` that only this kind has."""


def hash_column(digest: "hashlib._Hash", name: str, values: "pd.Series | np.ndarray") -> None:
    """Add one column to a hash: its name, type, length and values.

    Numbers are hashed as little-endian float64 with one NaN and one zero. Texts are hashed as UTF-8
    with their length before them.
    """
    import pandas as pd  # imported here, because images and texts are read without it

    numeric = pd.api.types.is_numeric_dtype(values.dtype)
    digest.update(json.dumps([name, "numeric" if numeric else "text", len(values)]).encode())
    if numeric:
        numbers = np.asarray(values, dtype="<f8") + 0.0  # -0.0 becomes 0.0
        numbers[np.isnan(numbers)] = np.nan
        digest.update(numbers.tobytes())
        return
    codes, levels = pd.factorize(np.asarray(values, dtype=object))
    texts = [str(level).encode() for level in levels]
    coded = [len(text).to_bytes(8, "little") + text for text in texts] + [b"\xff" * 8]
    digest.update(b"".join(coded[code] for code in codes))  # code -1 (missing) is the last


class Table:
    """Columns of numbers (float64, missing = NaN) and categories (text, missing = NaN)."""

    kind: ClassVar[str] = "table"

    def __init__(self, frame: "pd.DataFrame"):
        self.frame = frame

    @classmethod
    def open(cls, path: Path, fields: Mapping[str, Any]) -> Self:
        """Read the file; `fields` has the columns and their types."""
        types = {
            f["name"]: "str" if f["kind"] == "categorical" else "float64"
            for f in fields["features"]
        }
        return cls(pq.read_table(path, columns=list(types)).to_pandas().astype(types))

    def __len__(self) -> int:
        return len(self.frame)

    def take(self, rows: np.ndarray) -> "pd.DataFrame":
        """Return rows as a frame with a new index."""
        return self.frame.iloc[rows].reset_index(drop=True)

    def sha256(self) -> str:
        """Hash of the names, types and values of the columns, in order."""
        digest = hashlib.sha256()
        for name in self.frame.columns:
            hash_column(digest, str(name), self.frame[name])
        return digest.hexdigest()

    def write(self, path: Path) -> None:
        """Write a Parquet file without the metadata of pandas."""
        table = pa.Table.from_pandas(self.frame, preserve_index=False).replace_schema_metadata(None)
        pq.write_table(table, path, compression="zstd")

    def describe(self) -> dict[str, Any]:
        """Name and kind (numeric, categorical) of each feature."""
        features: list[Feature] = [
            {
                "name": str(name),
                "kind": "numeric" if values.dtype == np.float64 else "categorical",
            }
            for name, values in self.frame.items()
        ]
        return {"features": features}


class Images:
    """Images of one size: uint8, shape (n, height, width, channels)."""

    kind: ClassVar[str] = "images"

    def __init__(self, array: np.ndarray):
        if array.dtype != np.uint8 or array.ndim != 4:
            raise ReseedError(
                "images must be whole numbers 0 … 255 (uint8) of shape (n, height, width, "
                f"channels); found {array.dtype} of shape {array.shape}"
            )
        self.array = array

    @classmethod
    def open(cls, path: Path, fields: Mapping[str, Any]) -> Self:
        """Memory-map the file: the processes that read it share one copy."""
        return cls(np.load(path, mmap_mode="r", allow_pickle=False))

    def __len__(self) -> int:
        return len(self.array)

    def take(self, rows: np.ndarray) -> np.ndarray:
        """Return a copy of rows, uint8 (n, height, width, channels)."""
        return np.asarray(self.array[rows])

    def sha256(self) -> str:
        """Hash of shape and pixels."""
        digest = hashlib.sha256(json.dumps(["images", list(self.array.shape)]).encode())
        step = max(1, _CHUNK // max(1, int(np.prod(self.array.shape[1:]))))
        for start in range(0, len(self.array), step):
            digest.update(np.ascontiguousarray(self.array[start : start + step]).data)
        return digest.hexdigest()

    def write(self, path: Path) -> None:
        """Write a `.npy` file."""
        with open(path, "wb") as stream:
            np.save(stream, np.ascontiguousarray(self.array), allow_pickle=False)

    def describe(self) -> dict[str, Any]:
        """Shape of one image: height, width, channels."""
        return {"shape": list(self.array.shape[1:])}


class Texts:
    """One text a row, or a pair of texts (a question and its passage)."""

    kind: ClassVar[str] = "texts"

    def __init__(self, columns: Mapping[str, Iterable[str]]):
        self.columns = {str(name): list(columns[name]) for name in columns}
        if len(self.columns) not in (1, 2):
            raise ReseedError(f"texts have one or two columns, found {list(self.columns)}")

    @classmethod
    def open(cls, path: Path, fields: Mapping[str, Any]) -> Self:
        """Read the file; `fields` has the columns."""
        with pq.ParquetFile(path) as file:
            table = file.read(columns=fields["columns"])
        return cls({name: table[name].to_pylist() for name in fields["columns"]})

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def take(self, rows: np.ndarray) -> list[str] | list[tuple[str, str]]:
        """Return rows as a list of texts or of pairs of texts."""
        numbers = np.asarray(rows).tolist()
        columns = [[texts[i] for i in numbers] for texts in self.columns.values()]
        return columns[0] if len(columns) == 1 else list(zip(*columns, strict=True))

    def sha256(self) -> str:
        """Hash of the texts, without the names of the columns, which change no number."""
        digest = hashlib.sha256(json.dumps(["texts", len(self.columns), len(self)]).encode())
        for texts in self.columns.values():
            for text in texts:
                data = text.encode()
                digest.update(len(data).to_bytes(8, "little") + data)
        return digest.hexdigest()

    def write(self, path: Path) -> None:
        """Write a Parquet file."""
        table = pa.table(
            {name: pa.array(texts, pa.string()) for name, texts in self.columns.items()}
        )
        pq.write_table(table, path, compression="zstd")

    def describe(self) -> dict[str, Any]:
        """Names of the text columns."""
        return {"columns": list(self.columns)}


KINDS: dict[str, type[Inputs]] = {"table": Table, "images": Images, "texts": Texts}
