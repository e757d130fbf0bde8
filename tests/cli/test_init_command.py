"""`reseed init`: studies of the user's own table and data, which planning accepts."""

import io
import re
import runpy
import shutil
import sys
from contextlib import redirect_stdout
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from reseed import __version__, cli
from reseed.planning.read_plan import read_plan

CONFIG = Path(__file__).resolve().parents[2] / "config"


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project with the models of a first study, and no study."""
    for folder in ("studies", "datasets", "models", "weights"):
        (tmp_path / "config" / folder).mkdir(parents=True)
    for name in (
        "config.yaml",
        "models/rf.yaml",
        "models/gbm.yaml",
        "models/logistic_regression.yaml",
        "models/text_forest.yaml",
    ):
        shutil.copy(CONFIG / name, tmp_path / "config" / name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def refuse(*arguments):
    with pytest.raises(SystemExit) as end:
        cli.main(["init", *arguments])
    return end.value.code


def test_study_of_a_table_of_results(project, capsys):
    rows = [(m, s, 0.8 + s / 100) for m in "ab" for s in range(6)]
    pd.DataFrame(rows, columns=["model", "seed", "auc"]).to_csv("runs.csv", index=False)
    results = ["--results", "runs.csv", "--seed-draws", "training"]
    cli.main(["init", "mine", *results, "--baseline", "a"])
    assert "snakemake --cores 2 mine" in capsys.readouterr().out
    loaded, _, _ = read_plan("config", {})
    assert loaded.studies["mine"].results.baseline == "a"
    assert loaded.studies["mine"].results.seed_draws == "training"
    assert "exists already" in refuse("mine", *results)
    assert "has no run" in refuse("other", *results, "--baseline", "c")
    assert not Path("config/studies/other.yaml").exists()


@pytest.mark.parametrize(
    ("target", "task"),
    [(["no", "yes"], "binary"), (["a", "b", "c"], "multiclass"), ([0.5, 1.5, 2.25], "regression")],
)
def test_study_of_models_on_a_table_of_data(project, target, task):
    frame = pd.DataFrame({"x": np.arange(60.0) / 7, "y": np.resize(target, 60)})
    frame.to_csv("train.csv", index=False)
    cli.main(["init", "churn", "--data", "train.csv", "--target", "y"])
    loaded, _, _ = read_plan("config", {})
    assert loaded.datasets["churn"].task == task
    assert len(loaded.studies["churn"].models) == 2
    assert "column 'z' is not in the table" in refuse(
        "other", "--data", "train.csv", "--target", "z"
    )


def test_refused_names_and_folders(project):
    assert "use letters" in refuse("my study", "--results", "runs.csv")
    assert "no such folder" in refuse("mine", "--results", "runs.csv", "--config", "nowhere")
    assert "MODULE:FUNCTION" in refuse("m", "--data", "x.csv", "--target", "y", "--factory", "make")


MODEL = """from sklearn.tree import DecisionTreeClassifier

def make(task, classes, hyperparameters, seeds, device, threads):
    return DecisionTreeClassifier(random_state=seeds["init"], max_depth=3)

def stump(task, classes, hyperparameters, seeds, device, threads):
    return DecisionTreeClassifier(random_state=seeds["init"], max_depth=1)
