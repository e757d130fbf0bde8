import datetime as dt
import decimal

import numpy as np
import pandas as pd
import pytest
from packing import prepare
from reseed.core.errors import ReseedError
from reseed.data.sources import Fetched
from reseed.data.store import read_targets, write_prepared


def fetched(*paths):
    return Fetched({str(path): path for path in paths}, {"kind": "file"})


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
    return prepare(dataset, fetched(path))


def refuse(frame, tmp_path, message, suffix="csv", **entry):
    with pytest.raises(ReseedError, match=message) as caught:
        own(frame, tmp_path, suffix, **entry)
    assert "own" in str(caught.value), "the error names the dataset and its file"


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_own_table(tmp_path, suffix):
    found = own(CLEAN, tmp_path, suffix, group="who")
    kinds = {f["name"]: f["kind"] for f in found.inputs.describe()["features"]}
    assert kinds == {
        "age": "numeric",
        "income": "numeric",
        "job": "categorical",
        "member": "numeric",
    }
    assert found.inputs.frame["income"].tolist() == CLEAN["income"].tolist()
    assert found.inputs.frame["job"].tolist() == CLEAN["job"].tolist()
    assert found.inputs.frame["member"].tolist() == CLEAN["member"].astype(float).tolist()
    assert found.target.tolist() == (CLEAN["bad"] == "yes").astype(int).tolist()
    assert found.info.classes == ["no", "yes"]
    assert found.info.positive == "yes"
    assert found.info.class_counts == CLEAN["bad"].value_counts().to_dict()
    same = CLEAN["who"].to_numpy()[:, None] == CLEAN["who"].to_numpy()
    assert ((found.groups[:, None] == found.groups) == same).all()


def test_positive_label_decides_which_class_is_one(tmp_path):
    assert own(CLEAN, tmp_path, positive="no").target.tolist() == (CLEAN["bad"] == "no").tolist()
    coded = CLEAN.assign(bad=RNG.choice([1, 2], N))
    for positive in (1, "1", 1.0):
        found = own(coded, tmp_path, positive=positive)
        assert found.target.tolist() == (coded["bad"] == 1).tolist()
        assert found.info.classes == ["2", "1"]
    refuse(CLEAN, tmp_path, "positive: 'ja' is not one of its classes no, yes", positive="ja")
    refuse(CLEAN, tmp_path, "not one of its classes no, yes. YAML reads yes, no, on", positive=True)


def test_multiclass_and_regression(tmp_path):
    found = own(CLEAN, tmp_path, task="multiclass", target="job", drop=["price"])
    assert found.info.classes == ["clerk", "cook", "smith"]
    assert [found.info.classes[i] for i in found.target] == CLEAN["job"].tolist()
    found = own(CLEAN, tmp_path, task="regression", target="price", drop=[])
    assert found.target.dtype == np.float64
    assert found.target.tolist() == CLEAN["price"].tolist()
    assert found.info.classes is None


def test_missing_values_stay_missing_and_nothing_is_fitted(tmp_path):
    holes = CLEAN.copy()
    holes["age"] = holes["age"].astype(float).where(holes.index % 7 > 0)
    holes["job"] = holes["job"].where(holes.index % 5 > 0)
    holes["member"] = holes["member"].astype(object).where(holes.index % 4 > 0)
    for suffix in ("csv", "parquet"):
        found = own(holes, tmp_path, suffix)
        assert found.inputs.frame["age"].isna().tolist() == (holes.index % 7 == 0).tolist()
        assert found.inputs.frame["job"].isna().tolist() == (holes.index % 5 == 0).tolist()
        wanted = CLEAN["member"].astype(float).where(holes.index % 4 > 0)
        pd.testing.assert_series_equal(found.inputs.frame["member"], wanted)


def test_constant_columns_are_kept_and_reported(tmp_path):
    found = own(CLEAN.assign(one=1), tmp_path)
    assert "one" in found.inputs.frame
    assert "constant columns (kept): one" in found.info.notes


