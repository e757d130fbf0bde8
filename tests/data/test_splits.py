import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reseed.core.errors import ReseedError
from reseed.data import draws, splits
from reseed.data.splits import (
    compute_rows_sha256,
    read_split,
    read_split_hashes,
    select_fold,
    write_split,
)
from reseed.data.store import Damaged, Targets
from sklearn.model_selection import KFold, StratifiedKFold, train_test_split

HOLDOUT = {"kind": "holdout", "test": 0.2, "validation": 0.25, "stratify": True}
KFOLD = {"kind": "kfold", "folds": 5, "validation": 0.1, "stratify": True}


def make_split(scheme, target, groups, task, seed, official=None):
    return splits.make_split(scheme, Targets(target, groups, official), task, seed)


def parts(frame, fold=0):
    split = select_fold(frame, fold)
    return {name: getattr(split, name) for name in ("train", "validation", "test")}


def labels(n, share, seed=1):
    return (np.random.default_rng(seed).random(n) < share).astype(int)


@settings(max_examples=40, deadline=None)
@given(
    n=st.integers(40, 300),
    seed=st.integers(0, 2**32 - 1),
    test=st.floats(0.1, 0.5),
    validation=st.sampled_from([0.0, 0.2, 0.4]),
)
def test_holdout_parts_are_disjoint_complete_and_sized(n, seed, test, validation):
    scheme = {"kind": "holdout", "test": test, "validation": validation}
    frame = make_split(scheme, np.linspace(0, 1, n), None, "regression", seed)
    assert sorted(frame["row"]) == list(range(n))
    sizes = {part: rows.size for part, rows in parts(frame).items()}
    assert abs(sizes["test"] - test * n) < 1
    assert abs(sizes["validation"] - validation * (n - sizes["test"])) < 1


@pytest.mark.parametrize("share", [0.5, 0.1])
def test_stratified_parts_hold_the_class_shares(share):
    target = labels(1000, share)
    for scheme in (HOLDOUT, KFOLD):
        frame = make_split(scheme, target, None, "binary", 3)
        for _, one in frame.groupby(["fold", "part"], observed=True):
            positives = target[one["row"]].sum()
            assert abs(positives - target.mean() * len(one)) <= 1.5


def test_shares_vary_without_stratification():
    target = labels(1000, 0.1)
    free = {**HOLDOUT, "stratify": False}
    shares = {
        target[parts(make_split(free, target, None, "binary", s))["test"]].sum() for s in range(10)
    }
    held = {
        target[parts(make_split(HOLDOUT, target, None, "binary", s))["test"]].sum()
        for s in range(10)
    }
    assert len(held) == 1
    assert len(shares) > 3


def test_holdout_test_rows_are_those_of_scikit_learn():
    target = labels(500, 0.3)
    for seed in (0, 7):
        mine = parts(make_split(HOLDOUT, target, None, "binary", seed))["test"]
        theirs = train_test_split(
            np.arange(500), test_size=0.2, stratify=target, random_state=seed
        )[1]
        assert mine.tolist() == sorted(theirs)


def test_every_row_is_tested_once_and_data_seeds_differ():
    target = labels(203, 0.3)
    frame = make_split(KFOLD, target, None, "binary", 0)
    assert sorted(frame[frame["part"] == "test"]["row"]) == list(range(203))
    for _, one in frame.groupby("fold"):
        assert sorted(one["row"]) == list(range(203))
    other = make_split(KFOLD, target, None, "binary", 1)
    assert parts(frame)["test"].tolist() != parts(other)["test"].tolist()


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(20, 300),
    classes=st.integers(1, 5),
    share=st.floats(0.1, 0.9),
)
def test_draws_are_those_of_scikit_learn(seed, n, classes, share):
    strata = np.random.default_rng(seed).integers(0, classes, n) if classes > 1 else None
    drawn = int(np.ceil(share * n))

    def theirs():
        return train_test_split(np.arange(n), test_size=drawn, stratify=strata, random_state=seed)

    def mine():
        return draws.shuffle_split(n, drawn, np.random.RandomState(seed), strata)

    try:
        wanted = theirs()
    except ValueError:
        with pytest.raises(ValueError, match="member"):
            mine()
        return
    assert [rows.tolist() for rows in mine()] == [rows.tolist() for rows in wanted]


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), folds=st.integers(2, 7), stratified=st.booleans())
def test_folds_are_those_of_scikit_learn(seed, folds, stratified):
    target = np.random.default_rng(seed).choice([7, 2, 5], 90, p=[0.5, 0.3, 0.2])
    splitter = (StratifiedKFold if stratified else KFold)(folds, shuffle=True, random_state=seed)
    if stratified and np.bincount(target)[[2, 5, 7]].min() < folds:
        return
    stream = np.random.RandomState(seed)
    numbers = draws.assign_folds(90, folds, stream, target if stratified else None)
    for fold, (_, test) in enumerate(splitter.split(target, target)):
        assert np.flatnonzero(numbers == fold).tolist() == test.tolist()


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 1000), data=st.data())
def test_no_group_is_in_two_parts(seed, data):
    rng = np.random.default_rng(seed)
    groups = np.array([f"g{g}" for g in rng.integers(0, 40, 300)])
    target = rng.integers(0, 3, 300)
    task = data.draw(st.sampled_from(["multiclass", "regression"]))
    scheme = data.draw(st.sampled_from([HOLDOUT, KFOLD, {"kind": "holdout", "test": 0.3}]))
    scheme = {**scheme, "stratify": False}
    frame = make_split(scheme, target, groups, task, seed)
    frame["group"] = groups[frame["row"]]
    per_group = frame.groupby(["fold", "group"], observed=True)["part"].nunique()
    assert (per_group == 1).all()