"""


def write_data():
    frame = pd.DataFrame({"x": np.arange(90.0) % 7, "word": np.resize(["a", "b"], 90)})
    frame.assign(y=np.where(frame["x"] > 3, "yes", "no")).to_csv("train.csv", index=False)
    Path("my_models.py").write_text(MODEL, encoding="utf-8")


def run_script(name):
    """What a script of this folder prints."""
    sys.modules.pop("my_models", None)
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(io.StringIO()) as printed:
        patch.syspath_prepend(Path.cwd())
        runpy.run_path(name, run_name="__main__")
    return printed.getvalue()


def test_scripts_of_a_plain_folder_run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rows = [(m, s, 0.8 + 0.1 * (m == "b") + s / 1000) for m in "ab" for s in range(6)]
    pd.DataFrame(rows, columns=["model", "seed", "auc"]).to_csv("runs.csv", index=False)
    draws = ["--seed-draws", "training"]
    cli.main(["init", "mine", "--results", "runs.csv", "--metric", "auc", *draws])
    assert "needs a copy of Reseed's repository" in capsys.readouterr().out
    assert run_script("mine.py").startswith("b has the best mean AUC, 0.9025")
    assert Path("mine.html").is_file()
    assert "exists already" in refuse("mine", "--results", "runs.csv")
    write_data()
    own = ["--factory", "my_models:make", "--factory", "my_models:stump"]
    cli.main(["init", "own", "--data", "train.csv", "--target", "y", *own])
    text = run_script("own.py")
    assert "make" in text
    assert "stump" in text
    assert Path("own.html").is_file()


def write_european_data():
    """Semicolons between cells, and commas in numbers."""
    rows = [f"{i % 7},5;{'yes' if i % 7 > 3 else 'no'}" for i in range(90)]
    Path("train.csv").write_text("\n".join(["x;y", *rows]), encoding="utf-8")


def test_semicolons_and_decimal_commas_are_read(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_european_data()
    cli.main(["init", "own", "--data", "train.csv", "--target", "y"])
    text = Path("own.py").read_text(encoding="utf-8")
    assert "read_csv('train.csv', sep=';', decimal=',')" in text
    table = pd.read_csv("train.csv", sep=";", decimal=",")
    assert table["x"].tolist() == [i % 7 + 0.5 for i in range(90)]


def test_a_study_of_semicolons_is_prepared(project):
    pytest.importorskip("pooch")  # the pipeline's, which pip does not install
    from reseed.data import tables
    from reseed.data.sources import Fetched

    write_european_data()
    cli.main(["init", "own", "--data", "train.csv", "--target", "y"])
    loaded, _, _ = read_plan("config", {})
    entry = loaded.datasets["own"]
    assert entry.options == {"separator": ";"}
    raw = tables.table(entry, Fetched({"train.csv": Path("train.csv")}, {"kind": "file"}))
    assert raw.frame["x"].tolist() == [i % 7 + 0.5 for i in range(90)]


def test_own_models_are_a_study_in_a_project(project):
    write_data()
    cli.main(["init", "own", "--data", "train.csv", "--target", "y", "--factory", "my_models:make"])
    loaded, _, _ = read_plan("config", {})
    assert loaded.studies["own"].models == ["own_make"]
    assert loaded.models["own_make"].factory == "my_models:make"


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("def make(data): return 1", "must take task, n_classes.* line 1.*A factory takes"),
        ("def make(*given): return object()", "has no fit and predict"),
        ("raise RuntimeError('no weights')", "no weights"),
    ],
)
def test_a_factory_is_tried_before_a_study_is_written(project, body, message):
    write_data()
    Path("my_models.py").write_text(body, encoding="utf-8")
    text = refuse("own", "--data", "train.csv", "--target", "y", "--factory", "my_models:make")
    assert "--factory my_models:make: fails on 90 rows: " in text
    assert re.search(message, text), text
    assert not list(Path("config/studies").iterdir())


NUMBERS = """import numpy as np
from sklearn.tree import DecisionTreeClassifier

class Tree(DecisionTreeClassifier):
    def fit(self, X, y):
        assert X.dtype == np.float64 and np.isfinite(X).all() and set(y) == {0, 1}
        assert X.shape[1] > 60, "words and parts of dates"
        return super().fit(X, y)

def make(task, classes, hyperparameters, seeds, device, threads):
    return Tree(random_state=seeds["init"])
