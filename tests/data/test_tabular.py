import datetime as dt
import decimal

import numpy as np
import pandas as pd
import pytest
from reseed.data.sources import Fetched
from reseed.data.tabular import prepare
from reseed.errors import ReseedError

N = 60
RNG = np.random.default_rng(0)
CLEAN = pd.DataFrame(
    {
        "age": RNG.integers(18, 80, N),
        "income": RNG.normal(50, 10, N).round(3),
        "job": RNG.choice(["clerk", "cook", "smith"], N),
        "member": RNG.random(N) < 0.5,
        "bad": RNG.choice(["no", "yes"], N),
        "price": RNG.normal(0, 1, N),
        "who": RNG.integers(0, 20, N),
    }
)


def own(frame, tmp_path, suffix="csv", **entry):
    path = tmp_path / f"own.{suffix}"
    if suffix == "csv":
        frame.to_csv(path, index=False)
    else:
        frame.to_parquet(path)
    dataset = {"name": "own", "task": "binary", "target": "bad", "drop": ["price"], **entry}
    return prepare(dataset, Fetched(path, {"kind": "file", "path": str(path)}))


def refuse(frame, tmp_path, message, suffix="csv", **entry):
    with pytest.raises(ReseedError, match=message) as caught:
        own(frame, tmp_path, suffix, **entry)
    assert "own" in str(caught.value), "the error names the dataset and its file"


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_own_table(tmp_path, suffix):
    found = own(CLEAN, tmp_path, suffix, group="who", stand_in_for="the bank's data")
    kinds = {f["name"]: f["kind"] for f in found.meta["features"]}
    assert kinds == {
        "age": "numeric",
        "income": "numeric",
        "job": "categorical",
        "member": "numeric",
    }
    assert found.features["income"].tolist() == CLEAN["income"].tolist()
    assert found.features["job"].tolist() == CLEAN["job"].tolist()
    assert found.features["member"].tolist() == CLEAN["member"].astype(float).tolist()
    assert found.target.tolist() == (CLEAN["bad"] == "yes").astype(int).tolist()
    assert found.meta["classes"] == ["no", "yes"]
    assert found.meta["positive"] == "yes"
    assert found.meta["class_counts"] == CLEAN["bad"].value_counts().to_dict()
    assert found.meta["stand_in"] == "the bank's data"
    same = CLEAN["who"].to_numpy()[:, None] == CLEAN["who"].to_numpy()
    assert ((found.groups[:, None] == found.groups) == same).all()


def test_positive_label_decides_which_class_is_one(tmp_path):
    assert own(CLEAN, tmp_path, positive="no").target.tolist() == (CLEAN["bad"] == "no").tolist()
    coded = CLEAN.assign(bad=RNG.choice([1, 2], N))
    for positive in (1, "1", 1.0):
        found = own(coded, tmp_path, positive=positive)
        assert found.target.tolist() == (coded["bad"] == 1).tolist()
        assert found.meta["classes"] == ["2", "1"]
    refuse(CLEAN, tmp_path, "positive: 'ja' is none of its classes no, yes", positive="ja")


def test_multiclass_and_regression(tmp_path):
    found = own(CLEAN, tmp_path, task="multiclass", target="job", drop=["price"])
    assert found.meta["classes"] == ["clerk", "cook", "smith"]
    assert [found.meta["classes"][i] for i in found.target] == CLEAN["job"].tolist()
    found = own(CLEAN, tmp_path, task="regression", target="price", drop=[])
    assert found.target.dtype == np.float64
    assert found.target.tolist() == CLEAN["price"].tolist()
    assert found.meta["classes"] is None


def test_missing_values_stay_missing_and_nothing_is_fitted(tmp_path):
    holes = CLEAN.copy()
    holes["age"] = holes["age"].astype(float).where(holes.index % 7 > 0)
    holes["job"] = holes["job"].where(holes.index % 5 > 0)
    holes["member"] = holes["member"].astype(object).where(holes.index % 4 > 0)
    for suffix in ("csv", "parquet"):
        found = own(holes, tmp_path, suffix)
        assert found.features["age"].isna().tolist() == (holes.index % 7 == 0).tolist()
        assert found.features["job"].isna().tolist() == (holes.index % 5 == 0).tolist()
        wanted = CLEAN["member"].astype(float).where(holes.index % 4 > 0)
        pd.testing.assert_series_equal(found.features["member"], wanted)


def test_constant_columns_are_kept_and_told(tmp_path):
    found = own(CLEAN.assign(one=1), tmp_path)
    assert "one" in found.features
    assert "constant columns (kept): one" in found.meta["notes"]


def test_codes_can_be_declared_categorical(tmp_path):
    coded = CLEAN.assign(code=RNG.choice([1, 2, 3], N))
    found = own(coded, tmp_path, options={"categorical": ["code"]})
    assert found.features["code"].tolist() == coded["code"].astype(str).tolist()
    refuse(CLEAN, tmp_path, "options.categorical column 'cod'", options={"categorical": ["cod"]})


