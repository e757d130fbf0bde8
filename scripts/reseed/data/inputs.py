"""What a model reads, behind one small protocol: a table, images, or texts.

Each kind knows its length, takes rows, hashes its content (not a library's file format) and writes
and opens its file.
"""

import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from reseed.core.errors import ReseedError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import pandas as pd

_CHUNK = 1 << 24  # bytes of an array hashed at a time


class Inputs(Protocol):
    """Inputs of a dataset, row by row; `kind` is table, images or texts."""

    kind: str

    def __len__(self) -> int: ...

    def take(self, rows: np.ndarray) -> object:
        """The rows of these numbers, in that order, as this kind's models take them."""

    def sha256(self) -> str:
        """Hash of the content."""

    def write(self, path: Path) -> None:
        """Write the inputs' file."""

    def facts(self) -> dict:
        """What `meta.json` says of these inputs."""


def hash_column(digest: "hashlib._Hash", name: str, values: "pd.Series | np.ndarray") -> None:
    """Add one column to a hash: its name, type, length and values.

    Numbers enter as little-endian float64 with one NaN and one zero, text as length-prefixed UTF-8.
    """
    import pandas as pd  # here and below: images and texts are read without it

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
    digest.update(b"".join(coded[code] for code in codes))  # code -1 (missing) = the last


class Table:
    """Columns of numbers (float64, missing = NaN) and categories (text, missing = NaN)."""

    kind = "table"

    def __init__(self, frame: "pd.DataFrame"):
        self.frame = frame

    @classmethod
    def open(cls, path: Path, meta: dict) -> "Table":
        """Read the file; columns and their types are those that `meta` names."""
        types = {
            f["name"]: "str" if f["kind"] == "categorical" else "float64" for f in meta["features"]
        }
        return cls(pq.read_table(path, columns=list(types)).to_pandas().astype(types))

    def __len__(self) -> int:
        return len(self.frame)

    def take(self, rows: np.ndarray) -> "pd.DataFrame":
        """Rows as a frame with a fresh index."""
        return self.frame.iloc[rows].reset_index(drop=True)

    def sha256(self) -> str:
        """Hash of names, types and values in column order."""
        digest = hashlib.sha256()
        for name in self.frame.columns:
            hash_column(digest, str(name), self.frame[name])
        return digest.hexdigest()

    def write(self, path: Path) -> None:
        """Write as Parquet, without pandas' own metadata."""
        table = pa.Table.from_pandas(self.frame, preserve_index=False).replace_schema_metadata(None)
        pq.write_table(table, path, compression="zstd")

    def facts(self) -> dict:
        """Name and kind (numeric, categorical) of each feature."""
        kinds = {
            str(name): "numeric" if values.dtype == np.float64 else "categorical"
            for name, values in self.frame.items()
        }
        return {"features": [{"name": name, "kind": kind} for name, kind in kinds.items()]}


class Images:
    """Images of one size: uint8, shape (n, height, width, channels)."""

    kind = "images"

    def __init__(self, array: np.ndarray):
        if array.dtype != np.uint8 or array.ndim != 4:
            raise ReseedError(
                "images must be whole numbers 0 … 255 (uint8) of shape (n, height, width, "
                f"channels); found {array.dtype} of shape {array.shape}"
            )
        self.array = array

    @classmethod
    def open(cls, path: Path, meta: dict) -> "Images":
        """Map the file into memory: processes that read it share one copy."""
        return cls(np.load(path, mmap_mode="r", allow_pickle=False))

    def __len__(self) -> int:
        return len(self.array)

    def take(self, rows: np.ndarray) -> np.ndarray:
        """Rows as an array of their own, uint8 (n, height, width, channels)."""
        return np.asarray(self.array[rows])

    def sha256(self) -> str:
        """Hash of shape and pixels."""
        digest = hashlib.sha256(json.dumps(["images", list(self.array.shape)]).encode())
        step = max(1, _CHUNK // max(1, int(np.prod(self.array.shape[1:]))))
        for start in range(0, len(self.array), step):
            digest.update(np.ascontiguousarray(self.array[start : start + step]))
        return digest.hexdigest()

    def write(self, path: Path) -> None:
        """Write as `.npy`."""
        with open(path, "wb") as stream:
            np.save(stream, np.ascontiguousarray(self.array), allow_pickle=False)

    def facts(self) -> dict:
        """Shape of one image: height, width, channels."""
        return {"shape": list(self.array.shape[1:])}


class Texts:
    """One text a row, or a pair of texts (a question and its passage)."""

    kind = "texts"

    def __init__(self, columns: "Mapping[str, Iterable[str]]"):
        self.columns = {str(name): list(columns[name]) for name in columns}
        if len(self.columns) not in (1, 2):
            raise ReseedError(f"texts have one or two columns, found {list(self.columns)}")

    @classmethod
    def open(cls, path: Path, meta: dict) -> "Texts":
        """Read the file; columns are those that `meta` names."""
        with pq.ParquetFile(path) as file:
            table = file.read(columns=meta["columns"])
        return cls({name: table[name].to_pylist() for name in meta["columns"]})

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def take(self, rows: np.ndarray) -> list[str] | list[tuple[str, str]]:
        """Rows as a list of texts, or of pairs of texts."""
        numbers = np.asarray(rows).tolist()
        taken = [[texts[i] for i in numbers] for texts in self.columns.values()]
        return taken[0] if len(taken) == 1 else list(zip(*taken, strict=True))

    def sha256(self) -> str:
        """Hash of the texts; the columns' names change no number and do not enter."""
        digest = hashlib.sha256(json.dumps(["texts", len(self.columns), len(self)]).encode())
        for texts in self.columns.values():
            for text in texts:
                data = text.encode()
                digest.update(len(data).to_bytes(8, "little") + data)
        return digest.hexdigest()

    def write(self, path: Path) -> None:
        """Write as Parquet."""
        table = pa.table(
            {name: pa.array(texts, pa.string()) for name, texts in self.columns.items()}
        )
        pq.write_table(table, path, compression="zstd")

    def facts(self) -> dict:
        """Names of the text columns."""
        return {"columns": list(self.columns)}


KINDS: dict[str, type] = {"table": Table, "images": Images, "texts": Texts}