"""


def test_a_factory_is_tried_on_what_trainings_get(project, capsys):
    frame = (
        write_customers().drop(columns="id").assign(word=[f"w{n}" for n in np.arange(90) // 1.5])
    )
    frame.loc[3:40, "x"] = np.nan
    frame.to_csv("train.csv", index=False)
    Path("my_models.py").write_text(NUMBERS, encoding="utf-8")
    cli.main(["init", *OWN, "--time", "none", "--factory", "my_models:make"])
    printed = capsys.readouterr().out
    assert "x: feature, numbers, empty in 38 rows" in printed
    assert "Run it (15 trainings, under 0.1 core-hours)" in printed


def test_a_study_of_many_rows_is_small_at_smoke(project):
    rows = np.arange(9_000)
    frame = pd.DataFrame({"x": np.sqrt(rows), "y": np.where(rows % 1_000, "a", "b")})
    frame.to_csv("train.csv", index=False)
    cli.main(["init", *OWN])
    scheme = read_plan("config", {})[0].studies["own"].splits[0]
    assert not scheme.stratify  # nine rows are too few for it
    smoke, plan, _ = read_plan("config", {"scale": "smoke"})
    assert smoke.studies["own"].datasets == ["own"]
    frame.assign(y=np.where(rows % 100, "a", "b")).to_csv("train.csv", index=False)
    cli.main(["init", "more", *OWN[1:]])
    smoke, plan, _ = read_plan("config", {"scale": "smoke", "studies": ["more"]})
    assert smoke.studies["more"].splits[0].stratify
    assert [entry.rows for entry in plan.datasets.values()] == [2_000]  # twenty of the rare class
    assert sum(len(one.trials) for one in plan.settings.values()) == 8


def test_the_version_is_printed(capsys):
    with pytest.raises(SystemExit) as end:
        cli.main(["--version"])
    assert end.value.code == 0
    assert capsys.readouterr().out == f"reseed {__version__}\n"


OWN = ("own", "--data", "train.csv", "--target", "y")


def write_customers():
    """An identifier, a date, an index without a name, and a target with a gap."""
    rows = np.arange(90)
    frame = pd.DataFrame({"x": rows % 7, "id": [f"C{row:03}" for row in rows]})
    frame["day"] = [f"2024-01-{1 + row % 28:02}" for row in rows]
    frame["y"] = np.where(rows % 7 > 3, 1.0, 0.0)
    frame.to_csv("train.csv")
    return frame


def test_columns_that_are_no_features_are_left_out(project, capsys):
    write_customers()
    assert "Test on the last fifth of them: --time day" in refuse(*OWN)
    cli.main(["init", *OWN, "--time", "none"])
    printed = capsys.readouterr().out
    assert "id: left out, has a different text in every row, such as 'C000'" in printed
    assert "day: dates, read as numbers of year, month, day, weekday and hour" in printed
    entry = read_plan("config", {})[0].datasets["own"]
    assert entry.drop == ["Unnamed: 0", "id"]
    assert entry.task == "binary"


def test_a_script_leaves_them_out_too(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame = write_customers()
    frame.loc[3, "y"] = np.nan
    frame.to_csv("train.csv", index=False)
    cli.main(["init", *OWN, "--time", "none"])
    text = Path("own.py").read_text(encoding="utf-8")
    assert "table.drop(columns=['id'])" in text
    assert "table.pop('day')" in text
    run_script("own.py")


def test_data_without_features_or_classes_is_refused(project):
    write_customers()[["id", "y"]].to_csv("train.csv", index=False)
    text = refuse(*OWN)
    assert "no column is left to predict 'y'. id: left out, has a different text" in text
    pd.DataFrame({"x": range(9), "y": ["a"] * 9}).to_csv("train.csv", index=False)
    text = refuse("own", "--data", "train.csv", "--target", "y")
    assert "target column 'y' has one class only ('a')" in text


def visits(rng, patients=60, visits=6):
    """Several rows a patient, whose numbers and outcome belong to the patient."""
    who = np.repeat(np.arange(patients), visits)
    labs = rng.normal(size=(patients, 3))[who] + 0.05 * rng.normal(size=(who.size, 3))
    frame = pd.DataFrame(labs, columns=["a", "b", "c"]).round(3)
    return frame.assign(patient=[f"P{n:03}" for n in who], y=rng.integers(0, 2, patients)[who])


TABLES = {  # rows → (options, the question, or what the dataset of the study says)
    "rows of patients": (visits, [], "Split by it: --group patient"),
    "grouped": (visits, ["--group", "patient"], {"group": "patient"}),
    "not grouped": (visits, ["--group", "none"], {"group": None}),
    "cities": (  # they repeat, and their rows differ
        lambda rng: visits(rng).assign(
            patient=rng.integers(0, 60, 360), y=rng.integers(0, 2, 360), a=rng.normal(size=360)
        ),
        [], {"group": None},
    ),
    "parts": (
        lambda rng: visits(rng).drop(columns="patient").assign(
            part=np.resize(["Train", "Train", "valid", "TEST"], 360)
        ),
        [],
        {"official": {"column": "part", "train": ["Train"], "validation": ["valid"],
                      "test": ["TEST"]}},
    ),
    "dates": (
        lambda rng: visits(rng).drop(columns="patient").assign(
            day=pd.date_range("2020-01-01", periods=360).strftime("%Y-%m-%d")
        ),
        [], "Test on the last fifth of them: --time day",
    ),
    "German dates": (
        lambda rng: visits(rng).drop(columns="patient").assign(
            day=pd.date_range("2020-01-01", periods=360).strftime("%d.%m.%Y")
        ),
        [], "day holds dates such as '01.01.2020': write them as 2024-01-31",
    ),
    "by date": (
        lambda rng: visits(rng).drop(columns="patient").assign(
            day=pd.date_range("2020-01-01", periods=360).strftime("%Y-%m-%d")
        ),
        ["--time", "day"], {"time": "day"},
    ),
    "texts": (
        lambda rng: pd.DataFrame({
            "number": range(90), "said": [f"word {n} of a text {n % 7}" for n in range(90)],
            "y": np.resize(["a", "b"], 90),
        }),
        [], {"kind": "texts", "text": ["said"]},
    ),
    "two texts": (
        lambda rng: pd.DataFrame({
            "title": [f"a long title {n}" for n in range(90)],
            "said": [f"word {n} of a text {n % 7}" for n in range(90)],
            "y": np.resize(["a", "b"], 90),
        }),
        [], "--text title, or --text said",
    ),
    "grouped with gaps": (
        lambda rng: visits(rng).assign(patient=lambda t: t["patient"].where(t.index > 5)),
        ["--group", "patient"], "patient is empty in 6 rows: fill them, or",
    ),
    "row numbers and constants": (
        lambda rng: visits(rng).drop(columns="patient").assign(n=range(360), k=1),
        [], {"drop": ["n", "k"]},
    ),
    "kept": (
        lambda rng: visits(rng).drop(columns="patient").assign(n=range(360)),
        ["--keep", "n", "--leave-out", "a"], {"drop": ["a"]},
    ),
}  # fmt: skip


def test_few_groups_without_a_class_are_not_stratified(project):
    """All but one patient had both outcomes: a stratum of one cannot be divided."""
    table = visits(np.random.default_rng(0)).assign(y=np.resize(["a", "b", "b"], 360))
    table.loc[table["patient"] == "P007", "y"] = "b"
    table.to_csv("train.csv", index=False)
    cli.main(["init", *OWN, "--group", "patient"])
    [scheme] = yaml.safe_load(Path("config/studies/own.yaml").read_text())["splits"]
    assert scheme == {"kind": "holdout", "test": 0.2, "stratify": False}


@pytest.mark.parametrize("name", TABLES)
def test_a_table_is_looked_at_before_a_study_is_written(project, name):
    make, options, expected = TABLES[name]
    make(np.random.default_rng(0)).to_csv("train.csv", index=False)
    if isinstance(expected, str):
        assert expected in refuse(*OWN, *options)
        assert not list(Path("config/studies").iterdir())
        return
    cli.main(["init", *OWN, *options])
    loaded = read_plan("config", {})[0]
    entry = loaded.datasets["own"].model_dump()
    for field, value in expected.items():
        found = entry[field]
        if isinstance(value, dict):
            found = {name: found[name] for name in value}
        assert found == value
    kind = "official" if entry["official"] else "time" if entry["time"] else "holdout"
    assert loaded.studies["own"].splits[0].kind == kind


def test_odd_rows_and_encodings_are_said(project, capsys):
    frame = visits(np.random.default_rng(0)).drop(columns="patient").astype({"y": object})
    frame.loc[:3, "y"], frame.loc[4:6, "y"] = None, "rare"
    pd.concat([frame, frame[10:12]]).rename(columns={"a": "größe"}).to_csv(
        "train.csv", index=False, encoding="cp1252"
    )
    assert "is not utf-8 text" in refuse(*OWN)
    assert "column" in refuse(*OWN, "--encoding", "cp1252", "--group", "patient")
    cli.main(["init", *OWN, "--encoding", "cp1252"])
    printed = capsys.readouterr().out
    assert "y: empty in 4 rows, which are left out" in printed
    assert "2 of 358 rows repeat an earlier one" in printed
    assert "only 3 rows of class 'rare'" in printed
    assert "größe: feature, numbers" in printed
    assert read_plan("config", {})[0].datasets["own"].options == {"encoding": "cp1252"}


@pytest.mark.parametrize("name", ["grouped", "parts", "by date", "texts"])
def test_scripts_split_as_they_are_told(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    make, options, _ = TABLES[name]
    make(np.random.default_rng(0)).to_csv("train.csv", index=False)
    cli.main(["init", *OWN, *options])
    assert "Note: " in run_script("own.py")
