"""Files of splits: one row group a data seed, hashes of the rows, damage."""

import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from reseed.core.errors import ReseedError
from reseed.data.splits import (
    compute_rows_sha256,
    make_split,
    read_split,
    read_split_hashes,
    select_fold,
    write_splits,
)
from reseed.data.store import Damaged, Targets

HOLDOUT = {"kind": "holdout", "test": 0.2, "validation": 0.25, "stratify": True}
KFOLD = {"kind": "kfold", "folds": 5, "validation": 0.1, "stratify": True}
TARGETS = Targets((np.random.default_rng(1).random(120) < 0.4).astype(int))


def parts(frame, fold=0):
    split = select_fold(frame, fold)
    return {name: getattr(split, name) for name in ("train", "validation", "test")}


SEEDS = (8, 9, 10)


def written(folder, scheme=KFOLD, seeds=SEEDS):
    frames = {seed: make_split(scheme, TARGETS, "binary", seed) for seed in seeds}
    path = folder / "deep" / "data-seeds-0-19.parquet"
    write_splits(path, frames.items(), {"scheme": scheme, "targets_sha256": "t" * 64})
    return path, frames[9]


def test_file_round_trip(tmp_path):
    path, frame = written(tmp_path)
    split = read_split(path, 9, 3)
    for name, wanted in parts(frame, 3).items():
        rows = getattr(split, name)
        assert rows.dtype == np.int64
        assert rows.tolist() == wanted.tolist()
    assert [p.name for p in path.parent.iterdir()] == [path.name]
    with pytest.raises(ReseedError, match="no fold 7"):
        read_split(path, 9, fold=7)
    with pytest.raises(ReseedError, match="no data seed 3; it has 8, 9, 10"):
        read_split(path, 3)


def test_a_data_seed_without_a_split_keeps_its_error(tmp_path):
    """Twenty splits are drawn together; one that is impossible must not stop the others."""
    path, facts = tmp_path / "some.parquet", {"scheme": HOLDOUT, "targets_sha256": "t"}
    drawn = make_split(HOLDOUT, TARGETS, "binary", 1)
    write_splits(path, [(0, ReseedError("too few rows")), (1, drawn)], facts)
    assert read_split(path, 1).train.size
    for reading in (read_split, read_split_hashes):
        with pytest.raises(ReseedError, match="data seed 0: too few rows"):
            reading(path, 0)
    with pytest.raises(ReseedError, match="first"):
        write_splits(path, [(seed, ReseedError(f"first {seed}")) for seed in (0, 1)], facts)


def test_each_data_seed_is_read_alone(tmp_path):
    path, _ = written(tmp_path)
    file = pq.ParquetFile(path)
    assert [file.read_row_group(group)["data_seed"].unique().to_pylist() for group in range(3)] == [
        [8], [9], [10]
    ]  # fmt: skip


def test_split_file_has_the_hash_of_each_fold(tmp_path):
    path, frame = written(tmp_path)
    hashes = read_split_hashes(path, 9)
    assert hashes == {fold: compute_rows_sha256(select_fold(frame, fold)) for fold in range(5)}
    assert len(set(hashes.values())) == 5
    text = b""
    for name, rows in parts(frame, 2).items():
        text += f"{name} {rows.size} ".encode() + b"".join(
            int(r).to_bytes(8, "little") for r in rows
        )
    assert hashes[2] == hashlib.sha256(text).hexdigest()


def rewritten(path, change):
    """The file with some rows changed by hand; what it says of itself stays."""
    table = pq.read_table(path)
    frame = table.to_pandas()
    change(frame)
    new = pa.Table.from_pandas(frame, preserve_index=False)
    metadata = pq.read_metadata(path).metadata
    pq.write_table(new.replace_schema_metadata(metadata), path)


def test_changed_rows_are_damage(tmp_path):
    path, _ = written(tmp_path, HOLDOUT, [9])
    whole = tmp_path / "whole"
    shutil.copy(path, whole)

    def train_row_in_test(frame):
        train = frame.index[frame["part"] == "train"][0]
        test = frame.index[frame["part"] == "test"][0]
        frame.loc[test, "row"] = frame.loc[train, "row"]

    def two_rows_change_places(frame):
        train = frame.index[frame["part"] == "train"][0]
        test = frame.index[frame["part"] == "test"][0]
        rows = frame["row"].to_numpy(copy=True)
        rows[[train, test]] = rows[[test, train]]
        frame["row"] = rows

    def emptied(frame):
        frame.drop(index=frame.index, inplace=True)

    cases = [
        (train_row_in_test, "row in two parts"),
        (two_rows_change_places, "not those that were drawn"),
        (emptied, "not those that were drawn"),
    ]
    for change, message in cases:
        shutil.copy(whole, path)
        read_split(path, 9)
        rewritten(path, change)
        with pytest.raises(Damaged, match=message) as caught:
            read_split(path, 9)
        assert caught.value.path == path


def test_split_of_another_dataset_or_scheme_is_damage(tmp_path):
    path, _ = written(tmp_path, {**HOLDOUT, "validation": 0.2})
    right = {"scheme": "holdout-0.2", "targets_sha256": "t" * 64}
    assert read_split_hashes(path, 9, right) == read_split_hashes(path, 9)
    for name, other in (("scheme", "holdout-0.3"), ("targets_sha256", "u" * 64)):
        with pytest.raises(Damaged, match=f"was drawn for {name} .*, not for '?{other}"):
            read_split_hashes(path, 9, {**right, name: other})


def test_other_files_are_damage(tmp_path):
    path, _ = written(tmp_path)
    whole = path.read_bytes()
    for data in (whole[:-40], b"", whole[: len(whole) // 2]):
        path.write_bytes(data)
        for reading in (read_split, read_split_hashes):
            with pytest.raises(Damaged, match="cannot be read"):
                reading(path, 9)
    path.unlink()
    with pytest.raises(Damaged, match="is missing"):
        read_split_hashes(path, 9)
    pq.write_table(pa.table({"row": [1]}), path)
    with pytest.raises(Damaged):
        read_split(path, 9)


def test_splitting_loads_no_scikit_learn_and_reading_no_pandas(tmp_path):
    code = (
        "import sys, numpy; from reseed.data.splits import *; from reseed.data.store import *\n"
        "read_split(sys.argv[1], 9); heavy = {'sklearn', 'scipy', 'torch', 'pandas'}\n"
        "print(sorted(heavy & set(sys.modules)))\n"
        "make_split({'kind': 'kfold', 'folds': 2}, Targets(numpy.arange(9) % 2), 'binary', 0)\n"
        "print(sorted((heavy - {'pandas'}) & set(sys.modules)))\n"
    )
    scripts = Path(__file__).parents[2] / "scripts"
    command = [sys.executable, "-c", code, str(written(tmp_path)[0])]
    run = subprocess.run(command, check=True, cwd=scripts, capture_output=True, text=True)
    assert run.stdout.split() == ["[]", "[]"]
