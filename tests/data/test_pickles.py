"""Pickles of plain data are read; everything else is refused, and nothing in them is called."""

import io
import os
import pickle
from pathlib import Path

import numpy as np
import pytest
from reseed.core.errors import ReseedError
from reseed.data import pickles

RNG = np.random.default_rng(0)


def load(data):
    return pickles.load(io.BytesIO(data), "t.pkl")


@pytest.mark.parametrize("protocol", range(6))
@pytest.mark.parametrize("dtype", ["u1", "<f4", ">i8", "?"])
def test_plain_pickles_are_read(protocol, dtype):
    array = RNG.integers(0, 2, (3, 4)).astype(dtype)
    content = {"a": array, "b": [1, "x", None, (2.5, True)], "c": b"\0\xff"}
    if protocol == 5:  # arrays of protocol 5 are built by another function
        with pytest.raises(ReseedError, match="uses numpy"):
            load(pickle.dumps(content, protocol))
        return
    found = load(pickle.dumps(content, protocol))
    assert (found.pop("a") == array).all()
    assert found == {"b": content["b"], "c": content["c"]}


class Runs:
    def __init__(self, function, *arguments):
        self.call = function, arguments

    def __reduce__(self):
        return self.call


@pytest.mark.parametrize("protocol", range(6))
def test_pickles_that_run_something_are_refused(protocol, tmp_path):
    made = tmp_path / "made"
    for runs in (
        Runs(os.mkdir, str(made)),
        Runs(eval, f"__import__('os').mkdir({str(made)!r})"),
        Runs(getattr, "", "join"),
        Runs(np.load, str(made)),
        Runs(np.ndarray, (3,), np.dtype(object)),
    ):
        with pytest.raises(ReseedError, match="refused"):
            load(pickle.dumps([runs], protocol))
    assert not made.exists()


def test_pickles_of_other_objects_are_refused():
    for thing in (Path("x"), np.array([None, 1]), np.array(["text"]), complex(1, 2)):
        with pytest.raises(ReseedError, match="refused"):
            load(pickle.dumps(thing, 2))
    whole = pickle.dumps({"a": np.arange(5)}, 2)
    for cut in (whole[:-10], b"", b"no pickle"):
        with pytest.raises(ReseedError, match="refused"):
            load(cut)


def array_pickle(function, shape, dtype, raw):
    """A pickle of an array with any parts, as NumPy's own pickles are built."""

    class Forged:
        def __reduce__(self):
            return function, (np.ndarray, (0,), b"b"), (1, shape, dtype, False, raw)

    return pickle.dumps([Forged()], 2)


@pytest.mark.parametrize(
    ("shape", "dtype", "raw"),
    [
        ((1,), np.dtype("O"), b"A" * 8),
        ((10**12,), np.dtype("f8"), b"A" * 8),
        ((-1,), np.dtype("f8"), b"A" * 8),
        ((1,), np.dtype([("a", "f8")]), b"A" * 8),
        ((1,), "f8", b"A" * 8),
        ((1,), np.dtype("f8"), ["x"]),
    ],
)
def test_forged_arrays_are_refused(shape, dtype, raw):
    function = np.arange(3).__reduce__()[0]
    with pytest.raises(ReseedError, match="refused"):
        load(array_pickle(function, shape, dtype, raw))
    assert load(array_pickle(function, (1,), np.dtype("f8"), b"A" * 8))[0].shape == (1,)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_mutated_pickles_never_crash():
    """10,000 mutations: each is read, or refused with one error of Reseed."""
    rng = np.random.default_rng(0)
    content = {"data": np.arange(6, dtype="u1").reshape(2, 3), "labels": [0, 1], "c": "text"}
    sources = [pickle.dumps(content, protocol) for protocol in range(6)]
    read = 0
    for number in range(10_000):
        data = bytearray(sources[number % 6])
        for _ in range(rng.integers(1, 4)):
            position = rng.integers(len(data))
            if rng.random() < 0.2:
                del data[position]
            else:
                data[position] = rng.integers(256)
        try:
            load(bytes(data))
            read += 1
        except ReseedError:
            continue
    assert 0 < read < 10_000
