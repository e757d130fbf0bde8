"""A table's encoder is fitted on the training rows and nothing else."""

import numpy as np
import pandas as pd
import pytest
from reseed.core.errors import ReseedError
from reseed.session.inputs import MemoryInputs
from reseed.training.encoder import Preparation, TableEncoder
from synthetic_tables import Plain, Table

META = [
    {"name": "size", "kind": "numeric"},
    {"name": "gap", "kind": "numeric"},
    {"name": "flat", "kind": "numeric"},
    {"name": "kind", "kind": "categorical"},
]


def prepare(frame, target, meta, *rows_and_scaling):
    *rows, scaling = rows_and_scaling
    return Preparation(Table(frame), target, meta, {"scaling": scaling}).arrays(*rows)


@pytest.fixture
def frame():
    return pd.DataFrame(
        {
            "size": [10.0, 20.0, 30.0, 50.0],
            "gap": [1.0, np.nan, 3.0, np.nan],
            "flat": [7, 7, 7, 9],
            "kind": ["red", None, "blue", "green"],
        }
    )


def test_each_column_is_treated_as_documented(frame):
    X = TableEncoder(META).fit(frame[:3]).transform(frame)
    # size scaled by the training range [10, 30], not clipped; gap imputed by its training median
    # 2 and scaled by [1, 3]; the missing indicator; flat dropped; blue, red, missing.
    expected = [
        [0.0, 0.0, 0, 0, 1, 0],
        [0.5, 0.5, 1, 0, 0, 1],
        [1.0, 1.0, 0, 1, 0, 0],
        [2.0, 0.5, 1, 0, 0, 0],
    ]
    assert X.tolist() == expected
    assert X.dtype == np.float64
    assert X.flags.c_contiguous


def test_no_indicator_without_missing_values_in_training(frame):
    X = TableEncoder(META[:2]).fit(frame.iloc[[0, 2]]).transform(frame)
    assert X.tolist() == [[0, 0], [0.5, 0.5], [1, 1], [2, 0.5]]


def test_test_rows_do_not_change_the_encoder(frame):
    rows = np.arange(2), np.array([2]), np.array([3])
    changed = frame.copy()
    changed.loc[3, ["size", "gap", "flat"]] = [1e6, -1e6, 0]
    changed.loc[2, "kind"] = "violet"
    target = np.arange(4.0)
    for scaling in ("training_rows", "none", "all_rows"):
        a = prepare(frame, target, META, *rows, scaling)
        b = prepare(changed, target, META, *rows, scaling)
        assert (a.X_train.tolist() == b.X_train.tolist()) == (scaling != "all_rows")


def test_scaling_all_rows_is_min_max_of_the_whole_table():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(30, 2)), columns=["u", "v"])
    meta = [{"name": n, "kind": "numeric"} for n in frame]
    rows = np.arange(10), np.arange(10, 20), np.arange(20, 30)
    arrays = prepare(frame, np.zeros(30), meta, *rows, "all_rows")
    whole = np.vstack([arrays.X_train, arrays.X_validation, arrays.X_test])
    assert whole == pytest.approx(((frame - frame.min()) / (frame.max() - frame.min())).to_numpy())
    plain = prepare(frame, np.zeros(30), meta, *rows, "none")
    assert (plain.X_test == frame.to_numpy()[20:]).all()


def test_numbers_and_mixed_types_serve_as_categories():
    frame = pd.DataFrame({"c": pd.Series([1, "a", None, True], dtype=object)})
    X = TableEncoder([{"name": "c", "kind": "categorical"}]).fit(frame).transform(frame)
    assert X.sum(axis=1).tolist() == [1, 1, 1, 1]
    assert X.sum(axis=0).tolist() == [1, 1, 1, 1]


def test_errors_name_the_argument(frame):
    with pytest.raises(ValueError, match="every feature is constant"):
        TableEncoder(META[2:3]).fit(frame[:3])
    with pytest.raises(ReseedError, match="scaling 'minmax': use one of training_rows"):
        TableEncoder(META, "minmax")
    with pytest.raises(ReseedError, match="column 'when': kind 'date'"):
        TableEncoder([{"name": "when", "kind": "date"}])


def test_no_other_option_of_an_encoder_is_ignored(frame):
    with pytest.raises(ReseedError, match="encoder: unknown option scalling"):
        Preparation(Table(frame), np.arange(4.0), META, {"scalling": "none"})


def test_a_split_is_prepared_once_while_memory_allows(frame, monkeypatch):
    taken = []
    monkeypatch.setattr(Table, "take", lambda t, rows: taken.append(rows) or t.frame.iloc[rows])
    first = np.arange(2), np.array([2]), np.array([3])
    second = np.array([1, 0]), *first[1:]
    roomy = Preparation(Table(frame), np.arange(4.0), META, {})
    tight = Preparation(Table(frame), np.arange(4.0), META, {}, memory=0)
    for preparation, reads in ((roomy, 2), (tight, 3)):
        taken.clear()
        held = preparation.arrays(*first)
        assert preparation.arrays(*first) is held
        assert preparation.arrays(*second).y_train.tolist() == [1, 0]
        assert preparation.arrays(*first).X_train.tolist() == held.X_train.tolist()
        assert len(taken) == 3 * reads


def test_arrays_of_several_trials_are_protected():
    rows = np.array([4, 0]), np.array([1]), np.array([2, 3])
    weighted = MemoryInputs(np.ones((5, 2)), weights=np.ones(5))
    held = Preparation(weighted, np.arange(5), None, {})
    found = held.arrays(*rows).protected()
    assert found.X_train is held.arrays(*rows).X_train
    for part in (found.X_train, found.X_validation, found.X_test):
        assert not part.X.flags.writeable
        assert not part.weights.flags.writeable
    for targets in (found.y_train, found.y_validation, found.y_test):
        assert not targets.flags.writeable
    assert weighted.parts[0].flags.writeable  # the user's own
    texts = Preparation(Plain(list("abcde")), np.arange(5), None, {})
    own = texts.arrays(*rows).protected()
    own.X_test.append("of mine")
    assert texts.arrays(*rows).protected().X_test == ["c", "d"]


def test_images_and_texts_are_not_encoded():
    images = np.arange(5 * 2 * 2 * 3, dtype=np.uint8).reshape(5, 2, 2, 3)
    texts = [("a", "b"), ("c", "d"), ("e", "f"), ("g", "h"), ("i", "j")]
    rows = np.array([4, 0]), np.array([1]), np.array([2, 3])
    found = Preparation(Plain(images), np.arange(5), None, {}).arrays(*rows)
    assert (found.X_train == images[[4, 0]]).all()
    assert found.X_train.dtype == np.uint8
    assert found.shape == ((2, (2, 2, 3)), (1, (2, 2, 3)))
    found = Preparation(Plain(texts), np.arange(5), None, {}).arrays(*rows)
    assert found.X_test == [("e", "f"), ("g", "h")]
    assert found.y_train.tolist() == [4, 0]
