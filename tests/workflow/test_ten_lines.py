"""The study of ten lines in the README runs from raw data to verdicts."""

import shutil

import pandas as pd
import pytest
from fault_harness.workspace import REPOSITORY, Workspace

pytestmark = pytest.mark.workflow
EXAMPLE = REPOSITORY / "docs" / "examples" / "compare.yaml"


def test_readme_prints_the_output_of_the_example():
    assert EXAMPLE.read_text() in (REPOSITORY / "README.md").read_text()


@pytest.mark.nightly
def test_ten_lines_give_folds_tests_verdicts_and_figures(tmp_path):
    project = Workspace.shipped(tmp_path)
    shutil.copy(EXAMPLE, tmp_path / "config" / "studies" / "my_comparison.yaml")
    assert len(EXAMPLE.read_text().splitlines()) <= 10
    project.run()
    study = tmp_path / "results" / "studies" / "my_comparison"
    pairs = pd.read_parquet(study / "statistics" / "pairs.parquet")
    assert len(pairs) == 3
    assert set(pairs["design"]) == {"splits"}
    assert set(pairs["n"]) == {10}
    for name in ("verdicts", "folds", "checklist"):
        assert (study / "tables" / f"{name}.md").stat().st_size > 0
    assert (study / "figures" / "differences.pdf").stat().st_size > 0
    assert (tmp_path / "results" / "report" / "index.html").is_file()