def test_groups_with_a_rare_class_are_stratified_by_it():
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(500), rng.integers(1, 4, 500))
    target = (rng.random(groups.size) < 0.03).astype(int)
    frame = make_split({"kind": "kfold", "folds": 5}, target, groups, "binary", 0)
    ill = [
        np.unique(groups[rows][target[rows] == 1]).size
        for rows in (parts(frame, fold)["test"] for fold in range(5))
    ]
    assert max(ill) - min(ill) <= 1


OFFICIAL = {"kind": "official", "validation": 0.1}


def official_parts(n, **rows):
    found = np.full(n, "train", dtype="<U10")
    for part, numbers in rows.items():
        found[numbers] = part
    return found


def test_official_test_rows_are_the_test_part():
    own = official_parts(100, test=[3, 1, 99])
    found, other = (
        parts(make_split(OFFICIAL, labels(100, 0.5), None, "binary", seed, own)) for seed in (0, 1)
    )
    for one in (found, other):
        assert one["test"].tolist() == [1, 3, 99]
        assert one["validation"].size == 10
        assert sorted(np.concatenate(list(one.values()))) == list(range(100))
    assert sorted(other["validation"]) != sorted(found["validation"])


def test_official_validation_rows_come_before_drawn_ones():
    own = official_parts(100, test=[3, 1, 99], validation=[5, 50])
    for seed in (0, 1):
        found = parts(make_split(OFFICIAL, labels(100, 0.5), None, "binary", seed, own))
        assert found["validation"].tolist() == [5, 50]
        assert found["train"].size == 95


def test_a_seed_means_one_split_and_another_seed_another():
    target = labels(300, 0.4)
    first, again, other = (make_split(HOLDOUT, target, None, "binary", s) for s in (1, 1, 2))
    assert first.equals(again)
    assert parts(first)["test"].tolist() != parts(other)["test"].tolist()


