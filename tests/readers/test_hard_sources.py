"""Pipes, xarray and very wide tables: one reading or one error, in bounded time."""

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import reseed
from reseed.core.errors import ReseedError
from reseed.readers.foreign_files import parse_json
from reseed.readers.options import ReadOptions
from reseed.readers.read import read_scores
from reseed.readers.sources import open_source

RNG = np.random.default_rng(3)
RUNS = pd.DataFrame(
    [(m, s, 0.7 + 0.1 * k + 0.01 * s * (k + 1)) for k, m in enumerate("ab") for s in range(6)],
    columns=["model", "seed", "accuracy"],
)
#: Bound of any wide table, in CPU seconds.
_SECONDS = 60


@pytest.mark.skipif(os.name == "nt", reason="no pipes of this kind")
def test_a_pipe_is_read_like_a_file(tmp_path):
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=(RUNS.to_csv(index=False),))
    writer.start()
    found = reseed.compare(pipe).verdicts
    writer.join()
    assert found["p"].tolist() == reseed.compare(RUNS).verdicts["p"].tolist()


@pytest.mark.skipif(not Path("/dev/stdin").exists(), reason="no /dev/stdin")
def test_standard_input_is_read_like_a_file():
    command = [sys.executable, "-m", "reseed", "read", "/dev/stdin"]
    scripts = str(Path(reseed.__file__).parents[1])
    run = subprocess.run(
        command, input=RUNS.to_csv(index=False), capture_output=True, text=True, check=True,
        env={**os.environ, "PYTHONPATH": scripts},
    )  # fmt: skip
    assert "a row is a run of a model" in run.stdout


class DataArray:
    """As xarray's, without the package: values with names of dimensions."""

    name = None

    def __init__(self, values):
        self.values = values

    def to_dataframe(self, name):
        models, seeds = (range(n) for n in self.values.shape)
        index = pd.MultiIndex.from_product([models, seeds], names=["model", "seed"])
        return pd.DataFrame({name: self.values.ravel()}, index=index)


def test_an_array_with_named_dimensions():
    values = RUNS["accuracy"].to_numpy().reshape(2, 6)
    try:
        xarray = pytest.importorskip("xarray")
        array = xarray.DataArray(values, dims=["model", "seed"])
    except pytest.skip.Exception:
        array = DataArray(values)
    found = reseed.compare(array, metric="accuracy").verdicts
    assert found["p"].tolist() == reseed.compare(RUNS).verdicts["p"].tolist()


def _wide(names):
    scores = RNG.uniform(0.7, 0.9, (3, len(names)))
    return pd.DataFrame(scores, columns=names).assign(model=["a", "b", "c"])


#: Table → words of its error, or None for a reading.
WIDE = {
    "seeds": ([f"seed {i}" for i in range(6_000)], {"metric": "auc"}, None),
    "features": ([f"x{7 * i}" for i in range(19_000)], {}, "what the columns"),
    "words": ([f"w{a}{b}{c}" for a in "abcdefghijklmnopqrstuvwxyz" for b in "klmnopqrstuvwxyz"
               for c in "abcdefghijklmnopqrstuvwxyz"], {}, "what the columns"),
    "too many": ([f"x{i}" for i in range(100_000)], {}, "at most 20,000 are read"),
}  # fmt: skip


@pytest.mark.parametrize("share", [pytest.param(1, marks=pytest.mark.nightly), 4])
@pytest.mark.parametrize("name", WIDE)
def test_very_wide_tables_end_soon(name, share):
    """All columns, or each fourth of them."""
    names, options, words = WIDE[name]
    names = names[::share]
    table, start = _wide(names), time.process_time()
    if words is None:
        scores = read_scores(open_source(table, ReadOptions(**options)), ReadOptions(**options))
        assert len(scores.frame) == 3 * len(names)
    else:
        with pytest.raises(ReseedError, match=words):
            read_scores(open_source(table), ReadOptions(**options))
    assert time.process_time() - start < _SECONDS / share


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r'{"a": "x\ud800y"}', "x?y"),
        (r'{"a": "\ude00"}', "?"),
        (r'{"a": "\ud83d\ude00"}', "\U0001f600"),
        (r'{"a": "\ud83d\uD83D\uDE00"}', "?\U0001f600"),
    ],
)
def test_half_a_character_of_json_is_a_question_mark(text, expected):
    assert parse_json(text) == {"a": expected}
