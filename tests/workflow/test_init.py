"""`reseed init` writes studies that Snakemake runs."""

import numpy as np
import pandas as pd
import pytest
from fault_harness.workspace import Workspace
from reseed import cli

pytestmark = pytest.mark.workflow


@pytest.mark.nightly
def test_first_studies_run(tmp_path, monkeypatch):
    project = Workspace.shipped(tmp_path)
    monkeypatch.chdir(tmp_path)
    noise = np.random.default_rng(1).normal(0, 0.002, (2, 6))
    rows = [("ab"[i], s, 0.8 + i / 10 + noise[i, s]) for i in range(2) for s in range(6)]
    pd.DataFrame(rows, columns=["model", "seed", "auc"]).to_csv("runs.csv", index=False)
    x = np.random.default_rng(0).normal(size=(80, 2))
    table = pd.DataFrame(x, columns=["first", "second"])
    table.assign(left=np.where(x[:, 0] > 0, "yes", "no")).to_csv("churn.csv", index=False)
    cli.main(["init", "mine", "--results", "runs.csv", "--metric", "auc"])
    cli.main(["init", "churn", "--data", "churn.csv", "--target", "left"])
    project.run("mine", "churn", "--config", "scale=demo")
    studies = tmp_path / "results" / "studies"
    pairs = pd.read_parquet(studies / "mine" / "statistics" / "pairs.parquet")
    assert pairs["outcome"].tolist() == ["better"]
    trials = pd.read_parquet(studies / "churn" / "metrics.parquet")
    assert trials.groupby("model").size().tolist() == [15, 15]  # 5 splits, 3 seeds
    assert (trials["status"] == "ok").all()
    for name in ("mine", "churn"):
        assert (tmp_path / "results" / "report" / f"{name}.html").is_file()