def test_training_rows_are_not_in_file_order():
    target = np.repeat([0, 1], 100)  # a file sorted by class, as MAGIC is
    train = parts(make_split(HOLDOUT, target, None, "binary", 0))["train"]
    assert 0.2 < target[train[: train.size // 2]].mean() < 0.8


@pytest.mark.parametrize(
    ("scheme", "pin"),
    [
        (HOLDOUT, "e9b1780150a853c0e99ac6f87223025a7bcdf73898f327de3811ac46ce0c3222"),
        (KFOLD, "05fce47c1b7b6a13da76e9f4758d11486d78ef77dbca534c4f4b913ff5488069"),
    ],
)
def test_splits_are_the_same_on_every_platform(scheme, pin):
    """The rows were drawn once and pinned: another platform or version must draw the same."""
    groups = np.arange(60) // 2
    target = (np.arange(60) % 10 < 4).astype(int)
    frame = make_split(scheme, target, groups, "binary", 2024)
    text = ",".join(f"0/{r.fold}/{r.part}/{r.row}" for r in frame.itertuples())
    assert hashlib.sha256(text.encode()).hexdigest() == pin


def written(folder, scheme=KFOLD, seed=9):
    frame = make_split(scheme, labels(120, 0.4), None, "binary", seed)
    path = folder / "deep" / f"data-seed-{seed}.parquet"
    facts = {"scheme": scheme, "data_seed": seed, "targets_sha256": "t" * 64}
    write_split(path, frame, facts)
    return path, frame


def test_file_round_trip(tmp_path):
    path, frame = written(tmp_path)
    split = read_split(path, 3)
    for name, wanted in parts(frame, 3).items():
        rows = getattr(split, name)
        assert rows.dtype == np.int64
        assert rows.tolist() == wanted.tolist()
    assert [p.name for p in path.parent.iterdir()] == [path.name]
    with pytest.raises(ReseedError, match="no fold 7"):
        read_split(path, fold=7)


def test_split_file_has_the_hash_of_each_fold(tmp_path):
    path, frame = written(tmp_path)
    hashes = read_split_hashes(path)
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
    pq.write_table(new.replace_schema_metadata(table.schema.metadata), path)


def test_changed_rows_are_damage(tmp_path):
    path, _ = written(tmp_path, HOLDOUT)
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
        read_split(path)
        rewritten(path, change)
        with pytest.raises(Damaged, match=message) as caught:
            read_split(path)
        assert caught.value.path == path


def test_split_of_another_seed_is_damage(tmp_path):
    path, _ = written(tmp_path, {**HOLDOUT, "validation": 0.2})
    right = {"scheme": "holdout-0.2", "data_seed": 9, "targets_sha256": "t" * 64}
    assert read_split_hashes(path, right) == read_split_hashes(path)
    for name, other in (("scheme", "holdout-0.3"), ("data_seed", 8), ("targets_sha256", "u" * 64)):
        with pytest.raises(Damaged, match=f"was drawn for {name} .*, not for '?{other}"):
            read_split_hashes(path, {**right, name: other})


def test_other_files_are_damage(tmp_path):
    path, _ = written(tmp_path)
    whole = path.read_bytes()
    for data in (whole[:-40], b"", whole[: len(whole) // 2]):
        path.write_bytes(data)
        for reading in (read_split, read_split_hashes):
            with pytest.raises(Damaged, match="cannot be read"):
                reading(path)
    path.unlink()
    with pytest.raises(Damaged, match="is missing"):
        read_split_hashes(path)
    pq.write_table(pa.table({"row": [1]}), path)
    with pytest.raises(Damaged):
        read_split(path)


def test_splitting_loads_no_scikit_learn_and_reading_no_pandas(tmp_path):
    code = (
        "import sys, numpy; from reseed.data.splits import *; from reseed.data.store import *\n"
        "read_split(sys.argv[1]); heavy = {'sklearn', 'scipy', 'torch', 'pandas'}\n"
        "print(sorted(heavy & set(sys.modules)))\n"
        "make_split({'kind': 'kfold', 'folds': 2}, Targets(numpy.arange(9) % 2), 'binary', 0)\n"
        "print(sorted((heavy - {'pandas'}) & set(sys.modules)))\n"
    )
    scripts = Path(__file__).parents[2] / "scripts"
    command = [sys.executable, "-c", code, str(written(tmp_path)[0])]
    run = subprocess.run(command, check=True, cwd=scripts, capture_output=True, text=True)
    assert run.stdout.split() == ["[]", "[]"]


@pytest.mark.parametrize(
    ("scheme", "message"),
    [
        ({"kind": "holdout", "test": 1.5}, "test must lie between 0 and 1, found 1.5"),
        ({"kind": "holdout", "test": 0}, "test must lie between 0 and 1"),
        ({"kind": "holdout", "test": 0.2, "validation": 1.0}, "validation must lie"),
        ({"kind": "holdout"}, "missing \\['test'\\]"),
        ({"kind": "kfold", "folds": 5, "fold": 2}, "unknown \\['fold'\\]"),
        ({"kind": "kfold", "folds": 1}, "folds must be a whole number"),
        ({"kind": "kfold", "folds": 5, "repeats": 2}, "unknown \\['repeats'\\]"),
        ({"kind": "loo"}, "found 'loo', allowed: holdout"),
        ({"kind": "official"}, "this dataset has no official test rows"),
    ],
)
def test_bad_schemes(scheme, message):
    with pytest.raises(ReseedError, match=message):
        make_split(scheme, labels(50, 0.5), None, "binary", 0)


def test_more_folds_than_groups():
    groups = np.arange(40) % 3
    with pytest.raises(ReseedError, match="only 3 groups: use fewer folds"):
        make_split({"kind": "kfold", "folds": 5}, np.zeros(40), groups, "regression", 0)


def test_too_few_members_of_a_class():
    target = np.r_[np.zeros(50), np.ones(3)].astype(int)
    with pytest.raises(ReseedError, match="smallest class has only 3"):
        make_split({"kind": "kfold", "folds": 5}, target, None, "binary", 0)
    with pytest.raises(ReseedError, match="class 1 has 3 rows, too few"):
        make_split({"kind": "holdout", "test": 0.1}, target, None, "binary", 0)
    target[-2:] = 0
    with pytest.raises(ReseedError, match="merge rare classes"):
        make_split({"kind": "holdout", "test": 0.1}, target, None, "binary", 0)


def test_official_parts_are_checked():
    with pytest.raises(ReseedError, match="divide a group"):
        make_split(
            OFFICIAL, np.zeros(9), np.arange(9) // 2, "regression", 0, official_parts(9, test=[0])
        )
    with pytest.raises(ReseedError, match="leave no test or training rows"):
        make_split(OFFICIAL, np.zeros(9), None, "regression", 0, official_parts(9))
