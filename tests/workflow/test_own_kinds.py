"""What CONTRIBUTING.md and config/README.md say to add is added as they say."""

import json
import shutil

import pandas as pd
import pytest
import yaml
from fault_harness.workspace import REPOSITORY, Workspace

pytestmark = pytest.mark.workflow
EXAMPLES = REPOSITORY / "docs" / "examples"
METRIC = """
def half_right(y_true, y_score):
    return ((y_score > 0.5) == y_true).mean() / 2


half_right.greater_is_better = True
"""


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


def test_additions_of_contributing_are_one_file_each(tmp_path):
    """A dataset, a model and a metric; an analysis and an exhibit for everyone; code of a paper."""
    workspace = Workspace.small(tmp_path)
    (tmp_path / "my_module.py").write_text(METRIC)
    scripts = tmp_path / "scripts"
    (scripts / "papers" / "mine").mkdir()
    for source, target in (
        ("my_analysis", "reseed/analyses/worst"),
        ("my_table", "reseed/report/exhibits/worst_table"),
        ("my_analysis", "papers/mine/module"),
    ):
        shutil.copy(EXAMPLES / f"{source}.py", scripts / f"{target}.py")
    workspace.change(
        metric="my_module:half_right",
        analyses={"all": {"kind": "worst"}, "one": {"kind": "papers.mine.module:analyse"}},
        exhibits={
            name: {"kind": "worst_table", "title": "The worst seed", "analysis": name}
            for name in ("all", "one")
        },
    )
    workspace.run()
    study = workspace.results / "studies" / "small"
    table = pd.read_csv(study / "statistics" / "all.csv")
    assert (table["metric"] == "half_right").all()
    assert table["loss"].between(0, 0.5).all()
    assert table.equals(pd.read_csv(study / "statistics" / "one.csv"))
    texts = [(study / "tables" / f"{name}.csv").read_text() for name in ("all", "one")]
    assert texts[0] == texts[1]
    assert f"{table['loss'][0]:.4f}" in texts[0]