def test_codes_can_be_declared_categorical(tmp_path):
    coded = CLEAN.assign(code=RNG.choice([1, 2, 3], N))
    found = own(coded, tmp_path, options={"categorical": ["code"]})
    assert found.inputs.frame["code"].tolist() == coded["code"].astype(str).tolist()
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
    found = prepare(dataset, fetched(path))
    assert found.inputs.frame["age"].isna().tolist() == [True] + [False] * (N - 1)


def test_decimal_commas_are_numbers(tmp_path):
    path = tmp_path / "own.csv"
    text = CLEAN.assign(age=CLEAN["age"] + 0.5).to_csv(index=False, sep=";", decimal=",")
    path.write_text(text)
    dataset = {"name": "own", "task": "binary", "target": "bad", "options": {"separator": ";"}}
    found = prepare(dataset, fetched(path))
    assert found.inputs.frame["age"].tolist() == (CLEAN["age"] + 0.5).tolist()
    assert any("comma was read as the decimal sign of" in note for note in found.info.notes)
    stated = prepare(dataset | {"options": {"separator": ";", "decimal": ","}}, fetched(path))
    assert stated.inputs.frame["age"].tolist() == (CLEAN["age"] + 0.5).tolist()


def test_numbers_as_text_are_noted(tmp_path):
    odd = CLEAN.assign(income=["n.a." if i == 3 else f"$1,{i % 20:03d}" for i in range(N)])
    found = own(odd, tmp_path)
    (note,) = [one for one in found.info.notes if "looks like numbers" in one]
    assert "income" in note
    assert not any("looks like numbers" in one for one in own(CLEAN, tmp_path).info.notes)


def test_another_separator_is_named(tmp_path):
    path = tmp_path / "own.csv"
    CLEAN.to_csv(path, index=False, sep=";", decimal=",")
    with pytest.raises(ReseedError, match="set `separator: ';'`"):
        prepare({"name": "own", "task": "binary", "target": "bad"}, fetched(path))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"bad": "yes"}, "target column 'bad' has one class only"),
        ({"bad": [None] * N}, "is empty in 60 of 60 rows .first in row 1."),
        ({"bad": list("abc") * (N // 3)}, "has 3 classes .a, b, c., but the task is binary"),
        ({"bad": [f"{i} €" for i in range(N)]}, "has 60 classes in 60 rows, such as '0 €'"),
        ({"empty": np.nan}, "column 'empty' holds no values: list it under drop"),
        ({"key": [f"k{i}" for i in range(N)]}, "column 'key' has a different text in every row"),
        ({"size": ["12", "13", "14", "big", "x15", "16"] * (N // 6)}, "mostly numbers; 20 values"),
        ({"big": [np.inf, *range(1, N)]}, "column 'big' holds inf in row 1"),
    ],
)
def test_unfit_columns_are_refused(tmp_path, change, message):
    refuse(CLEAN.assign(**change), tmp_path, message)


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_dates_are_their_parts_that_vary(tmp_path, suffix):
    days = [dt.date(2024, 1 + i % 3, 1 + i % 28) for i in range(N)]
    days[5] = None
    made = own(CLEAN.assign(day=days), tmp_path, suffix)
    assert "day holds dates, and random test rows" in made.info.notes[0]
    found = made.inputs.frame
    parts = [name for name in found if name.startswith("day")]
    assert parts == ["day_month", "day_day", "day_weekday"]
    assert found.loc[:1, parts].to_numpy().tolist() == [[1, 1, 0], [2, 2, 4]]
    assert found.loc[5, parts].isna().all()
    times = pd.date_range("2024-01-01", periods=N, freq="h")
    found = own(CLEAN.assign(at=times), tmp_path, suffix).inputs.frame
    assert found["at_hour"].tolist() == [i % 24 for i in range(N)]
    refuse(
        CLEAN.assign(day=["2024-02-30"] * N), tmp_path, "'2024-02-30' in row 1, which is no date"
    )


def test_decimals_of_a_database_are_numbers(tmp_path):
    exact = [decimal.Decimal(i) / 4 for i in range(N)]
    found = own(CLEAN.assign(fee=exact), tmp_path, "parquet")
    assert found.inputs.frame["fee"].tolist() == [i / 4 for i in range(N)]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (pd.to_timedelta(range(N), unit="h"), "holds durations"),
        ([dt.time(i % 24) for i in range(N)], "holds a time"),
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
    refuse(CLEAN.assign(who=None), tmp_path, "group column 'who' is empty in 60 of 60", group="who")
    refuse(CLEAN.iloc[:0], tmp_path, "the table is empty")


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"options": {"separater": ";"}}, r"options.separater: unknown.* Did you mean 'separator'"),
        ({"options": {"separator": ""}}, "options.separator: .*at least 1 character"),
        ({"options": {"separator": ";;"}}, "options.separator: .*at most 1 character"),
        ({"options": {"merge": {"a": ["no"]}}}, "at least two classes"),
        ({"options": {"merge": {"a": [1], "b": [1, 2]}}}, "merge puts 1 into two classes"),
        (
            {"options": {"classes": ["no", "yes"], "merge": {"a": [1], "b": [2]}}},
            "both classes and",
        ),
        ({"options": {"classes": ["no", "ja"]}}, "'ja' is no class of 'bad', which has no, yes"),
        ({"reader": "tabel"}, "reader: 'tabel' is unknown.* Did you mean 'table'"),
        ({"reader": "cifar10"}, "reader cifar10 returns images, found 'table': set kind: images"),
        ({"reader": "no_such_module:read"}, "module no_such_module cannot be imported"),
    ],
)
def test_bad_readers_and_options(tmp_path, entry, message):
    refuse(CLEAN, tmp_path, message, **entry)


