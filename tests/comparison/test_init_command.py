"""`reseed init`: studies of the user's own table and data, which planning accepts."""

import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from reseed import cli
from reseed.planning.read_plan import read_plan

CONFIG = Path(__file__).resolve().parents[2] / "config"


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project with the models of a first study, and no study."""
    for folder in ("studies", "datasets", "models", "weights"):
        (tmp_path / "config" / folder).mkdir(parents=True)
    for name in ("config.yaml", "models/rf.yaml", "models/gbm.yaml"):
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
    cli.main(["init", "mine", "--results", "runs.csv", "--baseline", "a"])
    assert "snakemake --cores 2 mine" in capsys.readouterr().out
    loaded, _, _ = read_plan("config", {})
    assert loaded.studies["mine"].results.baseline == "a"
    assert "exists already" in refuse("mine", "--results", "runs.csv")
    assert "has no run" in refuse("other", "--results", "runs.csv", "--baseline", "c")
    assert not Path("config/studies/other.yaml").exists()


@pytest.mark.parametrize(
    ("target", "task"),
    [(["no", "yes"], "binary"), (["a", "b", "c"], "multiclass"), ([0.5, 1.5, 2.25], "regression")],
)
def test_study_of_models_on_a_table_of_data(project, target, task):
    frame = pd.DataFrame({"x": np.arange(60.0), "y": np.resize(target, 60)})
    frame.to_csv("train.csv", index=False)
    cli.main(["init", "churn", "--data", "train.csv", "--target", "y"])
    loaded, _, _ = read_plan("config", {})
    assert loaded.datasets["churn"].task == task
    assert len(loaded.studies["churn"].models) == 2
    assert "has no column 'z'" in refuse("other", "--data", "train.csv", "--target", "z")


def test_refused_names_and_folders(project):
    assert "use letters" in refuse("my study", "--results", "runs.csv")
    assert "no such folder" in refuse("mine", "--results", "runs.csv", "--config", "nowhere")