def test_separator_and_missing_marks(tmp_path):
    path = tmp_path / "own.csv"
    CLEAN.assign(age=["?", *CLEAN["age"][1:]]).to_csv(path, index=False, sep=";")
    dataset = {
        "name": "own",
        "task": "binary",
        "target": "bad",
        "options": {"separator": ";", "missing": ["?"]},
    }
    found = prepare(dataset, Fetched(path, {"kind": "file"}))
    assert found.features["age"].isna().tolist() == [True] + [False] * (N - 1)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"bad": "yes"}, "target column 'bad' has one class only"),
        ({"bad": ["no", None] * (N // 2)}, "has 30 missing values .first in row 2."),
        ({"bad": list("abc") * (N // 3)}, "has 3 classes .a, b, c., but the task is binary"),
        ({"empty": np.nan}, "column 'empty' holds no value at all: list it under drop"),
        ({"day": ["2020-01-31", "2021-02-01"] * (N // 2)}, "column 'day' holds dates"),
        ({"key": [f"k{i}" for i in range(N)]}, "column 'key' has a different text in every row"),
        ({"size": ["12", "13", "14", "big", "x15", "16"] * (N // 6)}, "mostly numbers; 20 values"),
        ({"big": [np.inf, *range(1, N)]}, "column 'big' holds inf in row 1"),
    ],
)
def test_unfit_columns_are_refused(tmp_path, change, message):
    refuse(CLEAN.assign(**change), tmp_path, message)


def test_decimals_of_a_database_are_numbers(tmp_path):
    exact = [decimal.Decimal(i) / 4 for i in range(N)]
    found = own(CLEAN.assign(fee=exact), tmp_path, "parquet")
    assert found.features["fee"].tolist() == [i / 4 for i in range(N)]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (pd.date_range("2020-01-01", periods=N), "holds dates"),
        ([dt.date(2020, 1, 1 + i % 28) for i in range(N)], "holds a date"),
        ([[1, 2]] * N, "holds a "),
    ],
)
def test_unfit_parquet_types_are_refused(tmp_path, values, message):
    refuse(CLEAN.assign(odd=values), tmp_path, f"column 'odd' {message}", suffix="parquet")


def test_bad_entries(tmp_path):
    refuse(
        CLEAN, tmp_path, "target column 'bda' is not in the table; did you mean bad", target="bda"
    )
    refuse(CLEAN, tmp_path, "group column 'whom' .* did you mean who", group="whom")
    refuse(CLEAN, tmp_path, "drop column 'prize'", drop=["prize"])
    refuse(CLEAN, tmp_path, "no feature is left", drop=[c for c in CLEAN if c != "bad"])
    refuse(CLEAN, tmp_path, "holds 'clerk'|holds '", target="job", task="regression")
    refuse(CLEAN, tmp_path, "set task: regression", target="price", drop=[], task="multiclass")
    refuse(CLEAN, tmp_path, "set task: binary", task="multiclass")
    refuse(CLEAN.assign(p=1.0), tmp_path, "one value only", target="p", task="regression")
    refuse(CLEAN.assign(who=None), tmp_path, "group column 'who' has 60 missing", group="who")
    refuse(CLEAN.iloc[:0], tmp_path, "the table is empty")
    refuse(CLEAN, tmp_path, r"options \['separater'\] are unknown", options={"separater": ";"})
    refuse(CLEAN, tmp_path, "prepare: 'tabel' is unknown", prepare="tabel")


def test_unreadable_files(tmp_path):
    dataset = {"name": "own", "task": "binary", "target": "bad"}

    def load(name, data):
        (tmp_path / name).write_bytes(data)
        return prepare(dataset, Fetched(tmp_path / name, {"kind": "file"}))

    with pytest.raises(ReseedError, match=r"duplicate column names \['a'\]"):
        load("t.csv", b"a,b,a\n1,2,3\n")
    with pytest.raises(ReseedError, match="the table is empty"):
        load("t.csv", b"")
    with pytest.raises(ReseedError, match="not UTF-8"):
        load("t.csv", "größe,bad\n1,0\n".encode("latin-1"))
    with pytest.raises(ReseedError, match="cannot be read as a table"):
        load("t.csv", b"a,bad\n1,0\n1,0,3,4\n")
    with pytest.raises(ReseedError, match="cannot be read as a table"):
        load("t.parquet", b"PAR1 cut")


def test_subsample_is_seeded_stratified_and_in_order(tmp_path):
    many = pd.concat([CLEAN] * 20, ignore_index=True).assign(row=range(20 * N))
    one, again = (own(many, tmp_path, rows=300) for _ in range(2))
    assert one.features.equals(again.features)
    assert len(one.target) == 300
    assert abs(one.target.mean() - (CLEAN["bad"] == "yes").mean()) < 0.005
    rows = one.features["row"].to_numpy()
    assert (np.diff(rows) > 0).all()
    other = own(many, tmp_path, rows=300, options={"subsample_seed": 1})
    assert other.features["row"].tolist() != rows.tolist()
    assert "300 of 1200 rows, drawn at random" in one.meta["notes"]
    assert len(own(many, tmp_path, rows=10**6).target) == 1200
    refuse(many, tmp_path, "rows: 1 cannot be drawn", rows=1)
