import hashlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reseed.core.errors import ReseedError
from reseed.data import draws, splits
from reseed.data.splits import select_fold
from reseed.data.store import Targets
from sklearn.model_selection import KFold, StratifiedKFold, TimeSeriesSplit, train_test_split

HOLDOUT = {"kind": "holdout", "test": 0.2, "validation": 0.25, "stratify": True}
KFOLD = {"kind": "kfold", "folds": 5, "validation": 0.1, "stratify": True}


TIME = {"kind": "time", "folds": 3, "validation": 0.1}


def make_split(scheme, target, groups, task, seed, official=None, times=None):
    return splits.make_split(scheme, Targets(target, groups, official, times), task, seed)


def parts(frame, fold=0):
    split = select_fold(frame, fold)
    return {name: getattr(split, name) for name in ("train", "validation", "test")}


def labels(n, share, seed=1):
    return (np.random.default_rng(seed).random(n) < share).astype(int)


@settings(max_examples=40)
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


@settings(max_examples=60)
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


@settings(max_examples=60)
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


@settings(max_examples=60)
@given(
    n=st.integers(30, 80),
    folds=st.integers(2, 6),
    gap=st.integers(0, 3),
    most=st.sampled_from([None, 2, 9]),
)
def test_windows_are_those_of_scikit_learn(n, folds, gap, most):
    """Over times of one row each, in any order."""
    times = np.random.default_rng(n).permutation(n)
    scheme = {"kind": "time", "folds": folds, "gap": gap, "train": most}
    frame = make_split(scheme, np.zeros(n), None, "regression", 0, times=times)
    theirs = TimeSeriesSplit(folds, gap=gap, max_train_size=most).split(np.zeros(n))
    for fold, (train, test) in enumerate(theirs):
        mine = parts(frame, fold)
        assert sorted(times[mine["train"]]) == train.tolist()
        assert sorted(times[mine["test"]]) == test.tolist()


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(
    "scheme",
    [HOLDOUT, KFOLD, {"kind": "holdout", "test": 0.3, "stratify": False}, {"kind": "official"},
     TIME, TIME | {"gap": 3}, TIME | {"train": 12}, TIME | {"folds": 1, "test": 0.2}],
    ids=str,
)  # fmt: skip
def test_no_group_and_no_future_is_on_the_wrong_side(scheme, seed):
    """Groups come and go, and several rows share a time."""
    rng = np.random.default_rng(seed)
    times = rng.integers(0, 60, 900)
    groups = times // 2 + 40 * rng.integers(0, 4, 900)
    target = groups % 2
    own = official_parts(900, test=np.flatnonzero(groups % 5 == 0))
    is_time = scheme["kind"] == "time"
    frame = make_split(scheme, target, groups, "binary", 0 if is_time else seed, own, times)
    for _, one in frame.groupby("fold"):
        rows = {part: one.loc[one["part"] == part, "row"] for part in ("train", "test")}
        rows["validation"] = one.loc[one["part"] == "validation", "row"]
        named = [*map(set, (groups[of] for of in rows.values()))]
        assert len(set.union(*named)) == sum(map(len, named))
        assert one["row"].is_unique
        if is_time:
            order = [times[rows[part]] for part in ("train", "validation", "test")]
            assert order[0].max() < order[1].min()
            assert order[2].min() - order[1].max() > scheme.get("gap", 0)
            # Only rows of groups with later parts are missing.
            left = np.setdiff1d(np.flatnonzero(times <= order[1].max()), one["row"])
            is_late = np.isin(groups[left], groups[[*rows["test"], *rows["validation"]]])
            assert (is_late | ("train" in scheme)).all()


@pytest.mark.parametrize(
    ("scheme", "message", "seed"),
    [
        (TIME, "data seed 1: windows of time are not drawn", 1),
        (TIME | {"folds": 30}, "20 times are too few for 30 windows", 0),
        (TIME | {"gap": 18}, "20 times are too few for 3 windows of 5 with a gap of 18", 0),
        (TIME | {"test": 0.9}, "no row of class 1 is left to train on", 0),
        ({"kind": "time"}, "missing", 0),
    ],
)
def test_bad_windows(scheme, message, seed):
    times = np.arange(20)
    target = (times > 7).astype(int)
    with pytest.raises(ReseedError, match=message):
        make_split(scheme, target, None, "binary", seed, times=times)
    with pytest.raises(ReseedError, match="the dataset has no times"):
        make_split(TIME, target, None, "binary", 0)
    with pytest.raises(ReseedError, match="no row of other groups"):
        make_split(TIME, target, target * 0, "regression", 0, times=times)


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
        ({"kind": "kfold", "folds": 5, "gap": 2}, "unknown \\['gap'\\]"),
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
