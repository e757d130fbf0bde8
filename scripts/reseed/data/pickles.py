"""Read pickles that may hold arrays, text, numbers, lists, tuples and dictionaries: nothing else.

A pickle is a programme. Here it can name five functions, all of which only build arrays or bytes;
any other name is refused before anything is called.
"""

import pickle
from typing import BinaryIO

import numpy as np

from reseed.core.errors import ReseedError


def _encode(text: str, encoding: str) -> bytes:
    """Bytes as Python 3 writes them in protocol 2: text of Latin-1."""
    if encoding != "latin1":
        raise pickle.UnpicklingError(f"bytes in encoding {encoding!r}")
    return text.encode("latin1")


def _reconstruct(subtype: type, shape: tuple, dtype: object) -> np.ndarray:
    """An empty array, which the pickle then fills."""
    if subtype is not np.ndarray or tuple(shape) != (0,):
        raise pickle.UnpicklingError("an array that is not built as NumPy builds it")
    return np.ndarray((0,), dtype="u1")


class _Dtype:
    """Stands for `numpy.dtype` and lets only numbers through."""

    def __new__(cls, name: object, *arguments: object) -> np.dtype:
        dtype = np.dtype(name, copy=True)  # the pickle sets its byte order in place
        if dtype.kind not in "biuf":
            raise pickle.UnpicklingError(f"an array of {dtype}, not of numbers")
        return dtype


_ALLOWED = {
    ("numpy", "ndarray"): np.ndarray,
    ("numpy", "dtype"): _Dtype,
    ("numpy.core.multiarray", "_reconstruct"): _reconstruct,
    ("numpy._core.multiarray", "_reconstruct"): _reconstruct,
    ("_codecs", "encode"): _encode,
}


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> object:
        if (module, name) not in _ALLOWED:
            raise pickle.UnpicklingError(f"it wants to use {module}.{name}")
        return _ALLOWED[module, name]

    def persistent_load(self, pid: object) -> object:
        raise pickle.UnpicklingError("it refers to an object outside")


# What a damaged or wrong pickle may raise, as the pickle module's documentation warns.
_BAD = (pickle.UnpicklingError, EOFError, ImportError, AttributeError, LookupError, TypeError)
_BAD += (ValueError, OverflowError)


def load(stream: BinaryIO, name: str) -> object:
    """The content of a pickle made by Python 2 or 3, text in Latin-1. Raises ReseedError."""
    try:
        return _Unpickler(stream, encoding="latin1").load()
    except _BAD as error:
        raise ReseedError(f"{name}: refused, or no whole pickle of plain data: {error}") from None
