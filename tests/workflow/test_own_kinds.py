"""The custom analysis and table of docs/examples run unchanged."""

import json
import shutil

import pandas as pd
import pytest
import yaml
from fault_harness.workspace import REPOSITORY, Workspace

pytestmark = pytest.mark.workflow
EXAMPLES = REPOSITORY / "docs" / "examples"


def test_example_analysis_and_table(tmp_path):
    workspace = Workspace.small(tmp_path)
    for name in ("my_analysis", "my_table"):
        shutil.copy(EXAMPLES / f"{name}.py", tmp_path)
    page = (REPOSITORY / "config" / "README.md").read_text(encoding="utf-8")
    entries = yaml.safe_load(page.split("```yaml\n")[1].split("```")[0])
    workspace.write("studies/small", workspace.study | entries)
    workspace.run()
    study = workspace.results / "studies" / "small"
    trials = pd.read_parquet(study / "metrics.parquet")
    scores = trials.loc[trials["experiment"] == "model_seeds", "auc"]
    table = pd.read_csv(study / "statistics" / "worst.csv").set_index("experiment")
    assert table.loc["model_seeds", "loss"] == pytest.approx(scores.mean() - scores.min())
    assert f"−{scores.mean() - scores.min():.4f}" in (study / "tables" / "worst.md").read_text()
    sidecar = json.loads((study / "tables" / "worst.json").read_text())
    assert len(sidecar["rows"]) == len(table)