def test_classes_are_selected_and_merged(tmp_path):
    found = own(
        CLEAN,
        tmp_path,
        target="job",
        positive="food",
        options={"merge": {"food": ["cook"], "other": ["smith"]}},
    )
    kept = CLEAN[CLEAN["job"] != "clerk"]
    assert found.target.tolist() == (kept["job"] == "cook").tolist()
    assert found.info.classes == ["other", "food"]
    assert found.inputs.frame["income"].tolist() == kept["income"].tolist()
    left = (CLEAN["job"] == "clerk").sum()
    assert f"{left} rows of other classes left out" in found.info.notes
    found = own(CLEAN, tmp_path, target="job", options={"classes": ["clerk", "cook"]})
    assert found.info.classes == ["clerk", "cook"]


def test_a_reader_of_the_users_own(tmp_path, monkeypatch):
    (tmp_path / "my_reader_of_rows.py").write_text(
        "import pandas as pd\n"
        "from reseed.data.raw import Raw\n"
        "def read(dataset, fetched):\n"
        "    n = dataset['options']['n']\n"
        "    return Raw(pd.DataFrame({'x': range(n), 'bad': [0, 1] * (n // 2)}))\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    dataset = {"name": "own", "task": "binary", "target": "bad"}
    found = prepare({**dataset, "reader": "my_reader_of_rows:read", "options": {"n": 8}})
    assert found.inputs.frame["x"].tolist() == list(range(8))


# --- the dataset's own parts --------------------------------------------------------------------

WAVE = pd.Series(["a", "b", "c", "d"] * (N // 4))


def test_official_parts_by_column(tmp_path):
    waves = CLEAN.assign(wave=WAVE)
    found = own(waves, tmp_path, official={"column": "wave", "test": ["d"], "validation": ["b"]})
    part = {"a": "train", "b": "validation", "c": "train", "d": "test"}
    assert found.parts.tolist() == WAVE.map(part).tolist()
    assert "wave" not in found.inputs.frame
    meta = write_prepared(tmp_path / "out", found)
    assert meta.parts == {"train": N // 2, "validation": N // 4, "test": N // 4}
    for official, message in [
        ({"column": "wave", "test": ["e"]}, "no row holds 'e'; there are a, b, c, d"),
        ({"column": "wave", "train": ["a"], "test": ["b"]}, "rows with wave = c, d are in no part"),
        ({"column": "wove", "test": ["b"]}, "part column 'wove' .* did you mean wave"),
        ({"column": "wave", "test": ["a", "b", "c", "d"]}, "no row is left to train on"),
    ]:
        refuse(waves, tmp_path, message, official=official)


def test_official_parts_by_files_of_row_numbers(tmp_path):
    np.save(tmp_path / "test.npy", np.array([3, 1]))
    (tmp_path / "held.csv").write_text("row\n5\n6\n")
    official = {"test": str(tmp_path / "test.npy"), "validation": str(tmp_path / "held.csv")}
    found = own(CLEAN, tmp_path, official=official)
    assert np.flatnonzero(found.parts == "test").tolist() == [1, 3]
    assert np.flatnonzero(found.parts == "validation").tolist() == [5, 6]
    assert (found.parts == "train").sum() == N - 4
    for text, message in [
        ("5\n60\n", "names row 60; rows are 0 … 59"),
        ("5\n5\n", "names a row twice"),
        ("5\n3\n", "names a row twice, or one of another part"),
        ("5\nx\n", "cannot be read as row numbers"),
    ]:
        (tmp_path / "held.csv").write_text(text)
        refuse(CLEAN, tmp_path, message, official=official)
    np.save(tmp_path / "test.npy", np.array([0.5]))
    official = {"test": str(tmp_path / "test.npy")}
    refuse(CLEAN, tmp_path, "holds float64 values, not row numbers", official=official)
    refuse(CLEAN, tmp_path, "none.csv cannot be read", official={"test": "none.csv"})


def test_several_files_are_one_table_and_may_be_its_parts(tmp_path):
    for name, rows in (("train.csv", CLEAN[:40]), ("test.csv", CLEAN[40:])):
        rows.to_csv(tmp_path / name, index=False)
    dataset = {"name": "own", "task": "binary", "target": "bad"}
    both = fetched(tmp_path / "train.csv", tmp_path / "test.csv")
    whole = prepare(dataset, both)
    assert whole.inputs.frame["age"].tolist() == CLEAN["age"].tolist()
    assert whole.parts is None
    assert "file" not in whole.inputs.frame
    official = {"column": "file", "test": ["test.csv"]}
    found = prepare({**dataset, "official": official}, both)
    assert found.parts.tolist() == ["train"] * 40 + ["test"] * (N - 40)
    assert found.inputs.sha256() == whole.inputs.sha256()
    CLEAN.rename(columns={"age": "years"}).to_csv(tmp_path / "test.csv", index=False)
    with pytest.raises(ReseedError, match=r"different columns: \['age', 'years'\]"):
        prepare(dataset, both)


def test_subsample_keeps_every_part(tmp_path):
    many = pd.concat([CLEAN.assign(wave=WAVE)] * 20, ignore_index=True)
    found = own(many, tmp_path, rows=120, official={"column": "wave", "test": ["d"]})
    assert (found.parts == "test").sum() == 30
    assert found.target[found.parts == "test"].mean() == pytest.approx(
        (CLEAN["bad"] == "yes")[WAVE == "d"].mean(), abs=0.04
    )


def test_unreadable_files(tmp_path):
    dataset = {"name": "own", "task": "binary", "target": "bad"}

    def load(name, data):
        (tmp_path / name).write_bytes(data)
        return prepare(dataset, fetched(tmp_path / name))

    with pytest.raises(ReseedError, match=r"duplicate column names \['a'\]"):
        load("t.csv", b"a,b,a\n1,2,3\n")
    with pytest.raises(ReseedError, match="the table is empty"):
        load("t.csv", b"")
    with pytest.raises(ReseedError, match=r"is not utf-8 text .*set `encoding: cp1252`"):
        load("t.csv", "größe,bad\n1,0\n".encode("latin-1"))
    with pytest.raises(ReseedError, match="cannot be read as a table"):
        load("t.csv", b"a,bad\n1,0\n1,0,3,4\n")
    with pytest.raises(ReseedError, match="cannot be read as a table"):
        load("t.parquet", b"PAR1 cut")
    # A field more in every row: a separator at its end, or row names without a header.
    for rows in (b"1,0,\n2,1,\n", b"r1,1,0\nr2,2,1\n"):
        with pytest.raises(ReseedError, match=r"more fields than the header \(2\)"):
            load("t.csv", b"a,bad\n" + rows)


def test_another_encoding_and_rows_without_a_target(tmp_path):
    dataset = {"name": "own", "task": "binary", "target": "bad"}
    (tmp_path / "t.csv").write_bytes("größe,bad\nä,0\nö,1\nü,\n".encode("cp1252"))
    found = prepare(dataset | {"options": {"encoding": "cp1252"}}, fetched(tmp_path / "t.csv"))
    assert found.target.tolist() == [0, 1]
    assert found.info.notes[-1] == "1 rows without a target left out"
    assert found.inputs.frame["größe"].tolist() == ["ä", "ö"]


@pytest.mark.parametrize(
    "times",
    [
        ["2024-01-31", "2023-05-01", "2024-02-01", "2024-02-02", "2024-02-02", "2020-01-01"],
        [3, 2, 4, 5, 5, 1],
    ],
)
def test_times_are_ranks_and_no_feature(tmp_path, times):
    frame = pd.DataFrame({"when": times, "x": range(6), "y": [0, 1] * 3})
    frame.to_csv(tmp_path / "t.csv", index=False)
    dataset = {"name": "own", "task": "binary", "target": "y"}
    found = prepare(dataset | {"time": "when"}, fetched(tmp_path / "t.csv"))
    assert found.times.tolist() == [2, 1, 3, 4, 4, 0]
    assert list(found.inputs.frame) == ["x"]
    write_prepared(tmp_path / "out", found)
    assert read_targets(tmp_path / "out").times.tolist() == found.times.tolist()
    frame.assign(when=["2024-01-31"] * 5 + ["later"]).to_csv(tmp_path / "t.csv", index=False)
    with pytest.raises(ReseedError, match="1 rows have no time in 'when'"):
        prepare(dataset | {"time": "when"}, fetched(tmp_path / "t.csv"))


def test_unnamed_row_numbers_are_refused_as_feature(tmp_path):
    CLEAN.sort_values("bad", ignore_index=True).to_csv(tmp_path / "t.csv")
    entry = {"name": "own", "task": "binary", "target": "bad", "drop": []}
    with pytest.raises(ReseedError, match="'Unnamed: 0' has no name in the file"):
        prepare(entry, fetched(tmp_path / "t.csv"))
    found = prepare(entry | {"drop": ["Unnamed: 0"]}, fetched(tmp_path / "t.csv"))
    assert "Unnamed: 0" not in found.inputs.frame


def test_subsample_is_seeded_stratified_and_in_order(tmp_path):
    many = pd.concat([CLEAN] * 20, ignore_index=True).assign(row=range(20 * N))
    one, again = (own(many, tmp_path, rows=300) for _ in range(2))
    assert one.inputs.frame.equals(again.inputs.frame)
    assert len(one.target) == 300
    assert abs(one.target.mean() - (CLEAN["bad"] == "yes").mean()) < 0.005
    rows = one.inputs.frame["row"].to_numpy()
    assert (np.diff(rows) > 0).all()
    other = own(many, tmp_path, rows=300, options={"subsample_seed": 1})
    assert other.inputs.frame["row"].tolist() != rows.tolist()
    assert "300 of 1200 rows, drawn at random" in one.info.notes
    assert len(own(many, tmp_path, rows=10**6).target) == 1200
    refuse(many, tmp_path, "rows: 1 cannot be drawn", rows=1)
