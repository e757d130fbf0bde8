"""Preprocessing is fitted on the training rows and nothing else."""

import numpy as np
import pandas as pd
import pytest
from reseed.errors import ReseedError
from reseed.training.preprocessing import PreparationCache, Preprocessor, prepare

META = [
    {"name": "size", "kind": "numeric"},
    {"name": "gap", "kind": "numeric"},
    {"name": "flat", "kind": "numeric"},
    {"name": "kind", "kind": "categorical"},
]


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
    X = Preprocessor(META).fit(frame[:3]).transform(frame)
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
    X = Preprocessor(META[:2]).fit(frame.iloc[[0, 2]]).transform(frame)
    assert X.tolist() == [[0, 0], [0.5, 0.5], [1, 1], [2, 0.5]]


def test_test_rows_do_not_move_what_is_learnt(frame):
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
    X = Preprocessor([{"name": "c", "kind": "categorical"}]).fit(frame).transform(frame)
    assert X.sum(axis=1).tolist() == [1, 1, 1, 1]
    assert X.sum(axis=0).tolist() == [1, 1, 1, 1]


def test_mistakes_are_named(frame):
    with pytest.raises(ReseedError, match="every feature is constant"):
        Preprocessor(META[2:3]).fit(frame[:3])
    with pytest.raises(ReseedError, match="scaling 'minmax': use one of training_rows"):
        Preprocessor(META, "minmax")
    with pytest.raises(ReseedError, match="column 'when': kind 'date'"):
        Preprocessor([{"name": "when", "kind": "date"}])


def test_the_cache_prepares_a_split_once_and_never_returns_another(frame, monkeypatch):
    calls = []
    import reseed.training.preprocessing as module

    monkeypatch.setattr(module, "prepare", lambda *a: calls.append(1) or prepare(*a))
    cache, target = PreparationCache(), np.arange(4.0)
    rows = np.arange(2), np.array([2]), np.array([3])
    first = cache.prepare(frame, target, META, *rows, "training_rows")
    assert cache.prepare(frame, target, META, *rows, "training_rows") is first
    assert len(calls) == 1
    others = [
        (frame, target, META, rows[0][::-1], *rows[1:], "training_rows"),
        (frame, target, META, *rows, "none"),
        (frame.copy(), target, META, *rows, "none"),
        (frame, target + 1, META, *rows, "none"),
        (frame, target + 1, META[:2], *rows, "none"),
    ]
    for arguments in others:
        found, expected = cache.prepare(*arguments), prepare(*arguments)
        assert found.X_train.tolist() == expected.X_train.tolist()
        assert found.y_test.tolist() == expected.y_test.tolist()
    assert len(calls) == 1 + len(others)
