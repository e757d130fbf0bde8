"""Read pickles that hold only arrays, text, numbers, lists, tuples and dictionaries.

A pickle can run any code. Here its opcodes are checked first, and every name in it stands for an
inert object that only records its arguments. NumPy sees the data after the pickle was read, once
its type, shape and size were checked.
"""

import io
import math
import pickle
import pickletools
from typing import Any, BinaryIO, Literal

import numpy as np

from reseed.core.errors import ReseedError

#: Opcodes that make objects of any class, or refer to objects outside the pickle.
_FORBIDDEN = frozenset(
    {"PERSID", "BINPERSID", "EXT1", "EXT2", "EXT4", "INST", "OBJ", "NEWOBJ", "NEWOBJ_EX"}
    | {"NEXT_BUFFER", "READONLY_BUFFER", "EMPTY_SET", "ADDITEMS", "FROZENSET"}
)
#: Greatest index of the memo: a larger one allocates memory for all entries below it.
_MOST_MEMO = 10_000_000
_BYTE_ORDERS = ("<", ">", "=", "|")


class _Name:
    """An inert object that a name in the pickle stands for. It has no attribute to change."""

    __slots__ = ("_name",)
    _name: str

    def __init__(self, name: str):
        object.__setattr__(self, "_name", name)

    def __setattr__(self, name: str, value: object) -> None:
        raise pickle.UnpicklingError(f"it sets {name} of {self._name}")

    def __setstate__(self, state: object) -> None:
        raise pickle.UnpicklingError(f"it changes {self._name}")

    def __call__(self, *arguments: Any) -> object:
        if self._name == "encode":
            return _encode(*arguments)
        if self._name == "dtype":
            return _Record("dtype", arguments)
        if self._name == "_reconstruct" and arguments[0] is _NDARRAY:
            return _Record("array", arguments)
        raise pickle.UnpicklingError(f"it calls {self._name}")


class _Record:
    """The arguments and the state of an array or a data type."""

    __slots__ = ("arguments", "kind", "state")

    def __init__(self, kind: str, arguments: tuple[Any, ...]):
        self.kind, self.arguments = kind, arguments
        self.state: tuple[Any, ...] = ()

    def __setstate__(self, state: object) -> None:
        if not isinstance(state, tuple):
            raise pickle.UnpicklingError(f"the state of a {self.kind} is not a tuple")
        self.state = state


_NDARRAY = _Name("ndarray")
_NAMES = {
    ("numpy", "ndarray"): _NDARRAY,
    ("numpy", "dtype"): _Name("dtype"),
    ("numpy.core.multiarray", "_reconstruct"): _Name("_reconstruct"),
    ("numpy._core.multiarray", "_reconstruct"): _Name("_reconstruct"),
    ("_codecs", "encode"): _Name("encode"),
}
#: Errors of a damaged pickle, from the documentation of the pickle module.
_PICKLE_ERRORS = (
    *(pickle.UnpicklingError, EOFError, ImportError, AttributeError, LookupError, TypeError),
    *(ValueError, OverflowError, MemoryError, RecursionError),
)


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> object:
        if (module, name) not in _NAMES:
            raise pickle.UnpicklingError(f"it uses {module}.{name}")
        return _NAMES[module, name]


def load(stream: BinaryIO, name: str) -> object:
    """Read a pickle of Python 2 or 3, with text in Latin-1. Raises ReseedError."""
    data = stream.read()
    try:
        _check_opcodes(data)
        return _to_arrays(_Unpickler(io.BytesIO(data), encoding="latin1").load(), set())
    except _PICKLE_ERRORS as error:
        raise ReseedError(
            f"{name}: refused, because it is not a complete pickle of plain data: {error}"
        ) from None


def _check_opcodes(data: bytes) -> None:
    """Raise UnpicklingError for forbidden opcodes, and ValueError for a pickle that is cut."""
    for opcode, argument, _ in pickletools.genops(data):
        if opcode.name in _FORBIDDEN:
            raise pickle.UnpicklingError(f"it uses the opcode {opcode.name}")
        is_memo = opcode.name in ("PUT", "LONG_BINPUT")
        if is_memo and not (argument is not None and 0 <= argument < _MOST_MEMO):
            raise pickle.UnpicklingError(f"it has a memo entry {argument}")


def _encode(text: object, encoding: object) -> bytes:
    """Bytes as Python 3 writes them in protocol 2: text in Latin-1."""
    if not isinstance(text, str) or encoding != "latin1":
        raise pickle.UnpicklingError(f"bytes in encoding {encoding!r}")
    return text.encode("latin1")


def _to_arrays(value: object, parents: set[int]) -> object:
    """The value with records replaced by arrays. parents: ids of the containers around it."""
    if isinstance(value, _Name):
        raise pickle.UnpicklingError("it holds a class or a function")
    if isinstance(value, _Record):
        return _to_array(value)
    if not isinstance(value, list | tuple | dict):
        return value
    if id(value) in parents:
        raise pickle.UnpicklingError("it contains itself")
    inside = parents | {id(value)}
    if isinstance(value, dict):
        if any(isinstance(key, _Name | _Record) for key in value):
            raise pickle.UnpicklingError("a key is not plain data")
        return {key: _to_arrays(entry, inside) for key, entry in value.items()}
    return type(value)(_to_arrays(entry, inside) for entry in value)


def _to_array(record: _Record) -> np.ndarray:
    """The array of a record; its shape, type and size must agree with its bytes."""
    if record.kind != "array" or len(record.state) != 5:
        raise pickle.UnpicklingError("an array that NumPy did not write")
    _, shape, described, is_fortran, raw = record.state
    data = raw.encode("latin1") if isinstance(raw, str) else raw
    sizes_are_valid = isinstance(shape, tuple) and all(type(n) is int and n >= 0 for n in shape)
    if not (sizes_are_valid and isinstance(described, _Record) and isinstance(data, bytes)):
        raise pickle.UnpicklingError("an array that NumPy did not write")
    dtype = _to_dtype(described)
    if math.prod(shape) * dtype.itemsize != len(data):
        raise pickle.UnpicklingError(f"an array of shape {shape} in {len(data)} bytes")
    order: Literal["F", "C"] = "F" if is_fortran else "C"
    return np.frombuffer(data, dtype).reshape(shape, order=order).copy(order=order)


def _to_dtype(record: _Record) -> np.dtype:
    """The data type of a record: a number, with its byte order."""
    name = record.arguments[0] if record.arguments else None
    if record.kind != "dtype" or not isinstance(name, str) or name[:1] not in "biuf":
        raise pickle.UnpicklingError(f"an array of {name!r}, not of numbers")
    dtype = np.dtype(name)
    order: Any = record.state[1] if len(record.state) > 1 else "="
    if dtype.kind not in "biuf" or order not in _BYTE_ORDERS:
        raise pickle.UnpicklingError(f"an array of {name!r}, not of numbers")
    return dtype.newbyteorder(order)
