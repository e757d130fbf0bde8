import hashlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reseed.errors import ReseedError
from reseed.splits import make_split, read_split, write_split
from sklearn.model_selection import train_test_split

HOLDOUT = {"kind": "holdout", "test": 0.2, "validation": 0.25, "stratify": True}
KFOLD = {"kind": "kfold", "folds": 5, "repeats": 2, "validation": 0.1, "stratify": True}


def parts(frame, repeat=0, fold=0):
    one = frame[(frame["repeat"] == repeat) & (frame["fold"] == fold)]
    return {p: one.loc[one["part"] == p, "row"].to_numpy() for p in ("train", "validation", "test")}


def labels(n, share, seed=1):
    return (np.random.default_rng(seed).random(n) < share).astype(int)


@settings(max_examples=40, deadline=None)
@given(
    n=st.integers(40, 300),
    seed=st.integers(0, 2**32 - 1),
    test=st.floats(0.1, 0.5),
    validation=st.sampled_from([0.0, 0.2, 0.4]),
)
def test_holdout_parts_are_disjoint_complete_and_of_the_stated_size(n, seed, test, validation):
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
        for _, one in frame.groupby(["repeat", "fold", "part"], observed=True):
            positives = target[one["row"]].sum()
            assert abs(positives - target.mean() * len(one)) <= 1.5


def test_without_stratify_the_shares_wander():
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


def test_every_row_is_tested_once_a_repeat_and_repeats_differ():
    target = labels(203, 0.3)
    frame = make_split(KFOLD, target, None, "binary", 0)
    for _, tested in frame[frame["part"] == "test"].groupby("repeat"):
        assert sorted(tested["row"]) == list(range(203))
    for (_, _), one in frame.groupby(["repeat", "fold"]):
        assert sorted(one["row"]) == list(range(203))
    assert parts(frame, 0)["test"].tolist() != parts(frame, 1)["test"].tolist()


def test_more_repeats_keep_the_earlier_ones():
    target = labels(100, 0.5)
    two = make_split(KFOLD, target, None, "binary", 5)
    three = make_split({**KFOLD, "repeats": 3}, target, None, "binary", 5)
    assert three[: len(two)].equals(two)


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
    per_group = frame.groupby(["repeat", "fold", "group"], observed=True)["part"].nunique()
    assert (per_group == 1).all()


def test_groups_with_a_rare_class_are_stratified_by_it():
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(500), rng.integers(1, 4, 500))
    target = (rng.random(groups.size) < 0.03).astype(int)
    frame = make_split({"kind": "kfold", "folds": 5}, target, groups, "binary", 0)
    ill = [
        np.unique(groups[rows][target[rows] == 1]).size
        for rows in (parts(frame, 0, fold)["test"] for fold in range(5))
    ]
    assert max(ill) - min(ill) <= 1


def test_official_rows_are_the_test_part():
    official = np.array([3, 1, 99])
    frame = make_split(
        {"kind": "official", "validation": 0.1}, labels(100, 0.5), None, "binary", 0, official
    )
    found = parts(frame)
    assert found["test"].tolist() == [1, 3, 99]
    assert found["validation"].size == 10
    other = parts(
        make_split(
            {"kind": "official", "validation": 0.1}, labels(100, 0.5), None, "binary", 1, official
        )
    )
    assert other["test"].tolist() == [1, 3, 99]
    assert sorted(other["validation"]) != sorted(found["validation"])


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
        (KFOLD, "1a7a6d842d77dc99751a8726ce5d4f41939a4b6fd4477c99618337a5bff0ceca"),
    ],
)
def test_splits_are_the_same_on_every_platform(scheme, pin):
    """The rows were drawn once and pinned: another platform or version must draw the same."""
    groups = np.arange(60) // 2
    target = (np.arange(60) % 10 < 4).astype(int)
    frame = make_split(scheme, target, groups, "binary", 2024)
    text = ",".join(f"{r.repeat}/{r.fold}/{r.part}/{r.row}" for r in frame.itertuples())
    assert hashlib.sha256(text.encode()).hexdigest() == pin


def test_file_round_trip(tmp_path):
    target = labels(120, 0.4)
    frame = make_split(KFOLD, target, None, "binary", 9)
    path = tmp_path / "deep" / "data-seed-9.parquet"
    write_split(path, frame)
    split = read_split(path, repeat=1, fold=3)
    wanted = parts(frame, 1, 3)
    for name in ("train", "validation", "test"):
        rows = getattr(split, name)
        assert rows.dtype == np.int64
        assert rows.tolist() == wanted[name].tolist()
    assert [p.name for p in path.parent.iterdir()] == [path.name]
    with pytest.raises(ReseedError, match="no repeat 0, fold 7"):
        read_split(path, fold=7)
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(ReseedError, match="cannot be read"):
        read_split(path)


@pytest.mark.parametrize(
    ("scheme", "message"),
    [
        ({"kind": "holdout", "test": 1.5}, "test must lie between 0 and 1, found 1.5"),
        ({"kind": "holdout", "test": 0}, "test must lie between 0 and 1"),
        ({"kind": "holdout", "test": 0.2, "validation": 1.0}, "validation must lie"),
        ({"kind": "holdout"}, "missing \\['test'\\]"),
        ({"kind": "kfold", "folds": 5, "fold": 2}, "unknown \\['fold'\\]"),
        ({"kind": "kfold", "folds": 1}, "folds must be a whole number"),
        ({"kind": "loo"}, "found 'loo', allowed: holdout"),
        ({"kind": "official"}, "no official test rows"),
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


def test_official_rows_are_checked():
    def split(rows, groups=None):
        return make_split({"kind": "official"}, np.zeros(9), groups, "regression", 0, rows)

    for rows in ([1, 1], [], range(9)):
        with pytest.raises(ReseedError, match="must be distinct"):
            split(np.array(rows, dtype=int))
    with pytest.raises(ReseedError, match=r"lie in 0 … 8"):
        split([9])
    with pytest.raises(ReseedError, match="divide a group"):
        split([0], np.arange(9) // 2)
