"""Read pickles that hold only arrays, text, numbers, lists, tuples and dictionaries.

A pickle can run any code. Here it can call five functions only, which build arrays or bytes. Any
other name raises an error before a call.
"""

import pickle
from typing import BinaryIO

import numpy as np

from reseed.core.errors import ReseedError


def _encode(text: str, encoding: str) -> bytes:
    """Decode bytes as Python 3 writes them in protocol 2: text in Latin-1."""
    if encoding != "latin1":
        raise pickle.UnpicklingError(f"bytes in encoding {encoding!r}")
    return text.encode("latin1")


def _reconstruct(subtype: type, shape: tuple, dtype: object) -> np.ndarray:
    """Return an empty array, which the pickle fills later."""
    if subtype is not np.ndarray or tuple(shape) != (0,):
        raise pickle.UnpicklingError("an array that NumPy did not write")
    return np.ndarray((0,), dtype="u1")


class _Dtype:
    """Replaces `numpy.dtype` and accepts only numbers."""

    def __new__(cls, name: object, *arguments: object) -> np.dtype:
        dtype = np.dtype(name, copy=True)  # a copy, because the pickle sets the byte order in place
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
            raise pickle.UnpicklingError(f"it uses {module}.{name}")
        return _ALLOWED[module, name]

    def persistent_load(self, pid: object) -> object:
        raise pickle.UnpicklingError("it refers to an external object")


#: Errors of a damaged pickle, from the documentation of the pickle module.
_PICKLE_ERRORS = (
    pickle.UnpicklingError,
    EOFError,
    ImportError,
    AttributeError,
    LookupError,
    TypeError,
)
_PICKLE_ERRORS += (ValueError, OverflowError)


def load(stream: BinaryIO, name: str) -> object:
    """Read a pickle of Python 2 or 3, with text in Latin-1. Raises ReseedError."""
    try:
        return _Unpickler(stream, encoding="latin1").load()
    except _PICKLE_ERRORS as error:
        raise ReseedError(
            f"{name}: refused, because it is not a complete pickle of plain data: {error}"
        ) from None
